#include "report/studies/trace_study.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace chord::report {
namespace {

// Bits that each branch takes.
Cell per_branch(uint64_t bytes, uint64_t branches) { return branches == 0 ? Cell{} : decimal(8.0 * static_cast<double>(bytes) / static_cast<double>(branches)); }

std::string_view encoding_of(const analysis::TraceStudy &s) {
  const bool bits = s.bits_procedures != 0, witnesses = s.witness_procedures != 0, paths = s.path_procedures != 0;
  if (bits + witnesses + paths > 1) return "several";
  return witnesses ? "witness" : paths ? "paths" : "bits";
}

Cell milliseconds_of(const std::optional<uint64_t> &ns) { return ns ? decimal(static_cast<double>(*ns) / 1e6) : Cell{}; }

Cell times_as_long(const analysis::TraceStudy &s) {
  const bool both = s.plain_time && s.woven_time && *s.plain_time != 0;
  return both ? decimal(static_cast<double>(*s.woven_time) / static_cast<double>(*s.plain_time)) : Cell{};
}

}  // namespace

Table trace_study_table(const std::vector<analysis::TraceStudy> &studies) {
  Table table;
  table.by = "encoding";
  table.columns = {{"program", "program", true}, {"instructions", "instrs"}, {"branches", "branches"}, {"calls", "calls"}, {"blocks", "blocks"},
                   {"blocks_zstd", "zstd"}, {"branch_bytes", "a byte each"}, {"bits", "bits"}, {"encoding", "encoding", true}, {"tokens", "tokens"}, {"written", "written"},
                   {"written_zstd", "zstd"}, {"bits_per_branch", "bits/br"}, {"bits_per_branch_zstd", "zstd"},
                   {"plain_time", "plain ms"}, {"woven_time", "woven ms"}, {"overhead", "times"}};
  table.text_order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
  if (std::any_of(studies.begin(), studies.end(), [](const analysis::TraceStudy &s) { return s.woven_time.has_value(); })) {
    table.text_order.insert(table.text_order.end(), {14, 15, 16});
  }
  table.weight = 1;
  for (const analysis::TraceStudy &s : studies) {
    table.add({text(table.keep(s.program)), number(s.instructions), number(s.branches), number(s.calls), number(s.block_bytes), number(s.block_bytes_compressed),
               number(s.branch_bytes), number(s.bit_bytes), text(encoding_of(s)), number(s.token_bytes), number(s.written), number(s.written_compressed),
               per_branch(s.written, s.branches), per_branch(s.written_compressed, s.branches), milliseconds_of(s.plain_time), milliseconds_of(s.woven_time), times_as_long(s)});
  }
  return table;
}

}  // namespace chord::report
