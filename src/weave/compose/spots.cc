#include "weave/compose/spots.h"

#include <fmt/core.h>

#include <algorithm>

#include "isa/code_text.h"
#include "weave/plan/labels.h"

namespace chord::weave {

using assembly::Instruction;

namespace {

// Places in a fragment: in front of a statement, at it, after it; stubs come last.
uint64_t order_before(uint32_t s) { return 3 * uint64_t{s}; }
uint64_t order_at(uint32_t s) { return 3 * uint64_t{s} + 1; }
uint64_t order_after(uint32_t s) { return 3 * uint64_t{s} + 2; }

bool is_plain(const Insertion &insertion) { return insertion.effect == Effect::none; }
bool is_of_path(const Insertion &insertion) { return insertion.effect >= Effect::path_set; }
bool has_paths(const Sequence &sequence) { return std::any_of(sequence.begin(), sequence.end(), is_of_path); }

// Only insertions that do something to counters know where they stand.
const Site &site_of(const Sequence &sequence) {
  auto it = std::find_if_not(sequence.begin(), sequence.end(), is_plain);
  return (it == sequence.end() ? sequence.front() : *it).site;
}

}  // namespace

SpotWriter::SpotWriter(const assembly::Procedure &p, uint32_t n, const std::vector<format::Held> &held,
                       const std::map<uint32_t, Sequence> &before, const std::map<uint32_t, Sequence> &after)
    : p_(p), n_(n), held_(held), before_(before), after_(after), block_of_(p.instructions.size(), core::kNone) {
  held_in_.assign(p.blocks.size(), std::vector<bool>(held.size()));
  for (uint32_t b = 0; b < p.blocks.size(); ++b) {
    std::fill_n(block_of_.begin() + p.blocks[b].first, p.blocks[b].count, b);
  }
  for (uint32_t h = 0; h < held.size(); ++h) {
    for (uint32_t b : held[h].blocks) held_in_[b][h] = true;
  }
  for (uint32_t i = 0; i < p.instructions.size(); ++i) {
    if (!p.instructions[i].padding) instruction_at_.emplace(p.instructions[i].first_statement, i);
  }
}

// What analysis takes for granted at an instruction.
SpotWriter::State SpotWriter::usual(uint32_t instruction) const {
  State state{instruction, {}, std::vector<bool>(held_.size()), {}};
  if (instruction != core::kNone) state.held = held_in_[block_of_[instruction]];
  return state;
}

void SpotWriter::add_due(const Sequence &sequence, uint32_t instruction, State &state) const {
  for (const Insertion &insertion : sequence) {
    if (insertion.effect == Effect::count && !insertion.site.ahead && insertion.site.due == instruction) ++state.lacks[insertion.number];
  }
}

SpotWriter::State SpotWriter::at_start(const Sequence &sequence, bool in_front) const {
  const Site &site = site_of(sequence);
  State state = usual(site.next);
  if (!in_front) state.held = held_in_[site.block];
  for (const Insertion &insertion : sequence) {
    if (insertion.effect == Effect::count && !insertion.site.ahead) ++state.lacks[insertion.number];
    if (in_front && insertion.effect == Effect::release) state.held[insertion.number] = true;
  }
  if (in_front || site.next == core::kNone) return state;
  // What stands between here and the instruction is lacking, too.
  const Instruction &next = p_.instructions[site.next];
  if (auto it = before_.find(next.first_statement); it != before_.end()) add_due(it->second, site.next, state);
  auto behind = after_.find(next.last_statement);
  if (next.decoded.marks_entry && behind != after_.end()) add_due(behind->second, site.next, state);
  return state;
}

// Nothing changes in it, but what stands between it and the instruction may yet be due.
SpotWriter::State SpotWriter::state_of_plain(const Sequence &sequence, bool in_front) const {
  State state = at_start(sequence, in_front);
  state.path = behind_paths(sequence, in_front).path;
  return state;
}

void SpotWriter::put(uint32_t fragment, uint64_t order, const std::string &label, const State &state) {
  format::Spot spot;
  spot.fragment = fragment;
  spot.instruction = state.instruction;
  for (const auto &[counter, count] : state.lacks) {
    if (count != 0) spot.lacks.push_back({counter, count});
  }
  for (uint32_t h = 0; h < state.held.size(); ++h) {
    if (state.held[h]) spot.held.push_back(h);
  }
  spot.path = state.path;
  spots_.push_back({order, {label, std::move(spot)}});
}

// `state`: in front of the insertion, and after it.
void SpotWriter::put_outside(const Insertion &insertion, const State &state) {
  auto found = outside_.find(insertion.outside);
  if (!insertion.outside.empty() && found != outside_.end()) put(insertion.site.fragment, found->second, insertion.outside, state);
}

std::string SpotWriter::plain_text(const Sequence &sequence, bool unwind, const State &state) {
  std::string text;
  for (const Insertion &insertion : sequence) {
    text += unwind ? insertion.snippet.text : without_unwind_lines(insertion.snippet.text);
    put_outside(insertion, state);
  }
  return text;
}

std::string SpotWriter::put_label(uint32_t fragment, uint64_t order, const State &state) {
  std::string label = spot_label(n_, labels_++);
  put(fragment, order, label, state);
  return label + ":\n";
}

std::vector<SpotWriter::State> SpotWriter::states_of(const Sequence &sequence, bool in_front) const {
  if (has_paths(sequence)) return path_states(sequence, in_front);
  std::vector<State> states{state_of_plain(sequence, in_front)};
  for (const Insertion &insertion : sequence) {
    State state = states.back();
    if (insertion.effect == Effect::count) --state.lacks[insertion.number];
    if (insertion.effect == Effect::hold) state.held[insertion.number] = true;
    if (insertion.effect == Effect::release) state.held[insertion.number] = false;
    states.push_back(std::move(state));
  }
  std::erase_if(states.back().lacks, [](const auto &lack) { return lack.second == 0; });
  return states;
}

// Its edge ends a path in front of a call that returns twice, where it lands.
bool SpotWriter::lands(const Insertion &insertion) const {
  return p_.blocks[p_.edges[insertion.edge].to].kind == assembly::BlockKind::landing;
}

// The instruction that the edge of an insertion in front of a jump leads to; kNone: out of the
// procedure. The jump itself if that is not known.
uint32_t SpotWriter::behind_jump(const Insertion &insertion) const {
  uint32_t v = p_.edges[insertion.edge].to;
  while (p_.blocks[v].kind != assembly::BlockKind::code && v != 1) {
    uint32_t ways = 0, to = v;
    for (const assembly::Edge &e : p_.edges) {
      if (e.from != v) continue;
      ++ways;
      to = e.to;
    }
    if (ways != 1) return insertion.site.next;
    v = to;
  }
  return v == 1 ? core::kNone : p_.blocks[v].first;
}

SpotWriter::State SpotWriter::behind_paths(const Sequence &sequence, bool in_front) const {
  const Site &site = site_of(sequence);
  if (!in_front) {
    if (site.next == core::kNone) return usual(core::kNone);
    // What stands between here and the instruction has yet to be done as well.
    const Instruction &next = p_.instructions[site.next];
    auto before = before_.find(next.first_statement), behind = after_.find(next.last_statement);
    State state = usual(site.next);
    std::vector<State> following;
    if (before != before_.end() && has_paths(before->second)) {
      following = path_states(before->second, true);
    } else if (next.decoded.marks_entry && behind != after_.end() && has_paths(behind->second)) {
      following = path_states(behind->second, false);
    }
    if (!following.empty()) {
      state.path = following.front().path;
      state.lacks = following.front().lacks;
    }
    return state;
  }
  State state = usual(site.next);
  for (const Insertion &insertion : sequence) {
    if (!is_of_path(insertion) || !insertion.site.ahead) continue;
    if (insertion.effect == Effect::path_add) state.path.sum -= static_cast<uint64_t>(insertion.amount);
    if (insertion.effect != Effect::path_count) continue;
    if (lands(insertion)) {
      state.path.counts.push_back({false, static_cast<uint64_t>(insertion.amount), -1});
    } else {
      state.instruction = behind_jump(insertion);
    }
  }
  return state;
}

std::vector<SpotWriter::State> SpotWriter::path_states(const Sequence &sequence, bool in_front) const {
  std::vector<State> states{behind_paths(sequence, in_front)};
  for (auto insertion = sequence.rbegin(); insertion != sequence.rend(); ++insertion) {
    State state = states.back();
    format::Spot::Path &path = state.path;
    auto amount = static_cast<uint64_t>(insertion->amount);
    if (insertion->effect == Effect::path_count) {
      if (insertion->site.ahead) {
        state = usual(insertion->site.next);
      } else {
        path.counts.push_back({false, amount, 1});
      }
    } else if (insertion->effect == Effect::count && !insertion->site.ahead) {
      ++state.lacks[insertion->number];
    } else if (insertion->effect == Effect::path_set || insertion->effect == Effect::path_add) {
      bool fixes = insertion->effect == Effect::path_set;
      if (!path.fixed) path.sum += amount;
      path.fixed = path.fixed || fixes;
      for (format::Spot::Path::Count &c : path.counts) {
        if (!c.fixed) c.number += amount;
        c.fixed = c.fixed || fixes;
      }
    }
    states.push_back(std::move(state));
  }
  std::reverse(states.begin(), states.end());
  return states;
}

// `jump`: where control goes on after the sequence, if it does not fall out of it.
std::string SpotWriter::write(const Sequence &sequence, const std::vector<State> &states, bool unwind, uint32_t fragment,
                              uint64_t order, const std::string &jump) {
  std::string text = put_label(fragment, order, states[0]);
  State said = states[0];
  auto add = [&](std::string_view part, const State &state) {
    if (part.empty()) return;
    if (!(said == state)) text += put_label(fragment, order, state);
    said = state;
    text += unwind ? std::string(part) : without_unwind_lines(part);
  };
  std::map<size_t, std::string> labels;  // after insertions
  for (size_t i = 0; i < sequence.size(); ++i) {
    if (const Detour &detour = sequence[i].detour; detour.covers != 0) {
      size_t behind = i + detour.covers;
      bool jumps = behind == sequence.size() && !jump.empty();
      add(detour.snippet.lead(), states[i]);
      add(std::string(detour.snippet.rest()) + (jumps ? jump : isa::jump_to(detour.behind)), states[behind]);
      add(detour.otherwise + ":\n", states[i]);
      if (!jumps) labels[behind] += detour.behind + ":\n";
    }
    put_outside(sequence[i], states[i]);
    add(sequence[i].snippet.lead(), states[i]);
    add(sequence[i].snippet.rest(), states[i + 1]);
    text += labels[i + 1];
  }
  return text;
}

std::string SpotWriter::text_of_plain(const Sequence &sequence, bool unwind, uint64_t order) {
  const Site &site = site_of(sequence);
  State state = state_of_plain(sequence, false);
  // Unwind rules alone are no place at which anybody stands.
  bool code = std::any_of(sequence.begin(), sequence.end(), [](const Insertion &p) { return !without_unwind_lines(p.snippet.text).empty(); });
  std::string text = !code || state == usual(site.next) ? "" : put_label(site.fragment, order, state);
  return text + plain_text(sequence, unwind, state);
}

std::string SpotWriter::text_before(uint32_t s, bool unwind) {
  const Sequence &sequence = before_.at(s);
  auto at = instruction_at_.find(s);
  const Site &site = site_of(sequence);
  if (std::all_of(sequence.begin(), sequence.end(), is_plain)) {
    if (at != instruction_at_.end()) return plain_text(sequence, unwind, usual(at->second));
    return text_of_plain(sequence, unwind, order_before(s));  // in front of a label
  }
  bool in_front = at != instruction_at_.end() && at->second == site.next;
  std::vector<State> states = states_of(sequence, in_front);
  const State &state = states.back();
  std::string text = write(sequence, states, unwind, site.fragment, order_before(s), "");
  if (!in_front) return text + put_label(site.fragment, order_before(s), state);
  // The instruction's own mark ends the last spot, unless something is special there.
  if (!(state == usual(site.next))) put(site.fragment, order_at(s), mark_label(n_, site.next), state);
  return text;
}

std::string SpotWriter::text_after(uint32_t s, bool unwind) {
  const Sequence &sequence = after_.at(s);
  const Site &site = site_of(sequence);
  if (std::all_of(sequence.begin(), sequence.end(), is_plain)) return text_of_plain(sequence, unwind, order_after(s));
  std::vector<State> states = states_of(sequence, false);
  std::string text = write(sequence, states, unwind, site.fragment, order_after(s), "");
  text += put_label(site.fragment, order_after(s), states.back());
  // Counts that were due from the start of the block on: endbr64 stands before them.
  auto early = std::find_if(sequence.begin(), sequence.end(), [](const Insertion &insertion) {
    return !is_plain(insertion) && insertion.site.due != insertion.site.next;
  });
  if (early == sequence.end()) return text;
  uint32_t i = early->site.due;
  State first = usual(i);
  add_due(sequence, i, first);
  if (has_paths(sequence)) first.path = states.front().path;
  if (!(first == usual(i))) put(site.fragment, order_at(p_.instructions[i].first_statement), mark_label(n_, i), first);
  return text;
}

std::string SpotWriter::text_of_stub(const Sequence &sequence, bool unwind, const std::vector<std::string> &places,
                                     const std::string &target, const std::string &jump, uint32_t gap) {
  bool plain = std::all_of(sequence.begin(), sequence.end(), is_plain);
  const Site &site = site_of(sequence);
  uint64_t order = gap != assembly::kNoStatement ? order_before(gap) : kFirstStub + stubs_++;
  std::vector<State> states = plain ? std::vector{state_of_plain(sequence, false)} : states_of(sequence, false);
  const State &state = states.back();
  std::string text = plain ? put_label(site.fragment, order, state) + plain_text(sequence, unwind, state)
                           : write(sequence, states, unwind, site.fragment, order, jump);
  bool all_counted = state == usual(site.next);
  std::string end = all_counted ? target : spot_label(n_, labels_);
  for (const std::string &place : places) text += fmt::format("\t.set\t{},{}\n", place, end);
  if (!plain || (!all_counted && !places.empty())) text += put_label(site.fragment, order, state);
  return text + jump;
}

std::string SpotWriter::text_outside(const Site &site, uint32_t counter, const isa::Snippet &code, bool unwind) {
  const uint64_t order = kFirstStub + stubs_++;
  State counted = usual(site.next), lacking = counted;
  ++lacking.lacks[counter];
  auto written = [&](std::string_view part) { return unwind ? std::string(part) : without_unwind_lines(part); };
  std::string text = code.lead().empty() ? "" : put_label(site.fragment, order, lacking) + written(code.lead());
  return text + put_label(site.fragment, order, counted) + written(code.rest());
}

std::vector<SpotWriter::Placed> SpotWriter::take() {
  std::stable_sort(spots_.begin(), spots_.end(), [](const Ordered &a, const Ordered &b) {
    return std::pair(a.placed.spot.fragment, a.order) < std::pair(b.placed.spot.fragment, b.order);
  });
  std::vector<Placed> out;
  for (Ordered &spot : spots_) out.push_back(std::move(spot.placed));
  spots_.clear();
  return out;
}

}  // namespace chord::weave
