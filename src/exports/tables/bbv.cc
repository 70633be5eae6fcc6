// Basic-block vectors for SimPoint: one line an interval, and in it for each block that ran
// its number and the instructions executed in it.
//
//   T:1:40 :2:1200 :7:3
//
// An interval is a segment of the profile. A block's number is its row in
// `chord report --by=block`, from 1. Padding executed on the way out of a block counts there; where an edge begins in a vertex that
// is no code (a jump table's), in the block it leads to.
#include <fmt/format.h>

#include <iterator>

#include "exports/exports.h"
#include "exports/tables/intervals.h"
#include "report/tables/listings.h"

namespace chord::exports {
namespace {

std::vector<uint64_t> instructions_by_block(const analysis::CountedProcedure &p) {
  std::vector<uint64_t> sums(p.map->blocks.size());
  for (size_t b = 0; b < sums.size(); ++b) {
    const format::Block &block = p.map->blocks[b];
    for (uint32_t i = block.first; i < block.first + block.count; ++i) sums[b] += p.executed[i];
  }
  // Several edges may lead through one piece of padding: each has its own share of it.
  for (size_t e = 0; e < p.map->edges.size(); ++e) {
    const format::Edge &edge = p.map->edges[e];
    if (edge.padding_count == 0) continue;
    sums[report::is_listed(p.map->blocks[edge.from]) ? edge.from : edge.to] += p.counts.edge[e] * edge.padding_count;
  }
  return sums;
}

std::string vector_of(const analysis::Program &program) {
  std::string out = "T";
  uint64_t number = 0;
  for (const analysis::CountedProcedure *p : report::in_order(program)) {
    std::vector<uint64_t> sums = instructions_by_block(*p);
    for (size_t b = 0; b < sums.size(); ++b) {
      if (!report::is_listed(p->map->blocks[b])) continue;
      ++number;
      if (p->exact() && sums[b] != 0) fmt::format_to(std::back_inserter(out), ":{}:{} ", number, sums[b]);
    }
  }
  return out + "\n";
}

}  // namespace

Exported write_bbv(const Input &input) {
  Exported out;
  each_interval(input, [&](const Interval &interval) { out.bytes += vector_of(interval.program); });
  return out;
}

}  // namespace chord::exports
