#include "format/map/map.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>

namespace chord::format {

bool Procedure::operator==(const Procedure &o) const {
  return key == o.key && name == o.name && global == o.global && file == o.file && line == o.line && fragments == o.fragments &&
         instructions == o.instructions && blocks == o.blocks && edges == o.edges && marks == o.marks &&
         plan.placement == o.plan.placement && plan.counters == o.plan.counters && plan.sums == o.plan.sums &&
         plan.never == o.plan.never && plan.called == o.plan.called && plan.encoding == o.plan.encoding && plan.witnesses == o.plan.witnesses && plan.starts == o.plan.starts && plan.late == o.plan.late && plan.compares == o.plan.compares && plan.names == o.plan.names && plan.own_calls == o.plan.own_calls && plan.addresses == o.plan.addresses && held == o.held && spots == o.spots && skipped == o.skipped &&
         plan.paths == o.plan.paths && no_paths == o.no_paths && metrics == o.metrics &&
         metrics_in_records == o.metrics_in_records;
}

namespace {

// Of a trace: all numbers of tokens (format/facts/traced_calls.h) are below.
size_t token_numbers(const Procedure &p) { return p.edges.size() + 2 * p.instructions.size() + 1; }

}  // namespace

core::Graph Procedure::graph() const {
  core::Graph graph(static_cast<uint32_t>(blocks.size()), 0, 1);
  for (size_t e = 1; e < edges.size(); ++e) graph.add_edge(edges[e].from, edges[e].to);
  return graph;
}

uint64_t Procedure::words(const MetricSums &sums) const {
  if (sums.of == SumsOf::paths) return plan.path_words();
  return sums.of == SumsOf::instructions ? sums.instructions.size() : 1;
}

uint64_t Procedure::metric_words() const {
  uint64_t sum = 0;
  for (const MetricSums &sums : metrics) sum += words(sums);
  return sum;
}

namespace {

bool in_range(uint64_t first, uint64_t count, size_t size) { return first <= size && count <= size - first; }

std::string instruction_defect(const UnitMap &map, const Procedure &p, const Instruction &i) {
  if (i.fragment >= p.fragments.size()) return "fragment";
  if (i.mnemonic >= map.mnemonics.size()) return "mnemonic";
  if (i.line != 0 && i.file >= map.files.size()) return "file";
  return "";
}

std::string graph_defect(const Procedure &p) {
  if (p.blocks.size() < 2 || p.blocks[0].kind != VertexKind::entry || p.blocks[1].kind != VertexKind::exit) {
    return "blocks 0 and 1 are not entry and exit";
  }
  if (p.edges.empty() || p.edges[0].from != 1 || p.edges[0].to != 0 ||
      p.edges[0].kind != EdgeKind::return_edge) {
    return "edge 0 is not the return edge";
  }
  for (const Block &b : p.blocks) {
    if (b.kind > VertexKind::join) return "unknown kind of block";
    if (!in_range(b.first, b.count, p.instructions.size())) return "a block's instructions are out of range";
  }
  for (const Edge &e : p.edges) {
    if (e.kind > EdgeKind::never) return "unknown kind of edge";
    if (e.from >= p.blocks.size() || e.to >= p.blocks.size()) return "an edge's end is out of range";
    if (!in_range(e.padding_first, e.padding_count, p.instructions.size())) return "padding is out of range";
  }
  return "";
}

bool is_place(const Procedure &p, const core::Counter &c) {
  if (c.site == core::Site::edge) return c.id < p.edges.size();
  return c.site == core::Site::vertex && c.id < p.blocks.size();
}

std::string plan_defect(const Procedure &p) {
  if (p.plan.placement > core::Placement::coverage) return "unknown placement";
  const core::PathPlan &paths = p.plan.paths;
  if (paths.chosen.size() != paths.slots.size()) return "the chosen paths do not fit their counters";
  for (size_t k = 0; k < paths.chosen.size(); ++k) {
    if (paths.chosen[k] >= paths.paths || (!paths.by_number && paths.slots[k] >= paths.words)) return "a chosen path is out of range";
    if (k > 0 && paths.chosen[k] <= paths.chosen[k - 1]) return "the chosen paths are out of order";
  }
  if (p.plan.placement == core::Placement::paths && p.plan.paths.partial.size() != p.blocks.size()) {
    return "the path numbers do not fit the blocks";
  }
  for (uint32_t e : p.plan.paths.cuts) {
    if (e >= p.edges.size()) return "an edge of the plan is out of range";
  }
  const std::vector<core::Counter> &counters = p.plan.counters;
  const bool on_paths = p.plan.placement == core::Placement::paths || p.plan.placement == core::Placement::chosen_paths;
  for (const core::Counter &c : counters) {
    if (on_paths && (c.site != core::Site::edge || p.plan.paths.by_number)) return "beginnings of paths are counted where there are none";
  }
  size_t sums = p.plan.sums.size();
  if (sums > std::min(core::kMostSums, counters.size())) return "too many sums";
  for (size_t k = 0; k < counters.size(); ++k) {
    bool is_sum = k + sums >= counters.size();
    bool fits = is_sum ? counters[k] == core::Counter{core::Site::sum, static_cast<uint32_t>(k + sums - counters.size())}
                       : is_place(p, counters[k]);
    if (!fits) return "a counter is out of range";
  }
  for (const core::CounterSum &sum : p.plan.sums) {
    if (!is_place(p, sum.spared)) return "a counter is out of range";
    for (const core::CounterSum::Term &t : sum.terms) {
      if (t.vertex >= p.blocks.size()) return "a term of a sum is out of range";
    }
  }
  for (uint32_t e : p.plan.never) {
    if (e >= p.edges.size()) return "an edge of the plan is out of range";
  }
  if (p.plan.called != core::kNone && p.plan.called >= p.edges.size()) return "an edge of the plan is out of range";
  for (uint32_t e : p.plan.witnesses) {
    if (e == 0 || e >= p.edges.size()) return "a witness is out of range";
  }
  for (uint32_t v : p.plan.starts) {
    if (v < 2 || v >= p.blocks.size()) return "a start of paths is out of range";
  }
  for (uint32_t number : p.plan.late) {
    if (number >= token_numbers(p)) return "a late token is out of range";
  }
  const core::AddressPlan &addresses = p.plan.addresses;
  for (uint32_t slot : addresses.recorded) {
    if (slot / core::AddressPlan::kSlots >= p.instructions.size()) return "an access to memory is out of range";
  }
  if (addresses.written && addresses.known.size() != p.blocks.size()) return "what is known of registers does not fit the blocks";
  for (uint32_t mark : p.marks) {
    if (mark >= p.instructions.size()) return "a mark is out of range";
  }
  return "";
}

std::string held_defect(const Procedure &p) {
  for (const Held &h : p.held) {
    if (h.counter >= p.plan.counters.size()) return "a held counter is out of range";
    if (h.place > CHORD_LAST_REGISTER || h.step == 0) return "a counter is held in no way there is";
    auto outside = [](const auto &list, size_t size) {
      return std::any_of(list.begin(), list.end(), [&](uint32_t n) { return n >= size; });
    };
    if (outside(h.updates, p.instructions.size())) return "a held counter's instruction is out of range";
    if (outside(h.blocks, p.blocks.size()) || outside(h.due, p.blocks.size())) return "a held counter's loop is out of range";
  }
  const size_t counters = p.plan.placement == core::Placement::trace ? token_numbers(p) : p.plan.counters.size();
  for (const Spot &s : p.spots) {
    if (s.fragment >= p.fragments.size()) return "a spot's fragment is out of range";
    if (s.instruction != core::kNone && s.instruction >= p.instructions.size()) return "a spot's instruction is out of range";
    for (const Spot::Lack &lack : s.lacks) {
      if (lack.counter >= counters) return "a spot's counter is out of range";
    }
    for (uint32_t h : s.held) {
      if (h >= p.held.size()) return "a spot's held counter is out of range";
    }
  }
  return "";
}

std::string metrics_defect(const Procedure &p) {
  for (const MetricSums &sums : p.metrics) {
    if (sums.metric.empty() || sums.of > SumsOf::instructions) return "a metric's sums are of nothing there is";
    if (sums.of == SumsOf::paths && p.plan.placement != core::Placement::paths) return "a metric is of paths, and they are not counted";
    for (size_t k = 0; k < sums.instructions.size(); ++k) {
      if (sums.instructions[k] >= p.instructions.size()) return "an instruction of a metric is out of range";
      if (k > 0 && sums.instructions[k] <= sums.instructions[k - 1]) return "the instructions of a metric are out of order";
    }
  }
  return "";
}

std::string procedure_defect(const UnitMap &map, const Procedure &p) {
  if (p.line != 0 && p.file >= map.files.size()) return "its file is out of range";
  for (const Instruction &i : p.instructions) {
    std::string what = instruction_defect(map, p, i);
    if (!what.empty()) return fmt::format("an instruction's {} is out of range", what);
  }
  // What was left alone needs no graph, but if it has one it must be whole.
  if (!p.skipped.empty() && p.blocks.empty() && p.edges.empty()) return plan_defect(p);
  std::string why = graph_defect(p);
  if (why.empty()) why = plan_defect(p);
  if (why.empty()) why = metrics_defect(p);
  return why.empty() ? held_defect(p) : why;
}

}  // namespace

std::string defect(const UnitMap &map) {
  if (map.hashes.size() > map.files.size()) return "there are more hashes than files";
  for (const Procedure &p : map.procedures) {
    std::string why = procedure_defect(map, p);
    if (!why.empty()) return fmt::format("{}: {}", p.name, why);
  }
  return "";
}

}  // namespace chord::format
