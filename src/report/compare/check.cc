#include "report/compare/check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "analysis/contexts/context_totals.h"
#include "base/cxx_names.h"
#include "base/diagnostics.h"
#include "base/function_names.h"
#include "format/facts/measured_calls.h"
#include "report/contexts/call_totals.h"

namespace chord::report {
namespace {

using Subject = Rule::Subject;
using analysis::CountedProcedure;
using analysis::EventCounts;

// ---- reading ----

// Words at white space; "quoted words" keep theirs.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool open = false, quoted = false;
  for (char c : line) {
    if (!quoted && c == '#') break;
    if (c == '"') {
      quoted = !quoted;
      if (quoted) words.emplace_back();
      open = false;
    } else if (!quoted && (c == ' ' || c == '\t' || c == '\r')) {
      open = false;
    } else {
      if (!open && !quoted) words.emplace_back();
      words.back() += c;
      open = true;
    }
  }
  return words;
}

size_t kind_named(const std::string &name) {
  auto found = std::find(format::kEventNames.begin(), format::kEventNames.end(), name);
  if (found == format::kEventNames.end()) throw base::Error(fmt::format("'{}' is no kind of event", name));
  return static_cast<size_t>(found - format::kEventNames.begin());
}

class RuleReader {
 public:
  explicit RuleReader(std::vector<std::string> words) : words_(std::move(words)) {}

  Rule read() {
    static const std::map<std::string, Subject> kSubjects = {{"total", Subject::total},
                                                             {"function", Subject::function},
                                                             {"calls", Subject::calls},
                                                             {"inclusive", Subject::inclusive},
                                                             {"callsite", Subject::callsite},
                                                             {"events", Subject::events},
                                                             {"mark", Subject::mark}};
    auto subject = kSubjects.find(next("a subject"));
    if (subject == kSubjects.end())
      throw base::Error("a rule begins with total, function, calls, inclusive, callsite, events or mark");
    Rule rule;
    rule.subject = subject->second;
    if (rule.subject != Subject::total) rule.name = next("a name");
    if (rule.subject == Subject::callsite) rule.callee = next("the name of what is called");
    if (rule.subject == Subject::events) rule.kind = kind_named(rule.name);
    if (rule.subject == Subject::mark) rule.kind = kind_named(next("a kind of event"));
    std::string word = next("<=");
    rule.grows = word == "grows";
    if (rule.grows) word = next("<=");
    if (word != "<=") throw base::Error(fmt::format("'{}' where <= was expected", word));
    rule.limit = limit(next("a limit"), rule.grows);
    if (at_ != words_.size()) throw base::Error(fmt::format("'{}' behind the rule's end", words_[at_]));
    return rule;
  }

 private:
  std::string next(const char *what) {
    if (at_ == words_.size()) throw base::Error(fmt::format("{} is missing", what));
    return words_[at_++];
  }

  static double limit(const std::string &word, bool share) {
    char *end = nullptr;
    double value = std::strtod(word.c_str(), &end);
    std::string_view rest = end;
    bool good = end != word.c_str() && std::isfinite(value) && value >= 0 && rest == (share ? "%" : "");
    if (!good) throw base::Error(fmt::format("'{}' is no {}", word, share ? "share such as 2%" : "number"));
    return value;
  }

  std::vector<std::string> words_;
  size_t at_ = 0;
};

// ---- measuring ----

struct Value {
  std::string shown;  // what it is of, for people
  double count = 0;
};

using Values = std::map<std::string, Value>;  // by what tells it from others in both builds

std::string familiar(const std::string &linkage_name) { return base::familiar_name(base::demangle(linkage_name)); }

void add(Values &out, const std::string &key, std::string shown, uint64_t count) {
  Value &value = out[key];
  value.shown = std::move(shown);
  value.count += static_cast<double>(count);
}

void add_functions(const Rule &rule, const Measured &measured, Values &out) {
  if (measured.program == nullptr) {
    for (const BaselineFunction &f : measured.facts->functions) {
      if (base::matches_function(f.name, rule.name)) add(out, f.name, familiar(f.name), rule.subject == Subject::calls ? f.calls : f.executed);
    }
    return;
  }
  for (const CountedProcedure &p : measured.program->procedures) {
    if (!base::matches_function(p.map->name, rule.name)) continue;
    if (!p.exact())
      throw base::Error(fmt::format("{}: its counts cannot be trusted: {}", familiar(p.map->name), p.problem));
    add(out, p.map->name, familiar(p.map->name), rule.subject == Subject::calls ? p.calls : p.instructions);
  }
}

uint64_t known_total(uint64_t total, const std::string &name) {
  if (total == analysis::kUnknownTotal) {
    throw base::Error(fmt::format("{}: contexts do not tell what it took with all it called", name),
                      "it is part of a recursion, or a call by address that led to other code; build with `chord --callsites gcc …`");
  }
  return total;
}

// Calls are known by who makes them, what they call, and, where there are several of these,
// their order in the code: lines and addresses change whenever something is written in front.
void add_calls(const Rule &rule, const CountedProcedure &p, Values &out) {
  std::vector<uint32_t> calls = format::measured_calls(*p.map);
  std::map<std::string, int> seen;
  for (size_t i = 0; i < calls.size(); ++i) {
    const std::string &callee = p.map->instructions[calls[i]].callee;
    int number = ++seen[callee];
    if (!base::matches_function(callee, rule.callee)) continue;
    const std::string which = number > 1 ? fmt::format(" #{}", number) : "";
    std::string shown = fmt::format("{} calls {}{}", familiar(p.map->name), callee.empty() ? "by address" : familiar(callee), which);
    const uint64_t total = known_total(p.totals[1 + i], shown);
    add(out, p.map->name + " " + callee + which, std::move(shown), total);
  }
}

void add_with_callees(const Rule &rule, const Measured &measured, Values &out) {
  if (measured.program == nullptr) throw base::Error("a baseline file holds no totals of calls", "compare with a profile");
  if (!has_call_totals(*measured.program))
    throw base::Error("the profile holds no totals of calls", "build with `chord --context gcc …` or `--callsites`");
  for (const CountedProcedure &p : measured.program->procedures) {
    if (p.totals.empty() || !base::matches_function(p.map->name, rule.name)) continue;
    if (rule.subject == Subject::callsite)
      add_calls(rule, p, out);
    else
      add(out, p.map->name, familiar(p.map->name), known_total(p.totals[0], familiar(p.map->name)));
  }
}

const EventCounts &counts_for(const Rule &rule, const Measured &measured) {
  if (measured.events == nullptr) throw base::Error("a baseline file holds no events", "compare with a profile");
  if (rule.subject == Subject::events) return measured.events->total;
  for (const auto &[label, counts] : measured.events->by_mark) {
    if (label == rule.name) return counts;
  }
  throw base::Error(fmt::format("the profile has no mark '{}'", rule.name));
}

// What the rule speaks of.
Values measure(const Rule &rule, const Measured &measured) {
  Values out;
  if (rule.subject == Subject::total) {
    add(out, "total", "total", measured.program != nullptr ? measured.program->instructions : measured.facts->instructions);
  } else if (rule.subject == Subject::inclusive || rule.subject == Subject::callsite) {
    add_with_callees(rule, measured, out);
  } else if (rule.needs_program()) {
    add_functions(rule, measured, out);
  } else {
    const auto &count = counts_for(rule, measured)[rule.kind];
    std::string_view kind = format::kEventNames[rule.kind];
    if (!count) {
      throw base::Error(fmt::format("the profile holds no {}", kind),
                        fmt::format("build with --events={}", kind));
    }
    add(out, std::string(kind), rule.subject == Subject::mark ? fmt::format("mark '{}', {}", rule.name, kind) : std::string(kind), *count);
  }
  for (auto &[key, value] : out) value.count /= static_cast<double>(std::max<uint64_t>(measured.runs, 1));
  return out;
}

}  // namespace

std::vector<Rule> parse_rules(std::string_view text, const std::string &path) {
  std::vector<Rule> rules;
  uint32_t number = 0;
  while (!text.empty()) {
    ++number;
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    try {
      rules.push_back(RuleReader(std::move(words)).read());
    } catch (const base::Error &e) {
      throw base::Error(fmt::format("{}:{}: {}", path, number, e.what()),
                        "`chord check --help` shows the rules");
    }
    rules.back().line = number;
    rules.back().text = line;
  }
  return rules;
}

namespace {

void check_rule(const Rule &rule, const Measured &now, const Measured *baseline, std::vector<Violation> &out) {
  Values before = rule.grows ? measure(rule, *baseline) : Values{};
  Values values = measure(rule, now);
  if (values.empty()) {
    throw base::Error(rule.callee.empty() ? fmt::format("no function is called '{}'", rule.name)
                                          : fmt::format("no call of '{}' is made in '{}'", rule.callee, rule.name));
  }
  for (const auto &[key, value] : values) {
    auto old = before.find(key);
    double base = old == before.end() ? 0 : old->second.count;
    double limit = rule.grows ? base * (1 + rule.limit / 100) : rule.limit;
    // A function that the baseline does not have has not grown.
    if (value.count > limit && (!rule.grows || old != before.end())) out.push_back({&rule, "", "", value.shown, base, value.count});
  }
}

}  // namespace

std::vector<Violation> check_rules(const std::vector<Rule> &rules, const Measured &now,
                                   const Measured *baseline) {
  std::vector<Violation> out;
  for (const Rule &rule : rules) {
    try {
      check_rule(rule, now, baseline, out);
    } catch (const base::Error &e) {
      out.push_back({&rule, e.what(), e.hint, "", 0, 0});
    }
  }
  return out;
}

}  // namespace chord::report
