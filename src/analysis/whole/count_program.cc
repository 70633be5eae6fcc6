#include "analysis/program/program.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "analysis/contexts/context_totals.h"
#include "analysis/contexts/contexts.h"
#include "analysis/counting/count_procedure.h"
#include "analysis/counting/count_procedures.h"
#include "analysis/counting/early_exits.h"
#include "analysis/counting/interrupted.h"
#include "analysis/objects/woven_code.h"
#include "analysis/program/cost_metric.h"
#include "analysis/program/gauges.h"
#include "analysis/program/probe_costs.h"
#include "base/diagnostics.h"
#include "base/progress.h"
#include "chord_abi.h"
#include "format/facts/measured_calls.h"

namespace chord::analysis {
namespace {

// One module of the program while it is being counted.
struct Counting {
  Object object;
  std::unordered_map<uint64_t, uint32_t> woven;  // key -> index in `procedures`; live ones only
  std::set<uint64_t> known;                      // all keys of the map
  std::vector<CountedProcedure> procedures;
  std::vector<MeasuredProcedure> measured;  // beside `procedures`
  CodeIndex code;
  std::vector<std::string> refused;  // why counts were not taken
  std::set<uint64_t> unanchored;     // with counts, but not in the program as its anchors have it
  bool used = false;                 // some segment's counts were taken

  // The procedure whose sums of metrics have the key.
  const uint32_t *find_metrics(uint64_t key) const {
    auto found = woven.find(format::metrics_key(key));  // which is its own inverse
    bool theirs = found != woven.end() && !procedures[found->second].map->metrics.empty() && !procedures[found->second].map->metrics_in_records;
    return theirs ? &found->second : nullptr;
  }
};

void index_procedures(Counting &module) {
  std::unordered_map<uint64_t, const format::Anchor *> anchors;
  for (const format::Anchor &anchor : module.object.anchors) {
    if (is_live(anchor)) anchors.emplace(anchor.key, &anchor);
  }
  for (const format::UnitMap &unit : module.object.units) {
    for (const format::Procedure &map : unit.procedures) {
      if (!map.skipped.empty()) continue;
      module.known.insert(map.key);
      module.known.insert(format::totals_key(map));
      module.known.insert(format::metrics_key(map.key));
      auto anchor = anchors.find(map.key);
      if (anchor == anchors.end() || module.woven.contains(map.key)) continue;
      auto number = static_cast<uint32_t>(module.procedures.size());
      module.woven.emplace(map.key, number);
      CountedProcedure &procedure = module.procedures.emplace_back();
      procedure.map = &map;
      procedure.unit = &unit;
      procedure.address = anchor->second->parts[0].address;
      if (auto memory = module.object.memory.find(map.key); memory != module.object.memory.end()) procedure.memory = memory->second;
    }
  }
  module.measured.resize(module.procedures.size());
  for (const format::Anchor &anchor : module.object.anchors) {
    auto found = module.woven.find(anchor.key);
    if (found != module.woven.end() && is_live(anchor)) module.code.add(found->second, anchor);
  }
  module.code.sort();
}

bool has_shape(const format::Procedure &map, const format::ModuleProfile::Procedure &p) {
  return counter_words(map) == p.counters.size() && map.plan.paths.by_number == p.by_number;
}

// Why these counts cannot be of this object; empty if they can.
std::string mismatch(const Counting &module, const format::ModuleProfile &profile) {
  const std::string &have = module.object.build_id;
  if (!have.empty() && !profile.build_id.empty() && have != profile.build_id) {
    return fmt::format("{}: the profile is of another build (build id {}, the file has {})", profile.path,
                       show_build_id(profile.build_id), show_build_id(have));
  }
  for (const format::ModuleProfile::Procedure &p : profile.procedures) {
    if (p.key < CHORD_FIRST_PROCEDURE_KEY) continue;  // events
    auto found = module.woven.find(p.key);
    auto measured = module.woven.find(~p.key);
    if (measured != module.woven.end()) {
      const format::Procedure &map = *module.procedures[measured->second].map;
      if (p.counters.size() == 1 + format::measured_calls(map).size()) continue;
    }
    if (const uint32_t *measures = module.find_metrics(p.key)) {
      if (p.counters.size() == module.procedures[*measures].map->metric_words()) continue;
    }
    bool fits = found == module.woven.end()
                    ? module.known.contains(p.key)
                    : has_shape(*module.procedures[found->second].map, p);
    if (!fits) {
      return fmt::format("{}: the profile is of another build (procedure {:#x} is not in the file)",
                         profile.path, p.key);
    }
  }
  return "";
}

bool has_counts(const format::ModuleProfile::Procedure &p) {
  return !p.numbers.empty() || std::any_of(p.counters.begin(), p.counters.end(), [](uint64_t n) { return n != 0; });
}

void add_totals(CountedProcedure &procedure, const std::vector<uint64_t> &totals) {
  procedure.totals.resize(totals.size());
  for (size_t i = 0; i < totals.size(); ++i) {
    procedure.totals[i] = checked_add(procedure.totals[i], totals[i], procedure.map->name);
  }
}

void add_number(Counting &module, uint32_t procedure, uint64_t path, uint64_t count) {
  uint64_t &sum = module.measured[procedure].numbers[path];
  sum = checked_add(sum, count, module.procedures[procedure].map->name);
}

void add_counters(Counting &module, const format::ModuleProfile &profile) {
  for (const format::ModuleProfile::Procedure &p : profile.procedures) {
    if (auto measured = module.woven.find(~p.key); measured != module.woven.end()) {
      add_totals(module.procedures[measured->second], p.counters);
      continue;
    }
    if (const uint32_t *measures = module.find_metrics(p.key)) {
      std::vector<uint64_t> &sum = module.measured[*measures].metrics;
      sum.resize(p.counters.size());
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += p.counters[i];
      continue;
    }
    auto found = module.woven.find(p.key);
    if (found == module.woven.end()) {  // dropped by the linker, so it cannot have run
      if (has_counts(p)) module.unanchored.insert(p.key);
      continue;
    }
    module.procedures[found->second].ran_in_profile = true;
    const format::Procedure &map = *module.procedures[found->second].map;
    std::vector<uint64_t> &sum = module.measured[found->second].counters;
    sum.resize(p.counters.size());
    // What a loop holds in a register of the program's is a difference, modulo 2^64, as
    // long as the loop runs.
    std::vector<bool> wraps(sum.size());
    for (const format::Held &h : map.held) wraps[h.counter] = !h.updates.empty();
    for (size_t i = map.plan.words(); i < sum.size(); ++i) wraps[i] = true;  // metrics
    for (size_t i = 0; i < sum.size(); ++i) {
      sum[i] = wraps[i] ? sum[i] + p.counters[i] : checked_add(sum[i], p.counters[i], map.name);
    }
    for (auto [path, count] : p.numbers) add_number(module, found->second, path, count);
  }
  module.used = true;
}

// The same place is left over and over by exceptions,
// so each is looked up once; and a frame that ran on across two segments ended in
// the one (+1) and began in the other (-1), which cancel here.
class Counter {
 public:
  Counter(std::vector<Object> objects, const LoadOptions &options)
      : cost_(options.costs, metrics_), context_(options.context), context_details_(options.context_details) {
    modules_.resize(objects.size());
    for (size_t i = 0; i < objects.size(); ++i) {
      modules_[i].object = std::move(objects[i]);
      index_procedures(modules_[i]);
      by_path_[modules_[i].object.path] = i;
    }
  }

  void add(const format::Segment &segment) {
    std::vector<std::optional<size_t>> taken(segment.modules.size());
    bool any = segment.modules.empty();
    for (size_t i = 0; i < segment.modules.size(); ++i) {
      auto found = by_path_.find(segment.modules[i].path);
      if (found == by_path_.end()) continue;
      Counting &module = modules_[found->second];
      std::string why = mismatch(module, segment.modules[i]);
      if (!why.empty()) {
        module.refused.push_back(std::move(why));
        continue;
      }
      add_counters(module, segment.modules[i]);
      add_clock(segment.modules[i]);
      faults_.add(segment.modules[i]);
      probes_.add(segment.modules[i]);
      taken[i] = found->second;
      any = true;
    }
    for (const format::EarlyExit &exit : segment.exits) {
      if (!taken[exit.module]) continue;
      if (exit.kind == CHORD_EXIT_PATH) {
        add_path(modules_[*taken[exit.module]], exit);
        continue;
      }
      int64_t &sum = exits_[{static_cast<uint32_t>(*taken[exit.module]), exit.pc, exit.kind, exit.path}];
      if (exit.kind >= CHORD_EXIT_REGISTER) {  // sums modulo 2^64
        sum = static_cast<int64_t>(static_cast<uint64_t>(sum) + exit.count);
      } else if (__builtin_add_overflow(sum, static_cast<int64_t>(exit.count), &sum)) {
        throw base::Error(fmt::format("{}: the early exits do not fit 64 bits", segment.executable));
      }
    }
    for (const format::ContextCounts &c : segment.contexts) {
      if (taken[c.module]) contexts_.add(c, static_cast<uint32_t>(*taken[c.module]));
    }
    if (any) count_run(segment);
    killed_ = killed_ || (segment.flags & CHORD_SEGMENT_CUT_OFF) != 0;
    incomplete_ = incomplete_ || (segment.flags & CHORD_SEGMENT_TRUNCATED) != 0;
    program_.exact = program_.exact && segment.notes.empty();
    for (const std::string &note : segment.notes) notes_[note].insert(segment.pid);
  }

  Program finish() {
    program_.runs += running_.size();
    for (const auto &[pid, threads] : running_) program_.threads += threads;
    count_contexts();
    if (context_.empty()) add_exits(exits_, [&](uint32_t m) -> auto & { return modules_[m].measured; });
    for (Counting &module : modules_) {
      warn_refused(module);
      warn_unanchored(module);
      finish(module);
    }
    warn_killed();
    for (const auto &[note, processes] : notes_) {
      program_.warnings.push_back(processes.size() == 1 ? fmt::format("process {}: {}", *processes.begin(), note)
                                                        : fmt::format("{} processes: {}", processes.size(), note));
    }
    if (without_counters_ != 0) {
      program_.warnings.push_back(
          fmt::format("{} functions were built with --events alone and have no counts", without_counters_));
    }
    if (traced_ != 0) program_.warnings.push_back(fmt::format("{} functions were built with --trace and have no counts here (PROGRAM.chordtrace has them)", traced_));
    if (context_.empty()) add_totals_of_contexts(program_);
    program_.metrics = metrics_.names();
    settle_time();
    faults_.settle(program_);
    probes_.settle(program_, clock_);
    return std::move(program_);
  }

 private:
  void add_clock(const format::ModuleProfile &profile) {
    for (const format::ModuleProfile::Procedure &p : profile.procedures) {
      if (p.key != CHORD_CLOCK_KEY || p.counters.size() != 2) continue;
      clock_.ticks += p.counters[0];
      clock_.nanoseconds += p.counters[1];
    }
  }

  // `time` is measured in ticks.
  void settle_time() {
    const std::vector<std::string> &names = metrics_.names();
    size_t time = static_cast<size_t>(std::find(names.begin(), names.end(), "time") - names.begin());
    if (time == names.size()) return;
    for (CountedProcedure &p : program_.procedures) {
      to_nanoseconds(p.metrics, time, clock_);
      for (CountedPath &path : p.paths) to_nanoseconds(path.metrics, time, clock_);
    }
    for (CountedContext &c : program_.contexts) {
      to_nanoseconds(c.metrics, time, clock_);
      to_nanoseconds(c.metrics_inclusive, time, clock_);
    }
  }

  // A path for which the procedure had no counter to spare.
  static void add_path(Counting &module, const format::EarlyExit &exit) {
    if (auto hit = module.code.find(exit.pc)) add_number(module, hit->procedure, exit.path, exit.count);
  }

  // Each by itself, and those that are asked for alone in the place of all.
  void count_contexts() {
    if (contexts_.empty()) {
      if (!context_.empty()) throw base::Error("the profile holds no calling contexts", "build with `chord --context gcc …`");
      return;
    }
    std::vector<ContextCounter::Module> modules;
    uint32_t first = 0;
    for (Counting &m : modules_) {
      auto find = [&m](uint64_t key) {
        auto found = m.woven.find(key);
        return found == m.woven.end() ? nullptr : &found->second;
      };
      modules.push_back({&m.procedures, &m.measured, find, first});
      first += static_cast<uint32_t>(m.procedures.size());
    }
    contexts_.check(modules);
    if (killed_) contexts_.set_cut_off();
    if (context_details_) contexts_.keep_details();
    program_.contexts = contexts_.count(modules, exits_, {metrics_, cost_}, [&](uint32_t, const ExitSums &exits, std::vector<MeasuredProcedure> &measured) {
      add_exits(exits, [&](uint32_t) -> auto & { return measured; });
    });
    if (!context_.empty()) contexts_.restrict(context_, modules, program_.contexts);
  }

  // What was seen at one address lies side by side.
  template <class MeasuredOf>
  void add_exits(const ExitSums &exits, MeasuredOf measured_of) {
    for (auto at = exits.begin(); at != exits.end();) {
      auto [module, pc, kind, path] = at->first;
      ExitAdder adder(modules_[module].code, modules_[module].procedures, measured_of(module));
      if (kind == CHORD_EXIT_AT_CALL) {
        if (at->second != 0) adder.at_call(pc, path, at->second);
        ++at;
        continue;
      }
      Interruption here;
      std::map<uint64_t, int64_t> paths;
      int64_t checked = 0;
      bool interrupted = false;
      for (; at != exits.end() && std::get<0>(at->first) == module && std::get<1>(at->first) == pc; ++at) {
        kind = std::get<2>(at->first);
        if (kind == CHORD_EXIT_AT_PC) {
          here.count += at->second;
          paths[std::get<3>(at->first)] += at->second;
        }
        if (kind == CHORD_EXIT_AT_CHECK) checked += at->second;
        interrupted = interrupted || kind != CHORD_EXIT_AT_CHECK;
        if (kind >= CHORD_EXIT_REGISTER) here.registers[kind - CHORD_EXIT_REGISTER] += static_cast<uint64_t>(at->second);
      }
      if (checked != 0) adder.at_check(pc, checked);
      if (interrupted) adder.at_pc(pc, here, paths);
    }
  }

  // Dumps of a process that went on are part of the run that its last segment ends.
  void count_run(const format::Segment &segment) {
    if (segment.end == CHORD_END_DUMP) {
      running_[segment.pid] = segment.threads;
      return;
    }
    running_.erase(segment.pid);
    program_.runs += segment.runs;
    program_.threads += segment.threads;
  }

  // Which frames' last block is uncertain.
  void warn_killed() {
    std::string running;
    std::string open;
    size_t open_count = 0;
    for (const CountedProcedure &procedure : program_.procedures) {
      if (procedure.uncertain != 0)
        running += fmt::format("{}{} ({})", running.empty() ? "" : ", ", procedure.map->name, procedure.uncertain);
      if (procedure.may_have_run_on && procedure.calls != 0 && ++open_count <= 5)
        open += (open.empty() ? "" : ", ") + procedure.map->name;
    }
    if (!running.empty())
      program_.warnings.push_back(fmt::format(
          "a process was killed while functions ran; counts in them are uncertain by the number of activations: {}", running));
    if (open_count != 0)
      program_.warnings.push_back(
          fmt::format("a process was killed, and in {} functions activations may have been running that cannot be told: built without "
                      "--durable, or with calls that return twice: {}{}",
                      open_count, open, open_count > 5 ? ", …" : ""));
  }

  void warn_refused(const Counting &module) {
    if (module.refused.empty()) return;
    // The same reason for a hundred old runs is one warning.
    std::map<std::string, size_t> reasons;
    for (const std::string &why : module.refused) ++reasons[why];
    if (program_.runs == 0) {
      throw base::Error(module.refused[0],
                        "run the present build again, or name the build that ran with --program=PATH");
    }
    for (const auto &[why, times] : reasons) {
      program_.warnings.push_back(
          fmt::format("{}; {} left out", why, times == 1 ? "one run" : fmt::format("{} runs", times)));
    }
  }

  void finish(Counting &module) {
    auto number = static_cast<uint32_t>(program_.modules.size());
    for (MeasuredProcedure &measured : module.measured) measured.cut_off = killed_;
    for (size_t n = 0; n < module.measured.size(); ++n) split_metrics(*module.procedures[n].map, module.measured[n]);
    count_procedures(module.measured, module.procedures);
    for (size_t n = 0; n < module.measured.size(); ++n) add_metrics(module.measured[n], module.procedures[n]);
    for (CountedProcedure &procedure : module.procedures) {
      procedure.module = number;
      procedure.incomplete = incomplete_;
      program_.exact = program_.exact && procedure.certain();
      if (!core::counts_anything(procedure.map->plan.placement)) {
        ++(procedure.map->plan.placement == core::Placement::trace ? traced_ : without_counters_);
      } else if (!procedure.exact() && !procedure.counts_chosen_paths()) {
        program_.warnings.push_back(fmt::format("{}: its counts contradict each other and are not shown: {}",
                                                procedure.map->name, procedure.problem));
      }
      program_.instructions = checked_add(program_.instructions, procedure.instructions, program_.name);
      program_.procedures.push_back(std::move(procedure));
    }
    Module &done = program_.modules.emplace_back();
    done.path = std::move(module.object.path);
    done.file = std::move(module.object.file);
    done.build_id = std::move(module.object.build_id);
    done.units = std::move(module.object.units);
    list_skipped(done);
  }

  void add_metrics(const MeasuredProcedure &measured, CountedProcedure &procedure) {
    procedure.metrics = read_metrics(*procedure.map, measured.metrics, metrics_);
    cost_.add(procedure);
    const std::vector<std::vector<uint64_t>> &by_path = procedure.metrics.paths;
    for (CountedPath &path : procedure.paths) {
      for (size_t m = 0; m < by_path.size() && !path.partial; ++m) {
        if (path.number < by_path[m].size()) add_to(path.metrics, m, by_path[m][path.number]);
      }
    }
  }

  void warn_unanchored(const Counting &module) {
    for (const format::UnitMap &unit : module.object.units) {
      for (const format::Procedure &map : unit.procedures) {
        if (!map.skipped.empty() || !module.unanchored.contains(map.key)) continue;
        program_.warnings.push_back(fmt::format("{}: it has counts but no anchor in {}, which is damaged; they are left out",
                                                map.name, module.object.path.empty() ? program_.name : module.object.path));
      }
    }
  }

  // A global procedure that many units hold a copy of (an inline function) is one.
  void list_skipped(const Module &module) {
    std::set<std::string_view> seen;
    for (const format::UnitMap &unit : module.units) {
      for (const format::Procedure &map : unit.procedures) {
        if (map.skipped.empty() || (map.global && !seen.insert(map.name).second)) continue;
        program_.skipped.push_back({&map, &unit});
      }
    }
  }

  std::vector<Counting> modules_;
  std::map<std::string, size_t> by_path_;
  ExitSums exits_;
  ContextCounter contexts_;
  MetricNames metrics_;
  CostMetric cost_;
  Clock clock_;
  GaugeFaults faults_;
  ProbeCosts probes_;
  std::string context_;  // those whose counts are wanted alone
  bool context_details_ = false;
  bool killed_ = false;                   // some process wrote no last segment
  std::map<std::string, std::set<uint64_t>> notes_;  // of which processes
  bool incomplete_ = false;               // some process lost counts
  size_t without_counters_ = 0;           // procedures that count events only
  size_t traced_ = 0;                     // procedures that are traced
  std::map<uint64_t, uint64_t> running_;  // threads of processes not known to have ended
  Program program_;
};

}  // namespace

Program count_program(std::vector<Object> objects, const std::vector<const format::Segment *> &segments, const LoadOptions &options) {
  Counter counter(std::move(objects), options);
  base::Progress progress("adding up runs", segments.size());
  for (const format::Segment *segment : segments) {
    counter.add(*segment);
    progress.step();
  }
  Program program = counter.finish();
  if (!segments.empty()) {
    program.path = segments[0]->executable;
    program.name = std::filesystem::path(program.path).filename();
  }
  return program;
}

}  // namespace chord::analysis
