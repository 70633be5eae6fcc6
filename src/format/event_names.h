// Names of the kinds of events, by number (CHORD_EVENT_*): on the command line, in
// reports and in rules.
#pragma once

#include <array>
#include <string_view>

namespace chord::format {

inline constexpr std::array<std::string_view, 7> kEventNames = {
    "instructions", "calls", "branches", "backward", "loads", "stores", "blocks"};

}  // namespace chord::format
