// What was inlined at each line: lines that hold nothing but calls of functions that were inlined have no instruction of their own, and what the
// program did there belongs to lines elsewhere.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/source/lines.h"
#include "report/contexts/inline_tables.h"

namespace chord::report {

// The inlined calls that each instruction of a procedure lies in.
class InlineChains {
 public:
  InlineChains(const InlineTables &tables, const analysis::FileTable &files);

  // By instruction, the numbers of its calls in the table of the procedure's module, outermost first.
  std::vector<std::vector<uint32_t>> of(const analysis::CountedProcedure &procedure) const;
  // The line a call is written at, as analysis::line_key has it; 0: not a file of the program.
  uint64_t site(const analysis::CountedProcedure &procedure, uint32_t call) const;
  const analysis::InlinedCall &call(const analysis::CountedProcedure &procedure, uint32_t call) const;

 private:
  const InlineTables &tables_;
  std::vector<std::vector<uint64_t>> sites_;  // by module and call
};

struct InlinedLine {
  uint64_t arrivals = 0;  // of control at code that was inlined there
  bool known = true;      // whether arrivals are
  bool exact = true;
  uint64_t executed = 0;  // instructions of all that was inlined there
  std::map<std::string, uint64_t> functions;  // linkage names; instructions, with those of what is inlined into them
};

// By line_key. `only`: of these procedures alone; empty: of all.
std::unordered_map<uint64_t, InlinedLine> inlined_lines(const analysis::Program &program, const InlineChains &chains,
                                                        const analysis::FileTable &files, const std::set<const analysis::CountedProcedure *> &only);

// A line whose own code never ran, while what was inlined at it did, ran: what is left of `add(std::move(x));` may be the clean-up after an
// exception alone. It counts as often as control came to what was inlined there; its executed instructions stay none.
void count_inlined_code(const analysis::Program &program, const std::unordered_map<uint64_t, InlinedLine> &inlined, analysis::LineTable &table);
// Reads debug information if there are lines that never ran. `only` as in count_lines.
analysis::LineTable count_lines_with_inlined(const analysis::Program &program, const std::set<const analysis::CountedProcedure *> &only = {});

}  // namespace chord::report
