// Paths of a run, made from its trace: what a build with --paths would have counted.
//
//   TracePaths paths;
//   for (each stream) paths.add(code, stream);
//   paths.give_to(program);             // which count_trace has made of the same trace
//
// Paths are numbered as in such a build (weave/paths/path_numbers.h), which cuts them shorter only where there are too many for its counters. Activations that are
// there when a recording begins or goes on (after a fork, a pause, on another stack) are on paths whose beginnings are not known: those are not counted, and a warning
// says so. Everything else is checked: the edges of all paths are those that replay took.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/program/program.h"
#include "analysis/trace/replay.h"

namespace chord::analysis {

class TracePaths {
 public:
  // As far as the stream replays.
  void add(const TracedCode &code, const format::TraceStream &stream);
  void give_to(Program &program) const;

 private:
  // Of one procedure.
  struct Counted {
    core::PathNumbering numbering;
    std::string why_not;  // it has none
    std::map<uint64_t, uint64_t> whole;  // by number
    std::map<std::tuple<uint32_t, uint32_t, bool, uint64_t>, int64_t> partial;  // by block, instruction, executed, sum
    uint64_t unknown = 0;  // paths of which only the end was seen
  };
  struct Open {
    uint64_t sum = 0;
    bool known = false;
  };

  Counted &counted(const TracedCode &code, uint32_t procedure);
  void take(Counted &counted, const format::Procedure &map, core::EdgeId edge, Open &open);
  static void leave(Counted &counted, const TracedStep &step, const Open &open);

  uint64_t forgotten_ = 0;  // paths whose ends were not seen
  std::map<const TracedCode *, std::vector<std::unique_ptr<Counted>>> by_code_;
  std::map<std::pair<std::string, uint64_t>, const Counted *> by_key_;  // of the module's path and the procedure
};

}  // namespace chord::analysis
