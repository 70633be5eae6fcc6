// Calling contexts in which two runs of one build differ (chord check --why). A context's key is the same in every run of a
// build, so none is compared with another.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/program/program.h"
#include "report/contexts/contexts.h"

namespace chord::report {

class DifferingContexts {
 public:
  // The programs must outlive it; without contexts there are none that differ.
  DifferingContexts(const analysis::Program &a, const analysis::Program &b);

  // Of a function, by its linkage name, those that differ, one a line; those first in which it was called equally often, so
  // that it decided otherwise itself.
  std::string of(const std::string &function) const;

  // The procedure of the one nearest to its root; null: all agree.
  const analysis::CountedProcedure *first() const;

 private:
  struct Costs {
    uint64_t calls = 0, exclusive = 0;
    bool operator==(const Costs &) const = default;
  };
  struct Both {
    Costs before, after;
    const analysis::CountedProcedure *procedure = nullptr;
    std::string chain;
    uint32_t depth = 0;
    bool called_equally() const { return before.calls == after.calls; }
  };
  static std::string describe(uint64_t key, const Both &both);

  std::map<uint64_t, Both> differing_;  // by key
};

}  // namespace chord::report
