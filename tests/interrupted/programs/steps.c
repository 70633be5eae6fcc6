// Loops whose counts follow from a pointer or index of the program's own.
__attribute__((noinline)) long watched(const int *a, long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += a[i];
  for (const int *p = a + n; p != a;) sum ^= *--p;
  for (long i = 0; i < 3; ++i)
    for (long k = i; k < n; k += 2) sum += a[k] * i;
  return sum;
}

int main(void) {
  int a[7] = {3, 1, 4, 1, 5, 9, 2};
  return watched(a, 7) == 0;
}
