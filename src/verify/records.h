// The records behind woven code: where the counters of each procedure of the map lie, and how many
// there are.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "verify/pairing.h"

namespace chord::verify {

struct Record {
  std::string_view label;     // its own
  std::string_view counters;  // label; of records of contexts: of the procedure's chord_context_proc
  uint32_t count = 0;
  uint32_t kind = 0;          // CHORD_COUNTERS_*
  std::string_view numbers;   // label of what they stand for, if they are found by number
};

struct Records {
  std::map<uint64_t, Record> by_key;
  std::map<std::string_view, uint64_t> sizes;  // bytes behind a label
  std::string fault;                           // empty, or what of them cannot be
  uint32_t event_kinds = 0;                    // counted in this unit, one bit each
  int64_t model_mask = -1;                     // offsets of a modelled cache's sets are made of these bits; -1: there is no model
  int64_t model_line = -1;                     // its lines have 2 to this bytes
  bool has_halves = false;                     // the constants that count halves of vector registers are right
};

Records read_records(const Pairing &pairing);

}  // namespace chord::verify
