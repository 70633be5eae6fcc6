#include "format/inputs/costs.h"

#include <fmt/core.h>
#include <fnmatch.h>

#include <array>
#include <charconv>
#include <sstream>
#include <utility>

#include "base/diagnostics.h"
#include "base/function_names.h"

namespace chord::format {
namespace {

using About = CostRule::About;

// So that whatever one path adds up to fits an instruction.
constexpr int64_t kMostCost = 1'000'000;

constexpr std::array<std::pair<std::string_view, About>, 5> kSubjects = {{{"default", About::everything},
                                                                          {"class", About::doing},
                                                                          {"mnemonic", About::mnemonic},
                                                                          {"function", About::function},
                                                                          {"line", About::line}}};

constexpr std::array<std::pair<std::string_view, isa::Traits>, 13> kClasses = {
    {{"load", isa::kLoad},
     {"store", isa::kStore},
     {"branch", isa::kConditional},
     {"jump", isa::kJump},
     {"indirect", isa::kIndirect},
     {"call", isa::kCall},
     {"return", isa::kReturn},
     {"float", isa::kFloat},
     {"x87", isa::kX87},
     {"simd", isa::kSimd64 | isa::kSimd128 | isa::kSimd256 | isa::kSimd512},
     {"string", isa::kRepeated},
     {"locked", isa::kLocked},
     {"system", isa::kSystem}}};

template <class T, size_t N>
T choose(std::string_view word, std::string_view what, const std::array<std::pair<std::string_view, T>, N> &table) {
  std::string known;
  for (const auto &[name, value] : table) {
    if (name == word) return value;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
  }
  throw base::Error(fmt::format("'{}' is no {}; one of: {}", word, what, known));
}

int64_t read_number(std::string_view word, int64_t most) {
  int64_t value = 0;
  auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc() || end != word.data() + word.size() || value < 0 || value > most) {
    throw base::Error(fmt::format("'{}' is no number between 0 and {}", word, most));
  }
  return value;
}

void read_line_pattern(const std::string &word, CostRule &rule) {
  size_t colon = word.rfind(':');
  if (colon == std::string::npos || colon == 0) throw base::Error(fmt::format("'{}' is not FILE:LINE", word));
  rule.pattern = word.substr(0, colon);
  rule.line = static_cast<uint32_t>(read_number(std::string_view(word).substr(colon + 1), UINT32_MAX));
}

CostRule read_rule(const std::vector<std::string> &words) {
  CostRule rule;
  rule.about = choose(words[0], "subject of a rule", kSubjects);
  size_t wanted = rule.about == About::everything ? 2 : 3;
  if (words.size() != wanted) {
    throw base::Error(fmt::format("a rule about {} is `{} {}COST`", rule.about == About::everything ? "everything" : words[0],
                                  words[0], wanted == 2 ? "" : "WHICH "));
  }
  if (rule.about == About::doing) {
    rule.traits = choose(words[1], "class of instructions", kClasses);
  } else if (rule.about == About::line) {
    read_line_pattern(words[1], rule);
  } else if (rule.about != About::everything) {
    rule.pattern = words[1];
  }
  rule.cost = read_number(words.back(), kMostCost);
  return rule;
}

std::vector<std::string> words_of(const std::string &line) {
  std::vector<std::string> words;
  std::istringstream in(line.substr(0, line.find('#')));
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// lexer.c is src/lexer.c, but not mylexer.c.
bool names_file(std::string_view path, std::string_view name) {
  if (!path.ends_with(name)) return false;
  return path.size() == name.size() || path[path.size() - name.size() - 1] == '/';
}

bool matches(const CostRule &rule, const Instruction &in, const UnitMap &map) {
  switch (rule.about) {
    case About::everything: return true;
    case About::function: return true;  // of this one: see rules_of
    case About::doing: return (in.traits & rule.traits) != 0;
    case About::mnemonic: return fnmatch(rule.pattern.c_str(), map.mnemonics[in.mnemonic].c_str(), 0) == 0;
    case About::line: return in.line == rule.line && in.line != 0 && names_file(map.files[in.file], rule.pattern);
  }
  return false;
}

// Those that can be about the function's instructions.
std::vector<const CostRule *> rules_of(const std::string &function, const std::vector<CostRule> &rules) {
  std::vector<const CostRule *> found;
  for (const CostRule &rule : rules) {
    if (rule.about != About::function || base::matches_function(function, rule.pattern)) found.push_back(&rule);
  }
  return found;
}

}  // namespace

std::vector<CostRule> read_costs(std::string_view text, const std::string &name) {
  std::vector<CostRule> rules;
  std::istringstream in{std::string(text)};
  size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    try {
      rules.push_back(read_rule(words));
    } catch (const base::Error &e) {
      throw base::Error(fmt::format("{}:{}: {}", name, number, e.what()));
    }
  }
  if (rules.empty()) throw base::Error(fmt::format("{}: no rule in it", name), "`default 1` is the least");
  return rules;
}

std::vector<int64_t> instruction_costs(const std::vector<CostRule> &rules, const Procedure &procedure,
                                       const UnitMap &map) {
  std::vector<int64_t> costs;
  const std::vector<const CostRule *> applying = rules_of(procedure.name, rules);
  for (const Instruction &in : procedure.instructions) {
    const CostRule *best = nullptr;
    for (const CostRule *rule : applying) {
      if ((best == nullptr || rule->about >= best->about) && matches(*rule, in, map)) best = rule;
    }
    costs.push_back(best == nullptr ? 0 : best->cost);
  }
  return costs;
}

}  // namespace chord::format
