#include "driver/build_options.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

#include "base/diagnostics.h"
#include "base/file.h"
#include "weave/event_kinds.h"

namespace chord::driver {
namespace {

constexpr const char *kVariable = "CHORD_WEAVE";  // words separated by newlines

using core::Placement;
using Counters = isa::CounterPlace::Kind;
using Weights = weave::Options::Weights;
using LoopCounters = weave::Options::LoopCounters;
using Entries = weave::Options::Entries;
using Steps = weave::Options::Steps;
using Stubs = weave::Options::Stubs;

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

constexpr std::array<std::pair<const char *, Entries>, 2> kEntries = {
    {{"implied", Entries::implied}, {"counted", Entries::counted}}};

template <class T, size_t N>
T choose(const std::string &option, const std::string &value, const std::array<std::pair<const char *, T>, N> &table) {
  std::string known;
  for (const auto &[name, result] : table) {
    if (value == name) return result;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
  }
  throw base::UsageError(fmt::format("{}={}: no such value", option, value), fmt::format("one of: {}", known));
}

template <class T, size_t N>
std::string name_of(T value, const std::array<std::pair<const char *, T>, N> &table) {
  for (const auto &[name, result] : table) {
    if (value == result) return name;
  }
  return {};
}

void choose_weights(const std::string &name, const std::string &value, weave::Options &options) {
  std::error_code failed;
  options.weights_file.clear();
  if (value.find('/') == std::string::npos && !std::filesystem::exists(value, failed)) {
    options.weights = choose(name, value, kWeights);
    return;
  }
  // The compiler's parts may be started in other folders.
  options.weights = Weights::measured;
  options.weights_file = std::filesystem::absolute(value).string();
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
  options.costs = weave::read_costs(base::read_file(path), file);
}

void choose_events(const std::string &name, const std::string &value, weave::Options &options) {
  std::istringstream words(value.empty() ? "instructions" : value);
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
void choose_paths(const std::string &word, const std::string &value, weave::Options &options) {
  options.paths = true;
  options.paths_file.clear();
  if (word.find('=') == std::string::npos) return;
  if (value.empty()) throw base::UsageError("--paths=: no file is named", "leave out the = to count all paths");
  options.paths_file = std::filesystem::absolute(value).string();
}

void apply_word(const std::string &word, weave::Options &options) {
  size_t equals = word.find('=');
  std::string name = word.substr(0, equals);
  std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  if (name == "--place") {
    options.place = choose(name, value, kPlacements);
    options.place_chosen = true;
  } else if (name == "--events") {
    choose_events(name, value, options);
  } else if (word == "--callsites") {
    options.callsites = true;
  } else if (word == "--budget") {
    options.budget = true;
  } else if (name == "--paths") {
    choose_paths(word, value, options);
  } else if (word == "--except-noise") {
    options.except_noise = true;
  } else if (name == "--paths-algorithm") {
    options.path_algorithm = choose(name, value, kPathAlgorithms);
  } else if (word == "--position-independent") {
    options.position_independent = true;  // said by the driver, not by users
  } else if (name == "--counters") {
    options.counters = choose(name, value, kCounters);
  } else if (name == "--loop-counters") {
    options.loop_counters = choose(name, value, kLoopCounters);
  } else if (name == "--steps") {
    options.steps = choose(name, value, kSteps);
  } else if (name == "--stubs") {
    options.stubs = choose(name, value, kStubs);
  } else if (name == "--entries") {
    options.entries = choose(name, value, kEntries);
  } else if (name == "--weights") {
    choose_weights(name, value, options);
  } else if (name == "--only") {
    options.only.push_back(value);
  } else if (name == "--except") {
    options.except.push_back(value);
  } else if (word == "--durable") {
    options.durable = true;
    options.counters = Counters::thread_delta;
    options.loop_counters = LoopCounters::memory;  // no register outlives its process
  } else if (word == "--verify") {
    options.verify = true;
  } else {
    throw base::UsageError(fmt::format("{}: unknown build option", word),
                           "`chord help` lists the options; those of the compiler come behind its name");
  }
}

}  // namespace

void parse_build_options(std::vector<std::string> &args, weave::Options &options) {
  size_t taken = 0;
  while (taken < args.size() && args[taken].starts_with("--")) apply_word(args[taken++], options);
  args.erase(args.begin(), args.begin() + static_cast<long>(taken));
}

void parse_environment(weave::Options &options) {
  const char *flags = std::getenv("CHORD_FLAGS");
  std::istringstream words(flags ? flags : "");
  for (std::string word; words >> word;) apply_word(word, options);
}

void publish(const weave::Options &options) {
  if (options.except_noise && !options.paths) throw base::UsageError("--except-noise is for --paths", "add --paths");
  if (options.paths && options.events != 0) {
    throw base::UsageError("--paths and --events do not go together", "build twice, once with each");
  }
  if (options.paths && options.durable) {
    throw base::UsageError("--paths and --durable do not go together", "build twice, once with each");
  }
  std::string weights =
      options.weights == Weights::measured ? options.weights_file : name_of(options.weights, kWeights);
  std::string text = fmt::format("--place={}\n--counters={}\n--loop-counters={}\n--steps={}\n--stubs={}\n--entries={}\n--weights={}\n",
                                 name_of(options.place, kPlacements), name_of(options.counters, kCounters),
                                 name_of(options.loop_counters, kLoopCounters), name_of(options.steps, kSteps),
                                 name_of(options.stubs, kStubs), name_of(options.entries, kEntries), weights);
  for (const std::string &glob : options.only) text += fmt::format("--only={}\n", glob);
  for (const std::string &glob : options.except) text += fmt::format("--except={}\n", glob);
  if (options.events != 0) text += fmt::format("--events={}\n", names_of_events(options.events, options.cost_file));
  if (options.callsites) text += "--callsites\n";
  if (options.budget) text += "--budget\n";
  if (options.paths) text += options.paths_file.empty() ? "--paths\n" : fmt::format("--paths={}\n", options.paths_file);
  if (options.except_noise) text += "--except-noise\n";
  if (options.paths) text += fmt::format("--paths-algorithm={}\n", name_of(options.path_algorithm, kPathAlgorithms));
  if (options.position_independent) text += "--position-independent\n";
  if (options.durable) text += "--durable\n";
  if (options.verify) text += "--verify\n";
  ::setenv(kVariable, text.c_str(), 1);
}

std::optional<weave::Options> published() {
  const char *text = std::getenv(kVariable);
  if (text == nullptr) return std::nullopt;
  weave::Options options;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) apply_word(line, options);
  return options;
}

const char *build_options_help() {
  return "  --place=optimal|redundant|vertex|vertex-edge   where counters go (optimal: fewest, coldest)\n"
         "  --counters=thread|atomic|global                thread: exact in threads, no locked instructions\n"
         "  --loop-counters=halves|registers|memory        where call-free loops keep them; halves: in registers,\n"
         "                                                 two in a vector register where those run out\n"
         "  --steps=copies|sums|widened|whole              of the program's registers those count for us that go up\n"
         "                                                 in loops; sums: by additions alone; widened: the same in\n"
         "                                                 each round; whole: by one instruction in 64 bits\n"
         "  --stubs=needed|apart|always                    apart: stubs of jumps never fall into what they lead to;\n"
         "                                                 always: nor is a probe on a jump ever moved to where it leads\n"
         "  --entries=implied|counted                      are calls counted twice, by caller and callee?\n"
         "  --weights=PROFILE|structure|paper              frequencies: of an earlier run, or estimated\n"
         "  --events=KIND[,KIND…]                          one counter for each kind of event, exact at any call:\n"
         "                                                 instructions, calls, branches, backward, loads, stores,\n"
         "                                                 blocks, or a file of costs; and nothing else unless\n"
         "                                                 --place is given, too\n"
         "  --callsites                                    instructions of each call and function, with all they call\n"
         "  --budget                                       with --events: a program can be stopped at an exact count\n"
         "                                                 (CHORD_BUDGET=KIND:N, chord_budget())\n"
         "  --durable                                      counts can survive SIGKILL: run with CHORD_DURABLE=1\n"
         "  --paths                                        count every acyclic path (chord paths), and with them all edges\n"
         "  --paths=SELECTION                              count the paths chosen in a file (chord paths select), and nothing else\n"
         "  --except-noise                                 with --paths: ways that never return are partial paths, not paths\n"
         "  --paths-algorithm=sound|published              published: as in the paper, for study; it can mix up paths\n"
         "  --only=GLOB, --except=GLOB                     functions or source files to take or leave\n"
         "  --verify                                       prove that the woven object is the original plus probes\n";
}

}  // namespace chord::driver
