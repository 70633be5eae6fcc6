// The anchors as the woven text has them (abi/chord_abi.h): which labels stand for a procedure's marks and spots.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "verify/program/pairing.h"

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

}  // namespace chord::verify
