// Addresses on x86-64: from the decoder's operands.
#include "isa/addresses.h"

#include "isa/x86_64/registers.h"
#include "isa/x86_64/zydis.h"

namespace chord::isa {
namespace {

using zydis::Instruction;
using zydis::Operands;

unsigned whole_number(ZydisRegister r) { return r >= ZYDIS_REGISTER_RAX && r <= ZYDIS_REGISTER_R15 ? static_cast<unsigned>(r - ZYDIS_REGISTER_RAX) : kNoRegister; }
unsigned half_number(ZydisRegister r) { return r >= ZYDIS_REGISTER_EAX && r <= ZYDIS_REGISTER_R15D ? static_cast<unsigned>(r - ZYDIS_REGISTER_EAX) : kNoRegister; }

// False if it is made of something else.
bool read_form(const Instruction &in, const ZydisDecodedOperand &op, AddressForm &out) {
  const auto &m = op.mem;
  if (in.address_width != 64) return false;
  out.from_end = m.base == ZYDIS_REGISTER_RIP;
  out.from_thread = m.segment == ZYDIS_REGISTER_FS;
  if (m.base != ZYDIS_REGISTER_NONE && !out.from_end && (out.base = whole_number(m.base)) == kNoRegister) return false;
  if (m.index != ZYDIS_REGISTER_NONE && (out.index = whole_number(m.index)) == kNoRegister) return false;
  if (m.segment == ZYDIS_REGISTER_GS) return false;
  out.scale = m.index != ZYDIS_REGISTER_NONE ? m.scale : 1;
  out.number = m.disp.value;
  return true;
}

AddressForm at_register(unsigned base, int64_t number = 0) {
  AddressForm form;
  form.base = base;
  form.number = number;
  return form;
}

class FactReader {
 public:
  FactReader(const Instruction &in, const Operands &ops, std::string_view bytes) : in_(in), ops_(ops), bytes_(bytes) {}

  AddressFacts run() {
    out_.size = in_.length;
    if (const std::optional<Decoded> d = decode(bytes_)) {
      for (unsigned r = 0; r < 16; ++r) out_.changes |= d->writes & register_numbered(r) ? 1u << r : 0;
      out_.forgets = d->unknown_effects && d->flow != Flow::call;
      if (d->flow == Flow::call) out_.changes = 0;  // whoever is called says what it leaves
    }
    accesses();
    sum();
    return std::move(out_);
  }

 private:
  void accesses() {
    const Accesses all = accesses_of(bytes_);
    out_.repeated = all.repeated && !all.list.empty();
    out_.unknown = all.unknown;
    if (in_.mnemonic == ZYDIS_MNEMONIC_STD) out_.unknown = "strings that are gone through backward";  // elsewhere they never are, by all conventions
    for (const Access &a : all.list) {
      AddressFacts::Made made{{}, a.bytes, a.reads, a.writes, a.place};
      switch (a.place) {
        case Access::Place::pushed: made.at = at_register(kStackPointer, -static_cast<int64_t>(a.bytes)); break;
        case Access::Place::stack_top: made.at = at_register(kStackPointer); break;
        case Access::Place::frame: made.at = at_register(kFramePointer); break;
        case Access::Place::source: made.at = at_register(kStringSource); break;
        case Access::Place::target: made.at = at_register(kStringTarget); break;
        case Access::Place::operand:
          if (!find_operand(made.at) && out_.unknown.empty()) out_.unknown = "an address that is not made of general registers";
          break;
      }
      out_.accesses.push_back(made);
    }
  }

  bool find_operand(AddressForm &form) const {
    for (unsigned i = 0; i < in_.operand_count; ++i) {
      const bool explicit_memory = ops_[i].type == ZYDIS_OPERAND_TYPE_MEMORY && ops_[i].visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT;
      if (explicit_memory) return read_form(in_, ops_[i], form);
    }
    return false;
  }

  void becomes(unsigned into, const AddressForm &sum, bool half = false) {
    out_.into = into;
    out_.sum = sum;
    out_.half = half;
  }

  // Whole registers, or lower halves.
  bool registers(unsigned &first, unsigned &second, bool &half) const {
    half = ops_[0].type == ZYDIS_OPERAND_TYPE_REGISTER && half_number(ops_[0].reg.value) != kNoRegister;
    auto number = [&](unsigned i) { return ops_[i].type != ZYDIS_OPERAND_TYPE_REGISTER ? kNoRegister : half ? half_number(ops_[i].reg.value) : whole_number(ops_[i].reg.value); };
    first = number(0);
    second = in_.operand_count_visible > 1 ? number(1) : kNoRegister;
    return first != kNoRegister;
  }

  void sum() {
    unsigned first = kNoRegister, second = kNoRegister;
    bool half = false;
    const bool constant = in_.operand_count_visible > 1 && ops_[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    switch (in_.mnemonic) {
      case ZYDIS_MNEMONIC_PUSH:
      case ZYDIS_MNEMONIC_PUSHFQ:
      case ZYDIS_MNEMONIC_POP:
      case ZYDIS_MNEMONIC_POPFQ: return stack();
      case ZYDIS_MNEMONIC_LEAVE: return becomes(kStackPointer, at_register(kFramePointer, 8));
      default: break;
    }
    if (!registers(first, second, half)) return;
    AddressForm form;
    switch (in_.mnemonic) {
      case ZYDIS_MNEMONIC_MOV:
        if (second != kNoRegister) return becomes(first, at_register(second), half);
        if (constant) becomes(first, constant_form(), half);
        return;
      case ZYDIS_MNEMONIC_LEA:
        if (read_form(in_, ops_[1], form) && !form.from_thread) becomes(first, form, half);
        return;
      case ZYDIS_MNEMONIC_ADD:
      case ZYDIS_MNEMONIC_SUB:
        form = at_register(first);
        if (constant) form.number = in_.mnemonic == ZYDIS_MNEMONIC_ADD ? ops_[1].imm.value.s : -ops_[1].imm.value.s;
        else if (second != kNoRegister && in_.mnemonic == ZYDIS_MNEMONIC_ADD) form.index = second;
        else return;
        return becomes(first, form, half);
      case ZYDIS_MNEMONIC_INC: return becomes(first, at_register(first, 1), half);
      case ZYDIS_MNEMONIC_DEC: return becomes(first, at_register(first, -1), half);
      case ZYDIS_MNEMONIC_XOR:
        if (first == second) becomes(first, {}, half);
        return;
      default: return;
    }
  }

  AddressForm constant_form() const {
    AddressForm form;
    form.number = ops_[1].imm.value.s;
    return form;
  }

  // Of a word that is popped nothing is known; the stack pointer moves by its size, unless it is what was popped.
  void stack() {
    const bool pushes = in_.mnemonic == ZYDIS_MNEMONIC_PUSH || in_.mnemonic == ZYDIS_MNEMONIC_PUSHFQ;
    const bool into_pointer = !pushes && in_.operand_count_visible > 0 && ops_[0].type == ZYDIS_OPERAND_TYPE_REGISTER && ops_[0].reg.value == ZYDIS_REGISTER_RSP;
    const int64_t bytes = in_.operand_width / 8;
    if (!into_pointer) becomes(kStackPointer, at_register(kStackPointer, pushes ? -bytes : bytes));
  }

  const Instruction &in_;
  const Operands &ops_;
  std::string_view bytes_;
  AddressFacts out_;
};

}  // namespace

AddressFacts address_facts(std::string_view bytes) {
  Instruction in;
  Operands ops;
  if (!zydis::decode(bytes, in, ops)) {
    AddressFacts none;
    none.changes = 0xffff;
    none.unknown = "bytes that are no instruction";
    return none;
  }
  return FactReader(in, ops, bytes).run();
}

}  // namespace chord::isa
