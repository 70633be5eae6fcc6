// Variadic functions: the vector-argument count in %al is live at their entry.
#include <stdarg.h>
#include <stdio.h>

static double sum(const char *kinds, ...) {
  va_list list;
  double total = 0;
  va_start(list, kinds);
  for (; *kinds; kinds++) {
    if (*kinds == 'i') total += va_arg(list, int);
    else if (*kinds == 'l') total += (double)va_arg(list, long);
    else total += va_arg(list, double);
  }
  va_end(list);
  return total;
}

static int format(char *out, size_t size, const char *pattern, ...) {
  va_list list, again;
  va_start(list, pattern);
  va_copy(again, list);
  int length = vsnprintf(NULL, 0, pattern, list);
  if ((size_t)length < size) vsnprintf(out, size, pattern, again);
  va_end(again);
  va_end(list);
  return length;
}

__attribute__((noinline)) static int forward(int n, ...) {
  va_list list;
  int best = n;
  va_start(list, n);
  for (int i = 0; i < n; i++) {
    int value = va_arg(list, int);
    if (value > best) best = value;
  }
  va_end(list);
  return best;
}

int main(void) {
  char text[80];
  printf("%.3f\n", sum("idldiiiiiidddddddddd", 1, 2.5, 3L, 4.25, 5, 6, 7, 8, 9, 10, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0,
                       7.0, 8.0, 9.0, 10.0));
  printf("%.3f\n", sum("iii", 1, 2, 3));
  int length = format(text, sizeof text, "%d-%s-%.2f", 42, "chord", 2.75);
  printf("%d %s\n", length, text);
  for (int i = 0; i < 5; i++) printf("%d ", forward(i, 3, 9, -2, 40, 7));
  puts("");
  return 0;
}
