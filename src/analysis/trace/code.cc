#include "analysis/trace/code.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/diagnostics.h"
#include "core/counters/plan.h"
#include "format/facts/call_marks.h"
#include "format/facts/traced_calls.h"

namespace chord::analysis {
namespace {

constexpr size_t kKnown = 4096;

TracedProcedure describe(const format::UnitMap &unit, const format::Procedure &map, const format::Anchor &anchor) {
  TracedProcedure p;
  p.unit = &unit;
  p.map = &map;
  p.anchor = &anchor;
  p.out.resize(map.blocks.size());
  for (core::EdgeId e = 1; e < map.edges.size(); ++e) {
    if (map.edges[e].kind != format::EdgeKind::never) p.out[map.edges[e].from].push_back(e);
    if (map.edges[e].kind == format::EdgeKind::enter) p.enter = e;
  }
  p.code = format::trace_code(map);
  p.block_of.assign(map.instructions.size(), core::kNone);
  p.is_call.resize(map.instructions.size());
  for (uint32_t b = 0; b < map.blocks.size(); ++b) {
    for (uint32_t i = map.blocks[b].first; i < map.blocks[b].first + map.blocks[b].count; ++i) {
      p.block_of[i] = b;
      p.is_call[i] = (map.instructions[i].traits & isa::kCall) != 0;
    }
  }
  p.run_end.resize(map.instructions.size());
  for (const format::Block &block : map.blocks) {
    uint32_t end = block.first + block.count;
    for (uint32_t i = end; i-- > block.first;) p.run_end[i] = i + 1 == end || p.is_call[i] ? i + 1 : p.run_end[i + 1];
  }
  for (uint32_t part = 0; part < anchor.parts.size() && part < map.fragments.size(); ++part) p.layouts.emplace_back(map, anchor, part);
  return p;
}

// From there on without anything that is written.
bool leads_freely(const TracedProcedure &p, core::EdgeId first, uint32_t instruction) {
  std::vector<core::EdgeId> todo{first};
  std::vector<bool> seen(p.map->edges.size());
  while (!todo.empty()) {
    const core::EdgeId e = todo.back();
    const format::Edge &edge = p.map->edges[e];
    todo.pop_back();
    if (seen[e] || p.code.tokens[e].bits != 0) continue;
    seen[e] = true;
    const bool on_edge = instruction >= edge.padding_first && instruction - edge.padding_first < edge.padding_count;
    if (on_edge || p.block_of[instruction] == edge.to) return true;
    todo.insert(todo.end(), p.out[edge.to].begin(), p.out[edge.to].end());
  }
  return false;
}

}  // namespace

core::EdgeId TracedProcedure::edge_toward(uint32_t block, uint32_t instruction) const {
  if (instruction >= block_of.size()) return core::kNone;
  for (core::EdgeId e : out[block]) {
    if (leads_freely(*this, e, instruction)) return e;
  }
  return core::kNone;
}

TracedCode::TracedCode(const std::string &path, const std::string &build_id, bool texts) : TracedCode(read_object(path, texts)) {
  if (!build_id.empty() && !object_->build_id.empty() && object_->build_id != build_id) {
    throw base::Error(fmt::format("{}: is of another build (build id {}, the trace is of {})", path, show_build_id(object_->build_id), show_build_id(build_id)),
                      "run the program again, or name its old executable with --program");
  }
}

TracedCode::TracedCode(Object object) : object_(std::make_unique<Object>(std::move(object))) {
  std::unordered_map<uint64_t, const format::Anchor *> anchors;
  for (const format::Anchor &anchor : object_->anchors) {
    if (is_live(anchor)) anchors.emplace(anchor.key, &anchor);
  }
  std::unordered_map<uint64_t, uint32_t> numbers;  // by key
  for (const format::UnitMap &unit : object_->units) {
    for (const format::Procedure &map : unit.procedures) {
      auto anchor = anchors.find(map.key);
      if (!map.skipped.empty() || map.plan.placement != core::Placement::trace || anchor == anchors.end()) continue;
      numbers.emplace(map.key, static_cast<uint32_t>(procedures_.size()));
      index_.add(static_cast<uint32_t>(procedures_.size()), *anchor->second);
      TracedProcedure &p = procedures_.emplace_back(describe(unit, map, *anchor->second));
      p.late = std::make_shared<format::LateTokens>(map, p.code, map.plan.late);
      p.first_edge = edges_;
      p.first_instruction = instructions_;
      edges_ += map.edges.size();
      instructions_ += map.instructions.size();
    }
  }
  find_silent_entries();
  find_expected_entries();
  index_.sort();
  known_.resize(kKnown);
  for (uint64_t key : object_->records) {
    auto number = numbers.find(key);
    by_record_.push_back(number != numbers.end() ? number->second : core::kNone);
  }
}

// Of procedures that only known instructions of their unit can enter (core::Plan::called).
void TracedCode::find_silent_entries() {
  std::map<std::pair<const format::UnitMap *, std::string_view>, uint32_t> silent;
  for (uint32_t n = 0; n < procedures_.size(); ++n) {
    if (procedures_[n].map->plan.called != core::kNone) silent.emplace(std::pair(procedures_[n].unit, std::string_view(procedures_[n].map->name)), n);
  }
  for (TracedProcedure &p : procedures_) {
    p.enters.assign(p.map->instructions.size(), core::kNone);
    for (uint32_t i = 0; i < p.enters.size() && !silent.empty(); ++i) {
      if (p.map->instructions[i].callee.empty()) continue;
      auto found = silent.find({p.unit, p.map->instructions[i].callee});
      if (found != silent.end()) p.enters[i] = found->second;
    }
  }
}

// Of several procedures with one mark the one whose name is called.
void TracedCode::find_expected_entries() {
  std::unordered_map<uint32_t, std::vector<uint32_t>> marked;
  for (uint32_t n = 0; n < procedures_.size(); ++n) {
    if (const uint32_t mark = format::mark_of_entry(*procedures_[n].map); mark != 0) marked[mark].push_back(n);
  }
  for (TracedProcedure &p : procedures_) {
    p.expects.assign(p.map->instructions.size(), core::kNone);
    for (uint32_t i = 0; i < p.expects.size(); ++i) {
      const uint32_t mark = format::mark_left_by(*p.map, i);
      if (mark == 0) continue;
      p.expects[i] = TracedProcedure::kNobody;
      auto found = marked.find(mark);
      if (found == marked.end()) continue;
      std::vector<uint32_t> named;
      for (uint32_t n : found->second) {
        const bool can_be_named = procedures_[n].map->global || procedures_[n].unit == p.unit;
        if (can_be_named && (found->second.size() == 1 || procedures_[n].map->name == p.map->instructions[i].callee)) named.push_back(n);
      }
      if (named.size() == 1) p.expects[i] = named[0];
    }
  }
}

std::optional<uint32_t> TracedCode::with_record(uint64_t offset) const {
  const uint64_t record = offset / sizeof(chord_proc);
  if (offset % sizeof(chord_proc) != 0 || record >= by_record_.size() || by_record_[record] == core::kNone) return std::nullopt;
  return by_record_[record];
}

std::optional<TracedPlace> TracedCode::find(uint64_t address) const {
  Known &known = known_[(address ^ address >> 12) % kKnown];
  if (known.address == address) return known.place;
  known.address = address;
  known.place.reset();
  std::optional<CodeIndex::Hit> hit = index_.find(address);
  if (hit && hit->part < procedures_[hit->procedure].layouts.size())
    known.place = TracedPlace{hit->procedure, hit->part, static_cast<uint32_t>(address - hit->anchor->parts[hit->part].address)};
  return known.place;
}

std::optional<TracedPoint> TracedCode::point(const TracedPlace &place) const {
  const TracedProcedure &p = procedures_[place.procedure];
  const PartLayout &layout = p.layouts[place.part];
  TracedPoint out;
  std::optional<uint32_t> spot = layout.spot_at(place.offset);
  if (!spot || *spot >= p.map->spots.size()) {
    std::optional<uint32_t> next = layout.next_at(place.offset);
    if (!next) return std::nullopt;
    out.instruction = *next;
    out.due = p.late->at(*next);
    return out;
  }
  const format::Spot &found = p.map->spots[*spot];
  out.instruction = found.instruction;
  out.due = p.late->in(found);
  for (const format::Spot::Lack &lack : found.lacks) {
    const format::TokenNumber token = format::token_numbered(*p.map, lack.counter);
    if (token.kind == format::TokenNumber::Kind::entry) out.unentered = true;
    if (token.kind == format::TokenNumber::Kind::call && lack.count > 0) out.returning = token.number;
    if (token.kind == format::TokenNumber::Kind::edge && lack.count < 0) out.ahead = core::EdgeId(token.number);
  }
  if (out.unentered) {
    out.instruction = core::kNone;
    out.due = {};
  }
  return out;
}

}  // namespace chord::analysis
