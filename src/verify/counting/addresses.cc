#include "verify/counting/addresses.h"

#include <algorithm>

#include "verify/program/x86_64_accesses.h"

namespace chord::verify {
namespace {

using core::AddressPlan;

// Values that were written and whose instruction is still to come, in terms of what registers hold now; registers whose values are known.
struct AddressesState {
  std::vector<Value> told;
  Set known = 0;
  bool operator==(const AddressesState &) const = default;
};

class AddressVisitor {
 public:
  AddressVisitor(const ProcedureFacts &f, const UnwindTable &rules) : f_(f), map_(f.graph.map()), plan_(map_.plan.addresses) {
    for (uint32_t i : f.program.functions()[f.function].instructions) {
      if (f.program.instrs()[i].facts.flow == Flow::call && (plan_.kept & ~kept_over(i, rules)) != 0) fail(i, "a call is taken to leave a register alone, and nothing says so");
    }
  }

  AddressesState start(uint32_t) { return {}; }

  void take(const Transition &t, const EdgeChain *, const Machine *machine, AddressesState &state) const {
    const uint32_t about = t.from != kNone ? t.from : t.to;
    if (machine == nullptr) return;
    for (const Effect &e : machine->effects()) {
      if (e.kind == Effect::Kind::address) state.told.push_back(e.amount);
    }
    // In terms of what registers hold after the inserted code.
    for (Value &v : state.told) {
      for (const auto &[reg, now] : machine->changed()) {
        const int64_t factor = v.factor(reg);
        if (factor != 0 && !now.is_atom_plus(reg)) fail(about, "a register changes that an address was made of");
        if (factor != 0) v = sum(v, constant(-factor * now.number));
      }
    }
  }

  void execute(uint32_t i, AddressesState &state) const {
    const uint32_t n = f_.graph.number_of(i);
    if (n == kNone) fail(i, "an instruction that the map does not know");
    const uint32_t block = f_.graph.block_of(i);
    if (map_.blocks[block].first == n) {
      if ((plan_.known[block] & ~state.known) != 0) fail(i, "the map takes registers to be known that are not");
      state.known = plan_.known[block];
    }
    for (uint32_t slot : slots_of(n)) expect(i, slot, state);
    if (!state.told.empty()) fail(i, "an address is written that the map does not know of");
    access(i, n, state);
    step(i, state);
  }

  void arrive(Node, AddressesState &) const {}
  void leave(const Transition &t, const AddressesState &state) const {
    if (!state.told.empty()) fail(t.from, "an address is written of no access");
  }
  static bool agree(AddressesState &a, const AddressesState &b) {
    if (!(a.told == b.told)) return false;
    a.known &= b.known;
    return true;
  }
  std::string difference(const AddressesState &, const AddressesState &) const { return "addresses are not written alike on all paths here"; }

 private:
  [[noreturn]] void fail(uint32_t i, std::string what) const { throw Unproved{f_.program.instrs()[i].last, std::move(what)}; }

  // The stack pointer, and what the procedure itself keeps for its caller, as unwinders rely on.
  Set kept_over(uint32_t call, const UnwindTable &rules) const {
    Set kept = general(kStackPointer);
    const Rules &here = rules.before(f_.program.instrs()[call].first);
    for (unsigned r : kKeptForCallers) {
      if (here.saved.contains(std::to_string(dwarf_number(r)))) kept |= general(r);
    }
    return kept;
  }

  std::vector<uint32_t> slots_of(uint32_t n) const {
    std::vector<uint32_t> slots;
    auto at = std::lower_bound(plan_.recorded.begin(), plan_.recorded.end(), n * AddressPlan::kSlots);
    for (; at != plan_.recorded.end() && *at / AddressPlan::kSlots == n; ++at) slots.push_back(*at % AddressPlan::kSlots);
    return slots;
  }

  bool is_recorded(uint32_t n, uint32_t slot) const { return std::binary_search(plan_.recorded.begin(), plan_.recorded.end(), n * AddressPlan::kSlots + slot); }

  static bool is_other(const Access &a) { return a.place != Access::Place::operand && a.place != Access::Place::source; }

  void expect(uint32_t i, uint32_t slot, AddressesState &state) const {
    if (state.told.empty()) fail(i, "an address is not written");
    if (!(state.told.front() == sum(wanted(i, slot), constant(1)))) fail(i, "another address is written");
    state.told.erase(state.told.begin());
    if (slot < AddressPlan::kOperand) state.known |= general(slot - AddressPlan::kRegister);
  }

  Value wanted(uint32_t i, uint32_t slot) const {
    Machine now(f_.flow.atoms(), {});
    if (slot < AddressPlan::kOperand) return now.value(slot - AddressPlan::kRegister);
    const Accesses all = accesses_of(f_.program.bytes(i));
    if (slot == AddressPlan::kCount && all.repeated) return now.value(kStringRegisters[2]);
    for (const Access &a : all.list) {
      if (slot == AddressPlan::kCount || is_other(a) != (slot == AddressPlan::kOther)) continue;
      switch (a.place) {
        case Access::Place::operand: return operand(i, now);
        case Access::Place::pushed: return sum(now.value(kStackPointer), constant(-int64_t{a.bytes}));
        case Access::Place::popped: return now.value(kStackPointer);
        case Access::Place::frame: return now.value(kFramePointer);
        case Access::Place::source: return now.value(kStringRegisters[0]);
        case Access::Place::target: return now.value(kStringRegisters[1]);
      }
    }
    fail(i, "the map has an address that the instruction does not make");
  }

  Value operand(uint32_t i, Machine &now) const {
    const std::optional<Operand> o = memory_operand(f_.pairing.woven().statements[f_.pairing.woven_of(f_.program.instrs()[i].last)]);
    const std::optional<Value> at = o ? now.effective_address(*o) : std::nullopt;
    if (!at) fail(i, "an operand that the proof does not read");
    return *at;
  }

  std::optional<Set> parts(uint32_t i, const Access &a) const {
    switch (a.place) {
      case Access::Place::operand: return parts_of_operand(f_.program.bytes(i));
      case Access::Place::frame: return general(kFramePointer);
      case Access::Place::source: return general(kStringRegisters[0]);
      case Access::Place::target: return general(kStringRegisters[1]);
      default: return general(kStackPointer);
    }
  }

  // Accesses that are not written are known; those that are make a register known, if it is the only one that was not and stands there unmultiplied.
  void access(uint32_t i, uint32_t n, AddressesState &state) const {
    const Accesses all = accesses_of(f_.program.bytes(i));
    if (!all.known) fail(i, "accesses that are not known to the proof");
    for (const Access &a : all.list) {
      const std::optional<Set> of = parts(i, a);
      if (!of) fail(i, "an address that the proof does not follow");
      const Set lacking = *of & ~state.known;
      if (!is_recorded(n, is_other(a) ? AddressPlan::kOther : AddressPlan::kOperand)) {
        if (lacking != 0) fail(i, "an address is not written, and made of registers that are not known");
      } else if ((lacking & (lacking - 1)) == 0 && is_alone(i, a, lacking)) {
        state.known |= lacking;
      }
    }
    if (all.repeated && !is_recorded(n, AddressPlan::kCount) && !(state.known & general(kStringRegisters[2]))) fail(i, "how often it is repeated is not known");
  }

  bool is_alone(uint32_t i, const Access &a, Set lacking) const {
    if (a.place != Access::Place::operand) return true;
    Machine now(f_.flow.atoms(), {});
    const Value at = operand(i, now);
    for (unsigned r = 0; r < 16; ++r) {
      if (general(r) == lacking) return at.factor(r) == 1;
    }
    return true;
  }

  void step(uint32_t i, AddressesState &state) const {
    const Facts &x = f_.program.instrs()[i].facts;
    if (x.flow == Flow::call) {
      state.known &= plan_.kept;
      return;
    }
    const MadeValue made = made_value(f_.program.bytes(i));
    const bool known = made.into != kNoRegister && (made.parts & ~state.known) == 0;
    state.known &= x.unknown ? 0 : ~x.writes;
    if (known && !x.unknown) state.known |= general(made.into);
  }

  const ProcedureFacts &f_;
  const format::Procedure &map_;
  const AddressPlan &plan_;
};

}  // namespace

void prove_addresses(const ProcedureFacts &f, const UnwindTable &rules) {
  bool any = false;
  for (const Transition &t : f.flow.transitions()) {
    for (const Machine &m : t.ends) any = any || std::any_of(m.effects().begin(), m.effects().end(), [](const Effect &e) { return e.kind == Effect::Kind::address; });
  }
  const bool written = f.graph.map().plan.addresses.written;
  if (any && !written) throw Unproved{f.program.instrs()[f.program.functions()[f.function].entry].last, "addresses are written, and the map does not say so"};
  if (!written) return;
  AddressVisitor visitor(f, rules);
  Propagation<AddressesState, AddressVisitor>(f, visitor).run();
}

}  // namespace chord::verify
