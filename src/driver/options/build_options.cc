#include "driver/options/build_options.h"

#include <fmt/core.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "base/diagnostics.h"
#include "driver/options/option_table.h"
#include "driver/options/response_files.h"
#include "weave/metrics/gauges.h"

namespace chord::driver {
namespace {

constexpr const char *kOptionsVariable = "CHORD_WEAVE";

void apply(const Word &word, weave::Options &options) {
  const BuildOption *option = find_build_option(word.name);
  bool unknown = option == nullptr || (option->values.empty() && word.has_value);
  if (unknown) {
    throw base::UsageError(fmt::format("{}: unknown build option", word.text),
                           "`chord help` lists the options; those of the compiler come after its name");
  }
  bool needs_value = !option->values.empty() && !option->values.starts_with('[');
  if (needs_value && !word.has_value) throw base::UsageError(fmt::format("{}: needs a value", word.text), fmt::format("{}={}", option->name, option->values));
  option->set(word, options);
}

// Of options given more than once the last one holds.
using Given = std::map<std::string, std::string>;  // name -> as typed

// The word that a rule speaks of, if it was given.
const std::string *find(const Given &given, std::string_view rule) {
  Word wanted{std::string(rule)};
  auto found = given.find(wanted.name);
  if (found == given.end()) return nullptr;
  if (wanted.has_value && wanted.value.empty()) return found->second.starts_with(rule) ? &found->second : nullptr;
  return !wanted.has_value || found->second == rule ? &found->second : nullptr;
}

void check(const Given &given) {
  for (const Conflict &rule : conflicts()) {
    const std::string *one = find(given, rule.one), *other = find(given, rule.other);
    const std::string *third = rule.third.empty() ? nullptr : find(given, rule.third);
    if (one == nullptr || other == nullptr || (third == nullptr && !rule.third.empty())) continue;
    std::string words = third == nullptr ? fmt::format("{} and {}", *one, *other) : fmt::format("{}, {} and {}", *one, *other, *third);
    throw base::UsageError(fmt::format("{} do not go together: {}", words, rule.why), "build twice, once with each");
  }
  for (const Requirement &rule : requirements()) {
    if (find(given, rule.one) != nullptr && find(given, rule.needs) == nullptr)
      throw base::UsageError(fmt::format("{} is for {}", rule.one, rule.needs), fmt::format("add {}", rule.needs));
  }
}

}  // namespace

std::vector<std::string> take_build_options(std::vector<std::string> &args) {
  const char *flags = std::getenv("CHORD_FLAGS");
  std::vector<std::string> words = words_of(flags ? flags : "");
  size_t taken = 0;
  while (taken < args.size() && args[taken].starts_with("--")) words.push_back(args[taken++]);
  args.erase(args.begin(), args.begin() + static_cast<long>(taken));
  return words;
}

weave::Options parse_build_options(const std::vector<std::string> &words) {
  weave::Options options;
  options.verify = weave::Options::Verify::skip;
  Given given;
  for (const std::string &text : words) {
    Word word(text);
    apply(word, options);
    given[word.name] = text;
  }
  check(given);
  return options;
}

void settle(weave::Options &options, bool position_independent) {
  using Kind = isa::CounterPlace::Kind;
  if (weave::gauges_of(options).size() > CHORD_MOST_GAUGES)
    throw base::UsageError(fmt::format("--metrics: more than {} readings at once", CHORD_MOST_GAUGES), "build twice");
  if (options.callsites) {
    options.place_chosen = true;  // exclusive counts and numbers of calls are those of the blocks
    options.events |= 1;          // instructions
  }
  if (options.budget && options.events == 0) options.events = 1;
  // Events are counted alone unless block counters are asked for, too.
  if (options.events != 0 && !options.place_chosen && !options.context && !options.paths) options.place = core::Placement::none;
  options.position_independent = position_independent;
  if (options.durable) options.loop_counters = weave::Options::LoopCounters::memory;  // no register outlives its process
  bool through_pointer = options.durable || position_independent;
  if (options.counters == Kind::thread_local_exec && through_pointer) options.counters = Kind::thread_delta;
}

std::string words_for_standin(const weave::Options &options) {
  std::vector<std::string> words;
  for (const BuildOption &option : build_options()) option.hand_over(options, words);
  std::string text;
  for (const std::string &word : words) text += word + "\n";
  return text;
}

void publish(const weave::Options &options) { ::setenv(kOptionsVariable, words_for_standin(options).c_str(), 1); }

std::optional<weave::Options> published() {
  const char *text = std::getenv(kOptionsVariable);
  if (text == nullptr) return std::nullopt;
  weave::Options options;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) apply(Word(line), options);
  return options;
}

}  // namespace chord::driver
