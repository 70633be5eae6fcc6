// What the user asked for, as far as weaving is concerned.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan.h"
#include "isa/isa.h"

namespace chord::weave {

struct Options {
  core::Placement place = core::Placement::optimal;
  enum class Weights : uint8_t { structure, paper } weights = Weights::structure;
  isa::CounterPlace::Kind counters = isa::CounterPlace::Kind::thread_local_exec;
  std::vector<std::string> only;    // globs over functions and source files; empty: all
  std::vector<std::string> except;
  bool verify = false;
};

// Does the selection take this procedure? Globs as in the shell.
bool is_selected(const Options &options, const std::string &function, const std::string &file);

}  // namespace chord::weave
