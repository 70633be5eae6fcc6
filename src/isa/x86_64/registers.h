// The bits of isa::Resources on x86-64. Private to isa/.
#pragma once

#include "isa/isa.h"

namespace chord::isa {

enum General : unsigned { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15 };

constexpr Resources general(unsigned n) { return Resources{1} << n; }
constexpr Resources vector(unsigned n) { return n < 32 ? Resources{1} << (16 + n) : 0; }

constexpr Resources kCarry = Resources{1} << 48;
constexpr Resources kParity = Resources{1} << 49;
constexpr Resources kAdjust = Resources{1} << 50;
constexpr Resources kZero = Resources{1} << 51;
constexpr Resources kSign = Resources{1} << 52;
constexpr Resources kOverflow = Resources{1} << 53;
constexpr Resources kFlags = kCarry | kParity | kAdjust | kZero | kSign | kOverflow;

constexpr Resources kGeneral = 0xffff;
constexpr Resources kVector = Resources{0xffffffff} << 16;
constexpr Resources kCalleeSaved =
    general(rbx) | general(rbp) | general(rsp) | general(r12) | general(r13) | general(r14) | general(r15);

}  // namespace chord::isa
