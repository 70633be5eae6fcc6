"""One function of about a thousand blocks: nested conditions, loops and a switch, from a fixed seed."""

import random


def body(rng, depth, budget, out, indent):
    while budget[0] > 0:
        budget[0] -= 1
        kind = rng.randrange(10)
        pad = "  " * indent
        if kind < 4 or depth > 5:
            out.append(f"{pad}x = x * {rng.randrange(3, 99)}u + y; y ^= x >> {rng.randrange(1, 9)};")
        elif kind < 7:
            out.append(f"{pad}if (x % {rng.randrange(2, 7)} == {rng.randrange(0, 3)}) {{")
            body(rng, depth + 1, [rng.randrange(1, 5)], out, indent + 1)
            out.append(f"{pad}}} else {{")
            body(rng, depth + 1, [rng.randrange(1, 4)], out, indent + 1)
            out.append(f"{pad}}}")
        elif kind < 9:
            name = f"i{depth}"
            out.append(f"{pad}for (unsigned {name} = 0; {name} < x % 3; {name}++) {{")
            body(rng, depth + 1, [rng.randrange(1, 3)], out, indent + 1)
            out.append(f"{pad}}}")
        else:
            out.append(f"{pad}switch ((x >> 3) % 6) {{")
            for case in range(rng.randrange(4, 7)):
                out.append(f"{pad}  case {case}: y += {rng.randrange(1000)}u; x ^= y; break;")
            out.append(f"{pad}}}")


def main():
    rng = random.Random(1984)
    out = ["#include <stdio.h>", "static unsigned big(unsigned x, unsigned y) {"]
    body(rng, 0, [36], out, 1)
    out += ["  return x ^ y;", "}", "int main(void) {", "  unsigned sum = 0;",
            "  for (unsigned i = 0; i < 6; i++) sum = sum * 31 + big(i * 977, sum);",
            "  printf(\"%u\\n\", sum);", "  return 0;", "}"]
    print("\n".join(out))


main()
