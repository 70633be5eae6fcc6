// Where the instructions of a counted program lie in its woven executable and shared objects.
// A Program holds maps alone; the anchors are read again here, for those who ask.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/program/program.h"

namespace chord::analysis {

class WovenPlaces {
 public:
  // A module that can no longer be read has no places.
  explicit WovenPlaces(const Program &program);

  // By instruction of the procedure: its link-time address. Padding is in the program without
  // probes only: 0 stands for it, and for all instructions where the anchor is not known.
  std::vector<uint64_t> addresses(const CountedProcedure &procedure) const;
  // The file that holds the module's code and debug information.
  const std::string &file(uint32_t module) const { return modules_[module].file; }

 private:
  struct Module {
    std::string file;
    std::unordered_map<uint64_t, format::Anchor> anchors;  // by key of the procedure; live ones
  };
  std::vector<Module> modules_;
};

}  // namespace chord::analysis
