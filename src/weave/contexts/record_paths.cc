#include "weave/contexts/record_paths.h"

#include <chord_abi.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "format/facts/context_sites.h"
#include "isa/contexts.h"
#include "isa/meters.h"
#include "weave/contexts/record_shape.h"
#include "weave/metrics/gauges.h"
#include "weave/metrics/meters.h"
#include "weave/metrics/metric_sums.h"
#include "weave/paths/path_numbers.h"

namespace chord::weave {

using assembly::BlockKind;
using assembly::Edge;
using assembly::EdgeKind;
using isa::PathHolder;

namespace {

// Pages of a table that no path is counted in take no memory, so it may be large if that keeps paths whole; what must be cut in any case is cut as
// for a small one.
constexpr uint64_t kMostRecordPaths = uint64_t{1} << CHORD_CONTEXT_PATH_BITS, kMostShortPaths = 2048;

// Values that the path register can have at each vertex.
struct Range {
  int64_t low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();
  void add(int64_t value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool is_empty() const { return low > high; }
};

// Sums of values from the start to each vertex of the DAG.
std::vector<Range> ranges_of_sums(const core::PathNumbering &numbering) {
  const core::Graph &dag = numbering.dag;
  std::vector<Range> range(dag.vertex_count());
  std::vector<uint32_t> missing(dag.vertex_count());
  for (core::EdgeId e = 1; e < dag.edge_count(); ++e) ++missing[dag.edge(e).to];
  range[numbering.start].add(0);
  std::vector<core::Vertex> ready{numbering.start};
  while (!ready.empty()) {
    core::Vertex v = ready.back();
    ready.pop_back();
    for (core::EdgeId e : dag.out(v)) {
      if (e == core::Graph::return_edge()) continue;
      Range &to = range[dag.edge(e).to];
      auto value = static_cast<int64_t>(numbering.value[e]);
      to.add(range[v].low + value);
      to.add(range[v].high + value);
      if (--missing[dag.edge(e).to] == 0) ready.push_back(dag.edge(e).to);
    }
  }
  return range;
}

class RecordPathPlanner {
 public:
  RecordPathPlanner(const ProcedureFacts &facts, ProcedurePlan &plan)
      : facts_(facts), p_(facts.p), plan_(plan), numbers_(std::in_place, facts, plan.sites, plan.liveness) {}

  // Why the procedure's paths cannot be counted; then nothing has changed.
  std::string run() {
    std::string why_not;
    if (!number_whole_paths()) {
      numbers_.emplace(facts_, plan_.sites, plan_.liveness);
      if (!numbers_->number_up_to(kMostShortPaths, why_not)) return why_not;
      if (!place() || !fits(counters())) return "its paths and calls are too many for a record";
    }
    metered_ = sums() != 0 && can_be_metered(facts_, plan_.sites) && fits(counters() + sums());
    if (why_not = missing_site(); !why_not.empty()) return why_not;
    emit();
    if (short_branch_breaks(facts_, insertions_)) return "a one-byte branch over too much code";
    fill_plan();
    return {};
  }

 private:
  const core::PathNumbering &numbering() const { return numbers_->numbering(); }
  uint64_t counters() const { return numbering().paths + beginnings_.counters.size(); }
  uint64_t sums() const { return gauges_of(facts_.options()).size() * (1 + numbering().paths); }

  // Where records begin, so much may be lost that they are multiples of a power of two.
  bool fits(uint64_t words) const {
    return record_fits(words + (uint64_t{1} << paths_.span) / 8, format::context_sites(facts_.map).size());
  }

  // Those of a build without contexts, if a record has room for them.
  bool number_whole_paths() {
    std::string why_not;
    const bool numbered = facts_.options().durable ? numbers_->number_up_to(numbers_->largest_table(), why_not) : numbers_->number(why_not);
    return numbered && place() && fits(counters() + sums());
  }
  bool is_landing(uint32_t b) const { return p_.blocks[b].kind == BlockKind::landing; }

  // Additions are moved to where they cost least unless the register would need more room than the table has. False: there are too many paths.
  bool place() {
    if (numbering().paths > kMostRecordPaths) return false;
    const core::Graph &graph = facts_.graph;
    paths_ = {};
    if (facts_.options().durable) beginnings_.counters = numbers_->beginnings();
    probes_ = core::place_path_probes(graph, numbering(), numbers_->costs(), format::silent_edges(facts_.map));
    if (find_ranges() > std::min(numbering().paths + CHORD_CONTEXT_COUNTERS / 8, kMostRecordPaths)) {
      std::vector<int64_t> values(numbering().value.begin(), numbering().value.end());
      probes_ = core::path_probes(graph, numbering(), values);
      probes_.partial.assign(graph.vertex_count(), 0);
      find_ranges();
    }
    begin_at_zero();
    return true;
  }

  // Returns how many values there are from the lowest to the highest.
  uint64_t find_ranges() {
    std::vector<Range> sums = ranges_of_sums(numbering());
    all_ = {};
    registers_.assign(p_.blocks.size(), {});
    for (uint32_t v = 0; v < p_.blocks.size(); ++v) {
      if (v == 1 || sums[v].is_empty()) continue;
      registers_[v].add(sums[v].low - probes_.partial[v]);
      registers_[v].add(sums[v].high - probes_.partial[v]);
      all_.add(registers_[v].low);
      all_.add(registers_[v].high);
    }
    return static_cast<uint64_t>(all_.high - all_.low) + 1;
  }

  void begin_at_zero() {
    const int64_t low = all_.low;
    probes_.initial -= low;
    for (core::PathProbe &probe : probes_.edge) {
      probe.restart -= low;
      if (probe.ends) probe.add += low;
    }
    for (int64_t &partial : probes_.partial) partial += low;
    const auto bytes = static_cast<uint64_t>(8 * (all_.high - low + 1));
    while (uint64_t{1} << paths_.span < std::max<uint64_t>(bytes, CHORD_CONTEXT_COUNTERS)) ++paths_.span;
    for (const Range &r : registers_) {
      bool known = !r.is_empty() && r.low == r.high;
      paths_.ahead.push_back(known ? r.low - low : RecordPaths::kDiffers);
    }
  }

  bool needs_probe(core::EdgeId e) const {
    const core::PathProbe &probe = probes_.edge[e];
    return probe.ends || probe.add != 0 || is_landing(p_.edges[e].from) || numbering().cut[e] || index_of_beginning(beginnings_, e);
  }

  std::string missing_site() const {
    for (core::EdgeId e = 1; e < p_.edges.size(); ++e) {
      if (numbers_->is_silent(p_.edges[e]) || !needs_probe(e)) continue;
      if (!numbers_->sites()[e].exists()) return "a path needs a probe on an edge that cannot carry one";
      if (holder_at(e).kind == PathHolder::Kind::slot && holder_at(e).base == isa::kNoRegister) return "its frame is not found at a probe";
    }
    return {};
  }

  // Those of contexts know it, but for those in front of calls that return twice.
  PathHolder holder_at(uint32_t e) const {
    const Site &own = plan_.sites.edge[e];
    if (own.exists()) return own.record;
    return site_before(facts_, plan_, facts_.last_of(p_.edges[e].from)).record;
  }

  void emit() {
    for (core::EdgeId e : numbers_->in_order_of_probes()) emit(e);
  }

  void emit(core::EdgeId e) {
    const Edge &x = p_.edges[e];
    const core::PathProbe &probe = probes_.edge[e];
    const PathHolder h = holder_at(e);
    const Site &site = numbers_->sites()[e];
    const isa::Resources live = site.live;
    // Where the wider frame itself is made or goes, unwind lines are not all or nothing.
    const bool at_frame = h.widens_frame() && (x.kind == EdgeKind::enter || x.to == 1);
    auto put = [&](isa::Snippet snippet, Effect effect, int64_t amount) {
      if (at_frame && snippet.moves_stack) {
        if (!facts_.rules_at(site).frame_follows_stack_pointer()) strip_unwind_lines(snippet);
        snippet.moves_stack = false;
      }
      if (!snippet.text.empty()) insertions_.push_back({site, e, std::move(snippet), effect, 0, Phase::leaving, amount, {}});
    };
    // Who is interrupted in the middle of it is as one in front of it.
    auto set = [&](int64_t before, int64_t value) {
      const bool returns = before == RecordPaths::kDiffers;
      if (returns) put(isa::return_to_record(h, paths_.span, live), value == 0 ? Effect::path_set : Effect::none, 0);
      put(isa::advance_in_record(h, value - (returns ? 0 : before), live), Effect::path_set, value);
    };
    const int64_t own = probe.ends ? 0 : probe.add;
    auto begin = [&](int64_t before, int64_t value) {
      set(before, value);
      std::optional<uint32_t> k = index_of_beginning(beginnings_, e);
      if (!k) return;
      const auto word = static_cast<int64_t>(numbering().paths + *k);
      insertions_.push_back({site, e, isa::increment(isa::RecordPlace{h, word - value}, live), Effect::count, *k, Phase::leaving});
    };
    const isa::Readings readings = readings_of(facts_.options());
    // Sums come after all counters: of the activation, then of paths.
    const auto counted = static_cast<int64_t>(counters());
    if (x.kind == EdgeKind::enter && metered_) put(isa::enter_meter(isa::RecordPlace{h, counted}, readings, live), Effect::none, 0);
    if (is_landing(x.from) && metered_) put(isa::restart_meter(readings, live), Effect::none, 0);
    if (x.kind == EdgeKind::enter) begin(0, probes_.initial + own);  // the record has just been found
    if (is_landing(x.from)) begin(RecordPaths::kDiffers, numbers_->start_at(x.from, probes_) + own);
    if (probe.ends) {
      const int64_t sum = counted + first_path_sum(facts_.options()) + probe.add;
      if (metered_) put(isa::meter_path_in_record(h, sum, {readings, numbering().paths, x.to == 1}, live), Effect::none, 0);
      put(isa::increment(isa::RecordPlace{h, probe.add}, live), Effect::path_count, probe.add);
      if (numbering().cut[e] && !is_landing(x.to)) set(paths_.ahead[x.from], probe.restart);
    } else if (x.kind != EdgeKind::enter && !is_landing(x.from)) {
      put(isa::advance_in_record(h, probe.add, live), Effect::path_add, probe.add);
    }
  }

  void fill_plan() {
    // Where the record has been found the path register is zero.
    for (Insertion &insertion : plan_.insertions) {
      if (insertion.phase == Phase::first && insertion.edge != core::kNone && p_.edges[insertion.edge].kind == EdgeKind::enter) insertion.effect = Effect::path_set;
    }
    plan_.insertions.insert(plan_.insertions.end(), insertions_.begin(), insertions_.end());
    core::Plan &plan = plan_.counters;
    plan.placement = core::Placement::paths;
    plan.counters = std::move(beginnings_.counters);
    plan.paths.in_records = true;
    plan.paths.paths = numbering().paths;
    plan.paths.partial = probes_.partial;
    for (core::EdgeId e = 0; e < p_.edges.size(); ++e) {
      if (numbering().cut[e]) plan.paths.cuts.push_back(e);
      if (p_.edges[e].kind == EdgeKind::never) plan.never.push_back(e);
    }
    if (metered_) add_meter_sums(facts_.options(), true, plan_);
    plan_.is_counted = true;
    plan_.record_paths = std::make_shared<RecordPaths>(std::move(paths_));
  }

  const ProcedureFacts &facts_;
  const assembly::Procedure &p_;
  ProcedurePlan &plan_;
  std::optional<PathNumbers> numbers_;
  core::PathProbes probes_;
  std::vector<Range> registers_;  // by block
  Range all_;
  RecordPaths paths_;
  core::Plan beginnings_;  // their counters alone
  bool metered_ = false;   // what each path takes is measured
  std::vector<Insertion> insertions_;
};

}  // namespace

std::string plan_record_paths(const ProcedureFacts &facts, ProcedurePlan &plan) {
  if (plan.contexts) plan.no_paths = RecordPathPlanner(facts, plan).run();
  return {};
}

}  // namespace chord::weave
