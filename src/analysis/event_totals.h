// Events that a profile's runs counted (`chord --events=KIND`), by kind and by mark.
//
// Needs the profile alone: a kind's counter is written as that of a procedure with a
// small key (chord_abi.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "format/event_names.h"
#include "format/profile.h"

namespace chord::analysis {

// By kind; nothing where no woven code counted it.
using EventCounts = std::array<std::optional<uint64_t>, format::kEventNames.size()>;

struct EventTotals {
  EventCounts total{};
  // By label of chord_mark, in order of first appearance; "" before the first mark.
  std::vector<std::pair<std::string, EventCounts>> by_mark;
  uint64_t runs = 0;
  std::vector<std::string> warnings;

  bool empty() const;
};

// Throws Error if a sum does not fit 64 bits.
EventTotals total_events(const format::Profile &profile);

}  // namespace chord::analysis
