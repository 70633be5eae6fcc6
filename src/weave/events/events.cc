#include "weave/events/events.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <optional>

#include "core/graph/order.h"
#include "core/graph/spanning_tree.h"
#include "core/paths/increments.h"
#include "format/inputs/costs.h"
#include "weave/events/event_kinds.h"
#include "weave/plan/home_text.h"
#include "weave/plan/labels.h"

namespace chord::weave {

using assembly::Block;
using assembly::BlockKind;
using assembly::Edge;
using assembly::EdgeKind;
using assembly::Instruction;
using assembly::Procedure;

namespace {

struct Probe {
  Site site;
  core::EdgeId edge = core::kNone;  // of the procedure; stubs are made for an edge
  isa::Snippet snippet;
  // With a budget: code outside the way, in a stub of that label, and the label that
  // tells unwinding where it stands (isa::Check).
  isa::Snippet outside;
  std::string outside_label;
  std::string place_label;
};

// Straight code up to and including a call, or to the end of its block:
// instructions [first, end).
struct Stretch {
  uint32_t first;
  uint32_t end;
};

class EventPlanner {
 public:
  // `costs`: of each instruction, if that kind is counted.
  EventPlanner(const ProcedureFacts &facts, const ProcedurePlan &plan, std::vector<int64_t> costs)
      : unit_(facts.unit()), p_(facts.p), live_(plan.liveness), sites_(plan.sites), weights_(facts.weights), costs_(std::move(costs)),
        options_(facts.options()), n_(facts.n) {
    using Kind = isa::CounterPlace::Kind;
    place_.kind = options_.position_independent ? Kind::thread_home : Kind::thread_local_exec;
    place_.label = CHORD_EVENTS_SYMBOL;
  }

  std::optional<std::vector<Probe>> run(std::string &why_not) {
    count_ways();
    make_vertices();
    graph_ = core::Graph(static_cast<uint32_t>(stretches_.size()), 0, 1);
    links_.resize(1);
    for (core::EdgeId e = 1; e < p_.edges.size(); ++e) copy_edge(e);
    for (uint32_t b = 2; b < p_.blocks.size(); ++b) split_at_calls(b);
    if (why_not = graph_.defect(); !why_not.empty()) return std::nullopt;
    core::SpanningTree tree = span();
    if (!tree.forced_cycle.empty()) {
      why_not =
          "edges that cannot carry a probe form a cycle: " + core::name_edges(graph_, tree.forced_cycle);
      return std::nullopt;
    }
    for (uint32_t kind = 0; kind < kEventKinds.size(); ++kind) {
      if (options_.events & (1u << kind)) add_probes(static_cast<EventKind>(kind), tree.in_tree, why_not);
    }
    if (!why_not.empty()) return std::nullopt;
    return std::move(probes_);
  }

 private:
  // What an edge of the split graph stands for.
  struct Link {
    Site site;
    core::EdgeId edge = core::kNone;  // of the procedure, or none: around a call
    double weight = 0;
    bool never = false;
  };

  bool is_code(uint32_t b) const { return p_.blocks[b].kind == BlockKind::code; }
  bool is_call(uint32_t i) const {
    return !p_.instructions[i].padding && p_.instructions[i].decoded.flow == isa::Flow::call;
  }
  bool ends_in_call(uint32_t b) const {
    return is_code(b) && is_call(p_.blocks[b].first + p_.blocks[b].count - 1);
  }

  // As find_sites counts them: a block with one way in is entered by that way alone.
  void count_ways() {
    in_.assign(p_.blocks.size(), 0);
    out_.assign(p_.blocks.size(), 0);
    frequency_.assign(p_.blocks.size(), 0);
    for (size_t e = 1; e < p_.edges.size(); ++e) {
      if (p_.edges[e].kind == EdgeKind::never) continue;
      ++out_[p_.edges[e].from];
      ++in_[p_.edges[e].to];
      frequency_[p_.edges[e].to] += weights_[e];
    }
  }

  void make_vertices() {
    for (uint32_t b = 0; b < p_.blocks.size(); ++b) {
      first_.emplace_back(stretches_.size());
      uint32_t begin = p_.blocks[b].first, end = begin + p_.blocks[b].count;
      if (!is_code(b)) end = begin;
      for (uint32_t i = begin; i + 1 < end; ++i) {
        if (!is_call(i)) continue;
        stretches_.push_back({begin, i + 1});
        begin = i + 1;
      }
      stretches_.push_back({begin, end});
      last_.emplace_back(stretches_.size() - 1);
    }
  }

  void link(core::Vertex from, core::Vertex to, Link l) {
    graph_.add_edge(from, to);
    links_.push_back(std::move(l));
  }

  void copy_edge(core::EdgeId e) {
    const Edge &edge = p_.edges[e];
    bool never = edge.kind == EdgeKind::never;
    if (ends_in_call(edge.from)) {
      // The second return and the first arrive alike, and the first edge of a landing
      // vertex comes from the entry already.
      if (never || edge.kind == EdgeKind::landing) return;
      link(0, first_[edge.to], {best_site(e), e, weights_[e], false});
      return;
    }
    link(last_[edge.from], first_[edge.to], {best_site(e), e, weights_[e], never});
  }

  void split_at_calls(uint32_t b) {
    for (core::Vertex v = first_[b]; is_code(b) && v <= last_[b]; ++v) {
      uint32_t call = stretches_[v].end - 1;
      if (!is_call(call)) continue;
      link(v, 1, {cheapest(before_call(call), stretches_[v]), core::kNone, frequency_[b], false});
      if (v < last_[b])
        link(0, core::Vertex(v + 1), {cheapest(behind(call), stretches_[v + 1]), core::kNone, frequency_[b], false});
    }
  }

  // ---- sites ----

  unsigned price(const Site &site) const { return isa::add_constant(place_, 2, site.live).price; }

  Site in_front_of(uint32_t i) const {
    Site s;
    s.kind = Site::Kind::before;
    s.statement = p_.instructions[i].first_statement;
    s.fragment = p_.instructions[i].fragment;
    s.live = live_.before[i];
    return s;
  }

  Site behind(uint32_t call) const {
    Site s = in_front_of(call);
    s.kind = Site::Kind::after;
    s.statement = p_.instructions[call].last_statement;
    s.live = live_.before[call + 1];
    return s;
  }

  // Linkers rewrite the instructions that ask for a thread-local address as one piece.
  bool is_bound_to_next(uint32_t i) const {
    std::string_view operands = unit_.source->statements[p_.instructions[i].last_statement].operands;
    for (std::string_view mark : {"@tlsgd", "@TLSGD", "@tlsld", "@TLSLD", "@tlsdesc", "@TLSDESC"}) {
      if (operands.find(mark) != std::string_view::npos) return true;
    }
    return false;
  }

  Site before_call(uint32_t call) const {
    const Instruction &in = p_.instructions[call];
    bool bound = call > 0 && p_.instructions[call - 1].fragment == in.fragment && is_bound_to_next(call - 1);
    return in_front_of(bound ? call - 1 : call);
  }

  // A probe may stand anywhere in a stretch, all of which runs as often: where flags and
  // registers are free, if they are not at the place it would have first.
  Site cheapest(Site site, const Stretch &stretch) const {
    unsigned best = price(site);
    for (uint32_t i = stretch.first; i < stretch.end && best > 1; ++i) {
      const Instruction &in = p_.instructions[i];
      if (in.padding || in.decoded.marks_entry || (i > stretch.first && is_bound_to_next(i - 1))) continue;
      Site other = in_front_of(i);
      if (unsigned p = price(other); p < best) {
        best = p;
        site = other;
      }
    }
    return site;
  }

  Site best_site(uint32_t e) const {
    const Edge &edge = p_.edges[e];
    Site site = sites_.edge[e];
    if (!site.exists() || site.is_stub()) return site;
    if (is_code(edge.from) && out_[edge.from] == 1 && !ends_in_call(edge.from)) {
      site = cheapest(site, stretches_[last_[edge.from]]);
    }
    if (is_code(edge.to) && in_[edge.to] == 1) site = cheapest(site, stretches_[first_[edge.to]]);
    // Of a check after an instruction its last byte must tell (CHORD_EXIT_AT_PC).
    const Stretch &from = stretches_[last_[edge.from]];
    bool behind = options_.budget && is_code(edge.from) && site.kind == Site::Kind::after &&
                  site.statement == p_.instructions[from.end - 1].last_statement;
    if (behind && p_.instructions[from.end - 1].decoded.size == 1) site = in_front_of(from.end - 1);
    return site;
  }

  // ---- the tree and the probes ----

  core::SpanningTree span() const {
    std::vector<double> cost(links_.size(), kImpossible);
    std::vector<bool> never(links_.size());
    for (size_t e = 1; e < links_.size(); ++e) {
      const Link &l = links_[e];
      never[e] = l.never;
      if (l.site.exists()) cost[e] = l.weight * (price(l.site) + (l.site.is_stub() ? kStubPrice : 0));
    }
    return core::maximum_spanning_tree(graph_, core::depth_first_order(graph_), cost, never);
  }

  int64_t events_at(EventKind kind, uint32_t instruction) const {
    return kind == EventKind::cost ? costs_[instruction] : events_of(kind, p_.instructions[instruction]);
  }

  int64_t events_of_padding(EventKind kind, const Edge &edge) const {
    int64_t sum = 0;
    for (uint32_t i = edge.padding_first; i < edge.padding_first + edge.padding_count; ++i) sum += events_at(kind, i);
    return sum;
  }

  core::Events events(EventKind kind) const {
    core::Events out;
    out.edge.assign(links_.size(), 0);
    out.vertex.assign(stretches_.size(), 0);
    for (size_t e = 1; e < links_.size(); ++e) {
      if (links_[e].edge == core::kNone) continue;
      const Edge &edge = p_.edges[links_[e].edge];
      out.edge[e] = kind == EventKind::cost ? events_of_padding(kind, edge) : events_of(kind, p_, edge);
    }
    for (size_t v = 0; v < stretches_.size(); ++v) {
      for (uint32_t i = stretches_[v].first; i < stretches_[v].end; ++i)
        out.vertex[v] += events_at(kind, i);
    }
    for (uint32_t b = 2; b < p_.blocks.size(); ++b) {
      if (is_code(b)) out.vertex[first_[b]] += events_of_entering(kind);
    }
    return out;
  }

  void add_probes(EventKind kind, const std::vector<bool> &in_tree, std::string &why_not) {
    core::Events happen = events(kind);
    core::Increments increments = core::event_increments(graph_, in_tree, happen);
    isa::CounterPlace place = place_;
    uint32_t turn = 0;
    for (core::EdgeId e = 1; e < links_.size(); ++e) {
      int64_t amount = increments.edge[e];
      if (in_tree[e] || links_[e].never || amount == 0) continue;
      if (!isa::fits_constant(amount)) why_not = "more events on one way than an instruction can add";
      uint32_t part = turn++ % CHORD_EVENT_PARTS;
      place.index = part * CHORD_EVENT_KINDS + static_cast<uint32_t>(kind);
      if (options_.budget && amount > 0) {
        int64_t lacking = increments.after_vertex[graph_.edge(e).to] - still_to_come(e, kind, happen);
        add_checked_probe(links_[e], place, amount, lacking, why_not);
      } else {
        probes_.push_back(
            {links_[e].site, links_[e].edge, isa::add_constant(place, amount, links_[e].site.live), {}, {}, {}});
      }
    }
  }

  void add_checked_probe(const Link &l, const isa::CounterPlace &place, int64_t amount, int64_t lacking,
                         std::string &why_not) {
    constexpr int64_t kLeast = -(int64_t{1} << 27);  // the runtime is told in one word, with the kind
    isa::Check check;
    check.out = fmt::format(".Lchord_b{}_{}", n_, probes_.size());
    check.back = fmt::format(".Lchord_r{}_{}", n_, probes_.size());
    bool behind = l.site.kind == Site::Kind::after && !stands_behind_entry_mark(l.site);
    bool apart = l.site.is_stub() || behind;
    check.place = apart ? fmt::format(".Lchord_u{}_{}", n_, probes_.size()) : check.back;
    check.lacking = lacking;
    check.makes_good = lacking > CHORD_BUDGET_WINDOW || lacking < kLeast;
    bool fits = isa::fits_constant(lacking) && isa::fits_constant(amount + lacking);
    if (check.makes_good && !fits) why_not = "more events on one way than an instruction can add";
    probes_.push_back({l.site, l.edge, isa::add_checked(place, amount, l.site.live, check),
                       isa::ask_runtime(place, check, "__chord_budget"), check.out,
                       apart ? check.place : ""});
  }

  bool stands_behind_entry_mark(const Site &site) const {
    for (const Instruction &in : p_.instructions) {
      if (!in.padding && in.last_statement == site.statement) return in.decoded.marks_entry;
    }
    return false;
  }

  // Events between the place of a link's probe and the end of the vertex it leads to.
  int64_t still_to_come(core::EdgeId e, EventKind kind, const core::Events &happen) const {
    const Link &l = links_[e];
    const core::Edge &edge = graph_.edge(e);
    // In a loop of one stretch that has no other way out the probe stands at the end of a turn: the next is to come.
    bool own_loop = edge.from == edge.to;
    if (std::optional<int64_t> rest = rest_of_stretch(l.site, edge.to, kind); rest && !own_loop) return *rest;
    int64_t behind = happen.vertex[edge.to];
    if (std::optional<int64_t> rest = rest_of_stretch(l.site, edge.from, kind)) {
      return *rest + happen.edge[e] + behind;
    }
    // Between the two: a jump has been made, padding not yet been run.
    if (l.edge == core::kNone) return behind;
    return behind + events_of_padding(kind, p_.edges[l.edge]);
  }

  // Events of a stretch from the site on; nothing if the site is not in it.
  std::optional<int64_t> rest_of_stretch(const Site &site, uint32_t vertex, EventKind kind) const {
    if (site.is_stub()) return std::nullopt;
    bool front = site.kind == Site::Kind::before;
    const Stretch &stretch = stretches_[vertex];
    std::optional<int64_t> rest;
    for (uint32_t i = stretch.first; i < stretch.end; ++i) {
      const Instruction &in = p_.instructions[i];
      if (front && in.first_statement == site.statement) rest = 0;
      if (rest) *rest += events_at(kind, i);
      if (!front && in.last_statement == site.statement) rest = 0;
    }
    return rest;
  }

  const assembly::Unit &unit_;
  const Procedure &p_;
  const assembly::Liveness &live_;
  const Sites &sites_;
  const std::vector<double> &weights_;
  const std::vector<int64_t> costs_;  // by instruction
  const Options &options_;
  uint32_t n_;
  isa::CounterPlace place_;
  std::vector<uint32_t> in_, out_;      // ways into and out of each block
  std::vector<double> frequency_;       // of each block
  std::vector<Stretch> stretches_;      // by vertex; empty where there is no code
  std::vector<core::Vertex> first_, last_;  // by block: its vertices
  core::Graph graph_;
  std::vector<Link> links_;  // by edge of the split graph
  std::vector<Probe> probes_;
};

template <class Action>
void for_each_kind(const Options &options, Action action) {
  for (uint32_t kind = 0; kind < kEventKinds.size(); ++kind) {
    if (options.events & (1u << kind)) action(kind, fmt::format("__chord_event.{}", kEventKinds[kind]));
  }
}

}  // namespace

std::string plan_events(const ProcedureFacts &facts, ProcedurePlan &plan) {
  const Options &options = facts.options();
  std::vector<int64_t> costs;
  if (!options.costs.empty()) costs = format::instruction_costs(options.costs, facts.map, facts.in.map);
  std::string why_not;
  std::optional<std::vector<Probe>> probes = EventPlanner(facts, plan, std::move(costs)).run(why_not);
  if (!probes) return why_not;
  for (Probe &p : *probes) {
    bool checks = !p.outside_label.empty();
    if (checks)
      plan.outside.push_back({p.site, p.edge, std::move(p.outside), std::move(p.outside_label), std::move(p.place_label), p.snippet.depth_at_check});
    plan.insertions.push_back({p.site, p.edge, std::move(p.snippet), Effect::none, 0, checks ? Phase::checking : Phase::leaving});
  }
  return {};
}

std::string event_unit_text(const UnitFacts &unit, const std::vector<ProcedurePlan> &) {
  const Options &options = unit.options;
  std::string out;
  for_each_kind(options, [&](uint32_t kind, const std::string &name) {
    out += fmt::format(
        "\t.section {0},\"aG\",@progbits,{1},comdat\n\t.balign 8\n\t.weak {1}\n\t.hidden {1}\n{1}:\n"
        "\t.quad {2}, {3}\n\t.long 1, {4}\n",
        CHORD_PROCS_SECTION, name, kind, CHORD_EVENT_KEY(kind), static_cast<int>(CHORD_COUNTERS_EVENT));
  });
  if (options.events != 0) out += home_text(options, CHORD_EVENTS_SYMBOL, 8 * CHORD_EVENT_WORDS);
  if (options.budget) out += flag_text(CHORD_CHECKED_SYMBOL);
  return out;
}

std::string event_ties_text(const RecordPlacer &, const ProcedureFacts &facts, const ProcedurePlan &) {
  const Options &options = facts.options();
  const std::string record = record_label(facts.n);
  std::string out;
  for_each_kind(options, [&](uint32_t, const std::string &name) {
    out += fmt::format("\t.reloc {},BFD_RELOC_NONE,{}\n", record, name);
  });
  return out;
}

}  // namespace chord::weave
