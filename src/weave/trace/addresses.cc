#include "weave/trace/addresses.h"

#include <fmt/core.h>

#include "weave/metrics/metric_sums.h"
#include "weave/sim/accesses.h"
#include "weave/sim/operands.h"
#include "weave/trace/known_addresses.h"

namespace chord::weave {
namespace {

using core::AddressPlan;

class AddressPlanner {
 public:
  AddressPlanner(const ProcedureFacts &facts, ProcedurePlan &plan) : facts_(facts), p_(facts.p), plan_(plan) {}

  std::string run(AddressPlan &out) {
    std::string why_not = look();
    if (!why_not.empty()) return why_not;
    out = choose_addresses(facts_, about_, kept_by_calls());
    out.written = true;
    for (uint32_t recorded : out.recorded) {
      put(recorded / AddressPlan::kSlots, recorded % AddressPlan::kSlots, why_not);
      if (!why_not.empty()) return "addresses are recorded, and it has " + why_not;
    }
    return short_branch_breaks(facts_, plan_.insertions) ? "a branch that only reaches near code would have to reach over probes of addresses" : "";
  }

 private:
  std::string look() {
    about_.resize(p_.instructions.size());
    for (uint32_t b = 2; b < p_.blocks.size(); ++b) {
      if (!facts_.is_code(b)) continue;
      for (uint32_t i = p_.blocks[b].first; i <= facts_.last_of(b); ++i) {
        block_of_.emplace_back(i, b);
        about_[i] = isa::address_facts(bytes_of(facts_, p_.instructions[i]));
        if (!about_[i].unknown.empty()) return "addresses are recorded, and it has " + std::string(about_[i].unknown);
        if (is_bound_to_next(facts_, i)) return "addresses are recorded, and linkers rewrite how it finds thread-local data";
      }
    }
    return "";
  }

  // Those that the procedure itself keeps for its caller, as its unwind rules say: nobody has another use for them.
  uint32_t kept_by_calls() const {
    uint32_t kept = 0xffff;
    for (const auto &[i, block] : block_of_) {
      if ((facts_.map.instructions[i].traits & isa::kCall) == 0) continue;
      const assembly::Instruction &in = p_.instructions[i];
      const assembly::UnwindRules &rules = facts_.rules_before(in.fragment, in.first_statement);
      uint32_t saved = 1u << isa::kStackPointer;
      for (unsigned r = 0; r < isa::kNoRegister; ++r) {
        if ((isa::callee_saved() & isa::register_numbered(r)) && is_saved(rules, r)) saved |= 1u << r;
      }
      kept &= saved;
    }
    return kept;
  }

  static bool is_saved(const assembly::UnwindRules &rules, unsigned reg) {
    for (const auto &[name, directive] : rules.registers) {
      const bool same = name == std::to_string(isa::dwarf_number(reg)) || isa::register_named(name) == isa::register_numbered(reg);
      if (same && directive.starts_with(".cfi_offset")) return true;
    }
    return false;
  }

  void put(uint32_t i, uint32_t slot, std::string &why_not) {
    if (shares_statement(i)) {
      why_not = "one of several instructions in one statement";
      return;
    }
    isa::AddressProbe probe;
    if (slot == AddressPlan::kOperand || slot == AddressPlan::kOther) {
      for (const isa::AddressFacts::Made &made : about_[i].accesses) {
        if (made.is_other() != (slot == AddressPlan::kOther)) continue;
        probe.at = address_of(facts_, plan_, i, {made.place, made.bytes}, why_not);
      }
    } else {
      probe.at.base = slot == AddressPlan::kCount ? isa::kCountingRegister : slot - AddressPlan::kRegister;
      probe.at.on_stack = probe.at.base == isa::kStackPointer;
    }
    if (!why_not.empty()) return;
    probe.shared_object = facts_.options().position_independent;
    probe.out = fmt::format(".Lchord_aa{}_{}", facts_.n, made_);
    probe.back = fmt::format(".Lchord_ab{}_{}", facts_.n, made_);
    ++made_;
    const Site site = site_before(facts_, plan_, i);
    isa::ProbeWithOutside text = isa::write_address(probe, site.live);
    plan_.outside.push_back({site, core::kNone, std::move(text.outside), probe.out, "", text.inside.depth_at_check});
    plan_.insertions.push_back({site, core::kNone, std::move(text.inside), Effect::none, 0, Phase::last, 0, {}, probe.out});
  }

  bool shares_statement(uint32_t i) const {
    auto shares = [&](uint32_t other) {
      return other < p_.instructions.size() && !p_.instructions[other].padding && p_.instructions[other].last_statement == p_.instructions[i].last_statement;
    };
    return (i > 0 && shares(i - 1)) || shares(i + 1);
  }

  const ProcedureFacts &facts_;
  const assembly::Procedure &p_;
  ProcedurePlan &plan_;
  std::vector<isa::AddressFacts> about_;                  // by instruction
  std::vector<std::pair<uint32_t, uint32_t>> block_of_;  // instructions, each with its block
  uint32_t made_ = 0;
};

}  // namespace

std::string plan_addresses(const ProcedureFacts &facts, ProcedurePlan &plan, AddressPlan &out) { return AddressPlanner(facts, plan).run(out); }

}  // namespace chord::weave
