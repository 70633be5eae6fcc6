// Events that a profile's runs counted (`chord --events=KIND`), by kind, mark and thread.
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

#include "format/profile/profile.h"
#include "format/text/event_names.h"

namespace chord::analysis {

// By kind; nothing where no woven code counted it.
using EventCounts = std::array<std::optional<uint64_t>, format::kEventNames.size()>;

struct EventTotals {
  EventCounts total{};
  // By label of chord_mark, in order of first appearance; "" before the first mark.
  std::vector<std::pair<std::string, EventCounts>> by_mark;
  // By number, over all processes: 1 is the first thread of each, others follow in the order of creation.
  std::map<uint32_t, EventCounts> by_thread;
  uint64_t runs = 0;
  std::vector<std::string> warnings;
  std::vector<std::string> thread_warnings;  // that concern by_thread alone

  bool empty() const;
};

// Throws Error if a sum does not fit 64 bits.
EventTotals total_events(const format::Profile &profile);

}  // namespace chord::analysis
