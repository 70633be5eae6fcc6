#include "roman.h"

#include <cstring>

namespace {

struct Symbol {
  int value;
  const char *text;
};

constexpr Symbol kSymbols[] = {{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"},
                               {40, "XL"},  {10, "X"},   {9, "IX"},  {5, "V"},    {4, "IV"},  {1, "I"}};

bool has_numeral(int number) { return number > 0 && number < 4000; }

}  // namespace

int roman_write(int number, char *text) {
  if (!has_numeral(number)) {
    return 0;
  }
  for (const Symbol &symbol : kSymbols) {
    for (; number >= symbol.value; number -= symbol.value) {
      std::strcpy(text, symbol.text);
      text += std::strlen(symbol.text);
    }
  }
  return 1;
}

int roman_parse(const char *text) {
  int number = 0;
  const char *at = text;
  for (const Symbol &symbol : kSymbols) {
    const std::size_t length = std::strlen(symbol.text);
    for (; std::strncmp(at, symbol.text, length) == 0; at += length) number += symbol.value;
  }
  char again[16];
  if (*at != '\0' || !roman_write(number, again)) return 0;
  return std::strcmp(again, text) == 0 ? number : 0;
}
