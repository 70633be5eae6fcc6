// What instructions do with stack addresses: the few forms in which compilers move the
// stack pointer, copy it and reach memory through it. Whatever is not recognised leaves
// no trace in StackUse but for the memory operand; users look at Decoded::writes, too.
//
// The same forms, seen as what becomes of the stack pointer alone, are Decoded::stack.
#include "isa/isa.h"
#include "isa/x86_64/registers.h"
#include "isa/x86_64/zydis.h"

namespace chord::isa {
namespace {

using zydis::Instruction;
using zydis::Operands;

unsigned number_of(ZydisRegister reg) {
  bool whole = reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15;
  return whole ? static_cast<unsigned>(reg - ZYDIS_REGISTER_RAX) : kNoRegister;
}

void use_memory(const ZydisDecodedOperand &op, StackUse &use) {
  if (op.type != ZYDIS_OPERAND_TYPE_MEMORY || op.visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT) return;
  use.base = number_of(op.mem.base);
  use.indexed = op.mem.index != ZYDIS_REGISTER_NONE;
  use.displacement = op.mem.disp.value;
  use.bytes = op.size / 8;
  use.computes_address = op.mem.type == ZYDIS_MEMOP_TYPE_AGEN;
}

// target = source + amount
void use_sum(const ZydisDecodedOperand &target, unsigned source, int64_t amount, StackUse &use) {
  use.target = target.type == ZYDIS_OPERAND_TYPE_REGISTER ? number_of(target.reg.value) : kNoRegister;
  use.source = source;
  use.amount = amount;
}

StackUse use_of(const Instruction &in, const Operands &ops) {
  StackUse use;
  for (unsigned i = 0; i < in.operand_count_visible; ++i) use_memory(ops[i], use);
  bool whole = in.operand_width == 64;
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_PUSHFQ:
      if (whole) use.moves = -8;
      break;
    case ZYDIS_MNEMONIC_POP:
    case ZYDIS_MNEMONIC_POPFQ:
      if (whole) use.moves = 8;
      use.pops = true;
      break;
    case ZYDIS_MNEMONIC_LEAVE:
      use.target = kStackPointer;
      use.source = kFramePointer;
      use.moves = 8;
      use.pops = true;
      break;
    case ZYDIS_MNEMONIC_MOV:
      if (ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER) use_sum(ops[0], number_of(ops[1].reg.value), 0, use);
      break;
    case ZYDIS_MNEMONIC_LEA:
      if (!use.indexed) use_sum(ops[0], use.base, use.displacement, use);
      break;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB: {
      bool constant = ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER && ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
      int64_t amount = ops[1].imm.value.s;
      if (constant) use_sum(ops[0], number_of(ops[0].reg.value), in.mnemonic == ZYDIS_MNEMONIC_ADD ? amount : -amount, use);
      break;
    }
    default: break;
  }
  return use;
}

void move_stack(Decoded &out, StackMove move, int64_t bytes = 0) {
  out.stack = move;
  out.stack_bytes = static_cast<int32_t>(bytes);
}

}  // namespace

StackUse stack_use(std::string_view bytes) {
  Instruction in;
  Operands ops;
  return zydis::decode(bytes, in, ops) ? use_of(in, ops) : StackUse{};
}

void zydis::follow_stack(const Instruction &in, const Operands &ops, Decoded &out) {
  const StackUse use = use_of(in, ops);
  if (in.mnemonic == ZYDIS_MNEMONIC_MOV && use.target == kFramePointer && use.source == kStackPointer) {
    return move_stack(out, StackMove::makes_frame);
  }
  if (!(out.writes & general(rsp)) || out.flow == Flow::call || out.flow == Flow::leave) return;
  if (use.target == kStackPointer && use.source == kStackPointer) return move_stack(out, StackMove::by, -use.amount);
  if (use.target == kStackPointer && use.source == kFramePointer) {
    return move_stack(out, StackMove::from_frame, -use.amount - use.moves);
  }
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_PUSHFQ:
      return move_stack(out, StackMove::by, in.operand_width / 8);
    case ZYDIS_MNEMONIC_POP:
    case ZYDIS_MNEMONIC_POPFQ:
      if (ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER && ops[0].reg.value == ZYDIS_REGISTER_RSP) break;
      return move_stack(out, StackMove::by, -in.operand_width / 8);
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_AND:
      return move_stack(out, StackMove::deeper);
    default: break;
  }
  move_stack(out, StackMove::unknown);
}

}  // namespace chord::isa
