// `chord trace --this-call=N`: the lines that one call ran, in the source.
#pragma once

#include <cstdint>
#include <string>

namespace chord::cli {

struct ThisCall {
  std::string path, program;
  uint64_t number = 0;  // of an instruction that the call executed
  uint32_t thread = 0;  // 0: the first
  bool json = false;
};
int trace_this_call(const ThisCall &wanted);

}  // namespace chord::cli
