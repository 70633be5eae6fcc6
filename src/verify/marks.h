// Proof that addresses in woven code lead back to the original: the anchor names every instruction in
// front of which something stands now, and nothing else lies where it says (abi/chord_abi.h).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "verify/counts.h"

namespace chord::verify {

struct AnchorPart {
  std::string_view start, end;           // labels
  std::vector<std::string_view> marks;   // labels
  std::vector<std::string_view> spots;
};
struct Anchors {
  std::map<uint64_t, std::vector<AnchorPart>> by_key;
  std::string fault;
};
Anchors read_anchors(const Pairing &pairing);

// Throws Unproved.
void prove_marks(const ProcedureFacts &procedure, const Anchors &anchors, const std::set<uint32_t> &moved);

}  // namespace chord::verify
