#!/usr/bin/env python3
"""Random C++ in two files: exceptions through recursion, destructors, nested handlers that throw again or on, exceptions kept and
thrown later, constructors that fail, noexcept, virtual calls (thunks and bases among them), threads, an end by terminate().

The woven program prints what the plain one prints; and as every function counts its calls itself, the report must have the same numbers.

    tests/random/exceptions.py --minutes=60 --seed=1
    tests/random/exceptions.py --seed=123 --count=1 --keep      that one again
"""

import sys

import woven_alike

FREE, CLASSES, FUEL = 7, 4, 400

HEADER = r"""
#include <exception>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define FUNCTION __attribute__((noinline, noclone))
extern unsigned long made[];
extern thread_local int fuel;
#define ENTER(number) __atomic_fetch_add(&made[number], 1, __ATOMIC_RELAXED)
struct Text {  // to be copied and freed
  char *bytes;
  Text(int v) : bytes((char *)malloc(20)) { memset(bytes, 'a' + (v & 7), 20); }
  Text(const Text &other) : bytes((char *)malloc(20)) { memcpy(bytes, other.bytes, 20); }
  ~Text() { free(bytes); }
};
template <class T> struct Owner {
  T *object;
  ~Owner() { delete object; }
};
struct Base { int value; Base(int v) : value(v) {} virtual ~Base() = default; };
struct Derived : Base { using Base::Base; };
struct Other { Text text; long value; Other(int v) : text(v), value(v) {} };
struct Virtual : virtual Base { Virtual(int v) : Base(v) {} };
"""

CLASS = r"""
struct C{n} {bases}{{
  int value;
  C{n}(int v);
  ~C{n}();
  FUNCTION void born(int v);
  FUNCTION void died();
  FUNCTION virtual long act(long x, int depth);
}};
"""
MEMBERS = r"""
C{n}::C{n}(int v) {tried}: {init}value(v) {{ born(v); }}{caught}
C{n}::~C{n}() {{ died(); }}
void C{n}::born(int v) {{ ENTER({born}); if (v < 500 && v % {modulus} == {rest}) throw {kind}(v); }}
void C{n}::died() {{ ENTER({died}); value = 0; }}
long C{n}::act(long x, int depth) {body}
"""


class Program:
    def __init__(self, draw):
        self.draw, self.names = draw, []
        self.texts = ["", ""]
        self.marks = 0
        self.free = [self.number(f"f{i}(long, int)") for i in range(FREE)]
        self.calm = [self.number(f"g{i}(long, int)") for i in range(2)]

    def number(self, name):
        """Every counted function has one."""
        self.names.append(name)
        return len(self.names) - 1

    def add(self, text):
        self.texts[self.draw.randint(0, 1)] += text

    def mark(self):
        """A function that is called here and nowhere else."""
        name = f"mark{self.marks}"
        self.marks += 1
        number = self.number(f"{name}()")
        self.add(f"FUNCTION void {name}() {{ ENTER({number}); }}\n")
        return f"{name}();"

    def kind(self):
        return self.draw.choice(["Base", "Derived", "Other", "int", "long", "Virtual"])

    def throw(self):
        d = self.draw
        return f"if ((x & {d.choice([1, 3, 7])}) == {d.randint(0, 3)}) throw {self.kind()}((int)x & 63);"

    def call(self):
        d = self.draw
        return d.choice([f"x += f{d.randrange(FREE)}(x + {d.randint(1, 9)}, depth - 1);",
                         f"x ^= g{d.randrange(2)}(x, depth - 1);",
                         f"{{ C{d.randrange(CLASSES)} o((int)x & 31); x += o.act(x, depth - 1); }}",
                         f"x += as_first(pick((int)x))->act(x, depth - 1);",
                         self.owner()])

    def owner(self):
        kind = f"C{self.draw.randrange(CLASSES)}"
        return f"{{ Owner<{kind}> o{{new {kind}((int)x & 31)}}; x -= o.object->value; f{self.draw.randrange(FREE)}(x, depth - 2); }}"

    def handlers(self, level):
        d, out = self.draw, ""
        for parameter in d.sample(["Derived &e", "Base &e", "const Other &e", "int e", "long", "Virtual &"], d.randint(0, 3)):
            value = {"D": "e.value", "B": "e.value", "c": "e.value", "i": "e"}.get(parameter[0] if parameter.endswith("e") else "", "3")
            out += f" catch ({parameter}) {{ {self.mark()} x += {value}; {self.leave(level)} }}"
        if d.random() < 0.7 or not out:
            out += f" catch (...) {{ {self.mark()} {self.leave(level)} }}"
        return out

    def leave(self, level):
        d = self.draw
        return d.choice(["", "", "throw;", "return x;", f"throw {self.kind()}(7);", "kept = std::current_exception();",
                         self.block(level + 1) if level < 2 else "", "if (x & 1) throw;", "x++;"])

    def statement(self, level):
        d = self.draw
        roll = d.random()
        if roll < 0.3:
            return self.call()
        if roll < 0.4:
            return self.throw()
        if roll < 0.6 and level < 3:
            return f"try {self.block(level + 1)}{self.handlers(level)}"
        if roll < 0.68 and level < 3:
            return f"for (int i{level} = 0; i{level} < {d.randint(1, 4)}; i{level}++) {self.block(level + 1)}"
        if roll < 0.76 and level < 3:
            return f"if (x & {d.choice([1, 2, 4, 8])}) {self.block(level + 1)} else {self.block(level + 1)}"
        if roll < 0.8 and level < 3:
            arms = "".join(f"case {k}: {{ {self.statement(level + 1)} }} {d.choice(['break;', '[[fallthrough]];'])} " for k in range(4))
            return f"switch (x & 3) {{ {arms} default: break; }}"
        if roll < 0.84:
            return f"C{d.randrange(CLASSES)} o{d.randrange(10 ** 9)}((int)x & 15);"
        if roll < 0.88:
            return "if (kept) { std::exception_ptr again = kept; kept = nullptr; std::rethrow_exception(again); }"
        if roll < 0.92:
            return self.mark()
        return d.choice([f"x = x * {d.randint(3, 9)} + {d.randint(1, 99)};", "x ^= x >> 3;", f"x += depth * {d.randint(1, 5)};", "x -= fuel;"])

    def block(self, level):
        return "{ " + " ".join(self.statement(level) for _ in range(self.draw.randint(1, 4 - min(level, 2)))) + " }"

    def body(self, number, calm=False):
        inner = " ".join(self.statement(0) for _ in range(self.draw.randint(2, 5)))
        guard = f"ENTER({number}); std::exception_ptr kept; if (depth <= 0 || --fuel <= 0) return x;"
        if calm:
            return f"noexcept {{ {guard} try {{ {inner} }} catch (...) {{ {self.mark()} x++; }} return x & 0xffff; }}\n"
        return f"{{ {guard} {inner} return x & 0xffff; }}\n"

    def write_class(self, n):
        d = self.draw
        earlier = d.sample(range(n), min(n, d.randint(0, 2))) if n else []
        # At most the first class may be a base twice, so it is a virtual one.
        bases = [f"virtual C{b}" for b in earlier]
        every = sorted(set(earlier).union(*[self.bases[b] for b in earlier])) if earlier else []
        self.bases.append(every)
        init = "".join(f"C{b}(v + {b + 1}), " for b in every)
        tried = d.random() < 0.3
        header = CLASS.format(n=n, bases=": " + ", ".join(bases) + " " if bases else "")
        born, died, act = self.number(f"C{n}::born(int)"), self.number(f"C{n}::died()"), self.number(f"C{n}::act(long, int)")
        text = MEMBERS.format(n=n, tried="try " if tried else "", init=init, born=born, died=died, modulus=d.randint(5, 17), rest=d.randint(0, 4),
                              kind=self.kind(), body=self.body(act), caught=f" catch (...) {{ {self.mark()} throw; }}" if tried else "")
        self.add(text)
        return header

    def write(self, folder):
        d, self.bases = self.draw, []
        header = HEADER + "".join(self.write_class(n) for n in range(CLASSES))
        header += "".join(f"FUNCTION long f{i}(long x, int depth);\n" for i in range(FREE))
        header += "".join(f"FUNCTION long g{i}(long x, int depth) noexcept;\n" for i in range(2))
        header += "C0 *as_first(C0 *);\nC0 *pick(int);\n"
        for i, number in enumerate(self.free):
            self.add(f"long f{i}(long x, int depth) {self.body(number)}")
        for i, number in enumerate(self.calm):
            self.add(f"long g{i}(long x, int depth) {self.body(number, calm=True)}")
        header += "".join(f"void mark{i}();\n" for i in range(self.marks))
        (folder / "common.h").write_text(header)
        for name, text in zip(("one", "two"), self.texts):
            (folder / f"{name}.cc").write_text('#include "common.h"\n' + text)
        (folder / "main.cc").write_text(self.main())

    def main(self):
        d = self.draw
        heirs = [n for n in range(CLASSES) if n == 0 or 0 in self.bases[n]]
        picks = "".join(f"  static C{n} &o{n} = *new C{n}(1000);\n" for n in heirs)
        cases = "".join(f"    case {k}: return &o{n};\n" for k, n in enumerate(heirs))
        threads = d.choice([0, 0, 2, 3])
        names = ", ".join(f'"{n}"' for n in self.names)
        ending = d.choice(["", "", "", "std::set_terminate(ended); loud(3);", "std::set_terminate(ended); throw Derived(1);", "finish(); quick_exit(0);"])
        runs = ""
        if threads:
            runs = (f"    pthread_t all[{threads}];\n    for (long k = 0; k < {threads}; k++) pthread_create(&all[k], 0, thread, (void *)(k + 1));\n"
                    "    for (pthread_t t : all) pthread_join(t, 0);\n")
        return f"""#include "common.h"
unsigned long made[{len(self.names)}];
thread_local int fuel;
static long total;
static const char *const names[] = {{{names}}};
C0 *as_first(C0 *object) {{ return object; }}
C0 *pick(int number) {{
{picks}  switch ((unsigned)number % {len(heirs)}) {{
{cases}  }}
  return nullptr;
}}
static void finish() {{
  printf("total %ld\\n", total);
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) printf("calls %lu %s\\n", made[i], names[i]);
  fflush(stdout);
}}
static void ended() {{ finish(); _exit(0); }}
static void loud(int n) noexcept {{ if (n > 0) throw Base(n); }}
static void work(int start) {{
  for (int i = 0; i < 12; i++) {{
    fuel = {FUEL};
    try {{
      long r = i % 2 ? f0(start * 31 + i, 9) : pick(i)->act(start + i, 8);
      __atomic_fetch_add(&total, r, __ATOMIC_RELAXED);
    }} catch (const Base &e) {{ __atomic_fetch_add(&total, e.value, __ATOMIC_RELAXED); }} catch (...) {{ __atomic_fetch_add(&total, 1000, __ATOMIC_RELAXED); }}
  }}
}}
static void *thread(void *start) {{ work((int)(long)start); return 0; }}
int main(int argc, char **) {{
  pick(argc);
  work(0);
  {{
{runs}  }}
  if (argc > 100) loud(2);
  {ending}
  finish();
  return 0;
}}
"""


def make(draw, folder):
    Program(draw).write(folder)
    compiler = draw.choice(["g++", "clang++", "clang++-19"])
    flags = [draw.choice(["-O0", "-O1", "-O2", "-O2", "-O3", "-Os"]), "-std=c++17", "-pthread"]
    flags += draw.choice([[], [], ["-fPIC"], ["-fno-pie", "-no-pie"], ["-static"], ["-static-pie", "-fPIE"], ["-fno-omit-frame-pointer"],
                          ["-ffunction-sections", "-Wl,--gc-sections"], ["-fno-plt"]])
    return {"compiler": compiler, "flags": flags, "otherwise": ["-O0"],
            "sources": [("one.cc", [], True), ("two.cc", [], draw.random() < 0.85), ("main.cc", [], True)]}


def calls_of(output):
    """By the program itself: function -> calls."""
    return {line.split(" ", 2)[2]: int(line.split(" ", 2)[1]) for line in output.splitlines() if line.startswith("calls ")}


if __name__ == "__main__":
    sys.exit(woven_alike.main(__doc__, make, "exceptions", calls_of))
