// Rules for CI: what a program may cost, in numbers that do not wobble.
//
// One rule a line; `#` begins a comment.
//
//   total <= 1200000              instructions executed
//   total grows <= 2%             over the baseline profile
//   function parse_* <= 5000      each function whose name matches
//   function * grows <= 10%
//   calls GLOB <= 100             how often each is called
//   calls GLOB grows <= 0%
//   inclusive GLOB <= 90000       each function with all it calls (chord --context or --callsites)
//   callsite GLOB GLOB <= 5000    each call, with all it calls: where it is made, and of what
//   events loads <= 40000         a kind of event (chord --events=loads)
//   events loads grows <= 1%
//   mark "test 12" calls <= 7     events between two calls of chord_mark
//
// Totals are per run: those of several runs in a profile are divided by their number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/counting/event_totals.h"
#include "analysis/program/program.h"
#include "report/compare/baseline.h"

namespace chord::report {

struct Rule {
  enum class Subject : uint8_t { total, function, calls, inclusive, callsite, events, mark } subject = Subject::total;
  std::string name;    // glob, kind or mark
  std::string callee;  // callsite: glob
  size_t kind = 0;   // mark: kind of event
  bool grows = false;
  double limit = 0;  // a count, or a share in percent
  uint32_t line = 0;
  std::string text;

  bool needs_program() const { return subject <= Subject::callsite; }
};

// Throws Error naming `path` and the line.
std::vector<Rule> parse_rules(std::string_view text, const std::string &path);

// What a rule is applied to. `program` is null if no rule needs it, or if only a baseline file
// is there, which is `facts` then.
struct Measured {
  const analysis::Program *program = nullptr;
  const Baseline *facts = nullptr;
  const analysis::EventTotals *events = nullptr;
  uint64_t runs = 1;
};

struct Violation {
  const Rule *rule = nullptr;
  std::string problem, hint;  // why the rule could not be checked; empty if it could
  std::string what;   // function, call, kind, mark
  double before = 0;  // baseline; 0 without
  double now = 0;
};

// `baseline` may be null if no rule grows. A rule about something that the profile does not hold is broken, too, and hides
// no other.
std::vector<Violation> check_rules(const std::vector<Rule> &rules, const Measured &now,
                                   const Measured *baseline);

}  // namespace chord::report
