// Which block an instruction belongs to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "format/map/map.h"

namespace chord::analysis {

// For each instruction of a block the number of the block; kNone for padding.
inline std::vector<core::Vertex> blocks_of_instructions(const format::Procedure &map) {
  std::vector<core::Vertex> block_of(map.instructions.size(), core::kNone);
  for (core::Vertex b = 0; b < map.blocks.size(); ++b) {
    std::fill_n(block_of.begin() + map.blocks[b].first, map.blocks[b].count, b);
  }
  return block_of;
}

}  // namespace chord::analysis
