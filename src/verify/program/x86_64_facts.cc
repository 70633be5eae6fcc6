#include "verify/program/x86_64_facts.h"

#include <Zydis/Zydis.h>

#include <array>
#include <charconv>

namespace chord::verify {
namespace {

using Instruction = ZydisDecodedInstruction;
using Operands = std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT>;

const ZydisDecoder &decoder() {
  static const ZydisDecoder made = [] {
    ZydisDecoder d;
    ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return d;
  }();
  return made;
}

unsigned general_number(ZydisRegister reg) {
  ZydisRegister all = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  bool is = all >= ZYDIS_REGISTER_RAX && all <= ZYDIS_REGISTER_R15;
  return is ? static_cast<unsigned>(all - ZYDIS_REGISTER_RAX) : kNoRegister;
}

unsigned vector_number(ZydisRegister reg) {
  ZydisRegister all = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  bool is = all >= ZYDIS_REGISTER_ZMM0 && all <= ZYDIS_REGISTER_ZMM15;
  return is ? static_cast<unsigned>(all - ZYDIS_REGISTER_ZMM0) : kNoRegister;
}

Set flags_in(ZydisAccessedFlagsMask mask) {
  Set set = 0;
  if (mask & ZYDIS_CPUFLAG_CF) set |= flag(kCarry);
  if (mask & ZYDIS_CPUFLAG_PF) set |= flag(kParity);
  if (mask & ZYDIS_CPUFLAG_AF) set |= flag(kAdjust);
  if (mask & ZYDIS_CPUFLAG_ZF) set |= flag(kZero);
  if (mask & ZYDIS_CPUFLAG_SF) set |= flag(kSign);
  if (mask & ZYDIS_CPUFLAG_OF) set |= flag(kOverflow);
  return set;
}

bool repeats(const Instruction &in) {
  return (in.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0;
}

// By a count that may be zero: nothing changes then.
bool shifts_by_register(const Instruction &in, const Operands &ops) {
  if (in.meta.category != ZYDIS_CATEGORY_SHIFT && in.meta.category != ZYDIS_CATEGORY_ROTATE) return false;
  for (unsigned i = 1; i < in.operand_count; ++i) {
    if (ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER && ops[i].reg.value == ZYDIS_REGISTER_CL) return true;
  }
  return false;
}

bool same_registers(const Operands &ops, unsigned a, unsigned b) {
  return ops[a].type == ZYDIS_OPERAND_TYPE_REGISTER && ops[b].type == ZYDIS_OPERAND_TYPE_REGISTER &&
         ops[a].reg.value == ops[b].reg.value;
}

// The result does not depend on the register that it is made from.
bool clears(const Instruction &in, const Operands &ops) {
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_SUB:
      return same_registers(ops, 0, 1) && ops[0].size >= 32;
    case ZYDIS_MNEMONIC_PXOR:
    case ZYDIS_MNEMONIC_XORPS:
    case ZYDIS_MNEMONIC_XORPD:
      return same_registers(ops, 0, 1);
    case ZYDIS_MNEMONIC_VPXOR:
    case ZYDIS_MNEMONIC_VXORPS:
    case ZYDIS_MNEMONIC_VXORPD:
      return same_registers(ops, 1, 2);
    default:
      return false;
  }
}

void read_memory(const Instruction &in, const ZydisDecodedOperand &op, Facts &out) {
  bool half = in.address_width == 32 || (in.mnemonic == ZYDIS_MNEMONIC_LEA && in.operand_width <= 32);
  for (ZydisRegister reg : {op.mem.base, op.mem.index}) {
    unsigned r = general_number(reg);
    out.reads |= half ? general(r) : whole(r);
    out.uses |= general(r);
    out.reads |= vector(vector_number(reg));
  }
  bool accesses = op.mem.type == ZYDIS_MEMOP_TYPE_MEM || op.mem.type == ZYDIS_MEMOP_TYPE_VSIB;
  if (accesses && (op.actions & ZYDIS_OPERAND_ACTION_MASK_READ)) out.loads = true;
  if (accesses && (op.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)) out.stores = true;
  if (op.visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT) return;
  out.memory.present = true;
  out.memory.only_address = op.mem.type == ZYDIS_MEMOP_TYPE_AGEN;
  out.memory.code_relative = op.mem.base == ZYDIS_REGISTER_RIP;
  out.memory.base = general_number(op.mem.base);
  out.memory.index = general_number(op.mem.index);
  out.memory.displacement = op.mem.disp.value;
  out.memory.size = op.size / 8;
  if (op.mem.segment == ZYDIS_REGISTER_FS || op.mem.segment == ZYDIS_REGISTER_GS) out.memory.base = kNoRegister;
}

void read_register(const Instruction &in, const ZydisDecodedOperand &op, bool cleared, Facts &out) {
  unsigned g = general_number(op.reg.value), v = vector_number(op.reg.value);
  bool read = (op.actions & ZYDIS_OPERAND_ACTION_MASK_READ) && !cleared;
  bool written = (op.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
  bool certain = !(op.actions & ZYDIS_OPERAND_ACTION_CONDWRITE);
  bool replaced = false;
  if (g != kNoRegister) {
    if (read) out.reads |= op.size > 32 ? whole(g) : general(g), out.uses |= general(g);
    if (written) out.writes |= whole(g);
    replaced = op.size >= 32;
    if (written && certain && replaced) out.kills |= whole(g);
    if (written && !(certain && replaced)) out.reads |= general(g);
  }
  if (v != kNoRegister) {
    bool masked = in.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && in.avx.mask.mode == ZYDIS_MASK_MODE_MERGING;
    bool wide = in.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX || in.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
    replaced = (wide && !masked) || cleared;
    if (read) out.reads |= vector(v), out.source_reads |= vector(v);
    if (written) out.writes |= vector(v);
    if (written && certain && replaced) out.kills |= vector(v);
    if (written && !(certain && replaced)) out.reads |= vector(v);
  }
}

// Replaces all of the lower 128 bits of its first operand.
bool replaces_lower(const Instruction &in, const Operands &ops) {
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_MOVAPS:
    case ZYDIS_MNEMONIC_MOVAPD:
    case ZYDIS_MNEMONIC_MOVUPS:
    case ZYDIS_MNEMONIC_MOVUPD:
    case ZYDIS_MNEMONIC_MOVDQA:
    case ZYDIS_MNEMONIC_MOVDQU:
    case ZYDIS_MNEMONIC_PSHUFD:
    case ZYDIS_MNEMONIC_MOVD:
    case ZYDIS_MNEMONIC_MOVQ: return true;
    case ZYDIS_MNEMONIC_MOVSD:
    case ZYDIS_MNEMONIC_MOVSS: return ops[1].type == ZYDIS_OPERAND_TYPE_MEMORY;
    default: return false;
  }
}

void read_widths(const Instruction &in, const Operands &ops, Facts &out) {
  for (unsigned i = 0; i < in.operand_count; ++i) {
    if (ops[i].type != ZYDIS_OPERAND_TYPE_REGISTER) continue;
    ZydisRegisterClass kind = ZydisRegisterGetClass(ops[i].reg.value);
    out.wide = out.wide || kind == ZYDIS_REGCLASS_YMM || kind == ZYDIS_REGCLASS_ZMM;
  }
  if (ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER || !replaces_lower(in, ops)) return;
  out.narrow_kills = vector(vector_number(ops[0].reg.value)) & out.writes;
}

void read_flow(const Instruction &in, const Operands &ops, Facts &out) {
  switch (in.meta.category) {
    case ZYDIS_CATEGORY_COND_BR: out.flow = Flow::conditional; break;
    case ZYDIS_CATEGORY_CALL: out.flow = Flow::call; break;
    case ZYDIS_CATEGORY_RET: out.flow = Flow::leave; break;
    case ZYDIS_CATEGORY_UNCOND_BR:
      if (in.mnemonic == ZYDIS_MNEMONIC_JMP) out.flow = Flow::jump;
      break;
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_INTERRUPT: out.unknown = true; break;
    default: break;
  }
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT: out.flow = Flow::trap; break;
    case ZYDIS_MNEMONIC_ENDBR64: out.entry_mark = true; break;
    case ZYDIS_MNEMONIC_JZ: out.on_zero = true; break;
    case ZYDIS_MNEMONIC_JNZ: out.on_other = true; break;
    default: break;
  }
  bool goes = out.flow == Flow::jump || out.flow == Flow::conditional || out.flow == Flow::call;
  out.indirect = goes && !(ops[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && ops[0].imm.is_relative);
}

void read_sum(const Instruction &in, const Operands &ops, Facts &out) {
  if (ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER || ops[0].size < 32) return;
  unsigned into = general_number(ops[0].reg.value);
  if (into == kNoRegister) return;
  Sum sum{into, into, 0, ops[0].size == 32};
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_INC: sum.plus = 1; break;
    case ZYDIS_MNEMONIC_DEC: sum.plus = -1; break;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
      if (in.mnemonic == ZYDIS_MNEMONIC_ADD && ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER && ops[0].size == 64) {
        out.added = general_number(ops[1].reg.value);
        out.added_to = into;
      }
      if (ops[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE) return;
      sum.plus = in.mnemonic == ZYDIS_MNEMONIC_ADD ? ops[1].imm.value.s : -ops[1].imm.value.s;
      break;
    case ZYDIS_MNEMONIC_LEA:
      if (ops[1].mem.index != ZYDIS_REGISTER_NONE || in.address_width != 64) return;
      sum.from = general_number(ops[1].mem.base);
      sum.plus = ops[1].mem.disp.value;
      if (sum.from == kNoRegister) return;
      break;
    case ZYDIS_MNEMONIC_MOV:
      if (ops[1].type != ZYDIS_OPERAND_TYPE_REGISTER) return;
      sum.from = general_number(ops[1].reg.value);
      if (sum.from == kNoRegister) return;
      break;
    case ZYDIS_MNEMONIC_MOVSXD:
      if (ops[1].type != ZYDIS_OPERAND_TYPE_REGISTER || ops[1].size != 32) return;
      sum.from = general_number(ops[1].reg.value);
      sum.half = true;
      if (sum.from == kNoRegister) return;
      break;
    default: return;
  }
  out.sum = sum;
}

void read_stack(const Instruction &in, const Operands &ops, Facts &out) {
  int bytes = in.operand_width / 8;
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_PUSH:
      if (ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER) out.pushed = general_number(ops[0].reg.value);
      out.stack_move = -bytes;
      break;
    case ZYDIS_MNEMONIC_PUSHFQ: out.stack_move = -bytes; break;
    case ZYDIS_MNEMONIC_POP:
      if (ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER) out.popped = general_number(ops[0].reg.value);
      out.stack_move = bytes;
      break;
    case ZYDIS_MNEMONIC_POPFQ: out.stack_move = bytes; break;
    case ZYDIS_MNEMONIC_LEAVE: out.leaves_frame = true; break;
    default: break;
  }
}

// The same value whatever the register held: or $-1, and $0, sbb with itself.
bool overwrites(const Instruction &in, const Operands &ops) {
  bool constant = ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_OR: return constant && ops[1].imm.value.s == -1;
    case ZYDIS_MNEMONIC_AND: return constant && ops[1].imm.value.s == 0;
    case ZYDIS_MNEMONIC_SBB: return same_registers(ops, 0, 1);
    default: return false;
  }
}

bool is_plain_move(ZydisMnemonic m) {
  switch (m) {
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVAPS:
    case ZYDIS_MNEMONIC_MOVAPD:
    case ZYDIS_MNEMONIC_MOVUPS:
    case ZYDIS_MNEMONIC_MOVUPD:
    case ZYDIS_MNEMONIC_MOVDQA:
    case ZYDIS_MNEMONIC_MOVDQU:
    case ZYDIS_MNEMONIC_VMOVAPS:
    case ZYDIS_MNEMONIC_VMOVAPD:
    case ZYDIS_MNEMONIC_VMOVUPS:
    case ZYDIS_MNEMONIC_VMOVUPD:
    case ZYDIS_MNEMONIC_VMOVDQA:
    case ZYDIS_MNEMONIC_VMOVDQU: return true;
    default: return false;
  }
}

// What is kept and put back, as compilers do it: whole registers, in words of the frame. Very large frames
// and those that are aligned anew are found by other registers than the stack and frame pointer.
void read_keeping(const Instruction &in, const Operands &ops, Facts &out) {
  constexpr Set kFrames = general(kRsp) | general(kRbp) | general(kRbx) | general(kRax) | general(10) | general(11);
  const MemoryOperand &m = out.memory;
  bool in_frame = m.present && m.index == kNoRegister && (general(m.base) & kFrames);
  bool moves = is_plain_move(in.mnemonic) && in_frame && m.size >= 8;
  if (out.stack_move < 0) out.keeps = general(out.pushed);
  if (moves && out.stores && ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER) out.keeps = general(general_number(ops[1].reg.value));
  if (general(m.base) & out.keeps) out.keeps = 0;
  out.restores = out.stack_move > 0 || out.leaves_frame || (moves && out.loads);
  Set set = out.writes & (kGenerals | kVectors);
  bool single = set != 0 && (set & (set - 1)) == 0;
  // One may be popped just to move the stack pointer, and frame pointers are made where nobody uses them.
  bool frame_pointer = set == general(kRbp) && (out.reads & general(kRsp));
  if (single && out.flow == Flow::next && !out.unknown && in.mnemonic != ZYDIS_MNEMONIC_POP && !frame_pointer) out.sets = set;
}

}  // namespace

std::optional<Facts> facts_of(std::string_view bytes) {
  Instruction in;
  Operands ops;
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder(), bytes.data(), bytes.size(), &in, ops.data()))) return std::nullopt;
  Facts out;
  out.size = in.length;
  bool cleared = clears(in, ops);
  unsigned operands = in.mnemonic == ZYDIS_MNEMONIC_NOP ? 0 : in.operand_count;
  for (unsigned i = 0; i < operands; ++i) {
    if (ops[i].type == ZYDIS_OPERAND_TYPE_MEMORY) read_memory(in, ops[i], out);
    if (ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER) read_register(in, ops[i], cleared, out);
  }
  if (in.cpu_flags != nullptr) {
    const ZydisAccessedFlags &f = *in.cpu_flags;
    out.reads |= flags_in(f.tested);
    Set changed = flags_in(f.modified | f.set_0 | f.set_1);
    // What the manual calls undefined, processors may leave alone.
    out.writes |= changed | flags_in(f.undefined);
    if (!shifts_by_register(in, ops)) out.kills |= changed;
  }
  read_flow(in, ops, out);
  read_widths(in, ops, out);
  read_sum(in, ops, out);
  read_stack(in, ops, out);
  bool moves_stack = out.stack_move != 0 || out.leaves_frame || out.sum.into == kRsp;
  out.loads_stack_pointer = (out.writes & general(kRsp)) && out.loads && !moves_stack && out.flow == Flow::next;
  if (overwrites(in, ops)) out.uses = 0;
  read_keeping(in, ops, out);
  if (repeats(in) && out.flow == Flow::next) out.kills = 0;
  if (out.unknown) {
    out.reads = kEverything;
    out.kills = 0;
  }
  return out;
}

namespace {
constexpr std::array<std::string_view, 16> kNames = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                                     "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
}

unsigned register_number(std::string_view name) {
  for (unsigned r = 0; r < kNames.size(); ++r) {
    std::string_view all = kNames[r];
    if (name == all) return r;
    if (r < 8 && name.size() == 3 && name[0] == 'e' && name.substr(1) == all.substr(1)) return r;
    if (r >= 8 && name.size() == all.size() + 1 && name.starts_with(all) && name.back() == 'd') return r;
  }
  return kNoRegister;
}

unsigned dwarf_number(unsigned r) {
  constexpr std::array<unsigned, 16> kNumbers = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
  return r < 16 ? kNumbers[r] : kNoRegister;
}

Set registers_of_rule(std::string_view name) {
  const bool is_vector = name.starts_with("xmm");
  if (is_vector) name.remove_prefix(3);
  unsigned number = kNoRegister;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool written_so = failed == std::errc{} && end == name.data() + name.size() && (name.size() == 1 || name[0] != '0');
  if (!written_so || number >= 16) return 0;
  if (is_vector) return vector(number);
  for (unsigned r = 0; r < 16; ++r) {
    if (dwarf_number(r) == number) return whole(r);
  }
  return 0;
}

}  // namespace chord::verify
