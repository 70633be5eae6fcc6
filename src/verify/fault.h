// What the proof could not show, and where.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace chord::verify {

struct Fault {
  std::string procedure;  // empty: of the whole unit
  uint32_t line = 0;      // of the original text
  std::string what;
};

// Thrown while one procedure is looked at. `statement` is one of the original.
struct Unproved {
  uint32_t statement = 0;
  std::string what;
};

}  // namespace chord::verify
