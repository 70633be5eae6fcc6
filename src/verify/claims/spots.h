// What the map says of inserted code that is interrupted (format::Spot): which spot is in force at an inserted instruction, and which
// speaks of an instruction of the original.
#pragma once

#include <map>
#include <vector>

#include "format/map/map.h"
#include "verify/claims/anchors.h"

namespace chord::verify {

class Spots {
 public:
  // `parts`: the procedure's anchor.
  Spots(const Pairing &pairing, const format::Procedure &map, const std::vector<AnchorPart> &parts);

  // Null: everything is as usual there.
  const format::Spot *in_force(uint32_t inserted) const { return find(in_force_, inserted); }
  const format::Spot *at_instruction(uint32_t number) const { return find(at_mark_, number); }

 private:
  static const format::Spot *find(const std::map<uint32_t, const format::Spot *> &where, uint32_t key);

  std::map<uint32_t, const format::Spot *> in_force_;  // by woven statement
  std::map<uint32_t, const format::Spot *> at_mark_;   // by number of the instruction in the map
};

}  // namespace chord::verify
