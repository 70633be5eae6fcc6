#include "mutation/woven_case.h"

#include <functional>
#include <map>
#include <set>
#include <stdexcept>

#include "base/file.h"
#include "base/process.h"
#include "format/inputs/path_selection.h"
#include "format/map/map.h"
#include "format/map/metrics.h"
#include "weave/sim/model_choice.h"

namespace chord::mutation {
namespace {

using Kind = isa::CounterPlace::Kind;
using Change = std::function<void(weave::Options &)>;

void for_shared_objects(weave::Options &o) {
  o.position_independent = true;
  o.counters = Kind::thread_delta;
}

void for_totals(weave::Options &o) {
  o.callsites = true;
  o.events |= 1;
}

void for_metrics(weave::Options &o, const char *list) {
  std::string error;
  o.metrics = format::parse_metrics(list, error).value();
  for (const format::MetricRequest &m : o.metrics) {
    if (weave::names_model(m.text)) weave::choose_model(m.text, o.models);
  }
}

// Processes whose counters are in a file.
void for_killed(weave::Options &o) {
  o.durable = true;
  o.counters = Kind::thread_delta;
  o.loop_counters = weave::Options::LoopCounters::memory;
}

const std::map<std::string, Change> &modes() {
  static const std::map<std::string, Change> kModes = {
      {"default", [](weave::Options &) {}},
      {"pic", for_shared_objects},
      {"atomic", [](weave::Options &o) { o.counters = Kind::atomic; }},
      {"redundant", [](weave::Options &o) { o.place = core::Placement::redundant; }},
      {"vertex", [](weave::Options &o) { o.place = core::Placement::vertex; }},
      {"memory", [](weave::Options &o) { o.loop_counters = weave::Options::LoopCounters::memory; }},
      {"paths", [](weave::Options &o) { o.paths = true; }},
      {"paths-pic",
       [](weave::Options &o) {
         o.paths = true;
         for_shared_objects(o);
       }},
      {"paths-events",
       [](weave::Options &o) {
         o.paths = true;
         o.events = 0x7f;
       }},
      {"coverage", [](weave::Options &o) { o.coverage = true; }},
      {"events",
       [](weave::Options &o) {
         o.events = 0x7f;
         o.place = core::Placement::none;
       }},
      {"budget",
       [](weave::Options &o) {
         o.events = 1;
         o.budget = true;
         o.place = core::Placement::none;
       }},
      {"events-pic",
       [](weave::Options &o) {
         o.events = 1;
         o.place = core::Placement::none;
         for_shared_objects(o);
       }},
      {"durable", for_killed},
      {"paths-durable",
       [](weave::Options &o) {
         o.paths = true;
         for_killed(o);
       }},
      {"contexts-paths-durable",
       [](weave::Options &o) {
         o.context = o.paths = true;
         for_killed(o);
       }},
      {"metrics-contexts-paths",
       [](weave::Options &o) {
         o.context = o.paths = true;
         for_metrics(o, "tsc");
       }},
      {"models-contexts-paths",
       [](weave::Options &o) {
         o.context = o.paths = true;
         for_metrics(o, "sim:l1d,sim:l2");
       }},
      {"callsites", for_totals},
      {"contexts", [](weave::Options &o) { o.context = true; }},
      {"contexts-pic",
       [](weave::Options &o) {
         o.context = true;
         for_shared_objects(o);
       }},
      {"contexts-paths",
       [](weave::Options &o) {
         o.context = true;
         o.paths = true;
       }},
      {"contexts-paths-pic",
       [](weave::Options &o) {
         o.context = true;
         o.paths = true;
         for_shared_objects(o);
       }},
      {"chosen", [](weave::Options &o) { o.paths = true; }},
      {"gauges", [](weave::Options &o) { for_metrics(o, "instructions,branch-misses"); }},
      {"gauges-paths",
       [](weave::Options &o) {
         o.paths = true;
         for_metrics(o, "cycles,time");
       }},
      {"budget-contexts",
       [](weave::Options &o) {
         o.context = true;
         o.events = 1;
         o.budget = true;
       }},
      {"trace", [](weave::Options &o) { o.trace = true; }},
      {"trace-pic",
       [](weave::Options &o) {
         o.trace = true;
         for_shared_objects(o);
       }},
      {"witness",
       [](weave::Options &o) {
         o.trace = true;
         o.trace_encoding = core::TraceEncoding::witness;
       }},
      {"trace-paths",
       [](weave::Options &o) {
         o.trace = true;
         o.trace_encoding = core::TraceEncoding::paths;
       }},
      {"metrics", [](weave::Options &o) { for_metrics(o, "tsc"); }},
      {"metrics-contexts",
       [](weave::Options &o) {
         o.context = true;
         for_metrics(o, "tsc,time");
       }},
      {"metrics-paths",
       [](weave::Options &o) {
         o.paths = true;
         for_metrics(o, "time");
       }},
      {"models", [](weave::Options &o) { for_metrics(o, "sim:l1d,sim:l2"); }},
      {"models-contexts",
       [](weave::Options &o) {
         o.context = true;
         for_metrics(o, "sim:l1d");
       }},
      {"models-code", [](weave::Options &o) { for_metrics(o, "sim:l1i,sim:branch"); }},
      {"models-pic",
       [](weave::Options &o) {
         for_metrics(o, "sim:l1d");
         for_shared_objects(o);
       }},
  };
  return kModes;
}

}  // namespace

weave::Options options_of(const std::string &mode) {
  weave::Options options;
  modes().at(mode)(options);
  return options;
}

const std::vector<std::string> &all_modes() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const auto &[name, change] : modes()) names.push_back(name);
    return names;
  }();
  return kNames;
}

namespace {

// The first, the last and one between of the paths of each procedure.
std::shared_ptr<const format::PathSelection> some_paths(const format::UnitMap &map) {
  auto out = std::make_shared<format::PathSelection>();
  for (const format::Procedure &p : map.procedures) {
    std::string why_not;
    if (!p.skipped.empty() || p.plan.placement != core::Placement::paths) continue;
    auto numbering = format::plan_numbering(p, why_not);
    if (!numbering) continue;
    std::set<uint64_t> numbers;
    std::vector<bool> silent = format::silent_edges(p);
    for (uint64_t number : {uint64_t{0}, numbering->paths / 2, numbering->paths - 1}) {
      if (core::is_possible_path(*numbering, silent, number)) numbers.insert(number);
    }
    format::PathChoice choice;
    choice.function = p.name;
    choice.shape = format::path_shape(p, *numbering);
    for (uint64_t number : numbers) choice.numbers.emplace_back(number, number);
    if (!numbers.empty()) out->choices.push_back(std::move(choice));
  }
  return out;
}

}  // namespace

std::unique_ptr<WovenCase> weave_case(const std::string &name, const std::string &text, const std::string &mode) {
  auto out = std::make_unique<WovenCase>();
  out->name = name;
  out->mode = mode;
  read_source(text, out->source);
  assembly::Assembler assembler{base::find_in_path("as"), {}};
  assembly::Layout layout;
  std::string errors;
  if (!lay_out(out->source, assembler, layout, errors)) throw std::runtime_error(name + ": " + errors);
  build_unit(out->source, std::move(layout), out->unit);
  weave::Options options = options_of(mode);
  if (mode == "chosen") options.chosen = some_paths(weave_unit(out->unit, options, {"map", "runtime"}).map);
  out->woven = weave_unit(out->unit, options, {"map", "runtime"});
  if (out->woven.woven == 0) return nullptr;
  for (const auto &range : out->woven.inserted) out->inserted.push_back({range.begin, range.end});
  return out;
}

}  // namespace chord::mutation
