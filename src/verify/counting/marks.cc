#include "verify/counting/marks.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>

#include "verify/claims/x86_64_probe.h"

namespace chord::verify {

using assembly::Statement;
using assembly::StatementKind;

namespace {

class Checker {
 public:
  Checker(const ProcedureFacts &f, const std::set<uint32_t> &moved)
      : f_(f), map_(f.graph.map()), w_(f.pairing.woven()), moved_(moved), marked_(map_.marks.begin(), map_.marks.end()) {}

  void run(const Anchors &anchors) {
    auto anchor = anchors.by_key.find(map_.key);
    if (anchor == anchors.by_key.end() || anchor->second.size() != map_.fragments.size()) fail(entry(), "its anchor is not there");
    size_t mark = 0, spot = 0;
    for (uint32_t f = 0; f < map_.fragments.size(); ++f) {
      const AnchorPart &part = anchor->second[f];
      starts(f, part);
      for (std::string_view label : part.marks) {
        if (mark >= map_.marks.size() || map_.instructions[map_.marks[mark]].fragment != f) fail(entry(), "an anchor has another number of marks than the map");
        stands(label, map_.marks[mark++]);
      }
      for (size_t k = 0; k < part.spots.size(); ++k, ++spot) {
        if (spot >= map_.spots.size() || map_.spots[spot].fragment != f) fail(entry(), "an anchor has another number of spots than the map");
        if (f_.pairing.label(part.spots[k], 0) == kNone) fail(entry(), "a spot is nowhere");
      }
    }
    if (mark != map_.marks.size() || spot != map_.spots.size()) fail(entry(), "an anchor has fewer places than the map");
    for (uint32_t b = 0; b < map_.blocks.size(); ++b) all_marked(map_.blocks[b]);
  }

 private:
  uint32_t entry() const { return f_.program.functions()[f_.function].entry; }
  [[noreturn]] void fail(uint32_t i, std::string what) const { throw Unproved{f_.program.instrs()[i].last, std::move(what)}; }
  uint32_t woven_start(uint32_t number) const { return f_.pairing.woven_of(f_.program.instrs()[f_.graph.instruction(number)].first); }

  bool is_code(uint32_t s) const { return w_.statements[s].kind == StatementKind::instruction; }

  // The label stands in front of the part's first instruction, with nothing between.
  void starts(uint32_t fragment, const AnchorPart &part) const {
    uint32_t label = f_.pairing.label(part.start, 0), own = f_.pairing.label(map_.fragments[fragment].name, 0);
    uint32_t end = f_.pairing.label(part.end, 0);
    if (label == kNone || own == kNone || end == kNone) fail(entry(), "its anchor names places that are not there");
    for (uint32_t s = own; s != label; s = f_.pairing.next(s)) {
      if (s == kNone || is_code(s)) fail(entry(), "its anchor begins elsewhere");
    }
    // After the end there is no code of it.
    uint32_t last = kNone;
    for (uint32_t n = 0; n < map_.instructions.size(); ++n) {
      if (map_.instructions[n].fragment == fragment && f_.graph.instruction(n) != kNone) last = std::max(last + 1, woven_start(n) + 1) - 1;
    }
    if (last != kNone && last > end) fail(entry(), "its anchor ends too early");
    for (uint32_t s = f_.pairing.next(end); s != kNone && f_.pairing.is_inserted(s); s = f_.pairing.next(s)) {
      if (is_code(s)) fail(entry(), "its anchor ends too early");
    }
  }

  void stands(std::string_view label, uint32_t number) const {
    uint32_t s = f_.pairing.label(label, 0), there = woven_start(number);
    for (; s != kNone && s != there; s = f_.pairing.next(s)) {
      if (is_code(s)) break;
    }
    if (s != there) fail(f_.graph.instruction(number), "its mark stands elsewhere");
  }

  void all_marked(const format::Block &b) const {
    for (uint32_t n = b.first; n < b.first + b.count; ++n) {
      if (n == b.first) {
        if (!marked_.contains(n)) fail(f_.graph.instruction(n), "a block begins without a mark");
        continue;
      }
      const Instr &before = f_.program.instrs()[f_.graph.instruction(n - 1)];
      if (marked_.contains(n) || f_.program.instrs()[f_.graph.instruction(n)].first <= before.last) continue;
      if (f_.widened_steps.contains(f_.graph.instruction(n - 1)) || grows(f_.graph.instruction(n - 1))) fail(f_.graph.instruction(n), "what is behind a longer instruction has no mark");
      uint32_t there = woven_start(n);
      for (uint32_t s = f_.pairing.next(f_.pairing.woven_of(before.last)); s != there && s != kNone; s = f_.pairing.next(s)) {
        if (f_.pairing.is_inserted(s) && is_code(s)) fail(f_.graph.instruction(n), "inserted code in front of it, and it has no mark");
      }
    }
  }

  // An operand that was moved no longer fits in a byte.
  bool grows(uint32_t i) const {
    if (!moved_.contains(i)) return false;
    int64_t was = f_.program.instrs()[i].facts.memory.displacement;
    auto bytes = [](int64_t d, bool none_fits) { return d == 0 && none_fits ? 0 : d >= -128 && d <= 127 ? 1 : 4; };
    bool none_fits = f_.program.instrs()[i].facts.memory.base != kRbp && f_.program.instrs()[i].facts.memory.base != 13;
    return bytes(was, none_fits) != bytes(was + 16, none_fits);
  }

  const ProcedureFacts &f_;
  const format::Procedure &map_;
  const assembly::Source &w_;
  const std::set<uint32_t> &moved_;
  std::set<uint32_t> marked_;
};

}  // namespace

void prove_marks(const ProcedureFacts &f, const Anchors &anchors, const std::set<uint32_t> &moved) {
  Checker(f, moved).run(anchors);
}

}  // namespace chord::verify
