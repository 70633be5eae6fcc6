// Switches that become jump tables, comparison trees, bit tests and lookup tables.
#include <stdio.h>
#include <string.h>

static int dense(int op, int a, int b) {
  switch (op) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return b ? a / b : 0;
    case 4: return a & b;
    case 5: return a | b;
    case 6: return a ^ b;
    case 7: return a << (b & 7);
    case 8: return a >> (b & 7);
    case 9: printf("nine %d\n", a); return 9;
    case 10: return ~a;
    case 11: return -b;
    default: return -1;
  }
}

static int sparse(int key) {
  switch (key) {
    case 3: return 1;
    case 1000: return 2;
    case -77: return 3;
    case 1 << 20: return 4;
    case 65537: return 5;
    case 99999: return 6;
    default: return 0;
  }
}

static int falling(int n) {
  int sum = 0;
  switch (n & 7) {
    case 7: sum += 64; /* fallthrough */
    case 6: sum += 32; /* fallthrough */
    case 5: sum += 16; /* fallthrough */
    case 4: sum ^= n; break;
    case 3: sum += 8; /* fallthrough */
    case 2: sum -= n; /* fallthrough */
    case 1: sum *= 3; break;
    case 0: sum = n; break;
  }
  return sum;
}

static int is_word(unsigned char c) {
  switch (c) {
    case 'a' ... 'z':
    case 'A' ... 'Z':
    case '0' ... '9':
    case '_': return 1;
    default: return 0;
  }
}

static const char *colour(int n) {
  switch (n) {
    case 0: return "red";
    case 1: return "green";
    case 2: return "blue";
    case 3: return "white";
    case 4: return "black";
    case 5: return "grey";
  }
  return "none";
}

static int by_name(const char *name) {
  static const char *const names[] = {"load", "store", "add", "jump", "call"};
  for (int i = 0; i < 5; i++)
    if (strcmp(names[i], name) == 0) return i;
  return -1;
}

// Two tables in one function, the second inside a loop over the first.
static int machine(const unsigned char *code, int length) {
  int state = 0, out = 0;
  for (int i = 0; i < length; i++) {
    switch (state) {
      case 0: state = code[i] & 3; break;
      case 1: out += code[i]; state = 4; break;
      case 2: out ^= code[i] * 5; state = 5; break;
      case 3: state = 0; break;
      case 4: out -= i; state = 6; break;
      case 5: state = code[i] % 7; break;
      default: out *= 3; state = 0; break;
    }
    switch (code[i] >> 5) {
      case 0: out++; break;
      case 1: out += 2; break;
      case 2: out ^= 0x55; break;
      case 3: out -= 7; break;
      case 4: out = out * 31 + 1; break;
      case 5: state ^= 1; break;
      case 6: out += state; break;
      case 7: continue;
    }
  }
  return out;
}

int main(void) {
  int sum = 0;
  for (int i = -2; i < 15; i++)
    for (int j = 0; j < 5; j++) sum = sum * 7 + dense(i, i * j, j);
  int keys[] = {3, 4, 1000, -77, 1 << 20, 65537, 99999, 0};
  for (int i = 0; i < 8; i++) sum += sparse(keys[i]) * (i + 1);
  for (int i = 0; i < 50; i++) sum ^= falling(i);
  int words = 0;
  for (const char *p = "the quick_brown fox; jumps 42 times!"; *p; p++) words += is_word((unsigned char)*p);
  for (int i = 0; i < 8; i++) printf("%s ", colour(i));
  printf("%d %d %d\n", by_name("jump"), by_name("call"), by_name("nop"));
  unsigned char code[400];
  for (int i = 0; i < 400; i++) code[i] = (unsigned char)(i * i + 13 * i);
  printf("%d %d %d\n", sum, words, machine(code, 400));
  return 0;
}
