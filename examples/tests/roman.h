// Roman numerals from I to MMMCMXCIX.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// 0 if the text is no numeral.
int roman_parse(const char *text);

// Writes at most 16 bytes. 0 if the number has no numeral.
int roman_write(int number, char *text);

#ifdef __cplusplus
}
#endif
