// Decoding with Zydis; what instructions do with the stack is in x86_64_stack.cc.
//
// Two properties matter more than completeness. `reads` may be too large but never
// too small, and `kills` may be too small but never too large: liveness built on
// them then never calls a live resource dead.
#include <bit>

#include "isa/isa.h"
#include "isa/x86_64/registers.h"
#include "isa/x86_64/zydis.h"

namespace chord::isa {
namespace {

Resources resource_of(ZydisRegister reg) {
  ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  if (whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15) return general(whole - ZYDIS_REGISTER_RAX);
  if (whole >= ZYDIS_REGISTER_ZMM0 && whole <= ZYDIS_REGISTER_ZMM31) return vector(whole - ZYDIS_REGISTER_ZMM0);
  return 0;
}

Resources flags_of(ZydisAccessedFlagsMask mask) {
  Resources set = 0;
  if (mask & ZYDIS_CPUFLAG_CF) set |= kCarry;
  if (mask & ZYDIS_CPUFLAG_PF) set |= kParity;
  if (mask & ZYDIS_CPUFLAG_AF) set |= kAdjust;
  if (mask & ZYDIS_CPUFLAG_ZF) set |= kZero;
  if (mask & ZYDIS_CPUFLAG_SF) set |= kSign;
  if (mask & ZYDIS_CPUFLAG_OF) set |= kOverflow;
  return set;
}

using zydis::Instruction;
using zydis::Operands;

// A shift by a count that may be zero, or a repeated string instruction, leaves
// the flags as they were.
bool may_leave_flags(const Instruction &in, const Operands &ops) {
  if (in.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) return true;
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_SHL:
    case ZYDIS_MNEMONIC_SHR:
    case ZYDIS_MNEMONIC_SAR:
    case ZYDIS_MNEMONIC_ROL:
    case ZYDIS_MNEMONIC_ROR:
    case ZYDIS_MNEMONIC_RCL:
    case ZYDIS_MNEMONIC_RCR:
    case ZYDIS_MNEMONIC_SHLD:
    case ZYDIS_MNEMONIC_SHRD: {
      for (unsigned i = 1; i < in.operand_count; ++i) {
        if (ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER && ops[i].reg.value == ZYDIS_REGISTER_CL) return true;
      }
      return false;
    }
    default:
      return false;
  }
}

// xor %eax,%eax and its kin give zero whatever the register held.
bool is_zeroing(const Instruction &in, const Operands &ops) {
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_PXOR:
    case ZYDIS_MNEMONIC_XORPS:
    case ZYDIS_MNEMONIC_XORPD:
      return ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER && ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
             ops[0].reg.value == ops[1].reg.value && ops[0].size >= 32;
    case ZYDIS_MNEMONIC_VPXOR:
    case ZYDIS_MNEMONIC_VXORPS:
    case ZYDIS_MNEMONIC_VXORPD:
      return ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER && ops[2].type == ZYDIS_OPERAND_TYPE_REGISTER &&
             ops[1].reg.value == ops[2].reg.value;
    default:
      return false;
  }
}

// True if writing the operand leaves nothing of the old register that later code
// could read: 32- and 64-bit general writes do; a vector write does if it covers
// the xmm part, since code that keeps wider values across narrower legacy writes
// reads them as wider registers, which are the same resource.
bool replaces_register(const Instruction &in, const ZydisDecodedOperand &op) {
  if (op.actions & ZYDIS_OPERAND_ACTION_CONDWRITE) return false;
  ZydisRegisterClass kind = ZydisRegisterGetClass(op.reg.value);
  if (kind == ZYDIS_REGCLASS_GPR32 || kind == ZYDIS_REGCLASS_GPR64) return true;
  bool wide_encoding = in.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX || in.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
  if (kind == ZYDIS_REGCLASS_XMM || kind == ZYDIS_REGCLASS_YMM || kind == ZYDIS_REGCLASS_ZMM) {
    if (in.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && in.avx.mask.mode == ZYDIS_MASK_MODE_MERGING) return false;
    return wide_encoding;
  }
  return false;
}

void read_operand(const Instruction &in, const ZydisDecodedOperand &op, bool zeroing, Decoded &out) {
  if (op.type == ZYDIS_OPERAND_TYPE_MEMORY) {
    // Half an address needs half its registers.
    bool half = in.mnemonic == ZYDIS_MNEMONIC_LEA && in.operand_width <= 32;
    if (!half) out.whole_reads |= (resource_of(op.mem.base) | resource_of(op.mem.index)) & kGeneral;
    if (op.mem.base != ZYDIS_REGISTER_RIP) out.reads |= resource_of(op.mem.base);
    out.reads |= resource_of(op.mem.index);
    if (op.visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT) {
      if (op.mem.base != ZYDIS_REGISTER_RIP) out.address_base = resource_of(op.mem.base);
      out.address_index = resource_of(op.mem.index);
      out.address_scale = op.mem.scale != 0 ? op.mem.scale : 1;
    }
    if (op.mem.type != ZYDIS_MEMOP_TYPE_MEM && op.mem.type != ZYDIS_MEMOP_TYPE_VSIB) return;
    if (op.actions & ZYDIS_OPERAND_ACTION_MASK_READ) out.traits |= kLoad;
    if (op.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) out.traits |= kStore;
    return;
  }
  if (op.type != ZYDIS_OPERAND_TYPE_REGISTER) return;
  Resources r = resource_of(op.reg.value);
  if ((op.actions & ZYDIS_OPERAND_ACTION_MASK_READ) && !zeroing) {
    out.reads |= r;
    if (op.size > 32) out.whole_reads |= r & kGeneral;
  }
  if (op.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) {
    out.writes |= r;
    if (replaces_register(in, op)) {
      out.kills |= r;
    } else if (!zeroing) {
      out.reads |= r;  // what is not replaced lives on
    } else {
      out.kills |= r;
    }
  }
  switch (ZydisRegisterGetClass(op.reg.value)) {
    case ZYDIS_REGCLASS_MMX: out.traits |= kSimd64; break;
    case ZYDIS_REGCLASS_XMM: out.traits |= kSimd128; break;
    case ZYDIS_REGCLASS_YMM: out.traits |= kSimd256; break;
    case ZYDIS_REGCLASS_ZMM: out.traits |= kSimd512; break;
    case ZYDIS_REGCLASS_X87: out.traits |= kX87; break;
    default: break;
  }
}

bool computes_floats(const Operands &ops, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    switch (ops[i].element_type) {
      case ZYDIS_ELEMENT_TYPE_FLOAT16:
      case ZYDIS_ELEMENT_TYPE_FLOAT32:
      case ZYDIS_ELEMENT_TYPE_FLOAT64:
      case ZYDIS_ELEMENT_TYPE_FLOAT80:
        return true;
      default: break;
    }
  }
  return false;
}

void classify(const Instruction &in, const Operands &ops, Decoded &out) {
  switch (in.meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
      out.flow = Flow::conditional;
      out.traits |= kConditional;
      break;
    case ZYDIS_CATEGORY_UNCOND_BR:
      // xabort and xend share this category; only jmp leaves.
      if (in.mnemonic == ZYDIS_MNEMONIC_JMP) {
        out.flow = Flow::jump;
        out.traits |= kJump;
      }
      break;
    case ZYDIS_CATEGORY_CALL:
      out.flow = Flow::call;
      out.traits |= kCall;
      break;
    case ZYDIS_CATEGORY_RET:
      out.flow = Flow::leave;
      out.traits |= kReturn;
      break;
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_INTERRUPT:
      out.unknown_effects = true;
      out.traits |= kSystem;
      break;
    default:
      break;
  }
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT:
      out.flow = Flow::leave;
      out.traps = true;
      break;
    case ZYDIS_MNEMONIC_ENDBR64:
      out.marks_entry = true;
      break;
    default: break;
  }
  if (out.flow == Flow::jump || out.flow == Flow::conditional || out.flow == Flow::call) {
    if (ops[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && ops[0].imm.is_relative) {
      out.displacement = ops[0].imm.value.s;
      if (out.flow != Flow::call && out.displacement < 0) out.traits |= kBackward;
    } else {
      out.indirect = true;
      out.traits |= kIndirect;
    }
  }
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_JCXZ:
    case ZYDIS_MNEMONIC_JECXZ:
    case ZYDIS_MNEMONIC_JRCXZ:
    case ZYDIS_MNEMONIC_LOOP:
    case ZYDIS_MNEMONIC_LOOPE:
    case ZYDIS_MNEMONIC_LOOPNE:
      out.short_only = true;
      break;
    default: break;
  }
}

void read_flags(const Instruction &in, const Operands &ops, Decoded &out) {
  if (in.cpu_flags == nullptr) return;
  const ZydisAccessedFlags &f = *in.cpu_flags;
  out.reads |= flags_of(f.tested);
  // What is undefined by the manual, processors may well leave as it was.
  Resources changed = flags_of(f.modified | f.set_0 | f.set_1);
  out.writes |= changed | flags_of(f.undefined);
  if (!may_leave_flags(in, ops)) out.kills |= changed;
}

// add, sub, inc, dec and lea of a constant, on a general register or its lower half.
void read_step(const Instruction &in, const Operands &ops, Decoded &out) {
  if (ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER || ops[0].size < 32) return;
  Resources target = resource_of(ops[0].reg.value) & kGeneral;
  int64_t step = 0;
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_INC: step = 1; break;
    case ZYDIS_MNEMONIC_DEC: step = -1; break;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
      if (ops[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE) return;
      step = in.mnemonic == ZYDIS_MNEMONIC_ADD ? ops[1].imm.value.s : -ops[1].imm.value.s;
      break;
    case ZYDIS_MNEMONIC_LEA:
      if (ops[1].mem.index != ZYDIS_REGISTER_NONE || ops[1].mem.base == ZYDIS_REGISTER_RIP) return;
      if (resource_of(ops[1].mem.base) != target || in.address_width != 64) return;
      step = ops[1].mem.disp.value;
      break;
    default: return;
  }
  if (step == 0 || step != static_cast<int32_t>(step)) return;
  out.stepped = target;
  out.step = static_cast<int32_t>(step);
  out.narrow_step = ops[0].size == 32;
}

// A step, or mov, movslq or lea of one general register into another.
void read_copy(const Instruction &in, const Operands &ops, Decoded &out) {
  if (ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER || ops[0].size < 32) return;
  Resources into = resource_of(ops[0].reg.value) & kGeneral, from = 0;
  int64_t plus = 0;
  bool extends = in.mnemonic == ZYDIS_MNEMONIC_MOVSXD;
  if (out.stepped != 0) {
    from = out.stepped;
    plus = out.step;
  } else if (in.mnemonic == ZYDIS_MNEMONIC_LEA) {
    if (ops[1].mem.index != ZYDIS_REGISTER_NONE || ops[1].mem.base == ZYDIS_REGISTER_RIP || in.address_width != 64) return;
    from = resource_of(ops[1].mem.base);
    plus = ops[1].mem.disp.value;
  } else if ((in.mnemonic == ZYDIS_MNEMONIC_MOV || extends) && ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER && ops[1].size >= 32) {
    from = resource_of(ops[1].reg.value) & kGeneral;
  }
  if (into == 0 || from == 0 || ((into | from) & general(rsp)) || plus != static_cast<int32_t>(plus)) return;
  out.copy = {extends               ? Copy::Kind::extended
              : ops[0].size == 32 ? Copy::Kind::half
                                  : Copy::Kind::whole,
              static_cast<uint8_t>(std::countr_zero(into)), static_cast<uint8_t>(std::countr_zero(from)), static_cast<int32_t>(plus)};
}

}  // namespace

std::optional<Decoded> decode(std::string_view bytes) {
  Instruction in;
  Operands ops;
  if (!zydis::decode(bytes, in, ops)) return std::nullopt;
  Decoded out;
  out.size = in.length;
  out.mnemonic = ZydisMnemonicGetString(in.mnemonic);
  bool zeroing = is_zeroing(in, ops);
  // The operands of a long nop only fill it: nothing is read.
  unsigned operands = in.mnemonic == ZYDIS_MNEMONIC_NOP ? 0 : in.operand_count;
  for (unsigned i = 0; i < operands; ++i) read_operand(in, ops[i], zeroing, out);
  read_flags(in, ops, out);
  classify(in, ops, out);
  zydis::follow_stack(in, ops, out);
  read_step(in, ops, out);
  read_copy(in, ops, out);
  if (in.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) {
    out.traits |= kRepeated;
    out.kills = 0;  // with a count of zero nothing changes
  }
  if (in.attributes & ZYDIS_ATTRIB_HAS_LOCK) out.traits |= kLocked;
  if (computes_floats(ops, in.operand_count)) out.traits |= kFloat;
  if (out.unknown_effects) {
    out.reads |= all_registers() | all_flags();
    out.whole_reads |= kGeneral;
    out.kills = 0;
  }
  return out;
}

bool is_stack_slot(const Decoded &d) {
  return (d.traits & kLoad) && (d.address_base & (general(rsp) | general(rbp))) && d.address_index == 0;
}

}  // namespace chord::isa
