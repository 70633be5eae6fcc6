#include "html/facts/facts.h"

#include <algorithm>
#include <numeric>

namespace chord::html {

using analysis::CountedProcedure;

uint64_t count_never(const CountedProcedure &p) {
  return static_cast<uint64_t>(std::count(p.executed.begin(), p.executed.end(), uint64_t{0}));
}

Facts::Facts(const analysis::Program &of) : program(of), files(of), lines(analysis::count_lines(of)), calls(count_calls(of)) {
  order.resize(program.procedures.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return program.procedures[a].instructions > program.procedures[b].instructions;
  });
  position.resize(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
}

bool is_known(const CountedProcedure &p) { return p.exact() && !p.counts_chosen_paths(); }

std::vector<FileSum> sum_files(const Facts &facts) {
  std::vector<FileSum> sums(facts.files.files().size());
  for (const analysis::LineCount &line : facts.lines.lines) {
    FileSum &sum = sums[line.file];
    ++sum.lines;
    sum.ran += line.executed != 0;
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
