#include "mutation/woven_case.h"

#include <functional>
#include <map>
#include <stdexcept>

#include "base/file.h"
#include "base/process.h"
#include "format/map.h"

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
      {"durable",
       [](weave::Options &o) {
         o.durable = true;
         o.counters = Kind::thread_delta;
         o.loop_counters = weave::Options::LoopCounters::memory;
       }},
      {"callsites", for_totals},
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
  out->woven = weave_unit(out->unit, options_of(mode), {"map", "runtime"});
  if (out->woven.woven == 0) return nullptr;
  for (const auto &range : out->woven.inserted) out->inserted.push_back({range.begin, range.end});
  return out;
}

}  // namespace chord::mutation
