#include "weave/sim/data.h"

#include <chord_models.h>
#include <fmt/core.h>

#include <set>

#include "isa/models.h"
#include "weave/metrics/metric_sums.h"
#include "weave/plan/labels.h"
#include "weave/sim/accesses.h"
#include "weave/sim/model_choice.h"
#include "weave/sim/operands.h"
#include "weave/sim/probe_places.h"

namespace chord::weave {
namespace {

using Place = isa::Access::Place;

class DataPlanner {
 public:
  DataPlanner(const ProcedureFacts &facts, ProcedurePlan &plan)
      : facts_(facts), plan_(plan), p_(facts.p), models_(facts.options().models), number_(p_.instructions.size(), core::kNone) {
    taken_ = taken_registers(plan);
  }

  std::string run() {
    std::string why_not;
    std::vector<AccessGroup> groups = group_accesses(facts_, plan_, 1u << models_.data.line_bits, why_not);
    if (why_not.empty()) add_sums(groups, why_not);
    for (const AccessGroup &g : groups) {
      if (!why_not.empty()) break;
      put(g, why_not);
    }
    return why_not.empty() ? "" : "the model of the data cache does not follow " + why_not;
  }

 private:
  // One list for each level, of the same instructions: that of the second level is `distance_` words after the first.
  void add_sums(const std::vector<AccessGroup> &groups, std::string &why_not) {
    std::set<uint32_t> all;
    for (const AccessGroup &g : groups) {
      for (const AccessGroup::Member &m : g.members) all.insert(m.instruction);
    }
    for (uint32_t i : all) number_[i] = distance_++;
    if (distance_ >= CHORD_ACCESS_MOST_DISTANCE) why_not = "so many instructions";
    std::vector<uint32_t> instructions(all.begin(), all.end());
    first_ = add_metric_sums(plan_, {"sim:l1d", format::SumsOf::instructions, instructions});
    if (has_cache(models_.second)) add_metric_sums(plan_, {"sim:l2", format::SumsOf::instructions, instructions});
  }

  isa::AnyPlace counter(const Site &site, uint32_t instruction) const { return metric_place(facts_, plan_, site, first_ + number_[instruction]); }

  void put(const AccessGroup &g, std::string &why_not) {
    Site site = site_before(facts_, plan_, g.before);
    if (!finds_record(site)) {
      why_not = "an access where the record of the context is not found";
      return;
    }
    if (g.strings) {
      put_strings(g, site);
    } else {
      put_group(g, site, why_not);
    }
  }

  void put_strings(const AccessGroup &g, const Site &site) {
    isa::StringProbe probe;
    probe.bytes = g.about.list[0].bytes;
    for (const isa::Access &a : g.about.list) {
      probe.source = probe.source || a.place == Place::source;
      probe.target = probe.target || a.place == Place::target;
    }
    probe.second = second();
    probe.counter = counter(site, g.members[0].instruction);
    plan_.insertions.push_back({site, core::kNone, isa::tell_strings(probe, site.live | taken_), Effect::none, 0, Phase::last});
  }

  uint32_t second() const { return has_cache(models_.second) ? distance_ : 0; }

  void put_group(const AccessGroup &g, const Site &site, std::string &why_not) {
    const uint32_t first = g.members[0].instruction;
    isa::LineProbe probe;
    probe.at = address_of(facts_, plan_, first, g.members[0].access, why_not);
    probe.at.plus += g.low;
    probe.bytes = static_cast<uint32_t>(g.high - g.low);
    probe.line_bits = models_.data.line_bits;
    probe.sets = models_.data.sets;
    probe.shared_object = facts_.options().position_independent;
    probe.second = second();
    probe.out = fmt::format(".Lchord_la{}_{}", facts_.n, made_);
    probe.back = fmt::format(".Lchord_lb{}_{}", facts_.n, made_);
    ++made_;
    for (const AccessGroup::Member &m : g.members) probe.requests.push_back({m.plus - g.low, m.access.bytes, counter(site, m.instruction)});
    // The word that a call pushes is written whatever becomes of the load.
    const bool loads = g.members[0].access.place == Place::operand;
    if (loads && g.before == first && linker_may_change(facts_, first)) {
      probe.code = fmt::format("{}+{}", mark_label(facts_.n, first), g.about.opcode_at);
      probe.opcode = g.about.opcode;
    }
    probe.displacement_in_code = loads && is_thread_offset(facts_, first);
    if (probe.displacement_in_code && probe.code.empty()) why_not = "a load from the linker's table of thread-local offsets";
    if (plan_.holder.widens_frame() && probe.at.on_stack && leaves(facts_, first)) {
      probe.at.plus += isa::kWidening;
      if (!probe.at.operand.empty()) why_not = "a jump through the stack";
    }
    if (!why_not.empty()) return;
    isa::ProbeWithOutside text = isa::look_for_line(probe, site.live | taken_);
    plan_.outside.push_back({site, core::kNone, std::move(text.outside), probe.out, "", text.inside.depth_at_check});
    plan_.insertions.push_back({site, core::kNone, std::move(text.inside), Effect::none, 0, phase_before(facts_, plan_, g.before), 0, {}, probe.out});
  }

  const ProcedureFacts &facts_;
  ProcedurePlan &plan_;
  const assembly::Procedure &p_;
  const chord_models &models_;
  std::vector<uint32_t> number_;  // by instruction: among those with sums
  uint32_t distance_ = 0;         // from a sum of the first level to that of the second
  uint64_t first_ = 0;            // word of the first sum
  uint32_t made_ = 0;
  isa::Resources taken_ = 0;
};

}  // namespace

std::string plan_data_model(const ProcedureFacts &facts, ProcedurePlan &plan) { return DataPlanner(facts, plan).run(); }

}  // namespace chord::weave
