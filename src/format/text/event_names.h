// Names of the kinds of events, by number (CHORD_EVENT_*): on the command line, in
// reports and in rules.
#pragma once

#include <array>
#include <string_view>

namespace chord::format {

inline constexpr std::array<std::string_view, 8> kEventNames = {
    "instructions", "calls", "branches", "backward", "loads", "stores", "blocks", "cost"};

}  // namespace chord::format
