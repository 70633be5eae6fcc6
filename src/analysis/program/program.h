// Facts: every procedure that is in the program, with exact counts.
//
// Program = executable and shared objects (maps, anchors) + profile (counters,
// early exits) -> solve_counts -> counts of edges, blocks and instructions.
// Everything in report/ and exports/ reads this and nothing else.
//
// A Program may be moved but not copied: its procedures point into its modules.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/objects/object.h"
#include "analysis/program/metrics.h"
#include "analysis/program/path_counts.h"
#include "core/counters/solve_counts.h"
#include "format/inputs/costs.h"
#include "format/map/map.h"
#include "format/profile/profile.h"

namespace chord::analysis {

struct CountedProcedure {
  const format::Procedure *map = nullptr;
  const format::UnitMap *unit = nullptr;
  uint32_t module = 0;
  uint64_t address = 0;            // link-time address of the woven code
  CounterMemory memory;            // of its counters
  core::Counts counts;             // summed over all segments; by edge and block
  std::vector<uint64_t> executed;  // per instruction, padding included
  std::vector<CountedPath> paths;  // where paths were counted: all that ran, and partial ones
  uint64_t calls = 0;              // activations
  uint64_t instructions = 0;       // sum of `executed`
  std::string problem;             // contradiction: counts are not to be trusted
  // Activations that were running when a process was killed: after the last block of
  // each, counts may be off by one. Calls are exact.
  uint64_t uncertain = 0;
  bool may_have_run_on = false;    // a process was killed, and whether there were any cannot be told
  // Instructions with all that was called (chord --callsites): the procedure's own, then those
  // of format::measured_calls; empty if it was not measured.
  std::vector<uint64_t> totals;
  ProcedureMetrics metrics;
  bool ran_in_profile = false;     // some segment had counters for it
  uint32_t programs = 1;           // of a project: in how many of them the code is
  bool several_modules = false;    // likewise: it is in others than `module`, too

  // Of flags (chord --coverage): activations were running already when observation began, or ended at a flag, so that it is
  // open whether something that is shown as run ran since then.
  bool open = false;
  bool incomplete = false;         // a process could not write all it had counted

  bool exact() const { return problem.empty(); }
  // Not only free of contradictions: nothing is known that might have put its counts off.
  bool certain() const { return exact() && uncertain == 0 && !open && !incomplete && !(may_have_run_on && calls != 0); }
  // Nothing but them, and nothing is wrong with it (chord --paths=SELECTION).
  bool counts_chosen_paths() const {
    return map->plan.placement == core::Placement::chosen_paths && !paths.empty();
  }
};

// More about a context; those that did the same share it.
struct ContextDetails {
  std::vector<uint64_t> executed;     // by instruction of the procedure
  std::vector<uint32_t> paths_to;     // by call (format/facts/context_sites.h): different paths that came to it, where they are counted
};

// One procedure in one calling context, as one thread counted it (chord --context).
struct CountedContext {
  uint64_t key = 0;               // the same in every run of a build
  uint32_t thread = 0;            // 1 is the first; 0: any
  uint32_t kind = 0;              // CHORD_CONTEXT_*
  uint32_t parent = core::kNone;  // index in Program::contexts, of a smaller one; kNone: a root
  uint32_t procedure = 0;         // index in Program::procedures
  uint32_t site = core::kNone;    // instruction of the parent's procedure that calls it; kNone: not known
  uint64_t calls = 0;
  uint64_t exclusive = 0;         // instructions
  uint64_t inclusive = 0;         // with all contexts below: each instruction once
  uint64_t paths = 0;             // that came to their ends in it, where they are counted
  MetricValues metrics = {}, metrics_inclusive = {};
  MetricValues metrics_error = {}, metrics_inclusive_error = {};  // as of procedures
  std::shared_ptr<const ContextDetails> details = {};  // null unless LoadOptions::context_details
};

struct Module {
  std::string path;
  std::string file;  // where it was read from: `path` unless it was moved
  std::string build_id;
  std::vector<format::UnitMap> units;
};

struct Skipped {
  const format::Procedure *map = nullptr;
  const format::UnitMap *unit = nullptr;
};

// One program of a project.
struct ProgramPart {
  std::string name, path;
  uint64_t runs = 0, threads = 0, instructions = 0;
  bool exact = true;
};

struct Program {
  Program() = default;
  Program(Program &&) = default;
  Program &operator=(Program &&) = default;
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  std::string name;  // of the executable, without its folders
  std::string path;  // of the executable
  std::vector<Module> modules;
  std::vector<CountedProcedure> procedures;  // woven
  std::vector<Skipped> skipped;              // left alone, with reasons
  uint64_t instructions = 0;                 // over all procedures whose counts can be trusted
  uint64_t runs = 0;                         // process images
  uint64_t threads = 0;                      // over all of them
  // Of some procedures only what ran is known (chord --coverage). Then all counts are 1 or 0.
  bool only_ran = false;
  bool exact = true;                         // every procedure is certain, and no process noted anything amiss
  std::vector<std::string> warnings;
  std::vector<ProgramPart> parts;            // what it is made of: itself, or the programs of a project
  std::vector<std::string> metrics;          // their names; values of metrics are in this order
  std::vector<CountedContext> contexts;      // a parent before its children
};

struct LoadOptions {
  // Path of the executable, if it is not where the profile says; also chooses
  // among several programs in one profile.
  std::string program;
  bool texts = false;  // the instructions' texts are wanted
  bool paths = false;  // paths are wanted: nothing else need be counted
  // Calling contexts whose counts are wanted alone: a key (as printed), or a pattern of functions
  // from the root on, "main > * > parse"; empty: everything.
  std::string context{};
  bool only_ran = false;  // programs of which only what ran is known are welcome, too
  bool context_details = false;  // counts of instructions are wanted in every calling context
  std::vector<format::CostRule> costs{};  // what the metric `cost` is made of; empty: there is none
};

// Runs of several programs, if none is chosen, are merged (merge_programs.h): the answer is about all of them.
// Throws Error where there is nothing left to report: no readable segment, profile of another build, no map.
Program load_program(const format::Profile &profile, const LoadOptions &options);

// The same from objects already read: `objects` holds one per module path that
// occurs in the segments, or none for those that cannot be read (a warning has
// been given). All segments must be of one program.
Program count_program(std::vector<Object> objects, const std::vector<const format::Segment *> &segments,
                      const LoadOptions &options = {});

}  // namespace chord::analysis
