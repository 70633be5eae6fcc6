// Calling conventions on this machine: what they promise to callers, and what an
// instruction shows of the one its procedure follows.
//
// Compilers know more conventions than the usual one (System V): ms_abi keeps %rsi, %rdi and
// %xmm6 to %xmm15 for the caller, preserve_most and preserve_all nearly all registers,
// no_caller_saved_registers all of them; regcall keeps %xmm8 to %xmm15 and returns
// structures in many registers, swiftcall in four; options and global register variables keep
// single registers for a whole file. No text says which one it follows, so a register
// counts as nobody's on return only if each of them is refuted.
#pragma once

#include <string_view>

#include "isa/isa.h"

namespace chord::isa {

// What the text of a compiled procedure shows.
struct Evidence {
  Resources destroyed = 0;  // changed, and on the way to some return not put back
  Resources arguments = 0;  // read where nobody has written it yet, for more than to keep it
  bool llvm = false;        // or may be: it knows more conventions than gcc
  bool regcall = false;     // the name says so
};

// Registers, and flags, that callers cannot want after the procedure has returned. Whether
// single registers are kept for a whole file is another matter.
Resources given_up(const Evidence &evidence);

// Registers that a convention keeps for a whole file only if told to: those that somebody
// in it destroys are not among them.
Resources kept_on_demand();

// What is read at a call by whatever convention a compiler follows, as long as nothing else
// hints at arguments in other registers.
Resources usual_call_reads();

// The instruction may put a register back: takes it from the stack.
bool may_restore(const Decoded &decoded);
// Registers that the instruction reads for nothing but to keep them on the stack.
Resources kept_by(const Decoded &decoded);
// The register an instruction is there to set, or nothing: one that sets several has others
// that nobody asked for, and one may be popped just to move the stack pointer.
Resources set_on_purpose(const Decoded &decoded);
// Registers in which nobody passes or returns anything by the usual convention.
Resources never_passed();
Resources static_chain();  // of nested functions
Resources general_registers();

bool names_regcall(std::string_view symbol);

}  // namespace chord::isa
