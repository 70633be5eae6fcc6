#!/bin/sh
# A loop that goes on by a table from each of its 300 operations: more witnesses could come next than can be told apart, so the function
# has another encoding instead of being left alone.
. "$(dirname "$0")/../common.inc"
python3 - <<'PYTHON' >interpreter.c
n = 300
print("#include <stdio.h>\nlong run(const unsigned short *p) {\n  static void *const table[] = {" + ", ".join(f"&&L{i}" for i in range(n)) + "};")
print("  long a = 1, b = 2;\n  goto *table[*p++];")
for i in range(n - 1):
    print(f"L{i}: a += b * {i + 3}; if (a & {1 << i % 9}) b ^= a + {i}; if (b & {1 << i % 7}) a -= {i}; goto *table[*p++];")
print(f"L{n - 1}: return a ^ b;\n}}")
print(f"""int main(void) {{
  static unsigned short code[2000];
  unsigned x = 1;
  for (int i = 0; i < 1999; i++) code[i] = ((x = x * 1103515245 + 12345) >> 16) % {n - 1};
  code[1999] = {n - 1};
  printf("%ld\\n", run(code));
  return 0;
}}""")
PYTHON
gcc -O0 interpreter.c -o plain
"$CHORD" --verify gcc -O0 interpreter.c -o counted
"$CHORD" --verify --trace gcc -O0 interpreter.c -o default
"$CHORD" --verify --trace=witness gcc -O0 interpreter.c -o witness
./counted >/dev/null
counts() { "$CHORD" report "$1" --by=instruction --csv | cut -d, -f1,5-7; }
counts counted.chord >expected
for build in default witness; do
  expect_equal "$build: what it prints" "$(./plain)" "$(./$build)"
  counts $build.chordtrace >found
  cmp expected found || fail "$build: counts differ"
done
