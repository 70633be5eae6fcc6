// Accesses to memory, from the decoder's operands. What the operands do not tell (masks, gathers, bits that an
// index reaches, comparisons of strings that end early) is said to be unknown.
#include "isa/accesses.h"

#include "isa/x86_64/registers.h"
#include "isa/x86_64/zydis.h"

namespace chord::isa {
namespace {

using zydis::Instruction;
using zydis::Operands;
using Place = Access::Place;

bool is_hint(const Instruction &in) {
  switch (in.mnemonic) {
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

bool has_bit_index(const Instruction &in, const Operands &ops) {
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_BT:
    case ZYDIS_MNEMONIC_BTS:
    case ZYDIS_MNEMONIC_BTR:
    case ZYDIS_MNEMONIC_BTC:
      return ops[0].type == ZYDIS_OPERAND_TYPE_MEMORY && ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
    default: return false;
  }
}

bool is_masked(const Instruction &in) {
  if (in.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && in.avx.mask.reg != ZYDIS_REGISTER_NONE && in.avx.mask.reg != ZYDIS_REGISTER_K0) return true;
  switch (in.mnemonic) {
    case ZYDIS_MNEMONIC_MASKMOVQ:
    case ZYDIS_MNEMONIC_MASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVDQU:
    case ZYDIS_MNEMONIC_VMASKMOVPS:
    case ZYDIS_MNEMONIC_VMASKMOVPD:
    case ZYDIS_MNEMONIC_VPMASKMOVD:
    case ZYDIS_MNEMONIC_VPMASKMOVQ: return true;
    default: return false;
  }
}

unsigned number_of(ZydisRegister r) { return r >= ZYDIS_REGISTER_RAX && r <= ZYDIS_REGISTER_R15 ? static_cast<unsigned>(r - ZYDIS_REGISTER_RAX) : kNoRegister; }

Resources resource(ZydisRegister r) {
  ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
  return register_numbered(number_of(whole));
}

std::string_view string_fault(const Instruction &in) {
  if (in.address_width != 64) return "a string instruction with short addresses";
  bool compares = in.mnemonic == ZYDIS_MNEMONIC_CMPSB || in.mnemonic == ZYDIS_MNEMONIC_CMPSW || in.mnemonic == ZYDIS_MNEMONIC_CMPSD ||
                  in.mnemonic == ZYDIS_MNEMONIC_CMPSQ || in.mnemonic == ZYDIS_MNEMONIC_SCASB || in.mnemonic == ZYDIS_MNEMONIC_SCASW ||
                  in.mnemonic == ZYDIS_MNEMONIC_SCASD || in.mnemonic == ZYDIS_MNEMONIC_SCASQ;
  bool repeats = in.attributes & (ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE | ZYDIS_ATTRIB_HAS_REP);
  return compares && repeats ? "a repeated comparison of strings" : "";
}

class Reader {
 public:
  Reader(const Instruction &in, const Operands &ops) : in_(in), ops_(ops) {}

  Accesses run(std::string_view bytes) {
    if (is_hint(in_)) return {};
    for (unsigned i = 0; i < in_.operand_count; ++i) {
      if (ops_[i].type == ZYDIS_OPERAND_TYPE_MEMORY) add(ops_[i]);
    }
    if (out_.list.empty()) return std::move(out_);
    if (is_masked(in_)) out_.unknown = "a masked access to memory";
    if (has_bit_index(in_, ops_)) out_.unknown = "a bit of memory at an index";
    out_.repeated = in_.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
    order();
    out_.opcode_at = in_.raw.prefix_count;
    out_.opcode = static_cast<uint8_t>(bytes[out_.opcode_at]);
    return std::move(out_);
  }

 private:
  void fail(std::string_view why) {
    if (out_.unknown.empty()) out_.unknown = why;
  }

  void add(const ZydisDecodedOperand &op) {
    bool writes = (op.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    bool reads = (op.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    if (!reads && !writes) return;
    if (op.mem.type == ZYDIS_MEMOP_TYPE_AGEN) return;
    Access a;
    a.bytes = op.size / 8;
    a.writes = writes;
    a.reads = reads;
    if (op.mem.type != ZYDIS_MEMOP_TYPE_MEM || a.bytes == 0) fail("an access whose size or place follows from registers");
    if (op.visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT && !is_string()) {
      add_operand(op);
    } else {
      a.place = place_of(op, writes);
      if (op.mem.segment != ZYDIS_REGISTER_DS && op.mem.segment != ZYDIS_REGISTER_SS && op.mem.segment != ZYDIS_REGISTER_ES) fail("a string in another segment");
    }
    out_.list.push_back(a);
  }

  bool is_string() const { return in_.meta.category == ZYDIS_CATEGORY_STRINGOP; }

  void add_operand(const ZydisDecodedOperand &op) {
    const auto &m = op.mem;
    out_.registers |= resource(m.base) | resource(m.index);
    out_.thread_segment = m.segment == ZYDIS_REGISTER_FS;
    if (m.segment == ZYDIS_REGISTER_GS) fail("an access through the segment %gs");
    if (in_.address_width != 64) return;
    bool known = m.base != ZYDIS_REGISTER_RIP && number_of(m.base) != kNoRegister;
    bool index_known = m.index == ZYDIS_REGISTER_NONE || number_of(m.index) != kNoRegister;
    if (!known || !index_known || out_.thread_segment) return;
    out_.plain = true;
    out_.base = number_of(m.base);
    out_.index = number_of(m.index);
    out_.scale = m.scale;
    out_.number = m.disp.value;
  }

  Place place_of(const ZydisDecodedOperand &op, bool writes) {
    if (is_string()) {
      out_.registers |= resource(op.mem.base);
      if (std::string_view why = string_fault(in_); !why.empty()) fail(why);
      return op.mem.base == ZYDIS_REGISTER_RDI ? Place::target : Place::source;
    }
    switch (in_.mnemonic) {
      case ZYDIS_MNEMONIC_LEAVE:
        out_.registers |= general(rbp);
        return Place::frame;
      case ZYDIS_MNEMONIC_PUSH:
      case ZYDIS_MNEMONIC_PUSHFQ:
      case ZYDIS_MNEMONIC_POP:
      case ZYDIS_MNEMONIC_POPFQ:
      case ZYDIS_MNEMONIC_CALL:
      case ZYDIS_MNEMONIC_RET: break;
      default: fail("an access that no operand shows");
    }
    out_.registers |= general(rsp);
    return writes ? Place::pushed : Place::stack_top;
  }

  // What is read first; where both are read or written, the instruction's own order.
  void order() {
    if (out_.list.size() > 2) fail("more than two accesses");
    if (out_.list.size() != 2) return;
    Access &a = out_.list[0], &b = out_.list[1];
    bool compares = a.place == Place::source && b.place == Place::target && !a.writes && !b.writes;
    bool swaps = compares || (a.writes && !b.writes) || (a.place == Place::target && b.place == Place::source && a.writes);
    if (swaps) std::swap(a, b);
    // The stack pointer has moved when the place is computed that a word is popped into.
    bool pops = a.place == Place::stack_top && b.place == Place::operand;
    if (pops && (out_.registers & general(rsp)) && out_.base == kStackPointer) fail("a word popped to a place on the stack");
  }

  const Instruction &in_;
  const Operands &ops_;
  Accesses out_;
};

}  // namespace

Accesses accesses_of(std::string_view bytes) {
  Instruction in;
  Operands ops;
  if (!zydis::decode(bytes, in, ops)) return {};
  return Reader(in, ops).run(bytes);
}

}  // namespace chord::isa
