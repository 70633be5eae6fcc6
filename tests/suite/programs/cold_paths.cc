// Unlikely code, which compilers move to cold fragments that jump back and forth.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

__attribute__((cold, noinline)) static void complain(const char *what, int value) { std::printf("%s %d; ", what, value); }

__attribute__((noinline)) static int parse(const std::string &text) {
  int value = 0;
  for (char c : text) {
    if (__builtin_expect(c < '0' || c > '9', 0)) {
      complain("bad digit", c);
      if (c == '!') throw std::invalid_argument(text);
      continue;
    }
    value = value * 10 + (c - '0');
    if (__builtin_expect(value > 99999, 0)) {
      complain("overflow", value);
      value %= 1000;
    }
  }
  return value;
}

__attribute__((noinline)) static int guarded(const std::string &text) {
  std::string copy = text + "7";
  try {
    return parse(copy);
  } catch (const std::invalid_argument &error) {
    complain(error.what(), static_cast<int>(copy.size()));
    return -1;
  }
}

__attribute__((noinline)) static int checked(int *p, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    if (__builtin_expect(p[i] < 0, 0)) {
      if (p[i] == -100) std::abort();
      complain("negative", p[i]);
      sum -= p[i];
    }
    sum += p[i] * 3;
  }
  return sum;
}

int main() {
  const char *inputs[] = {"12", "1x3", "999999", "4!", "", "88"};
  int sum = 0;
  for (int round = 0; round < 4; round++)
    for (const char *input : inputs) sum = sum * 2 + guarded(input);
  int values[50];
  for (int i = 0; i < 50; i++) values[i] = i % 9 - (i % 20 == 0);
  std::printf("\n%d %d\n", sum, checked(values, 50));
}
