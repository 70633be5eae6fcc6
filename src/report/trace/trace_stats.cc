#include "report/trace/trace_stats.h"

#include <algorithm>

namespace chord::report {
namespace {

void count_words(const format::TraceStream &stream, TraceStats &stats) {
  for (size_t n = 0; n < stream.chunks.size(); ++n) {
    const std::span<const uint64_t> chunk = stream.chunks[n];
    stats.words += chunk.size();
    for (uint64_t word : chunk) {
      uint32_t bits = analysis::bits_of_word(word);
      stats.bits += bits;
      bool is_bits = analysis::is_full_word(word) || analysis::is_partial_word(word);
      bool enters = !is_bits && (analysis::kind_of_word(word) == CHORD_TRACE_ENTER || analysis::kind_of_word(word) == CHORD_TRACE_ENTER_FAR);
      stats.entries += enters ? 1 : 0;
      stats.events += is_bits || enters ? 0 : 1;
      stats.pauses += !is_bits && analysis::kind_of_word(word) == CHORD_TRACE_PAUSED ? 1 : 0;
    }
  }
}

}  // namespace

TraceStats &TraceStats::operator+=(const TraceStats &other) {
  instructions += other.instructions;
  calls += other.calls;
  branches += other.branches;
  words += other.words;
  bits += other.bits;
  entries += other.entries;
  events += other.events;
  pauses += other.pauses;
  deepest = std::max(deepest, other.deepest);
  return *this;
}

TraceStats measure_trace(const analysis::TracedCode &code, const format::TraceStream &stream, std::vector<std::string> &problems) {
  TraceStats stats;
  count_words(stream, stats);
  std::vector<uint64_t> edges(code.edge_count());
  analysis::TraceCursor cursor(code, stream);
  cursor.count_edges(edges);
  for (analysis::TraceStretch s; cursor.next(s);) stats.deepest = std::max(stats.deepest, s.depth + 1);
  stats.instructions = cursor.number();
  for (uint32_t n = 0; n < code.size(); ++n) {
    const analysis::TracedProcedure &p = code.procedure(n);
    for (core::EdgeId e = 0; e < p.map->edges.size(); ++e) {
      uint64_t taken = edges[p.first_edge + e];
      if (e == p.enter) stats.calls += taken;
      if (p.is_branch(e)) stats.branches += taken;
    }
  }
  if (!cursor.problem().empty()) problems.push_back(cursor.problem());
  return stats;
}

}  // namespace chord::report
