#include "weave/compose/stubs.h"

#include <fmt/core.h>

#include <algorithm>

namespace chord::weave {
namespace {

// The alignment that compilers give to what is jumped to.
constexpr int kAlignment = 16;

bool is_aligned(const assembly::Source &source, uint32_t label) {
  const uint32_t section = source.statements[label].section;
  while (label-- > 0) {
    const assembly::Statement &s = source.statements[label];
    if (s.section != section) continue;
    if (s.kind == assembly::StatementKind::instruction) return false;
    if (assembly::is_alignment(s)) return true;
  }
  return false;
}

// Without a count in it, an address in the stub would be taken for one of the code above.
bool counts(const Sequence &sequence) {
  return std::any_of(sequence.begin(), sequence.end(), [](const Insertion &p) { return p.effect != Effect::none; });
}

}  // namespace

std::set<uint32_t> falling_stubs(const std::map<uint32_t, Sequence> &stubs, const std::vector<double> &weights) {
  std::map<uint32_t, uint32_t> best;  // gap -> edge
  for (const auto &[edge, sequence] : stubs) {
    uint32_t gap = sequence.front().site.gap;
    if (gap == assembly::kNoStatement || !counts(sequence)) continue;
    uint32_t &known = best.try_emplace(gap, edge).first->second;
    if (weights[edge] > weights[known]) known = edge;
  }
  std::set<uint32_t> falling;
  for (const auto &[gap, edge] : best) falling.insert(edge);
  return falling;
}

std::string text_in_gap(const assembly::Source &source, uint32_t gap, const Stub &stub, const assembly::UnwindRules &here) {
  std::string text = stub.label + ":\n" + stub.body;
  if (is_aligned(source, gap)) {
    std::string end = stub.label + "_end";
    text = fmt::format("\t.skip\t(-({}-{}))&{},0x90\n{}{}:\n", end, stub.label, kAlignment - 1, text, end);
  }
  return change_rules(here, stub.rules) + text + change_rules(stub.rules, here);
}

}  // namespace chord::weave
