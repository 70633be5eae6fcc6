extern int visible_to_library(int n);
static int state;

static int twice(int n) { return n + n; }
int library_sum(const int *values, int n, int (*filter)(int)) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += filter(values[i]) ? twice(values[i]) : visible_to_library(values[i]);
  return sum;
}
int library_state(int add) {
  if (add > 4) state -= add;
  else state += add;
  return state;
}
__attribute__((constructor)) static void begin(void) { state = 7; }
