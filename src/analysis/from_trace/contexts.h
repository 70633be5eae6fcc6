// Calling contexts of a run, made from its trace: what a build with --context would have counted.
//
//   TraceContexts contexts;
//   for (each stream) contexts.add(code, stream);
//   contexts.give_to(program);          // which count_trace has made of the same trace
//
// A function that calls itself, by way of others or not, has one context, that of its first activation; what a signal handler does
// has a tree of its own. A jump to a named function at the end of one is a call from there. Each module's calls are a tree by themselves, since the order between modules is not recorded.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/program/program.h"
#include "analysis/trace/calls.h"

namespace chord::analysis {

class TraceContexts {
 public:
  // As far as the stream replays.
  void add(const TracedCode &code, const format::TraceStream &stream);
  // Throws Error if the program lacks one of the procedures.
  void give_to(Program &program) const;

 private:
  struct Node {
    uint32_t parent = core::kNone;  // of a smaller number
    uint32_t module = 0, procedure = 0;
    uint32_t site = core::kNone, thread = 0, kind = 0;
    uint64_t procedure_key = 0, calls = 0, exclusive = 0;
  };
  struct Tree {
    uint32_t module = 0, thread = 0;
    const TracedCode *code = nullptr;
    // By parent, site, procedure and kind.
    std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, uint32_t> children;
  };

  // Who calls: a node, and an instruction of its procedure.
  struct Caller {
    uint32_t node = core::kNone, site = core::kNone;
  };
  // What ran last.
  struct Ran {
    uint32_t node = core::kNone, procedure = 0, instruction = 0, depth = 0;
    uint64_t number = 0;  // after it
  };

  static bool is_jump_to(const TracedCode &code, const Ran &last, const TraceCall &call);
  uint32_t node_of(Tree &tree, const Caller &caller, const TraceCall &call);

  std::vector<std::string> modules_;  // paths
  std::map<std::tuple<uint32_t, uint32_t>, Tree> trees_;  // by module and thread
  std::vector<Node> nodes_;
};

}  // namespace chord::analysis
