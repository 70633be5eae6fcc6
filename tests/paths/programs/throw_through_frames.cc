// Exceptions through several frames with and without cleanups, caught, rethrown and passed by, in
// functions that are in the middle of a path, of a loop, or of a second try.
#include <cstdio>

static int cleaned;
struct Cleanup {
  ~Cleanup() { cleaned++; }
};

__attribute__((noinline)) static int raise_if(int n, int limit) {
  if (n == limit) throw n;
  if (n > limit) throw 'x';
  return n;
}
__attribute__((noinline)) static int without_cleanup(int n, int limit) {
  int sum = 0;
  for (int i = 0; i <= n; i++) sum += i % 2 ? raise_if(i, limit) : i;
  return sum + 1;
}
__attribute__((noinline)) static int with_cleanup(int n, int limit) {
  Cleanup cleanup;
  if (n % 3 == 0) return without_cleanup(n, limit);
  return without_cleanup(n, limit) * 2;
}
__attribute__((noinline)) static int rethrown(int n, int limit) {
  try {
    return with_cleanup(n, limit);
  } catch (int value) {
    if (value > 2) throw;
    return -value;
  }
}
__attribute__((noinline)) static int caught(int n, int limit) {
  int result = 0;
  try {
    result = rethrown(n, limit);
    if (n == 4) result += rethrown(n - 1, 3);
  } catch (int value) {
    result = value * 100;
    try {
      raise_if(value + 1, value);
    } catch (char) {
      result++;
    }
  }
  return result;
}

int main() {
  int sum = 0;
  for (int n = 0; n < 5; n++) sum = sum * 3 + caught(n, n / 2 * 2 + 1) + caught(n, 1 + n % 2 * 2);
  std::printf("%d %d\n", sum, cleaned);
}
