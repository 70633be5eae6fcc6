#include "verify/program/x86_64_accesses.h"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <array>

namespace chord::verify {
namespace {

using Place = Access::Place;
using Operands = std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT>;

bool decode(std::string_view bytes, ZydisDecodedInstruction &in, Operands &ops) {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes.data(), bytes.size(), &in, ops.data()));
}

// Names an address and accesses nothing that a program can tell.
bool only_hints(ZydisMnemonic m) {
  switch (m) {
    case ZYDIS_MNEMONIC_NOP:
    case ZYDIS_MNEMONIC_LEA:
    case ZYDIS_MNEMONIC_PREFETCH:
    case ZYDIS_MNEMONIC_PREFETCHW:
    case ZYDIS_MNEMONIC_PREFETCHWT1:
    case ZYDIS_MNEMONIC_PREFETCHNTA:
    case ZYDIS_MNEMONIC_PREFETCHT0:
    case ZYDIS_MNEMONIC_PREFETCHT1:
    case ZYDIS_MNEMONIC_PREFETCHT2:
    case ZYDIS_MNEMONIC_CLFLUSH:
    case ZYDIS_MNEMONIC_CLFLUSHOPT:
    case ZYDIS_MNEMONIC_CLWB:
    case ZYDIS_MNEMONIC_CLDEMOTE: return true;
    default: return false;
  }
}

// Moves one word to or from the stack, and that is all that is hidden about it.
bool moves_word(ZydisMnemonic m) {
  switch (m) {
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_PUSHFQ:
    case ZYDIS_MNEMONIC_POP:
    case ZYDIS_MNEMONIC_POPFQ:
    case ZYDIS_MNEMONIC_CALL:
    case ZYDIS_MNEMONIC_RET: return true;
    default: return false;
  }
}

struct Made {
  Access access;
  bool writes = false;
};

bool place(const ZydisDecodedInstruction &in, const ZydisDecodedOperand &op, Made &out) {
  if (in.meta.category == ZYDIS_CATEGORY_STRINGOP) {
    out.access.place = op.mem.base == ZYDIS_REGISTER_RDI ? Place::target : Place::source;
    return op.mem.base == ZYDIS_REGISTER_RDI || op.mem.base == ZYDIS_REGISTER_RSI;
  }
  if (op.visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT) return true;
  if (in.mnemonic == ZYDIS_MNEMONIC_LEAVE) {
    out.access.place = Place::frame;
    return true;
  }
  out.access.place = out.writes ? Place::pushed : Place::popped;
  return moves_word(in.mnemonic);
}

// Reads come first; strings are compared from their second operand on.
void order(std::vector<Made> &made) {
  auto late = [](const Made &m) { return m.writes; };
  std::stable_partition(made.begin(), made.end(), [&](const Made &m) { return !late(m); });
  if (made.size() != 2 || made[0].writes || made[1].writes) return;
  if (made[0].access.place == Place::source && made[1].access.place == Place::target) std::swap(made[0], made[1]);
}

uint32_t opcode_at(const ZydisDecodedInstruction &in) {
  uint32_t before = in.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT ? 1 : in.opcode_map == ZYDIS_OPCODE_MAP_0F ? 2 : 3;
  return in.raw.modrm.offset >= before ? in.raw.modrm.offset - before : 0;
}

}  // namespace

Accesses accesses_of(std::string_view bytes) {
  ZydisDecodedInstruction in;
  Operands ops;
  Accesses out;
  out.known = decode(bytes, in, ops);
  if (!out.known || only_hints(in.mnemonic)) return out;
  std::vector<Made> made;
  for (unsigned i = 0; i < in.operand_count; ++i) {
    const ZydisDecodedOperand &op = ops[i];
    bool reads = op.actions & ZYDIS_OPERAND_ACTION_MASK_READ, writes = op.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    if (op.type != ZYDIS_OPERAND_TYPE_MEMORY || op.mem.type == ZYDIS_MEMOP_TYPE_AGEN || (!reads && !writes)) continue;
    Made m{{Place::operand, op.size / 8u}, writes};
    out.known = out.known && place(in, op, m) && op.mem.type == ZYDIS_MEMOP_TYPE_MEM && m.access.bytes != 0;
    made.push_back(m);
  }
  order(made);
  for (const Made &m : made) out.list.push_back(m.access);
  out.repeated = (in.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0 && !made.empty();
  out.opcode_at = opcode_at(in);
  return out;
}

namespace {

// By number; -1: it is none of those of 64 bits (or, if `half`, of their lower halves).
int number_of(ZydisRegister r, bool half = false) {
  const ZydisRegister first = half ? ZYDIS_REGISTER_EAX : ZYDIS_REGISTER_RAX;
  return r >= first && r <= first + 15 ? static_cast<int>(r - first) : -1;
}

std::optional<Set> parts_of(const ZydisDecodedInstruction &in, const ZydisDecodedOperand &op) {
  if (in.address_width != 64 || op.mem.segment == ZYDIS_REGISTER_GS) return std::nullopt;
  Set parts = 0;
  for (ZydisRegister r : {op.mem.base, op.mem.index}) {
    if (r == ZYDIS_REGISTER_NONE || r == ZYDIS_REGISTER_RIP) continue;
    if (number_of(r) < 0) return std::nullopt;
    parts |= general(static_cast<unsigned>(number_of(r)));
  }
  return parts;
}

}  // namespace

std::optional<Set> parts_of_operand(std::string_view bytes) {
  ZydisDecodedInstruction in;
  Operands ops;
  if (!decode(bytes, in, ops)) return std::nullopt;
  for (unsigned i = 0; i < in.operand_count; ++i) {
    if (ops[i].type == ZYDIS_OPERAND_TYPE_MEMORY && ops[i].visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT) return parts_of(in, ops[i]);
  }
  return std::nullopt;
}

MadeValue made_value(std::string_view bytes) {
  ZydisDecodedInstruction in;
  Operands ops;
  if (!decode(bytes, in, ops)) return {};
  const bool pops_pointer = in.mnemonic == ZYDIS_MNEMONIC_POP && ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER && ops[0].reg.value == ZYDIS_REGISTER_RSP;
  if (moves_word(in.mnemonic) && in.mnemonic != ZYDIS_MNEMONIC_CALL && in.mnemonic != ZYDIS_MNEMONIC_RET && !pops_pointer) return {kRsp, general(kRsp)};
  if (in.mnemonic == ZYDIS_MNEMONIC_LEAVE) return {kRsp, general(kRbp)};
  if (in.operand_count_visible == 0 || ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER) return {};
  const bool half = number_of(ops[0].reg.value, true) >= 0;
  const int into = number_of(ops[0].reg.value, half);
  const bool two = in.operand_count_visible == 2, constant = two && ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
  const int from = two && ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER ? number_of(ops[1].reg.value, half) : -1;
  if (into < 0) return {};
  const auto reg = static_cast<unsigned>(into);
  const Set own = general(reg), other = from >= 0 ? general(static_cast<unsigned>(from)) : 0;
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_MOV: return constant || from >= 0 ? MadeValue{reg, other} : MadeValue{};
    case ZYDIS_MNEMONIC_INC:
    case ZYDIS_MNEMONIC_DEC: return {reg, own};
    case ZYDIS_MNEMONIC_ADD: return constant || from >= 0 ? MadeValue{reg, own | other} : MadeValue{};
    case ZYDIS_MNEMONIC_SUB: return constant ? MadeValue{reg, own} : MadeValue{};
    case ZYDIS_MNEMONIC_XOR: return from == into ? MadeValue{reg, 0} : MadeValue{};
    case ZYDIS_MNEMONIC_LEA: {
      const std::optional<Set> parts = ops[1].mem.segment == ZYDIS_REGISTER_FS ? std::nullopt : parts_of(in, ops[1]);
      return parts ? MadeValue{reg, *parts} : MadeValue{};
    }
    default: return {};
  }
}

std::string_view condition_of(std::string_view bytes) {
  ZydisDecodedInstruction in;
  Operands ops;
  if (!decode(bytes, in, ops)) return {};
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_JO: return "o";
    case ZYDIS_MNEMONIC_JNO: return "no";
    case ZYDIS_MNEMONIC_JB: return "b";
    case ZYDIS_MNEMONIC_JNB: return "ae";
    case ZYDIS_MNEMONIC_JZ: return "e";
    case ZYDIS_MNEMONIC_JNZ: return "ne";
    case ZYDIS_MNEMONIC_JBE: return "be";
    case ZYDIS_MNEMONIC_JNBE: return "a";
    case ZYDIS_MNEMONIC_JS: return "s";
    case ZYDIS_MNEMONIC_JNS: return "ns";
    case ZYDIS_MNEMONIC_JP: return "p";
    case ZYDIS_MNEMONIC_JNP: return "np";
    case ZYDIS_MNEMONIC_JL: return "l";
    case ZYDIS_MNEMONIC_JNL: return "ge";
    case ZYDIS_MNEMONIC_JLE: return "le";
    case ZYDIS_MNEMONIC_JNLE: return "g";
    case ZYDIS_MNEMONIC_JRCXZ: return "rcxz";
    case ZYDIS_MNEMONIC_JECXZ: return "ecxz";
    default: return {};
  }
}

}  // namespace chord::verify
