// What the user asked for, as far as weaving is concerned.
#pragma once

#include <chord_models.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assembly/text/plain_layout.h"
#include "core/counters/plan.h"
#include "core/paths/chosen_paths.h"
#include "format/inputs/costs.h"
#include "format/inputs/path_selection.h"
#include "format/inputs/weights.h"
#include "format/map/metrics.h"
#include "isa/isa.h"

namespace chord::weave {

struct Options {
  core::Placement place = core::Placement::optimal;
  bool place_chosen = false;  // by the user, not by default
  enum class Weights : uint8_t { structure, paper, measured } weights = Weights::structure;
  std::string weights_file;                         // measured: profile, or what was made of it
  std::shared_ptr<const format::Weights> measured;  // its contents; structure where it has none
  isa::CounterPlace::Kind counters = isa::CounterPlace::Kind::thread_local_exec;
  // registers: one counter in each; halves: two in a vector register where they run out.
  enum class LoopCounters : uint8_t { halves, registers, memory } loop_counters = LoopCounters::halves;
  // What registers of the program's own are taken for (weave/counters/loop_counters.h, weave/counters/narrow_steps.h).
  enum class Steps : uint8_t { copies, sums, widened, whole } steps = Steps::copies;  // each with those after it
  enum class Stubs : uint8_t { needed, apart, always } stubs = Stubs::needed;        // weave/facts/sites.h
  enum class Entries : uint8_t { implied, counted } entries = Entries::implied;  // weave/facts/implied_entries.h
  std::vector<std::string> only;    // globs over functions and source files; empty: all
  std::vector<std::string> except;
  bool coverage = false;            // what ran at all, and nothing more (weave/coverage/coverage.h)
  uint32_t events = 0;              // kinds to count, one bit each (weave/events/event_kinds.h)
  std::string cost_file;            // the kind `cost`: its rules (format/inputs/costs.h), and what is in it
  std::vector<format::CostRule> costs;
  bool callsites = false;           // totals of calls and procedures with all they call (weave/events/brackets.h)
  bool budget = false;              // probes look whether a budget of events is used up
  bool paths = false;               // count acyclic paths; edges where that cannot be
  std::string paths_file;           // only those chosen here, and nothing in other functions
  std::shared_ptr<const format::PathSelection> chosen;  // its contents
  bool except_noise = false;        // ways that never return have no numbers
  core::PathAlgorithm path_algorithm = core::PathAlgorithm::sound;
  bool context = false;             // count in records of calling contexts (weave/contexts/contexts.h)
  bool context_functions = false;   // call sites of one function are one
  uint32_t context_depth = 1;       // activations of a function that are kept apart in a recursion
  bool trace = false;               // write down control flow, and count nothing (weave/trace/trace.h)
  std::optional<core::TraceEncoding> trace_encoding;  // of all procedures; none: the one that is expected to cost less, of each
  bool trace_time = false;          // and what time it is, now and then
  bool trace_addresses = false;     // and where memory is accessed (weave/trace/addresses.h)
  std::vector<format::MetricRequest> metrics;  // what else is measured (format/map/metrics.h)
  chord_models models = {};         // those among them that are modelled (weave/sim/model_choice.h)
  std::string layout_file;          // a plain program, in which models of code find their addresses
  std::shared_ptr<const assembly::PlainLayout> layout;  // its contents
  bool position_independent = false;  // the code may end up in a shared object
  bool durable = false;               // counters can lie in a file, and what was running can be told
  // What is woven is proved right (src/verify). skip: procedures for which that fails are left alone; error: they are errors.
  enum class Verify : uint8_t { off, skip, error } verify = Verify::off;
  std::string out;  // where the profile goes (runtime/profile/place.cc); empty: the runtime chooses
};

// Does the selection take this procedure? Globs as in the shell.
bool is_selected(const Options &options, const std::string &function, const std::string &file);

inline bool has_cache(const chord_geometry &geometry) { return geometry.sets != 0; }
inline bool has_predictor(const chord_prediction &branch) { return branch.bits != 0; }
inline bool models_code(const chord_models &m) { return has_cache(m.code) || has_predictor(m.branch); }
inline bool has_any(const chord_models &m) { return has_cache(m.data) || models_code(m); }

}  // namespace chord::weave
