#include "driver/build_options.h"

#include <fmt/core.h>

#include <array>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "base/diagnostics.h"

namespace chord::driver {
namespace {

constexpr const char *kVariable = "CHORD_WEAVE";  // words separated by newlines

using core::Placement;
using Counters = isa::CounterPlace::Kind;
using Weights = weave::Options::Weights;

constexpr std::array<std::pair<const char *, Placement>, 4> kPlacements = {{{"optimal", Placement::optimal},
                                                                            {"redundant", Placement::redundant},
                                                                            {"vertex", Placement::vertex},
                                                                            {"vertex-edge", Placement::vertex_edge}}};
// "delta" is what "thread" becomes in code for shared objects; users do not ask for it.
constexpr std::array<std::pair<const char *, Counters>, 4> kCounters = {{{"thread", Counters::thread_local_exec},
                                                                         {"delta", Counters::thread_delta},
                                                                         {"global", Counters::shared},
                                                                         {"atomic", Counters::atomic}}};
constexpr std::array<std::pair<const char *, Weights>, 2> kWeights = {
    {{"structure", Weights::structure}, {"paper", Weights::paper}}};

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

void apply(const std::string &word, weave::Options &options) {
  size_t equals = word.find('=');
  std::string name = word.substr(0, equals);
  std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  if (name == "--place") {
    options.place = choose(name, value, kPlacements);
  } else if (name == "--counters") {
    options.counters = choose(name, value, kCounters);
  } else if (name == "--weights") {
    options.weights = choose(name, value, kWeights);
  } else if (name == "--only") {
    options.only.push_back(value);
  } else if (name == "--except") {
    options.except.push_back(value);
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
  while (taken < args.size() && args[taken].starts_with("--")) apply(args[taken++], options);
  args.erase(args.begin(), args.begin() + static_cast<long>(taken));
}

void parse_environment(weave::Options &options) {
  const char *flags = std::getenv("CHORD_FLAGS");
  std::istringstream words(flags ? flags : "");
  for (std::string word; words >> word;) apply(word, options);
}

void publish(const weave::Options &options) {
  std::string text = fmt::format("--place={}\n--counters={}\n--weights={}\n", name_of(options.place, kPlacements),
                                 name_of(options.counters, kCounters), name_of(options.weights, kWeights));
  for (const std::string &glob : options.only) text += fmt::format("--only={}\n", glob);
  for (const std::string &glob : options.except) text += fmt::format("--except={}\n", glob);
  if (options.verify) text += "--verify\n";
  ::setenv(kVariable, text.c_str(), 1);
}

std::optional<weave::Options> published() {
  const char *text = std::getenv(kVariable);
  if (text == nullptr) return std::nullopt;
  weave::Options options;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) apply(line, options);
  return options;
}

const char *build_options_help() {
  return "  --place=optimal|redundant|vertex|vertex-edge   where counters go (optimal: fewest, coldest)\n"
         "  --counters=thread|atomic|global                thread: exact in threads, no locked instructions\n"
         "  --weights=structure|paper                      how frequencies are estimated\n"
         "  --only=GLOB, --except=GLOB                     functions or source files to take or leave\n"
         "  --verify                                       prove that the woven object is the original plus probes\n";
}

}  // namespace chord::driver
