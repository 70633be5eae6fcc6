// Where in the text inserted code stands: the pieces at each place, in the order in which
// they run.
#pragma once

#include <map>

#include "weave/plan/pieces.h"

namespace chord::weave {

struct Chunks {
  std::map<uint32_t, Chunk> before, after;  // by statement
  std::map<uint32_t, Chunk> stubs;          // by edge

  void put(const Piece &piece);
};

}  // namespace chord::weave
