// More paths than a table has: with --paths they are counted by number, by way of the runtime
// when one is met for the first time. The rounds are long enough for that.
#define WORK sum = sum * 5 + x; __asm__ volatile("" : "+r"(sum));
#define BIT(i) if (x & (1u << (i))) __asm__ volatile("" ::: "memory"); else sum += i;
#define FOUR(i) BIT(i) BIT(i + 1) BIT(i + 2) BIT(i + 3)

__attribute__((noinline)) unsigned watched(unsigned x) {
  unsigned sum = 0;
  for (int round = 0; round < 3; round++) {
    FOUR(0) FOUR(4) FOUR(8)
    WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK WORK
    x ^= round == 1 ? 0x5a5 : 0;
  }
  return sum;
}

int main(void) { return watched(0x3c7) == 0; }
