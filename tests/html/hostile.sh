#!/bin/sh
# Names, paths and sources that try to become markup, to hide, or to be too long stay text.
. "$(dirname "$0")/common.inc"
long=$(python3 -c "print('n' * 10000)")
evil='<img src=x onerror=alert(1)>'
printf '/* </script><script>alert(1)</script> \342\200\256 reversed \377 not UTF-8 */\nint %s(int n) { return n + 1; }\nint main(void) { return %s(-1); }\n' "$long" "$long" >"$evil.c"
"$CHORD" gcc -O1 -g -fno-inline "$evil.c" -o "$evil"
CHORD_OUT=evil.chord "./$evil"
"$CHORD" html -o evil.html evil.chord >/dev/null
! grep -aF '<img' evil.html >/dev/null || fail "markup of others is in the page"
! grep -aF 'alert(1)</script>' evil.html >/dev/null || fail "a script of others is in the page"
in_browser hostile.mjs "$work/evil.html"
