#include "weave/sim/code.h"

#include <fmt/core.h>

#include <algorithm>

#include "isa/models.h"
#include "weave/metrics/metric_sums.h"
#include "weave/sim/accesses.h"
#include "weave/sim/code_addresses.h"
#include "weave/sim/probe_places.h"

namespace chord::weave {
namespace {

using assembly::Instruction;

// Instructions that run one after the other, with those that come to a line first.
struct CodeStretch {
  uint32_t first = 0, end = 0;
  std::vector<uint32_t> fetching;
  std::vector<uint64_t> lines;
};

class CodePlanner {
 public:
  CodePlanner(const ProcedureFacts &facts, ProcedurePlan &plan)
      : facts_(facts), plan_(plan), p_(facts.p), cache_(facts.options().models.code), address_(facts), taken_(taken_registers(plan)) {}

  std::string run() {
    if (!address_.are_small()) return "the model of the instruction cache does not follow code at such addresses";
    for (uint32_t b = 0; b < p_.blocks.size(); ++b) {
      if (facts_.is_code(b)) cut(p_.blocks[b]);
    }
    for (const assembly::Edge &e : p_.edges) {
      if (pads_a_line(e)) return "the model of the instruction cache does not follow alignment of more than a line";
    }
    std::vector<uint32_t> all;
    for (const CodeStretch &s : stretches_) all.insert(all.end(), s.fetching.begin(), s.fetching.end());
    std::sort(all.begin(), all.end());
    first_sum_ = add_metric_sums(plan_, {"sim:l1i", format::SumsOf::instructions, all});
    fetching_ = std::move(all);
    for (const CodeStretch &s : stretches_) {
      if (std::string why_not = put(s); !why_not.empty()) return "the model of the instruction cache does not follow " + why_not;
    }
    return {};
  }

 private:
  uint64_t line_of(uint64_t address) const { return address >> cache_.line_bits << cache_.line_bits; }

  void cut(const assembly::Block &b) {
    CodeStretch s;
    s.first = b.first;
    for (uint32_t i = b.first; i < b.first + b.count; ++i) {
      const Instruction &in = p_.instructions[i];
      if (in.padding) continue;
      uint64_t at = address_(in), first = line_of(at), last = line_of(at + in.decoded.size - 1);
      bool comes = s.lines.empty() || s.lines.back() != first;
      if (comes) s.lines.push_back(first);
      if (last != first) s.lines.push_back(last);
      if (comes || last != first) s.fetching.push_back(i);
      if (in.decoded.flow != isa::Flow::call) continue;
      finish(s, i + 1);
      s = {};
      s.first = i + 1;
    }
    finish(s, b.first + b.count);
  }

  void finish(CodeStretch &s, uint32_t end) {
    s.end = end;
    if (!s.lines.empty()) stretches_.push_back(std::move(s));
  }

  // Padding is fetched with the instructions around it, unless it has a line of its own.
  bool pads_a_line(const assembly::Edge &e) const {
    if (e.padding_count == 0 || !facts_.is_code(e.from) || !facts_.is_code(e.to)) return false;
    const Instruction &before = p_.instructions[facts_.last_of(e.from)], &after = p_.instructions[p_.blocks[e.to].first];
    uint64_t last = line_of(address_(before) + before.decoded.size - 1), next = line_of(address_(after));
    return next > last && next - last > uint64_t{1} << cache_.line_bits;
  }

  // In front of the instruction.
  bool can_stand(const CodeStretch &s, uint32_t i) const {
    const Instruction &in = p_.instructions[i];
    if (in.padding || in.decoded.marks_entry) return false;
    if (i == s.first) return true;
    return !is_bound_to_next(facts_, i - 1) && p_.instructions[i - 1].last_statement != in.first_statement;
  }

  std::string put(const CodeStretch &s) {
    uint32_t best = core::kNone;
    unsigned least = 0;
    for (uint32_t i = s.first; i < s.end; ++i) {
      if (!can_stand(s, i) || !finds_record(site_before(facts_, plan_, i))) continue;
      // What leaves takes a frame down first.
      unsigned price = price_before(plan_, i, 1) + (phase_before(facts_, plan_, i) == Phase::last ? 0 : 100);
      if (best != core::kNone && price >= least) continue;
      best = i;
      least = price;
    }
    if (best != core::kNone) {
      put(s, site_before(facts_, plan_, best), core::kNone, phase_before(facts_, plan_, best));
      return {};
    }
    return put_after(s);
  }

  // Nothing stands in front of an entry mark, and a block may have nothing else.
  std::string put_after(const CodeStretch &s) {
    for (core::EdgeId e = 1; e < p_.edges.size(); ++e) {
      const assembly::Edge &edge = p_.edges[e];
      if (!facts_.is_code(edge.from) || facts_.last_of(edge.from) + 1 != s.end || edge.kind != assembly::EdgeKind::fall) continue;
      const Site &site = plan_.sites.edge[e];
      if (!site.exists() || !finds_record(site)) break;
      put(s, site, e, Phase::last);
      return {};
    }
    return "a stretch of code that holds no probe";
  }

  void put(const CodeStretch &s, const Site &site, core::EdgeId edge, Phase phase) {
    isa::FetchProbe probe;
    for (uint32_t i : s.fetching) {
      auto number = static_cast<uint64_t>(std::lower_bound(fetching_.begin(), fetching_.end(), i) - fetching_.begin());
      probe.requests.push_back({address_(p_.instructions[i]), p_.instructions[i].decoded.size, metric_place(facts_, plan_, site, first_sum_ + number)});
    }
    probe.lines = s.lines;
    probe.line_bits = cache_.line_bits;
    probe.sets = cache_.sets;
    probe.shared_object = facts_.options().position_independent;
    probe.out = fmt::format(".Lchord_ia{}_{}", facts_.n, made_);
    probe.back = fmt::format(".Lchord_ib{}_{}", facts_.n, made_);
    ++made_;
    isa::ProbeWithOutside text = isa::look_for_code(probe, site.live | taken_);
    plan_.outside.push_back({site, edge, std::move(text.outside), probe.out, "", text.inside.depth_at_check});
    plan_.insertions.push_back({site, edge, std::move(text.inside), Effect::none, 0, phase, 0, {}, probe.out});
  }

  const ProcedureFacts &facts_;
  ProcedurePlan &plan_;
  const assembly::Procedure &p_;
  const chord_geometry &cache_;
  CodeAddresses address_;
  isa::Resources taken_;
  std::vector<CodeStretch> stretches_;
  std::vector<uint32_t> fetching_;  // ascending: those with sums
  uint64_t first_sum_ = 0;
  uint32_t made_ = 0;
};

}  // namespace

std::string plan_code_model(const ProcedureFacts &facts, ProcedurePlan &plan) { return CodePlanner(facts, plan).run(); }

}  // namespace chord::weave
