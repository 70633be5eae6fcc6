#include "weave/trace/known_addresses.h"

#include <algorithm>

#include "format/facts/known_registers.h"

namespace chord::weave {

using assembly::EdgeKind;
using core::AddressPlan;
using format::KnownRegisters;

namespace {

class AddressChooser {
 public:
  AddressChooser(const ProcedureFacts &facts, const std::vector<isa::AddressFacts> &about, uint32_t kept)
      : facts_(facts), p_(facts.p), about_(about), kept_(kept), in_(p_.blocks.size()), out_(p_.blocks.size()), written_(p_.instructions.size()) {
    for (uint32_t e = 1; e < p_.edges.size(); ++e) {
      if (p_.edges[e].kind == EdgeKind::never) continue;
      in_[p_.edges[e].to].push_back(p_.edges[e].from);
      out_[p_.edges[e].from].push_back(p_.edges[e].to);
    }
  }

  AddressPlan run() {
    find_order();
    known_ = solve();
    for (uint32_t header : order_) write_before_loop(header);
    AddressPlan plan;
    plan.kept = kept_;
    plan.known = known_;
    for (uint32_t b = 2; b < p_.blocks.size(); ++b) {
      if (facts_.is_code(b)) follow(b, known_[b], &plan.recorded);
    }
    std::sort(plan.recorded.begin(), plan.recorded.end());
    return plan;
  }

 private:
  bool is_call(uint32_t i) const { return (facts_.map.instructions[i].traits & isa::kCall) != 0; }

  // What is known after the vertex.
  uint32_t follow(uint32_t b, uint32_t known, std::vector<uint32_t> *recorded = nullptr, uint32_t *lacking = nullptr) const {
    KnownRegisters now(known);
    if (!facts_.is_code(b)) return known;
    for (uint32_t i = p_.blocks[b].first; i <= facts_.last_of(b); ++i) {
      auto record = [&](uint32_t slot) {
        if (recorded != nullptr) recorded->push_back(AddressPlan::kSlots * i + slot);
      };
      for (unsigned r = 0; r < 16; ++r) {
        if (!(written_[i] >> r & 1)) continue;
        record(AddressPlan::kRegister + r);
        now.set(r, 0);
      }
      const isa::AddressFacts &x = about_[i];
      for (uint32_t k = 0; k < x.accesses.size(); ++k) {
        const isa::AddressForm &form = x.accesses[k].at;
        if (now.knows(form)) continue;
        record(x.accesses[k].is_other() ? AddressPlan::kOther : AddressPlan::kOperand);
        if (lacking != nullptr) *lacking |= form.registers() & ~now.known();
        now.learn(form, 0, {});
      }
      if (x.repeated && !(now.known() >> isa::kCountingRegister & 1)) record(AddressPlan::kCount);
      now.execute(x, is_call(i), kept_, {});
    }
    return now.known();
  }

  // Vertices before their successors, loops aside.
  void find_order() {
    std::vector<uint8_t> state(p_.blocks.size());
    struct Item {
      uint32_t vertex;
      size_t next;
    };
    std::vector<Item> stack{{0, 0}};
    state[0] = 1;
    while (!stack.empty()) {
      Item &top = stack.back();
      if (top.next < out_[top.vertex].size()) {
        const uint32_t to = out_[top.vertex][top.next++];
        if (state[to] != 0) continue;
        state[to] = 1;
        stack.push_back({to, 0});
        continue;
      }
      order_.push_back(top.vertex);
      stack.pop_back();
    }
    std::reverse(order_.begin(), order_.end());
    place_.assign(p_.blocks.size(), UINT32_MAX);
    for (uint32_t n = 0; n < order_.size(); ++n) place_[order_[n]] = n;
  }

  bool leads_back(uint32_t from, uint32_t to) const { return place_[from] != UINT32_MAX && place_[from] >= place_[to]; }

  // Control comes from outside with nothing known. `at`, `also`: these are taken to be known there.
  std::vector<uint32_t> solve(uint32_t at = core::kNone, uint32_t also = 0) const {
    std::vector<uint32_t> known(p_.blocks.size(), KnownRegisters::kAll), after(p_.blocks.size(), KnownRegisters::kAll);
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t b : order_) {
        uint32_t now = b == 0 ? 0 : KnownRegisters::kAll;
        for (uint32_t from : in_[b]) now &= from == 0 ? 0 : after[from];
        if (b == at) now |= also;
        const uint32_t then = follow(b, now);
        changed = changed || now != known[b] || then != after[b];
        known[b] = now;
        after[b] = then;
      }
    }
    for (uint32_t b = 0; b < p_.blocks.size(); ++b) {
      if (place_[b] == UINT32_MAX) known[b] = 0;  // nothing leads there
    }
    return known;
  }

  // The blocks of the loop that begins there.
  std::vector<uint32_t> loop_at(uint32_t header) const {
    std::vector<uint32_t> loop;
    std::vector<bool> seen(p_.blocks.size());
    auto add = [&](uint32_t b) {
      if (!seen[b]) loop.push_back(b);
      seen[b] = true;
    };
    for (uint32_t from : in_[header]) {
      if (leads_back(from, header)) add(from);
    }
    if (loop.empty()) return loop;
    add(header);
    for (size_t n = 0; n < loop.size(); ++n) {
      if (loop[n] == header) continue;
      for (uint32_t from : in_[loop[n]]) add(from);
    }
    return loop;
  }

  // Registers that addresses in the loop lack, if what it makes of them is known again where it begins anew.
  void write_before_loop(uint32_t header) {
    const std::vector<uint32_t> loop = loop_at(header);
    uint32_t wanted = 0;
    for (uint32_t b : loop) follow(b, known_[b], nullptr, &wanted);
    wanted &= ~known_[header];
    for (uint32_t from : in_[header]) wanted &= leads_back(from, header) ? KnownRegisters::kAll : can_write_after(from);
    for (uint32_t before = 0; wanted != 0 && wanted != before;) {
      before = wanted;
      const std::vector<uint32_t> supposed = solve(header, wanted);
      for (uint32_t from : in_[header]) {
        if (leads_back(from, header)) wanted &= follow(from, supposed[from]);
      }
    }
    if (wanted == 0) return;
    const std::vector<uint32_t> written = written_;
    const size_t recorded = recorded_in(loop);
    for (uint32_t from : in_[header]) {
      if (!leads_back(from, header)) written_[facts_.last_of(from)] |= wanted & ~follow(from, known_[from]);
    }
    std::vector<uint32_t> known = solve();
    std::swap(known, known_);
    if (recorded_in(loop) < recorded) return;
    std::swap(known, known_);
    written_ = written;
  }

  size_t recorded_in(const std::vector<uint32_t> &loop) const {
    std::vector<uint32_t> recorded;
    for (uint32_t b : loop) follow(b, known_[b], &recorded);
    return recorded.size();
  }

  // Registers that hold something there, and that the block's last instruction leaves alone: they are written before it.
  uint32_t can_write_after(uint32_t b) const {
    if (b < 2 || !facts_.is_code(b) || is_call(facts_.last_of(b))) return 0;
    uint32_t live = 0;
    for (unsigned r = 0; r < isa::kNoRegister; ++r) live |= facts_.liveness.before[facts_.last_of(b)] & isa::register_numbered(r) ? 1u << r : 0;
    return live & ~about_[facts_.last_of(b)].changes;
  }

  const ProcedureFacts &facts_;
  const assembly::Procedure &p_;
  const std::vector<isa::AddressFacts> &about_;
  uint32_t kept_;
  std::vector<std::vector<uint32_t>> in_, out_;  // by vertex
  std::vector<uint32_t> written_;                // by instruction: registers
  std::vector<uint32_t> order_, place_;
  std::vector<uint32_t> known_;                  // by vertex
};

}  // namespace

AddressPlan choose_addresses(const ProcedureFacts &facts, const std::vector<isa::AddressFacts> &about, uint32_t kept) { return AddressChooser(facts, about, kept).run(); }

}  // namespace chord::weave
