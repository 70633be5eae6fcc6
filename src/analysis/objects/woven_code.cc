#include "analysis/objects/woven_code.h"

#include <algorithm>

namespace chord::analysis {
namespace {

// Instructions that are in the woven code too: those of blocks.
std::vector<uint32_t> instructions_of_part(const format::Procedure &procedure, uint32_t part) {
  std::vector<uint32_t> found;
  for (const format::Block &block : procedure.blocks) {
    for (uint32_t i = block.first; i < block.first + block.count; ++i) {
      if (procedure.instructions[i].fragment == part) found.push_back(i);
    }
  }
  std::sort(found.begin(), found.end(), [&](uint32_t a, uint32_t b) {
    return procedure.instructions[a].offset < procedure.instructions[b].offset;
  });
  return found;
}

std::vector<uint32_t> marks_of_part(const format::Procedure &procedure, uint32_t part) {
  std::vector<uint32_t> found;
  for (uint32_t mark : procedure.marks) {
    if (procedure.instructions[mark].fragment == part) found.push_back(mark);
  }
  return found;
}

}  // namespace

bool is_address(uint64_t value) { return value > 1 && value < UINT64_MAX - 1; }

bool is_live(const format::Anchor &anchor) {
  return !anchor.parts.empty() && is_address(anchor.parts[0].address);
}

void CodeIndex::add(uint32_t procedure, const format::Anchor &anchor) {
  for (uint32_t i = 0; i < anchor.parts.size(); ++i) {
    const format::Anchor::Part &part = anchor.parts[i];
    if (is_address(part.address))
      ranges_.push_back({part.address, part.address + part.size, {procedure, &anchor, i}});
  }
}

void CodeIndex::sort() {
  std::sort(ranges_.begin(), ranges_.end(), [](const Range &a, const Range &b) { return a.begin < b.begin; });
}

std::optional<CodeIndex::Hit> CodeIndex::find(uint64_t address) const {
  auto behind = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                 [](uint64_t value, const Range &range) { return value < range.begin; });
  if (behind == ranges_.begin() || address >= std::prev(behind)->end) return std::nullopt;
  return std::prev(behind)->hit;
}

PartLayout::PartLayout(const format::Procedure &procedure, const format::Anchor &anchor, uint32_t part) {
  std::vector<uint32_t> marks = marks_of_part(procedure, part);
  const std::vector<uint32_t> &woven = anchor.parts[part].marks;
  // Map and anchor of one build always agree; with others there is no layout.
  if (marks.size() != woven.size()) return;
  marks_ = woven;
  spots_ = anchor.parts[part].spots;
  while (first_spot_ < procedure.spots.size() && procedure.spots[first_spot_].fragment < part) ++first_spot_;
  size_t next = 0;
  for (uint32_t i : instructions_of_part(procedure, part)) {
    const format::Instruction &instruction = procedure.instructions[i];
    while (next < marks.size() && procedure.instructions[marks[next]].offset <= instruction.offset) ++next;
    if (next == 0) continue;
    uint32_t begin = woven[next - 1] + instruction.offset - procedure.instructions[marks[next - 1]].offset;
    places_.push_back({begin, begin + instruction.size, i});
  }
}

std::optional<uint32_t> PartLayout::ending_at(uint32_t offset) const {
  auto at = std::lower_bound(places_.begin(), places_.end(), offset,
                             [](const Place &place, uint32_t value) { return place.end < value; });
  if (at == places_.end() || at->end != offset) return std::nullopt;
  return at->instruction;
}

std::optional<uint32_t> PartLayout::next_at(uint32_t offset) const {
  auto at = std::lower_bound(places_.begin(), places_.end(), offset,
                             [](const Place &place, uint32_t value) { return place.end <= value; });
  if (at == places_.end()) return std::nullopt;
  return at->instruction;
}

bool PartLayout::is_inside(uint32_t offset) const {
  auto at = std::upper_bound(places_.begin(), places_.end(), offset,
                             [](uint32_t value, const Place &place) { return value < place.end; });
  return at != places_.end() && at->begin < offset;
}

std::optional<uint32_t> PartLayout::spot_at(uint32_t offset) const {
  auto next = std::upper_bound(spots_.begin(), spots_.end(), offset);
  if (next != spots_.begin()) {
    uint32_t spot = *std::prev(next);
    auto mark = std::upper_bound(marks_.begin(), marks_.end(), offset);
    // A spot at a mark is about the marked instruction, and none after it.
    bool marked = mark != marks_.begin() && *std::prev(mark) >= spot;
    if (!marked || offset == spot) return first_spot_ + static_cast<uint32_t>(std::prev(next) - spots_.begin());
  }
  // Padding of the woven code leads into what stands after it.
  auto place = std::lower_bound(places_.begin(), places_.end(), offset,
                                [](const Place &at, uint32_t value) { return at.end <= value; });
  bool padding = place == places_.end() || place->begin > offset;
  if (!padding || next == spots_.end() || (place != places_.end() && *next >= place->begin)) return std::nullopt;
  return first_spot_ + static_cast<uint32_t>(next - spots_.begin());
}

}  // namespace chord::analysis
