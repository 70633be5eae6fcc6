// A test program for ctest: its argument says which test.
#include <cstring>

#include "roman.h"

namespace {

bool writes(int number, const char *expected) {
  char text[16] = "";
  return roman_write(number, text) && std::strcmp(text, expected) == 0;
}

bool limits() {
  char text[16];
  return !roman_write(0, text) && !roman_write(4000, text);
}

}  // namespace

int main(int argc, char **argv) {
  const char *test = argc > 1 ? argv[1] : "";
  if (std::strcmp(test, "parse") == 0) return roman_parse("XLII") == 42 && roman_parse("IIX") == 0 ? 0 : 1;
  if (std::strcmp(test, "write") == 0) return writes(42, "XLII") && writes(1999, "MCMXCIX") ? 0 : 1;
  if (std::strcmp(test, "limits") == 0) return limits() ? 0 : 1;
  return 2;
}
