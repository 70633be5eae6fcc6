#include "driver/options/option_help.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <sstream>
#include <vector>

#include "driver/options/option_table.h"
#include "driver/options/perf_events.h"
#include "weave/sim/model_choice.h"

namespace chord::driver {
namespace {

constexpr size_t kColumn = 26, kWidth = 100;

std::string shown(const BuildOption &option) {
  if (option.values.empty()) return std::string(option.name);
  return option.values.starts_with('[') ? fmt::format("{}{}", option.name, option.values) : fmt::format("{}={}", option.name, option.values);
}

// Lines of text between two columns.
std::string wrapped(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string out;
  size_t at = kColumn;
  for (std::string word; words >> word;) {
    if (at != kColumn && at + 1 + word.size() > kWidth) {
      out += "\n" + std::string(kColumn, ' ');
      at = kColumn;
    } else if (at != kColumn) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
  }
  return out + "\n";
}

std::string help_of(Group group) {
  std::string out;
  for (const BuildOption &option : build_options()) {
    if (option.group != group) continue;
    std::string name = "  " + shown(option);
    out += name.size() + 2 <= kColumn ? name + std::string(kColumn - name.size(), ' ') : name + "\n" + std::string(kColumn, ' ');
    out += wrapped(option.help);
  }
  return out;
}

std::vector<std::string> choices(std::string_view values) {
  std::vector<std::string> out;
  std::istringstream words{std::string(values)};
  for (std::string word; std::getline(words, word, '|');) {
    if (word.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ[") == std::string::npos) out.push_back(word);
  }
  return out;
}

// Minus signs and backslashes as man(7) wants them.
std::string for_manual(std::string_view text) {
  std::string out;
  for (char c : text) out += c == '-' ? "\\-" : c == '\\' ? "\\e" : std::string(1, c);
  return out;
}

}  // namespace

std::string build_options_help() {
  return "What to count:\n" + help_of(Group::what) + "\nWhere and how:\n" + help_of(Group::how);
}

std::string metrics_help() {
  std::string out = "--metrics=METRIC,METRIC… takes\n\n  tsc, time: ticks of the time-stamp counter, and the same in nanoseconds\n\n";
  out += fmt::format("  events by the names that perf gives them, or perf: and one of libpfm's names. Of the usual ones this machine counts\n    {}\n", fmt::join(counted_here(), ", "));
  out += "\n  models: sim:l1d, sim:l2 and sim:l1i[=SIZE,WAYS,LINE], sim:branch[=KIND,BITS,HISTORY]. In place of sizes the caches of a core can be named:\n\n";
  out += fmt::format("    {:<16}{:<16}{:<18}{}\n", "", "sim:l1d", "sim:l2", "sim:l1i");
  for (const weave::ModelledCore &core : weave::modelled_cores()) out += fmt::format("    {:<16}{:<16}{:<18}{}\n", core.name, core.data, core.second, core.code);
  return out;
}

std::string study_options_help() { return "For study, and for finding out what a mechanism is worth:\n" + help_of(Group::study); }

std::string build_option_words() {
  std::string out;
  for (const BuildOption &option : build_options()) {
    if (option.group == Group::internal) continue;
    std::vector<std::string> values = choices(option.values);
    bool alone = option.values.empty() || option.values.starts_with('[');
    if (alone) out += fmt::format("{}\n", option.name);
    if (!option.values.empty() && values.empty()) out += fmt::format("{}=\n", option.name);
    for (const std::string &value : values) out += fmt::format("{}={}\n", option.name, value);
  }
  return out;
}

std::string build_options_manual() {
  std::string out = ".SH BUILD OPTIONS\nThey stand before the compiler, or in the environment variable CHORD_FLAGS.\n";
  constexpr std::pair<Group, const char *> kTitles[] = {{Group::what, "What to count"}, {Group::how, "Where and how"}, {Group::study, "For study"}};
  for (const auto &[group, title] : kTitles) {
    out += fmt::format(".SS {}\n", title);
    for (const BuildOption &option : build_options()) {
      if (option.group == group) out += fmt::format(".TP\n.B {}\n{}\n", for_manual(shown(option)), for_manual(option.help));
    }
  }
  return out;
}

}  // namespace chord::driver
