#include "verify/claims/spots.h"

#include <algorithm>
#include <set>

namespace chord::verify {

Spots::Spots(const Pairing &pairing, const format::Procedure &map, const std::vector<AnchorPart> &parts) {
  std::map<std::string_view, uint32_t> marked;  // label -> instruction
  std::set<std::string_view> ends;              // labels at which a spot ends
  size_t mark = 0, spot = 0;
  for (const AnchorPart &part : parts) {
    for (std::string_view label : part.marks) {
      if (mark < map.marks.size()) marked[label] = map.marks[mark++];
      ends.insert(label);
    }
    ends.insert(part.spots.begin(), part.spots.end());
  }
  for (const AnchorPart &part : parts) {
    for (std::string_view label : part.spots) {
      if (spot >= map.spots.size()) return;
      const format::Spot *what = &map.spots[spot++];
      if (auto at = marked.find(label); at != marked.end()) {
        at_mark_[at->second] = what;
        continue;
      }
      uint32_t s = pairing.label(label, 0);
      if (s == kNone) continue;
      // Up to the next place that the anchor has.
      for (s = pairing.next(s); s != kNone; s = pairing.next(s)) {
        const assembly::Statement &x = pairing.woven().statements[s];
        if (x.kind == assembly::StatementKind::label && ends.contains(x.name)) break;
        if (!pairing.is_inserted(s) && x.kind == assembly::StatementKind::instruction) break;
        if (x.kind == assembly::StatementKind::instruction) in_force_[s] = what;
      }
    }
  }
}

const format::Spot *Spots::find(const std::map<uint32_t, const format::Spot *> &where, uint32_t key) {
  auto found = where.find(key);
  return found == where.end() ? nullptr : found->second;
}

}  // namespace chord::verify
