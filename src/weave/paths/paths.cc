#include "weave/paths/paths.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "core/paths/chosen_paths.h"
#include "core/paths/path_numbering.h"
#include "format/inputs/path_selection.h"
#include "isa/code_text.h"
#include "isa/meters.h"
#include "weave/metrics/gauges.h"
#include "weave/metrics/meters.h"
#include "weave/paths/expected_path.h"
#include "weave/paths/path_numbers.h"
#include "weave/paths/path_registers.h"
#include "weave/plan/labels.h"

namespace chord::weave {

using assembly::BlockKind;
using assembly::Edge;
using assembly::EdgeKind;
using assembly::Instruction;
using assembly::Procedure;
using isa::PathHolder;

namespace {

// Instructions that it takes to see that a path is not the expected one.
constexpr double kLooking = 2;

constexpr const char *kNothingChosen = "no path of it is chosen";

// What stands on one edge, in the order of execution.
struct PathProbe {
  struct Part {
    isa::Snippet snippet;
    Effect effect = Effect::none;
    int64_t amount = 0;
    Detour detour = {};
    uint32_t number = 0;
  };
  Site site;
  core::EdgeId edge = core::kNone;
  std::vector<Part> parts;
  // Widened frames (weave/plan/widen_frame.h) are made on the way in and go on the way out.
  enum class Role : uint8_t { inside, enters, leaves } role = Role::inside;
};

struct PathWeaving {
  core::Plan plan;
  isa::PathHolder holder;
  std::vector<PathProbe> probes;   // in the order of execution where several stand at one place
  std::vector<uint32_t> above;     // instructions whose operands move with a widened frame
  std::vector<Replacement> moved;  // and these operands
  bool metered = false;
};

class PathPlanner {
 public:
  explicit PathPlanner(const ProcedureFacts &facts)
      : facts_(facts), p_(facts.p), map_(facts.map), options_(facts.options()), live_(facts.liveness), weights_(facts.weights),
        graph_(facts.graph), numbers_(facts, facts.sites, facts.liveness), site_(numbers_.sites()), n_(facts.n), frame_(facts.frame()) {
    place_.kind = options_.counters;
    place_.label = counters_label(n_);
    sums_.kind = options_.counters;
    sums_.label = metrics_label(n_);
    numbers_label_ = numbers_label(n_);
  }

  // Nothing, with the reason, if the procedure's paths cannot be counted. The plan is Placement::none if paths are to be
  // chosen, and none of this procedure is.
  std::optional<PathWeaving> run(std::string &why_not) {
    // The numbers that counters found by hashing stand for are not in the file of a durable process.
    if (!(options_.durable ? numbers_.number_up_to(numbers_.largest_table(), why_not) : numbers_.number(why_not))) return std::nullopt;
    numbering_ = &numbers_.numbering();
    if (options_.durable) out_.plan.counters = numbers_.beginnings();
    if (options_.chosen != nullptr) {
      auto numbers = format::chosen_paths(*options_.chosen, facts_.in.map, map_, *numbering_, why_not);
      if (!numbers) return std::nullopt;
      out_.plan.placement = core::Placement::none;
      if (!numbers->all && numbers->numbers.empty()) return std::move(out_);
      if (numbers->all) {
        place();
      } else if (!place_chosen(std::move(numbers->numbers), why_not)) {
        return std::nullopt;
      }
    } else {
      place();
    }
    if (!choose_holder(why_not)) return std::nullopt;
    if (why_not = missing_site(); !why_not.empty()) return std::nullopt;
    if (why_not = lost_slot(); !why_not.empty()) return std::nullopt;
    metered_ = has_meters(options_) && !options_.context && options_.chosen == nullptr && !out_.plan.paths.by_number &&
               can_be_metered(facts_, facts_.sites);
    out_.metered = metered_;
    emit();
    fill_plan();
    return std::move(out_);
  }

 private:
  bool is_code(uint32_t b) const { return facts_.is_code(b); }
  bool is_landing(uint32_t b) const { return p_.blocks[b].kind == BlockKind::landing; }
  uint32_t last_of(uint32_t b) const { return facts_.last_of(b); }
  bool is_silent(const Edge &e) const { return numbers_.is_silent(e); }

  void place() {
    probes_ = core::place_path_probes(graph_, *numbering_, numbers_.costs(), format::silent_edges(map_));
    needs_holder_ = numbering_->paths > 1;
    out_.plan.paths.by_number = numbering_->paths > numbers_.largest_table();
    for (uint32_t e = 1; e < numbering_->left_out.size(); ++e) {  // one path, but several ways that end early
      needs_holder_ = needs_holder_ || (numbering_->left_out[e] && numbering_->value[e] != 0);
    }
    for (uint32_t e = 0; e < p_.edges.size(); ++e) {
      counts_.push_back(probes_.edge[e].ends);
      restarts_.push_back(numbering_->cut[e]);
    }
  }

  bool place_chosen(std::vector<uint64_t> numbers, std::string &why_not) {
    std::optional<core::ChosenPaths> chosen =
        core::place_chosen_probes({graph_, *numbering_, numbers, numbers_.costs(), format::silent_edges(map_), options_.path_algorithm}, why_not);
    if (!chosen) return false;
    probes_ = std::move(chosen->probes);
    counts_ = std::move(chosen->counts);
    restarts_ = std::move(chosen->restarts);
    needs_holder_ = !chosen->constant;
    constant_ = chosen->constant.value_or(0);
    out_.plan.paths.chosen = std::move(numbers);
    out_.plan.paths.slots = std::move(chosen->slots);
    out_.plan.paths.words = chosen->words;
    out_.plan.paths.by_number = chosen->by_number;
    return true;
  }

  // Must something be done on the edge?
  bool needs_probe(core::EdgeId e) const {
    const Edge &x = p_.edges[e];
    if (counts_[e] || (out_.holder.widens_frame() && x.to == 1) || beginning(e)) return true;
    if (out_.holder.kind == PathHolder::Kind::none) return false;
    if (x.kind == EdgeKind::enter || is_landing(x.from) || restarts_[e]) return true;
    return !probes_.edge[e].ends && probes_.edge[e].add != 0;
  }

  // The counter of the activations, or second returns, that begin on the edge.
  std::optional<uint32_t> beginning(core::EdgeId e) const { return index_of_beginning(out_.plan, e); }

  std::string missing_site() const {
    for (core::EdgeId e = 1; e < p_.edges.size(); ++e) {
      if (is_silent(p_.edges[e]) || site_[e].exists() || !needs_probe(e)) continue;
      if (p_.edges[e].kind == EdgeKind::enter) return "it starts where no probe can stand";
      return "a path needs a probe on an edge that cannot carry one";
    }
    return {};
  }

  // Where the frame lies is known wherever control gets by the ways we see; a probe may
  // stand where it does not.
  std::string lost_slot() const {
    if (out_.holder.kind != PathHolder::Kind::slot) return {};
    for (core::EdgeId e = 1; e < p_.edges.size(); ++e) {
      if (is_silent(p_.edges[e]) || !needs_probe(e)) continue;
      if (holder_at(p_.edges[e]).base == isa::kNoRegister) return "its frame is not found at a probe";
    }
    return {};
  }

  // ---- where the number is kept ----

  bool choose_holder(std::string &why_not) {
    PathHolder &h = out_.holder;
    if (!needs_holder_) return true;
    if (h.reg = free_register(p_, live_, site_); h.reg != isa::kNoRegister) {
      h.kind = PathHolder::Kind::free;
      return true;
    }
    if (why_not = facts_.in.other_convention ? "its unit does not follow the conventions of C" : frame_.why_not;
        !why_not.empty()) {
      return false;
    }
    for (uint32_t i : frame_.above) {
      std::optional<Replacement> moved = moved_operand(facts_.source(), p_.instructions[i]);
      if (!moved) {
        why_not = "an operand on the stack is written in an unusual way";
        return false;
      }
      out_.moved.push_back(std::move(*moved));
    }
    h.reg = unused_saved_register(facts_.unit(), p_);
    h.kind = h.reg != isa::kNoRegister ? PathHolder::Kind::saved : PathHolder::Kind::slot;
    out_.above = frame_.above;
    return true;
  }

  // The holder as a probe on the edge finds it.
  PathHolder holder_at(const Edge &e) const {
    PathHolder h = out_.holder;
    if (h.kind != PathHolder::Kind::slot) return h;
    bool at_end = e.to == 1 || (is_landing(e.to) && is_code(e.from));
    const assembly::StackState &state = at_end ? frame_.before[last_of(e.from)] : state_into(e.to);
    for (unsigned base : {isa::kStackPointer, isa::kFramePointer}) {
      if (state.offset[base] == assembly::StackState::kUnknown) continue;
      h.base = base;
      h.displacement = -state.offset[base];
      return h;
    }
    return h;
  }

  // Vertices without code have one way on, or several to which the same applies.
  const assembly::StackState &state_into(core::Vertex b) const {
    while (!is_code(b)) b = graph_.edge(graph_.out(b).front()).to;
    return frame_.block_in[b];
  }

  // ---- probes ----

  void emit() {
    for (core::EdgeId e : numbers_.in_order_of_probes()) emit(e);
  }

  void emit(core::EdgeId e) {
    const Edge &x = p_.edges[e];
    const core::PathProbe &probe = probes_.edge[e];
    PathHolder h = holder_at(x);
    isa::Resources live = site_[e].live | isa::register_numbered(h.kind == PathHolder::Kind::slot ? isa::kNoRegister : h.reg);
    bool enters = x.kind == EdgeKind::enter, leaves = x.to == 1;
    PathProbe whole;
    whole.site = site_[e];
    whole.edge = e;
    auto put = [&](isa::Snippet snippet, Effect effect, int64_t amount) {
      if (!snippet.text.empty()) whole.parts.push_back({std::move(snippet), effect, amount});
    };
    auto set = [&](int64_t value) { put(isa::set_path(h, value, live), Effect::path_set, value); };
    if (enters && metered_) put(isa::enter_meter(sums_, readings_of(options_), live), Effect::none, 0);
    if (is_landing(x.from) && metered_) put(isa::restart_meter(readings_of(options_), live), Effect::none, 0);
    if (std::optional<uint32_t> k = beginning(e)) {
      isa::CounterPlace place = place_;
      place.index = static_cast<int64_t>(numbering_->paths + *k);
      whole.parts.push_back({isa::increment(place, live), Effect::count, 0, {}, *k});
    }
    if (enters) set(probes_.initial + (probe.ends ? 0 : probe.add));
    if (is_landing(x.from)) set(numbers_.start_at(x.from, probes_) + (probe.ends ? 0 : probe.add));
    if (probe.ends) {
      isa::CounterPlace place = place_;
      place.index = h.kind == PathHolder::Kind::none ? constant_index(probe) : probe.add;
      if (metered_) put(isa::meter_path(h, sum_of_paths(place.index), {readings_of(options_), numbering_->paths, leaves}, live), Effect::none, 0);
      if (counts_[e]) put(count(e, h, place, live), Effect::path_count, place.index);
      if (restarts_[e] && !is_landing(x.to)) {
        set(probe.restart);
        if (counts_[e]) whole.parts[whole.parts.size() - 2].detour = expected_count(e, h, place, live);
      }
    } else if (!enters && !is_landing(x.from)) {
      put(isa::add_to_path(h, probe.add, live), Effect::path_add, probe.add);
    }
    if (h.widens_frame() && enters) whole.role = PathProbe::Role::enters;
    if (h.widens_frame() && leaves && !enters) whole.role = PathProbe::Role::leaves;
    if (!whole.parts.empty() || whole.role != PathProbe::Role::inside) out_.probes.push_back(std::move(whole));
  }

  isa::CounterPlace sum_of_paths(int64_t number) const {
    isa::CounterPlace place = sums_;
    place.index = first_path_sum(options_) + number;
    return place;
  }

  isa::Snippet count(uint32_t e, const PathHolder &h, const isa::CounterPlace &place, isa::Resources live) const {
    if (!out_.plan.paths.by_number) return isa::count_path(h, place, live);
    return isa::count_path_by_number(h, place, {numbers_label_, fmt::format("{}_{}", numbers_label_, e)}, live);
  }

  // Of a loop most rounds take one way, which starts and ends at the loop's edge. Where the
  // number lies in memory it is cheaper to look whether it is that one than to load it.
  Detour expected_count(core::EdgeId e, const PathHolder &h, const isa::CounterPlace &place, isa::Resources live) const {
    std::optional<ExpectedPath> expected = expected_path(p_, graph_, weights_, probes_, restarts_, e);
    if (out_.plan.paths.by_number || !expected || expected->number != probes_.edge[e].restart) return {};
    Detour detour;
    detour.otherwise = fmt::format(".Lchord_d{}_{}", n_, e);
    detour.behind = fmt::format(".Lchord_g{}_{}", n_, e);
    detour.snippet = isa::count_expected_path(h, probes_.edge[e].restart, place, detour.otherwise, live);
    unsigned usual = isa::count_path(h, place, live).price + isa::set_path(h, probes_.edge[e].restart, live).price;
    bool worth = expected->likely * usual > expected->likely * detour.snippet.price + (1 - expected->likely) * kLooking;
    if (!detour.snippet.text.empty() && worth) detour.covers = 2;
    return detour;
  }

  // Without a holder: a procedure of one path, or one whose holder would never change.
  int64_t constant_index(const core::PathProbe &probe) const {
    return out_.plan.paths.chosen.empty() ? 0 : constant_ + probe.add;
  }

  void fill_plan() {
    core::Plan &plan = out_.plan;
    bool some = !plan.paths.chosen.empty();
    plan.placement = some ? core::Placement::chosen_paths : core::Placement::paths;
    plan.paths.paths = numbering_->paths;
    plan.paths.except_noise = !numbering_->left_out.empty();
    plan.paths.partial = probes_.partial;
    if (!some && out_.holder.kind == PathHolder::Kind::none) plan.paths.partial.assign(p_.blocks.size(), 0);
    for (core::EdgeId e = 0; e < p_.edges.size(); ++e) {
      if (numbering_->cut[e]) plan.paths.cuts.push_back(e);
      if (p_.edges[e].kind == EdgeKind::never) plan.never.push_back(e);
    }
  }

  const ProcedureFacts &facts_;
  const Procedure &p_;
  const format::Procedure &map_;
  const Options &options_;
  const assembly::Liveness &live_;
  const std::vector<double> &weights_;
  const core::Graph &graph_;
  PathNumbers numbers_;
  const std::vector<Site> &site_;  // by edge
  uint32_t n_;
  const assembly::StackFrame &frame_;
  isa::CounterPlace place_, sums_;
  bool metered_ = false;  // what each path takes is measured
  std::string numbers_label_;
  const core::PathNumbering *numbering_ = nullptr;
  core::PathProbes probes_;
  std::vector<bool> counts_, restarts_;  // by edge: what of its probe is needed
  bool needs_holder_ = true;
  int64_t constant_ = 0;  // what it would hold otherwise
  PathWeaving out_;
};

// The probe and, on the way in and out of the procedure, the frame that it needs.
void put_probe(const ProcedureFacts &facts, const PathWeaving &paths, const PathProbe &probe, ProcedurePlan &plan) {
  constexpr unsigned kFramePrice = 3;
  // Probes of other modes are inside the frame.
  const Phase phase = probe.role == PathProbe::Role::enters ? Phase::first : Phase::leaving;
  auto put = [&](isa::Snippet snippet, Effect effect, int64_t amount, Detour detour = {}, uint32_t number = 0) {
    plan.insertions.push_back({probe.site, probe.edge, std::move(snippet), effect, number, phase, amount, std::move(detour)});
  };
  const assembly::UnwindRules &rules = facts.rules_at(probe.site);
  if (probe.role == PathProbe::Role::enters) put({isa::widen_frame(paths.holder, rules.active), kFramePrice}, Effect::none, 0);
  for (PathProbe::Part part : probe.parts) {
    // Where the frame itself is made, unwind lines are no longer all or nothing.
    if (probe.role != PathProbe::Role::inside && part.snippet.moves_stack) {
      if (!rules.frame_follows_stack_pointer()) strip_unwind_lines(part.snippet);
      part.snippet.moves_stack = false;
    }
    put(std::move(part.snippet), part.effect, part.amount, std::move(part.detour), part.number);
  }
  if (probe.role != PathProbe::Role::leaves) return;
  bool unwinding = rules_at_way_out(rules);
  put_frame_end(facts, {probe.site, probe.edge, {isa::narrow_frame(paths.holder, unwinding), kFramePrice}, Effect::none, 0, Phase::last},
                unwinding, plan);
}

// What other modes find: a register that holds the number must be left alone everywhere.
void keep_holder(const PathHolder &holder, ProcedurePlan &plan) {
  if (holder.kind == PathHolder::Kind::slot || holder.kind == PathHolder::Kind::none) return;
  const isa::Resources taken = isa::register_numbered(holder.reg);
  for (isa::Resources &live : plan.liveness.before) live |= taken;
  for (std::vector<Site> *sites : {&plan.sites.edge, &plan.sites.block}) {
    for (Site &site : *sites) site.live |= taken;
  }
}

// The way around that a count by number has is about as long again.
std::vector<Insertion> sizes_of(std::vector<Insertion> insertions) {
  for (Insertion &insertion : insertions) insertion.snippet.price *= insertion.snippet.moves_stack ? 2 : 1;
  return insertions;
}

// By which the runtime finds the number of an activation's path. Partial paths are none of the chosen ones.
std::string path_note(const PathWeaving &paths) {
  if (paths.holder.kind == PathHolder::Kind::none || paths.plan.placement == core::Placement::chosen_paths) return {};
  bool in_frame = paths.holder.kind == PathHolder::Kind::slot;
  return isa::note(CHORD_PATH_NOTE + (in_frame ? CHORD_PATH_IN_FRAME : isa::dwarf_number(paths.holder.reg)));
}

}  // namespace

std::string plan_paths(const ProcedureFacts &facts, ProcedurePlan &plan) {
  const Options &options = facts.options();
  if (options.chosen != nullptr && options.chosen->find(facts.map.name).empty()) return kNothingChosen;
  std::optional<PathWeaving> paths = PathPlanner(facts).run(plan.no_paths);
  if (!paths) return {};
  if (paths->plan.placement == core::Placement::none) return kNothingChosen;
  ProcedurePlan own;
  for (const PathProbe &probe : paths->probes) put_probe(facts, *paths, probe, own);
  if (short_branch_breaks(facts, sizes_of(own.insertions))) {
    plan.no_paths = "a one-byte branch over too much code";
    return {};
  }
  plan.insertions.insert(plan.insertions.end(), own.insertions.begin(), own.insertions.end());
  plan.restores.merge(own.restores);
  plan.note = path_note(*paths);
  plan.counters = std::move(paths->plan);
  if (paths->metered) add_meter_sums(options, true, plan);
  plan.is_counted = true;
  plan.holder = paths->holder;
  keep_holder(plan.holder, plan);
  plan.above = std::move(paths->above);
  plan.moved = std::move(paths->moved);
  return {};
}

}  // namespace chord::weave
