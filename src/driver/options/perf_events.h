// Events that the kernel counts, by the names that perf gives them: what the runtime passes to perf_event_open(2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chord::driver {

struct PerfEvent {
  uint32_t type = 0;
  uint64_t config = 0;
};

// `name`: task-clock, cycles …, or perf:NAME for any that libpfm knows of this machine's processor. Nothing: there is none.
std::optional<PerfEvent> find_perf_event(std::string_view name);

// Why this machine, or this user, cannot count it; empty if it can.
std::string why_not_counted(const PerfEvent &event);
// Names of those that it can, in the order of help texts.
std::vector<std::string> counted_here();

}  // namespace chord::driver
