// What is known of a program, gathered once for every part of the page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/program/program.h"
#include "analysis/source/lines.h"
#include "html/facts/call_graph.h"
#include "report/source/inlined_lines.h"

namespace chord::html {

struct Facts {
  explicit Facts(const analysis::Program &program);
  Facts(const Facts &) = delete;
  Facts &operator=(const Facts &) = delete;

  const analysis::Program &program;
  analysis::FileTable files;
  std::vector<std::string> names;  // of the files, as the page shows them: relative to the folder that the program's own are in
  analysis::LineTable lines;
  CallGraph calls;
  std::vector<uint32_t> order;     // procedures as the page numbers them: most executed first
  std::vector<uint32_t> position;  // by procedure: its number in the page
  report::InlineTables inline_tables;
  report::InlineChains chains;
  std::unordered_map<uint64_t, report::InlinedLine> inlined_lines;  // by analysis::line_key
  report::Table inlined;           // functions that were inlined, as the page numbers them
  std::unordered_map<std::string_view, uint32_t> inlined_row;  // by linkage name
};

// Totals over the whole program, as the summary of `chord report` has them.
struct Totals {
  uint64_t functions = 0, called = 0, calls = 0, instructions = 0, never = 0, blocks = 0, blocks_never = 0;
};
Totals total(const analysis::Program &program);

// Whether its counts are those of every instruction.
bool is_known(const analysis::CountedProcedure &procedure);

// What the lines of a file come to.
struct FileSum {
  uint64_t lines = 0, ran = 0, executed = 0, instructions = 0;
};
std::vector<FileSum> sum_files(const Facts &facts);  // by file of `facts.files`

// Blocks with code, and those of them that never ran.
struct BlockCount {
  uint64_t blocks = 0, never = 0;
};
BlockCount count_blocks(const analysis::CountedProcedure &p);

// Instructions that never ran.
uint64_t count_never(const analysis::CountedProcedure &procedure);

}  // namespace chord::html
