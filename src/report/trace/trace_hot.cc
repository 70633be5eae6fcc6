#include "report/trace/trace_hot.h"

#include <fmt/core.h>

#include "analysis/trace/replay.h"
#include "base/cxx_names.h"
#include "report/tables/procedures.h"

namespace chord::report {

using analysis::TracedProcedure;
using analysis::TraceStretch;

std::string HotTrace::add(const analysis::TracedCode &code, const format::TraceStream &stream) {
  analysis::TraceCursor cursor(code, stream);
  Segment segment{&code, {}};
  uint32_t depth = 0;
  for (TraceStretch s; cursor.next(s);) {
    bool goes_on = !segment.stretches.empty() && !s.enters && s.depth == depth && s.procedure == segment.stretches.back().procedure &&
                   s.first > segment.stretches.back().first;
    if (!goes_on) end_segment(segment);
    segment.stretches.push_back({s.procedure, s.first, s.count});
    depth = s.depth;
  }
  end_segment(segment);
  segments_.push_back(nullptr);
  weights_.push_back(0);
  sequence_.append(static_cast<uint32_t>(segments_.size()) - 1);
  instructions_ += cursor.number();
  return cursor.problem();
}

void HotTrace::end_segment(Segment &segment) {
  if (segment.stretches.empty()) return;
  auto [found, fresh] = numbers_.try_emplace(segment, static_cast<uint32_t>(segments_.size()));
  if (fresh) {
    uint64_t weight = 0;
    for (const Stretch &s : segment.stretches) weight += s.count;
    segments_.push_back(&found->first);
    weights_.push_back(weight);
  }
  sequence_.append(found->second);
  segment.stretches.clear();
}

// FUNCTION LINES, as "sum 8,9".
std::string HotTrace::shown(const Segment &segment) const {
  const TracedProcedure &p = segment.code->procedure(segment.stretches[0].procedure);
  std::string lines;
  uint32_t last = 0;
  for (const Stretch &s : segment.stretches) {
    for (uint32_t i = s.first; i < s.first + s.count; ++i) {
      uint32_t line = p.map->instructions[i].line;
      if (line == 0 || line == last) continue;
      lines += fmt::format("{}{}", lines.empty() ? " " : ",", line);
      last = line;
    }
  }
  return base::demangle(p.map->name) + lines;
}

std::string HotTrace::shown(const core::Sequence &sequence) const {
  std::string out;
  for (uint32_t symbol : sequence.symbols) out += (out.empty() ? "" : " > ") + shown(*segments_[symbol]);
  return out;
}

// FUNCTION:OFFSET of each stretch, one a line.
std::string HotTrace::blocks(const core::Sequence &sequence) const {
  std::string out;
  for (uint32_t symbol : sequence.symbols) {
    for (const Stretch &s : segments_[symbol]->stretches) {
      const TracedProcedure &p = segments_[symbol]->code->procedure(s.procedure);
      const format::Instruction &in = p.map->instructions[s.first];
      out += fmt::format("{}{}:{}", out.empty() ? "" : "\n", p.map->fragments[in.fragment].name, in.offset);
    }
  }
  return out;
}

Table HotTrace::list(const core::HotSequences &wanted) const {
  Table table;
  table.by = "sequence";
  table.columns = {{"share", "share"}, {"executed", "executed"}, {"count", "count"}, {"instructions", "instrs"}, {"path", "path", true}, {"blocks", ""}};
  table.text_order = {0, 1, 2, 3, 4};
  table.weight = 1;
  core::Grammar grammar = sequence_.grammar();
  for (const core::Sequence &s : hot_sequences(grammar, weights_, wanted)) {
    uint64_t weight = weight_of(s, weights_);
    table.add({share(s.count * weight, instructions_), number(s.count * weight), number(s.count), number(weight), text(table.keep(shown(s))), report::list(table.keep(blocks(s)))});
  }
  return table;
}

}  // namespace chord::report
