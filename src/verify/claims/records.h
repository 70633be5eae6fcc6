// The records that belong to woven code: where the counters of each procedure of the map lie, and how many
// there are.
#pragma once

#include <chord_models.h>

#include <cstdint>
#include <map>
#include <string_view>

#include "verify/program/pairing.h"

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
  std::map<std::string_view, uint64_t> sizes;  // bytes after a label
  std::string fault;                           // empty, or what of them cannot be
  uint32_t event_kinds = 0;                    // counted in this unit, one bit each
  chord_models models{};                       // what is modelled; of what is not, all is 0
  bool has_halves = false;                     // the constants that count halves of vector registers are right
};

Records read_records(const Pairing &pairing);

}  // namespace chord::verify
