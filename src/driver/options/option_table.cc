#include "driver/options/option_table.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <utility>

#include "base/diagnostics.h"
#include "base/file.h"
#include "driver/options/perf_events.h"
#include "weave/events/event_kinds.h"
#include "weave/metrics/gauges.h"
#include "weave/sim/model_choice.h"

namespace chord::driver {
namespace {

using Options = weave::Options;
using Words = std::vector<std::string>;
using core::Placement;
using Counters = isa::CounterPlace::Kind;
using Weights = weave::Options::Weights;
using LoopCounters = weave::Options::LoopCounters;
using Entries = weave::Options::Entries;
using Steps = weave::Options::Steps;
using Stubs = weave::Options::Stubs;
using Verify = weave::Options::Verify;

constexpr std::array<std::pair<const char *, Placement>, 5> kPlacements = {{{"optimal", Placement::optimal},
                                                                            {"redundant", Placement::redundant},
                                                                            {"vertex", Placement::vertex},
                                                                            {"vertex-edge", Placement::vertex_edge},
                                                                            {"none", Placement::none}}};
// "delta" is what "thread" becomes in code for shared objects; users do not ask for it.
constexpr std::array<std::pair<const char *, Counters>, 4> kCounters = {{{"thread", Counters::thread_local_exec},
                                                                         {"delta", Counters::thread_delta},
                                                                         {"global", Counters::shared},
                                                                         {"atomic", Counters::atomic}}};
constexpr std::array<std::pair<const char *, Weights>, 2> kWeights = {
    {{"structure", Weights::structure}, {"paper", Weights::paper}}};  // anything else: a file

constexpr std::array<std::pair<const char *, LoopCounters>, 3> kLoopCounters = {
    {{"halves", LoopCounters::halves}, {"registers", LoopCounters::registers}, {"memory", LoopCounters::memory}}};

constexpr std::array<std::pair<const char *, core::PathAlgorithm>, 2> kPathAlgorithms = {
    {{"sound", core::PathAlgorithm::sound}, {"published", core::PathAlgorithm::published}}};

constexpr std::array<std::pair<const char *, Steps>, 4> kSteps = {
    {{"copies", Steps::copies}, {"sums", Steps::sums}, {"widened", Steps::widened}, {"whole", Steps::whole}}};

constexpr std::array<std::pair<const char *, Stubs>, 3> kStubs = {
    {{"needed", Stubs::needed}, {"apart", Stubs::apart}, {"always", Stubs::always}}};

constexpr std::array<std::pair<const char *, Verify>, 3> kVerify = {
    {{"error", Verify::error}, {"skip", Verify::skip}, {"off", Verify::off}}};

constexpr std::array<std::pair<const char *, Entries>, 2> kEntries = {
    {{"implied", Entries::implied}, {"counted", Entries::counted}}};

template <class T, size_t N>
T choose(const Word &word, const std::array<std::pair<const char *, T>, N> &table) {
  std::string known;
  for (const auto &[name, result] : table) {
    if (word.value == name) return result;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
  }
  throw base::UsageError(fmt::format("{}={}: no such value", word.name, word.value), fmt::format("one of: {}", known));
}

template <class T, size_t N>
std::string name_of(T value, const std::array<std::pair<const char *, T>, N> &table) {
  for (const auto &[name, result] : table) {
    if (value == result) return name;
  }
  return {};
}

void choose_weights(const Word &word, weave::Options &options) {
  std::error_code failed;
  options.weights_file.clear();
  if (word.value.find('/') == std::string::npos && !std::filesystem::exists(word.value, failed)) {
    options.weights = choose(word, kWeights);
    return;
  }
  // The compiler's parts may be started in other folders.
  options.weights = Weights::measured;
  options.weights_file = std::filesystem::absolute(word.value).string();
}

bool is_file(const std::string &name) {
  std::error_code failed;
  return std::filesystem::is_regular_file(name, failed);
}

// The last kind, `cost`, has a file for its name.
void choose_costs(const std::string &name, const std::string &file, weave::Options &options) {
  std::string path = std::filesystem::absolute(file).string();
  if (!options.cost_file.empty() && options.cost_file != path) {
    throw base::UsageError(fmt::format("{}={}: a second file of costs", name, file));
  }
  options.cost_file = path;
  options.costs = format::read_costs(base::read_file(path), file);
}

void choose_events(const Word &option, weave::Options &options) {
  const std::string &name = option.name;
  std::istringstream words(option.value.empty() ? "instructions" : option.value);
  for (std::string word; std::getline(words, word, ',');) {
    auto found = std::find(weave::kEventKinds.begin(), weave::kEventKinds.end() - 1, word);
    if (found == weave::kEventKinds.end() - 1 && !is_file(word)) {
      throw base::UsageError(fmt::format("{}={}: no such kind of event, and no file of costs", name, word),
                             fmt::format("one of: {}", fmt::join(weave::kEventKinds.begin(), weave::kEventKinds.end() - 1, ", ")));
    }
    if (found == weave::kEventKinds.end() - 1) choose_costs(name, word, options);
    options.events |= 1u << (found - weave::kEventKinds.begin());
  }
}

std::string names_of_events(uint32_t events, const std::string &cost_file) {
  std::vector<std::string_view> names;
  for (size_t kind = 0; kind < weave::kEventKinds.size(); ++kind) {
    if (events & (1u << kind)) names.push_back(weave::kEventKinds[kind]);
  }
  if (!names.empty() && names.back() == weave::kEventKinds.back()) names.back() = cost_file;
  return fmt::format("{}", fmt::join(names, ","));
}

// All paths, or those of a file. The compiler's parts may be started in other folders.
void choose_paths(const Word &word, weave::Options &options) {
  options.paths = true;
  options.paths_file.clear();
  if (!word.has_value) return;
  if (word.value.empty()) throw base::UsageError("--paths=: no file is named", "leave out the = to count all paths");
  options.paths_file = std::filesystem::absolute(word.value).string();
}

constexpr uint32_t kMostActivations = 65535;  // chord_abi.h: 16 bits of CHORD_CONTEXT_MODE_SYMBOL

// functions, depth:K, or both, separated by commas.
void choose_contexts(const Word &option, weave::Options &options) {
  options.context = true;
  std::istringstream words(option.value);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == "functions") {
      options.context_functions = true;
      continue;
    }
    std::string digits = word.starts_with("depth:") ? word.substr(6) : "";
    bool number = !digits.empty() && digits.size() <= 5 && digits.find_first_not_of("0123456789") == std::string::npos;
    if (!number || std::stoul(digits) == 0 || std::stoul(digits) > kMostActivations)
      throw base::UsageError(fmt::format("{}={}: no such kind of context", option.name, word), fmt::format("functions, or depth:K with K from 1 to {}", kMostActivations));
    options.context_depth = static_cast<uint32_t>(std::stoul(digits));
  }
}

constexpr std::string_view kEncodings[] = {"bits", "witness", "paths"};  // in the order of core::TraceEncoding

void choose_trace(const Word &option, weave::Options &options) {
  options.trace = true;
  options.trace_encoding.reset();
  options.trace_time = options.trace_addresses = false;
  for (std::string_view rest = option.value; option.has_value;) {
    const size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    if (word == "time")
      options.trace_time = true;
    else if (word == "addresses")
      options.trace_addresses = true;
    else if (const auto *found = std::find(std::begin(kEncodings), std::end(kEncodings), word); found != std::end(kEncodings))
      options.trace_encoding = static_cast<core::TraceEncoding>(found - std::begin(kEncodings));
    else
      throw base::UsageError(fmt::format("{}={}: {} is no encoding, and nothing else that can be recorded", option.name, option.value, word), "bits, witness, paths, addresses, time");
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
}

void choose_event(format::MetricRequest &m) {
  if (weave::event_of(m)) return;  // as it was handed over
  std::optional<PerfEvent> event = find_perf_event(m.name);
  if (!event || m.text != m.name) {
    throw base::UsageError(fmt::format("{}: this machine's processor has no event of that name", m.text),
                           fmt::format("libpfm's names after perf:, or one of those that can be counted here: {}", fmt::join(counted_here(), ", ")));
  }
  m.text = fmt::format("{}={}:{:x}", m.name, event->type, event->config);
}

void choose_metrics(const Word &word, weave::Options &options) {
  std::string error;
  auto metrics = format::parse_metrics(word.value, error);
  if (!metrics) {
    std::string known;
    for (const format::MetricKind &kind : format::metric_kinds()) known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.name);
    throw base::UsageError(fmt::format("{}={}: {}", word.name, word.value, error), "there are: " + known);
  }
  options.models = {};
  for (format::MetricRequest &m : *metrics) {
    if (weave::names_model(m.name)) weave::choose_model(m.text, options.models);
    else if (m.name != "tsc" && m.name != "time") choose_event(m);
  }
  weave::check_models(options.models);
  options.metrics = *std::move(metrics);
}

std::string names_of_metrics(const std::vector<format::MetricRequest> &metrics) {
  std::string names;
  for (const format::MetricRequest &m : metrics) names += (names.empty() ? "" : ",") + m.text;
  return names;
}

// Kept in the objects, whoever runs them wherever: absolute. The % of the present folder's name stand for themselves.
void choose_place(const Word &word, weave::Options &options) {
  constexpr size_t kLongest = 4000;  // abi/chord_process.h: Instance::out
  if (word.value.empty()) throw base::UsageError("--out=: no folder or file is named", "--out=FOLDER/ or --out=FILE");
  std::string place = word.value;
  if (place[0] != '/') {
    std::string folder;
    for (char c : std::filesystem::current_path().string()) folder += c == '%' ? std::string("%%") : std::string(1, c);
    place = folder + "/" + place;
  }
  std::error_code failed;
  bool is_folder = place.ends_with('/') || std::filesystem::is_directory(word.value, failed);
  place = std::filesystem::path(place + (is_folder ? "/%e.chord" : "")).lexically_normal().string();
  if (place.size() > kLongest || place.find('\n') != std::string::npos) {
    throw base::UsageError(fmt::format("--out={}: such a name cannot be kept in objects", word.value), "choose a shorter one, in one line");
  }
  options.out = place;
}

// --name=VALUE from one of the tables above, always handed over: the stand-in must not fall back on defaults.
template <auto Member, const auto &Table>
void set_choice(const Word &word, Options &options) {
  options.*Member = choose(word, Table);
}
template <auto Member, const auto &Table>
std::string choice_of(std::string_view name, const Options &options) {
  return fmt::format("{}={}", name, name_of(options.*Member, Table));
}
template <auto Member>
void set_flag(const Word &, Options &options) {
  options.*Member = true;
}

constexpr BuildOption kOptions[] = {
    {"--paths", Group::what, "[=SELECTION]",
     "count every acyclic path, and with them all edges (chord paths); or only the paths chosen in a file (chord paths select)",
     choose_paths,
     [](const Options &o, Words &w) {
       if (o.paths) w.push_back(o.paths_file.empty() ? "--paths" : fmt::format("--paths={}", o.paths_file));
     }},
    {"--except-noise", Group::what, "", "with --paths: what never returns is a partial path, not a path",
     set_flag<&Options::except_noise>,
     [](const Options &o, Words &w) {
       if (o.except_noise) w.emplace_back("--except-noise");
     }},
    {"--events", Group::what, "[=KIND,KIND…]",
     "one counter for each kind of event, exact at any call: instructions (the default), calls, branches, backward, loads, stores, "
     "blocks, or a file of costs; and nothing else unless --place is given, too",
     choose_events,
     [](const Options &o, Words &w) {
       if (o.events != 0) w.push_back(fmt::format("--events={}", names_of_events(o.events, o.cost_file)));
     }},
    {"--callsites", Group::what, "", "instructions of each call and function, with all they call", set_flag<&Options::callsites>,
     [](const Options &o, Words &w) {
       if (o.callsites) w.emplace_back("--callsites");
     }},
    {"--budget", Group::what, "", "with --events: the program can be stopped at an exact count (CHORD_BUDGET=KIND:N, chord_budget())",
     set_flag<&Options::budget>,
     [](const Options &o, Words &w) {
       if (o.budget) w.emplace_back("--budget");
     }},
    {"--context", Group::what, "[=functions|depth:K]",
     "everything in each calling context (chord contexts); functions: calls of a function from two places in another are one context; "
     "depth: so many activations of a recursive function are told apart (1)",
     choose_contexts,
     [](const Options &o, Words &w) {
       if (o.context) w.push_back(fmt::format("--context=depth:{}{}", o.context_depth, o.context_functions ? ",functions" : ""));
     }},
    {"--trace", Group::what, "[=bits|witness|paths][,addresses][,time]",
     "write down the whole control flow of every thread, in PROGRAM.chordtrace (chord trace), and count nothing; addresses: and where each load and store went; time: and now and then what time it is",
     choose_trace,
     [](const Options &o, Words &w) {
       if (!o.trace) return;
       std::vector<std::string_view> parts;
       if (o.trace_encoding) parts.emplace_back(kEncodings[static_cast<size_t>(*o.trace_encoding)]);
       if (o.trace_addresses) parts.emplace_back("addresses");
       if (o.trace_time) parts.emplace_back("time");
       w.push_back(parts.empty() ? "--trace" : fmt::format("--trace={}", fmt::join(parts, ",")));
     }},
    {"--coverage", Group::what, "", "which instructions, edges and lines ran at all, and no counts",
     set_flag<&Options::coverage>,
     [](const Options &o, Words &w) {
       if (o.coverage) w.emplace_back("--coverage");
     }},
    {"--metrics", Group::what, "METRIC,METRIC…", "what else functions, paths (--paths) and contexts (--context) cost: tsc (ticks of the time-stamp counter), time; events that the kernel counts: task-clock, page-faults, cycles …; models: sim:l1d, sim:l2, sim:l1i, sim:branch",
     choose_metrics,
     [](const Options &o, Words &w) {
       if (!o.metrics.empty()) w.push_back(fmt::format("--metrics={}", names_of_metrics(o.metrics)));
     }},
    {"--layout", Group::what, "PROGRAM", "with sim:l1i and sim:branch: where code is in this program, built in the same way without chord",
     [](const Word &word, Options &o) { o.layout_file = std::filesystem::absolute(word.value).string(); },
     [](const Options &o, Words &w) {
       if (!o.layout_file.empty()) w.push_back("--layout=" + o.layout_file);
     }},
    {"--only", Group::what, "GLOB", "count these functions or source files alone; may be repeated",
     [](const Word &word, Options &o) { o.only.push_back(word.value); },
     [](const Options &o, Words &w) {
       for (const std::string &glob : o.only) w.push_back("--only=" + glob);
     }},
    {"--except", Group::what, "GLOB", "leave these functions or source files alone; may be repeated",
     [](const Word &word, Options &o) { o.except.push_back(word.value); },
     [](const Options &o, Words &w) {
       for (const std::string &glob : o.except) w.push_back("--except=" + glob);
     }},
    {"--durable", Group::how, "", "counts can survive SIGKILL: run the program with CHORD_DURABLE=1", set_flag<&Options::durable>,
     [](const Options &o, Words &w) {
       if (o.durable) w.emplace_back("--durable");
     }},
    {"--out", Group::how, "FOLDER|FILE",
     "where the program writes its profile, kept in the objects as an absolute name; FILE may have the % of CHORD_OUT, which overrides "
     "it. By default: beside the program",
     choose_place,
     [](const Options &o, Words &w) {
       if (!o.out.empty()) w.push_back("--out=" + o.out);
     }},
    {"--counters", Group::how, "thread|atomic|global", "thread (the default): exact in threads, without locked instructions",
     set_choice<&Options::counters, kCounters>,
     [](const Options &o, Words &w) { w.push_back(choice_of<&Options::counters, kCounters>("--counters", o)); }},
    {"--weights", Group::how, "PROFILE|structure|paper",
     "place counters where an earlier run seldom came, or by estimate; paper: as published, for study", choose_weights,
     [](const Options &o, Words &w) {
       w.push_back("--weights=" + (o.weights == Weights::measured ? o.weights_file : name_of(o.weights, kWeights)));
     }},
    {"--verify", Group::how, "[=error|skip|off]",
     "prove, apart from what planned them, that probes harm nothing and count what the map says; where that fails the function is left alone with "
     "the reason (skip, the default) or it is an error (error; --verify alone)",
     [](const Word &word, Options &o) { o.verify = word.has_value ? choose(word, kVerify) : Verify::error; },
     [](const Options &o, Words &w) { w.push_back(choice_of<&Options::verify, kVerify>("--verify", o)); }},
    {"--prove", Group::how, "", "the same as --verify=skip", [](const Word &, Options &o) { o.verify = Verify::skip; },
     [](const Options &, Words &) {}},
    {"--place", Group::study, "optimal|redundant|vertex|vertex-edge|none", "where counters go; optimal (the default): fewest, coldest",
     [](const Word &word, Options &o) {
       o.place = choose(word, kPlacements);
       o.place_chosen = true;
     },
     [](const Options &o, Words &w) { w.push_back(choice_of<&Options::place, kPlacements>("--place", o)); }},
    {"--loop-counters", Group::study, "halves|registers|memory",
     "where loops without calls keep their counters; halves (the default): in registers, two in a vector register where those run out",
     set_choice<&Options::loop_counters, kLoopCounters>,
     [](const Options &o, Words &w) { w.push_back(choice_of<&Options::loop_counters, kLoopCounters>("--loop-counters", o)); }},
    {"--steps", Group::study, "copies|sums|widened|whole",
     "which registers of the program count its loops: copies (the default): also those that go up by way of another register; sums: by "
     "additions alone; widened: the same in each round; whole: by one instruction in 64 bits",
     set_choice<&Options::steps, kSteps>,
     [](const Options &o, Words &w) { w.push_back(choice_of<&Options::steps, kSteps>("--steps", o)); }},
    {"--stubs", Group::study, "needed|apart|always",
     "apart: stubs of jumps never fall into what they lead to; always: nor is a probe on a jump ever moved to where it leads",
     set_choice<&Options::stubs, kStubs>,
     [](const Options &o, Words &w) { w.push_back(choice_of<&Options::stubs, kStubs>("--stubs", o)); }},
    {"--entries", Group::study, "implied|counted",
     "implied (the default): the calls of a function that only known functions call follow from their counts; counted: each function "
     "counts its own calls",
     set_choice<&Options::entries, kEntries>,
     [](const Options &o, Words &w) { w.push_back(choice_of<&Options::entries, kEntries>("--entries", o)); }},
    {"--paths-algorithm", Group::study, "sound|published", "published: as in the paper; it can mix up paths",
     set_choice<&Options::path_algorithm, kPathAlgorithms>,
     [](const Options &o, Words &w) {
       if (o.paths) w.push_back(choice_of<&Options::path_algorithm, kPathAlgorithms>("--paths-algorithm", o));
     }},
    {"--position-independent", Group::internal, "", "the code may end up in a shared object", set_flag<&Options::position_independent>,
     [](const Options &o, Words &w) {
       if (o.position_independent) w.emplace_back("--position-independent");
     }},
};

constexpr Conflict kConflicts[] = {
    {"--paths", "--callsites", "contexts have what calls took, with their paths"},
    {"--paths", "--budget", "where a budget is used up an activation would end between two numbers of its path"},
    {"--paths=", "--durable", "what ran when a process was killed does not follow from chosen paths"},
    {"--callsites", "--durable", "the totals of open calls are not in the file"},
    {"--callsites", "--counters=atomic", "calls are measured by each thread"},
    {"--callsites", "--counters=global", "calls are measured by each thread"},
    {"--callsites", "--place=none", "numbers of calls are those of the blocks"},
    {"--context", "--paths=", "paths are chosen for the whole program"},
    {"--context", "--except-noise", "partial paths that never return have numbers that a record has no room for"},
    {"--context", "--callsites", "contexts have what calls took, with all they called"},
    {"--context", "--counters=atomic", "each thread counts in records of its own"},
    {"--context", "--counters=global", "each thread counts in records of its own"},
    {"--context", "--place", "records hold the counters of the optimal placement"},
    {"--trace", "--paths", "what paths ran follows from a trace; builds for traces count nothing"},
    {"--trace", "--context", "builds for traces count nothing"},
    {"--trace", "--events", "builds for traces count nothing"},
    {"--trace", "--callsites", "builds for traces count nothing"},
    {"--trace", "--budget", "budgets are of events, which builds for traces do not count"},
    {"--trace", "--durable", "builds for traces count nothing; what has been written down survives in any case"},
    {"--trace", "--place", "builds for traces count nothing"},
    {"--coverage", "--paths", "paths are counted, and flags count nothing"},
    {"--coverage", "--events", "events are counted, and flags count nothing"},
    {"--coverage", "--callsites", "what calls take is counted, and flags count nothing"},
    {"--coverage", "--budget", "budgets are of events, which builds for coverage do not count"},
    {"--coverage", "--context", "contexts are counted, and flags count nothing"},
    {"--coverage", "--durable", "flags are not in the file"},
    {"--coverage", "--place", "flags have one placement of their own"},
    {"--coverage", "--counters", "there is one flag for all threads, and setting it twice does no harm"},
    {"--coverage", "--trace", "a trace tells what ran"},
    {"--coverage", "--metrics", "flags measure nothing"},
    {"--trace", "--metrics", "builds for traces count nothing"},
    {"--metrics", "--counters=atomic", "each thread measures for itself"},
    {"--metrics", "--counters=global", "each thread measures for itself"},
    {"--durable", "--counters=atomic", "counts that survive are those of each thread"},
    {"--durable", "--counters=global", "counts that survive are those of each thread"},
};

constexpr Requirement kRequirements[] = {{"--except-noise", "--paths"}, {"--layout", "--metrics"}};

}  // namespace

Word::Word(std::string typed) : text(std::move(typed)) {
  size_t equals = text.find('=');
  name = text.substr(0, equals);
  has_value = equals != std::string::npos;
  if (has_value) value = text.substr(equals + 1);
}

std::span<const BuildOption> build_options() { return kOptions; }
std::span<const Conflict> conflicts() { return kConflicts; }
std::span<const Requirement> requirements() { return kRequirements; }

const BuildOption *find_build_option(std::string_view name) {
  for (const BuildOption &option : kOptions) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

}  // namespace chord::driver
