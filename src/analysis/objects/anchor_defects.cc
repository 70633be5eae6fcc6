#include "analysis/objects/anchor_defects.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "analysis/objects/woven_code.h"

namespace chord::analysis {
namespace {

bool is_within(const AddressRanges &code, uint64_t begin, uint64_t size) {
  return std::any_of(code.begin(), code.end(), [&](const auto &range) {
    return begin >= range.first && begin <= range.second && size <= range.second - begin;
  });
}

// Marks and spots of a fragment, as many as the map has.
std::string part_defect(const format::Procedure &p, const format::Anchor::Part &part, uint32_t fragment) {
  auto marks = std::count_if(p.marks.begin(), p.marks.end(),
                             [&](uint32_t i) { return p.instructions[i].fragment == fragment; });
  auto spots = std::count_if(p.spots.begin(), p.spots.end(), [&](const format::Spot &s) { return s.fragment == fragment; });
  if (static_cast<size_t>(marks) != part.marks.size() || static_cast<size_t>(spots) != part.spots.size()) {
    return fmt::format("the anchor of {} has another number of marks than its map", p.name);
  }
  auto outside = [&](uint32_t offset) { return offset > part.size; };
  if (std::any_of(part.marks.begin(), part.marks.end(), outside) || std::any_of(part.spots.begin(), part.spots.end(), outside)) {
    return fmt::format("the anchor of {} has marks outside its code", p.name);
  }
  return "";
}

std::string defect_of(const format::Procedure &p, const format::Anchor &anchor, const AddressRanges &code) {
  if (anchor.parts.size() != p.fragments.size()) return fmt::format("the anchor of {} has another number of parts than its map", p.name);
  for (uint32_t i = 0; i < anchor.parts.size(); ++i) {
    const format::Anchor::Part &part = anchor.parts[i];
    if (std::string why = part_defect(p, part, i); !why.empty()) return why;
    if (is_address(part.address) && !code.empty() && !is_within(code, part.address, part.size)) {
      return fmt::format("the anchor of {} leads to {:#x}, where there is no code", p.name, part.address);
    }
  }
  return "";
}

}  // namespace

std::string anchor_defect(const std::vector<format::UnitMap> &units, const std::vector<format::Anchor> &anchors,
                          const AddressRanges &code) {
  std::unordered_map<uint64_t, const format::Procedure *> procedures;
  for (const format::UnitMap &unit : units) {
    for (const format::Procedure &p : unit.procedures) {
      if (p.skipped.empty()) procedures.emplace(p.key, &p);
    }
  }
  for (const format::Anchor &anchor : anchors) {
    auto found = procedures.find(anchor.key);
    if (found == procedures.end()) return fmt::format("an anchor is of a function ({:#x}) that no map has", anchor.key);
    if (std::string why = defect_of(*found->second, anchor, code); !why.empty()) return why;
  }
  return "";
}

}  // namespace chord::analysis
