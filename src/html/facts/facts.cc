#include "html/facts/facts.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "analysis/source/source_tree.h"

namespace chord::html {

using analysis::CountedProcedure;

uint64_t count_never(const CountedProcedure &p) {
  return static_cast<uint64_t>(std::count(p.executed.begin(), p.executed.end(), uint64_t{0}));
}

namespace {

// As it is included: <bits/stl_algo.h> without the place that everybody knows.
std::string header_name(const std::string &path) {
  constexpr std::string_view kCxx = "/include/c++/", kPlain = "/include/";
  if (size_t at = path.find(kCxx); at != std::string::npos) {
    if (size_t version_end = path.find('/', at + kCxx.size()); version_end != std::string::npos) return path.substr(version_end + 1);
  }
  const size_t at = path.rfind(kPlain);
  return at == std::string::npos ? path : path.substr(at + kPlain.size());
}

}  // namespace

Facts::Facts(const analysis::Program &of)
    : program(of), files(of), lines(analysis::count_lines(of)), calls(count_calls(of)), inline_tables(of), chains(inline_tables, files), inlined_lines(report::inlined_lines(of, chains, files, {})), inlined(report::list_inlined(of, inline_tables)) {
  report::count_inlined_code(program, inlined_lines, lines);
  const std::string root = analysis::SourceTree(program).root();
  for (const analysis::SourceFile &file : files.files()) {
    const bool inside = root.size() > 1 && file.path.size() > root.size() && file.path.starts_with(root);
    names.push_back(inside ? file.path.substr(root.size()) : analysis::SourceTree::is_system(file.path) ? header_name(file.path) : file.name);
  }
  order.resize(program.procedures.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return program.procedures[a].instructions > program.procedures[b].instructions;
  });
  position.resize(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  const size_t name = inlined.column("function");
  for (uint32_t row = 0; row < inlined.rows(); ++row) inlined_row.emplace(inlined.at(row, name).text, row);
}

bool is_known(const CountedProcedure &p) { return p.exact() && !p.counts_chosen_paths(); }

std::vector<FileSum> sum_files(const Facts &facts) {
  std::vector<FileSum> sums(facts.files.files().size());
  for (const analysis::LineCount &line : facts.lines.lines) {
    FileSum &sum = sums[line.file];
    ++sum.lines;
    sum.ran += line.executed != 0 || line.ran_inlined;
    sum.executed += line.executed;
    sum.instructions += line.instructions;
  }
  return sums;
}

BlockCount count_blocks(const CountedProcedure &p) {
  BlockCount count;
  for (size_t b = 0; b < p.map->blocks.size(); ++b) {
    if (p.map->blocks[b].kind != format::VertexKind::code) continue;
    ++count.blocks;
    count.never += p.counts.vertex[b] == 0;
  }
  return count;
}

Totals total(const analysis::Program &program) {
  Totals t;
  for (const CountedProcedure &p : program.procedures) {
    if (p.counts_chosen_paths()) continue;  // whether it ran is not known
    const BlockCount blocks = count_blocks(p);
    ++t.functions;
    t.called += p.instructions != 0;
    t.calls += p.calls;
    t.instructions += p.executed.size();
    t.never += count_never(p);
    t.blocks += blocks.blocks;
    t.blocks_never += blocks.never;
  }
  return t;
}

}  // namespace chord::html
