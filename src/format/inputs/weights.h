// Edge counts of earlier runs in a compact file, from which counters are placed
// (`--weights=PROFILE`). Made once from a profile and its program, then read by every
// call of the assembler stand-in.
//
// A procedure is found by the hash of its shape, so the counts still fit after a
// rebuild that changed other procedures, or only constants and registers in this one.
// Procedures of one shape and name (copies of an inline function, static functions of
// two units) share a sum: it is a weighting, and nothing is ever reported from it.
//
// File: magic, version, stamp, source, then the procedures by ascending hash, each
// with its edge counts; checksum of all that at the end.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "format/map/map.h"

namespace chord::format {

// Name, blocks with their numbers of instructions, edges with their kinds. Stable
// across runs and machines.
uint64_t shape_hash(const Procedure &procedure);

struct Weights {
  std::string source;                                    // the profile, for messages
  uint64_t stamp = 0;                                    // changes when the profile does
  std::map<uint64_t, std::vector<uint64_t>> procedures;  // shape -> count of each edge

  // Adds counts; those of a shape already there are summed, sums stop at the largest
  // number. `edges` must have one entry per edge of the shape.
  void add(uint64_t shape, const std::vector<uint64_t> &edges);
  // Nothing if the shape is unknown or has another number of edges.
  const std::vector<uint64_t> *find(uint64_t shape, size_t edges) const;

  bool operator==(const Weights &) const = default;
};

// True if the bytes begin like a weights file.
bool is_weights_file(std::string_view bytes);
std::string encode_weights(const Weights &weights);
// Empty if `weights` was filled, else what is wrong with the bytes.
std::string decode_weights(std::string_view bytes, Weights &weights);

}  // namespace chord::format
