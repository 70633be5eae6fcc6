#!/usr/bin/env python3
"""Random functions in two files that call each other by random conventions, with options that keep registers: the
woven program prints what the plain one prints.

    tests/random/conventions.py --minutes=60 --seed=1
    tests/random/conventions.py --seed=123 --count=1 --keep      that one again
"""

import sys

import woven_alike

GCC = ["", "", "__attribute__((ms_abi))", "__attribute__((sysv_abi))"]
CLANG = ["", "__attribute__((ms_abi))", "__attribute__((preserve_most))", "__attribute__((preserve_all))",
         "__attribute__((regcall))"]
CLANG_19 = [*CLANG, "__attribute__((preserve_none))"]
GENERAL = ["", "__attribute__((no_caller_saved_registers))", "__attribute__((no_caller_saved_registers))", "__attribute__((ms_abi))"]
FUNCTIONS = 8


def expression(draw, names):
    a, b = draw.choice(names), draw.choice(names)
    return draw.choice([f"{a} + {b}", f"{a} - {b} * 3", f"{a} ^ ({b} >> 3)", f"{a} * {draw.randint(3, 99)} + {b}",
                        f"({a} & 255) | ({b} << 2)", f"{a} + table[{b} & 15]", f"sink ^ {a}"])


def prototype(function):
    parameters = ", ".join(f"{kind} {name}" for kind, name in function["parameters"]) or "void"
    return f"{function['convention']} __attribute__((noinline)) {function['kind']} {function['name']}({parameters})"


def call(draw, callee, names, floats):
    arguments = ", ".join(draw.choice(floats) if kind == "double" else draw.choice(names) for kind, _ in callee["parameters"])
    return f"{callee['name']}({arguments})"


def body(draw, function, callees):
    names = [n for k, n in function["parameters"] if k == "unsigned long"] or ["sink"]
    floats = [n for k, n in function["parameters"] if k == "double"] or ["scale"] * function["floats"]
    lines = []
    for i in range(draw.randint(1, 11)):
        lines.append(f"unsigned long v{i} = {expression(draw, names)};")
        names = [*names, f"v{i}"]
    for i in range(draw.randint(0, 6) if floats else 0):
        lines.append(f"double x{i} = {draw.choice(floats)} * {draw.randint(1, 9) / 8} + (double)({draw.choice(names)} & 1023);")
        floats = [*floats, f"x{i}"]
    values = [n for n in names if n.startswith("v")]
    for _ in range(draw.randint(1, 5)):
        target = draw.choice(values)
        kind = draw.choice(["loop", "branch", "call", "call", "call", "loop call"])
        callee = draw.choice(callees) if callees else None
        if "call" in kind and callee is not None:
            line = call(draw, callee, names, floats)
            line = f"{line};" if callee["kind"] == "void" else f"{target} += (unsigned long){line};"
            if kind == "loop call":
                line = f"for (int i = 0; i < 3; i++) {{ {line} {target} ^= (unsigned long)i; }}"
            lines.append(line)
        elif kind == "branch":
            lines.append(f"if ({draw.choice(names)} & {draw.randint(1, 7)}) {target} += {expression(draw, names)}; "
                         f"else sink += {expression(draw, names)};")
        else:
            lines.append(f"for (unsigned long i = {target} & 7; i != 0; i--) {{ {target} = {expression(draw, names)} + i; "
                         f"if (i & 2) {draw.choice(values)} ^= i; }}")
    lines.append(f"sink += {' ^ '.join(values)}; USE;")
    result = " + ".join(f"{n} * {draw.randint(1, 99)}" for n in values)
    floating = "".join(f" + (unsigned long)(long){n}" for n in floats)
    if function["kind"] == "double":
        lines.append(f"return (double)(({result}{floating}) & 65535) / 3;")
    elif function["kind"] != "void":
        lines.append(f"return {result}{floating};")
    else:
        lines.append(f"sink ^= {result}{floating};")
    return "{\n  " + "\n  ".join(lines) + "\n}\n"


def functions(draw, conventions, floats):
    out = []
    for i in range(FUNCTIONS):
        parameters = [(draw.choice(["unsigned long"] * 3 + ["double"] * floats), f"p{k}") for k in range(draw.randint(0, 9))]
        out.append({"name": f"f{i}", "convention": draw.choice(conventions), "parameters": parameters, "floats": floats,
                    "kind": draw.choice(["unsigned long", "unsigned long", "void"] + ["double"] * floats), "file": draw.randint(0, 1)})
        # clang gives the caller's xmm0 back where preserve_all returns in it: what the plain program reads then is anybody's.
        if "preserve_all" in out[-1]["convention"] and out[-1]["kind"] == "double":
            out[-1]["kind"] = "unsigned long"
    return out


def make(draw, folder):
    compiler = draw.choice(["gcc", "gcc", "clang", "clang-19"])
    conventions = {"gcc": GCC, "clang": CLANG, "clang-19": CLANG_19}[compiler]
    flags = [draw.choice(["-O1", "-O2", "-O3", "-Os"])]
    flags += draw.choice([[], ["-fPIC"], ["-fno-pie", "-no-pie"], ["-mavx2"]])
    kept, held = [], ""
    roll = draw.random()
    if compiler == "gcc" and roll < 0.3:
        # Only where no library is called, which knows nothing of it, nor the stubs that bind lazily.
        kept = [f"-fcall-saved-{r}" for r in draw.sample(["r8", "r9", "r10", "r11", "xmm9", "xmm15"], 2)]
        flags = [*(f for f in flags if f != "-fPIC"), "-static"]
    elif compiler == "gcc" and roll < 0.45:
        flags = [*flags[:1], "-mcmodel=large", "-fno-pie", "-no-pie"]
    elif compiler == "gcc" and roll < 0.6:
        conventions, flags = GENERAL, [*(f for f in flags if f != "-mavx2"), "-mgeneral-regs-only"]
    elif compiler == "gcc" and roll < 0.75:
        held = draw.choice(["r10", "r11", "r12", "rbx", "r15"])
        flags = [*(f for f in flags if f != "-fPIC"), f"-ffixed-{held}", "-static"]
    made = functions(draw, conventions, "-mgeneral-regs-only" not in flags)
    register = f'register unsigned long held __asm__("{held}");\n#define USE (sink += held++)\n' if held else "#define USE\n"
    texts = [[], []]
    common = (register + "extern volatile unsigned long sink;\nextern unsigned long table[16];\nextern double scale;\n" +
              "".join(f"{prototype(f)};\n" for f in made))
    for i, function in enumerate(made):
        texts[function["file"]].append(f"{prototype(function)} {body(draw, function, made[i + 1:])}")
    (folder / "one.c").write_text(common + "".join(texts[0]))
    (folder / "two.c").write_text(common + "".join(texts[1]))
    calls = "".join(f"    total = total * 31 + (unsigned long){call(draw, f, ['i', 'i * 77', 'sink'], ['scale', '(double)i'])};\n"
                    if f["kind"] != "void" else f"    {call(draw, f, ['i', 'i * 5'], ['scale'])};\n" for f in made)
    (folder / "main.c").write_text(
        "#include <stdio.h>\n" + register + "volatile unsigned long sink = 1;\nunsigned long table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};\n"
        "double scale = 1.5;\n" + "".join(f"{prototype(f)};\n" for f in made) +
        f"int main(void) {{\n  unsigned long total = 0;\n  for (unsigned long i = 0; i < 4; i++) {{\n{f'    held = i;{chr(10)}' if held else ''}{calls}"
        '    printf("%lu %lu\\n", total, sink);\n  }\n  return 0;\n}\n')
    return {"compiler": compiler, "flags": flags, "otherwise": ["-O0"], "sources": [("one.c", kept, True), ("two.c", kept, True), ("main.c", [], True)]}


if __name__ == "__main__":
    sys.exit(woven_alike.main(__doc__, make, "conventions"))
