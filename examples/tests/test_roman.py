import pytest
import roman


def test_parse():
    assert roman.parse("XLII") == 42


@pytest.mark.parametrize("number", [4, 1999])
def test_write(number):
    assert roman.parse(roman.write(number)) == number


def test_limits():
    with pytest.raises(ValueError):
        roman.write(4000)
