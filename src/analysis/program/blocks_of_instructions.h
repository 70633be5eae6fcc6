// Which block an instruction belongs to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "format/map/map.h"

namespace chord::analysis {

// For each instruction of a block the number of the block; kNone for padding.
inline std::vector<uint32_t> blocks_of_instructions(const format::Procedure &map) {
  std::vector<uint32_t> block_of(map.instructions.size(), core::kNone);
  for (uint32_t b = 0; b < map.blocks.size(); ++b) {
    std::fill_n(block_of.begin() + map.blocks[b].first, map.blocks[b].count, b);
  }
  return block_of;
}

}  // namespace chord::analysis
