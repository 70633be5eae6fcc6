#include "report/studies/trace_study.h"

namespace chord::report {
namespace {

// Bits that each branch takes.
Cell per_branch(uint64_t bytes, uint64_t branches) { return branches == 0 ? Cell{} : decimal(8.0 * static_cast<double>(bytes) / static_cast<double>(branches)); }

}  // namespace

Table trace_study_table(const std::vector<analysis::TraceStudy> &studies) {
  Table table;
  table.by = "encoding";
  table.columns = {{"program", "program", true}, {"instructions", "instrs"}, {"branches", "branches"}, {"calls", "calls"}, {"blocks", "blocks"},
                   {"blocks_zstd", "zstd"}, {"branch_bytes", "a byte each"}, {"bits", "bits"}, {"written", "written"}, {"written_zstd", "zstd"},
                   {"bits_per_branch", "bits/br"}, {"bits_per_branch_zstd", "zstd"}};
  table.text_order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  table.weight = 1;
  for (const analysis::TraceStudy &s : studies) {
    table.add({text(table.keep(s.program)), number(s.instructions), number(s.branches), number(s.calls), number(s.block_bytes), number(s.block_bytes_compressed),
               number(s.branch_bytes), number(s.bit_bytes), number(s.written), number(s.written_compressed), per_branch(s.written, s.branches),
               per_branch(s.written_compressed, s.branches)});
  }
  return table;
}

}  // namespace chord::report
