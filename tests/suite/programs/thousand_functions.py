"""A thousand tiny functions that call each other; many are called, some never are."""

import random


def main():
    rng = random.Random(1994)
    out = ["#include <stdio.h>"]
    for i in range(1000):
        keep = "__attribute__((noinline)) " if i % 2 else ""
        shape = rng.randrange(4)
        callee = f"f{rng.randrange(i)}" if i else None
        if shape == 0 or callee is None:
            text = f"return n * {rng.randrange(2, 9)} + {i};"
        elif shape == 1:
            text = f"return n & {1 << rng.randrange(3)} ? {callee}(n >> 1) : n + {i};"
        elif shape == 2:
            text = f"return n > 0 ? {callee}(n / 2) ^ {i} : -{i};"
        else:
            text = f"int s = 0; for (int i = n & 3; i > 0; i--) s += {callee}(i); return s;"
        out.append(f"{keep}static int f{i}(int n) {{ {text} }}")
    out += ["static int (*const all[])(int) = {", ", ".join(f"f{i}" for i in range(1000)), "};",
            "int main(void) {", "  int sum = 0;",
            "  for (int i = 0; i < 1000; i += 3) sum = sum * 3 + all[i](i % 17);",
            "  printf(\"%d\\n\", sum);", "  return 0;", "}"]
    print("\n".join(out))


main()
