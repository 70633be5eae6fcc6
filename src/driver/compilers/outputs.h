// What a compiler's command is going to write, and what has become of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace chord::driver {

struct Outputs {
  std::vector<std::string> files;
  bool linked = false;  // an executable or shared object, not objects
};

// From the arguments, response files expanded. Nothing where they make no object, and files
// that may not exist where options are not understood.
Outputs outputs_of(const std::vector<std::string> &args);

enum class Made : uint8_t {
  nothing,  // no file, or none with code in it
  woven,    // with a map, at least
  plain,
  bitcode,  // of LLVM
};

Made what_was_made(const std::string &file, bool linked);

}  // namespace chord::driver
