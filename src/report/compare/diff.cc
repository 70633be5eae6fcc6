#include "report/compare/diff.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/contexts/context_pattern.h"
#include "analysis/program/path_counts.h"
#include "base/cxx_names.h"
#include "base/diagnostics.h"
#include "report/compare/compare_contexts.h"
#include "report/compare/match.h"
#include "report/tables/listings.h"

namespace chord::report {
namespace {

using analysis::CountedProcedure;
using analysis::Program;
using core::kNone;

std::string_view state_of(bool before, bool after) { return !before ? "new" : !after ? "vanished" : "changed"; }

int64_t difference(uint64_t before, uint64_t after) { return static_cast<int64_t>(after - before); }

const CountedProcedure *at(const Program &program, uint32_t n) { return n == kNone ? nullptr : &program.procedures[n]; }

// Totals of different numbers of runs differ for that reason alone.
void note_runs(const Program &before, const Program &after, Table &t) {
  if (before.runs != after.runs) {
    t.note = fmt::format("the old profile holds {} runs, the new one {}: counts are totals of all runs", before.runs, after.runs);
  }
}

// ---- lines ----

struct LineKey {
  std::string file;
  uint32_t line = 0;
  bool operator<(const LineKey &other) const { return std::tie(file, line) < std::tie(other.file, other.line); }
};

struct LineSum {
  uint64_t before = 0, after = 0;
  bool had = false, has = false;
  Certainty certainty = Certainty::build;
};

using LineSums = std::map<LineKey, LineSum>;

LineKey key_of(const CountedProcedure &p, const format::Instruction &i) { return {p.unit->files[i.file], i.line}; }

// Instructions of the same code stand for each other, whatever their lines are called.
void add_same_code(const CountedProcedure &before, const CountedProcedure &after, Certainty certainty, LineSums &sums) {
  for (size_t i = 0; i < after.executed.size(); ++i) {
    const format::Instruction &now = after.map->instructions[i];
    if (now.line == 0) continue;
    LineSum &sum = sums[key_of(after, now)];
    sum.before += before.executed[i];
    sum.after += after.executed[i];
    sum.had = sum.has = true;
    sum.certainty = std::max(sum.certainty, certainty);
  }
}

void add_side(const CountedProcedure &p, bool is_after, LineSums &sums) {
  for (size_t i = 0; i < p.executed.size(); ++i) {
    const format::Instruction &at = p.map->instructions[i];
    if (at.line == 0) continue;
    LineSum &sum = sums[key_of(p, at)];
    (is_after ? sum.after : sum.before) += p.executed[i];
    (is_after ? sum.has : sum.had) = true;
    sum.certainty = std::max(sum.certainty, Certainty::name);
  }
}

// ---- paths ----

// A path of another build is known again by the lines it passes.
std::string lines_of(const CountedProcedure &p, const analysis::CountedPath &path) {
  std::string out;
  for (uint32_t b : analysis::blocks_of(*p.map, path)) {
    const format::Block &block = p.map->blocks[b];
    for (uint32_t i = block.first; i < block.first + block.count; ++i) {
      const format::Instruction &at = p.map->instructions[i];
      if (at.line != 0) out += fmt::format("{}:{}\n", p.unit->files[at.file], at.line);
    }
  }
  return out;
}

struct PathSum {
  uint64_t before = 0, after = 0;
  uint64_t length = 0;
  std::string number;  // as `chord paths` calls it
};

std::string path_key(const CountedProcedure &p, const analysis::CountedPath &path, bool same_code) {
  if (!same_code) return lines_of(p, path) + (path.running ? "running" : path.partial ? "partial" : "");
  return path.partial ? fmt::format("{} {} {}", path.running ? "running" : "partial", path.last_block, path.instruction) + lines_of(p, path) : std::to_string(path.number);
}

void add_paths(const CountedProcedure &p, bool same_code, bool is_after, std::map<std::string, PathSum> &sums) {
  for (const analysis::CountedPath &path : p.paths) {
    if (path.count <= 0) continue;
    PathSum &sum = sums[path_key(p, path, same_code)];
    (is_after ? sum.after : sum.before) += static_cast<uint64_t>(path.count);
    sum.length = analysis::length_of(*p.map, path);
    sum.number = path.partial ? "partial" : std::to_string(path.number);
  }
}

// ---- contexts ----

std::string chain_of(const std::vector<ComparedContext> &contexts, const ComparedContext &context) {
  std::vector<std::string> names{base::demangle(context.procedure->map->name)};
  for (uint32_t at = context.parent; at != kNone; at = contexts[at].parent) names.push_back(base::demangle(contexts[at].procedure->map->name));
  std::string chain = names.back();
  for (size_t i = names.size() - 1; i-- > 0;) chain += " > " + names[i];
  return chain;
}

}  // namespace

Table diff_functions(const Program &before, const Program &after) {
  Table t;
  t.by = "function";
  t.columns = {{"function", "", true}, {"demangled", "function", true, Holds::names}, {"file", "file", true, Holds::paths},
               {"old", "old"}, {"new", "new"}, {"change", "change"}, {"old_calls", "calls"}, {"new_calls", "now"},
               {"state", "state", true}, {"match", "match", true}};
  t.text_order = {5, 3, 4, 6, 7, 8, 9, 2, 1};
  t.weight = 5;
  note_runs(before, after, t);
  for (const Match &m : match_procedures(before, after)) {
    const CountedProcedure *a = at(before, m.before), *b = at(after, m.after);
    uint64_t was = a != nullptr ? a->instructions : 0, is = b != nullptr ? b->instructions : 0;
    uint64_t called = a != nullptr ? a->calls : 0, calls = b != nullptr ? b->calls : 0;
    if (was == is && called == calls) continue;
    const CountedProcedure &shown = b != nullptr ? *b : *a;
    bool exact = (a == nullptr || a->exact()) && (b == nullptr || b->exact());
    t.add({text(shown.map->name), text(t.keep(base::demangle(shown.map->name))), text(file_of(shown)), number_if(exact, was), number_if(exact, is),
           exact ? change(difference(was, is)) : Cell{}, number_if(exact, called), number_if(exact, calls),
           text(state_of(a != nullptr, b != nullptr)), text(a != nullptr && b != nullptr ? certainty_name(m.certainty) : "")});
  }
  t.sort_by_weight();
  return t;
}

Table diff_lines(const Program &before, const Program &after) {
  LineSums sums;
  for (const Match &m : match_procedures(before, after)) {
    const CountedProcedure *a = at(before, m.before), *b = at(after, m.after);
    if ((a != nullptr && !a->exact()) || (b != nullptr && !b->exact())) continue;
    if (a != nullptr && b != nullptr && m.same_code()) {
      add_same_code(*a, *b, m.certainty, sums);
      continue;
    }
    if (a != nullptr) add_side(*a, false, sums);
    if (b != nullptr) add_side(*b, true, sums);
  }
  Table t;
  t.by = "line";
  t.columns = {{"file", "file", true, Holds::paths}, {"line", "line"}, {"old", "old"}, {"new", "new"}, {"change", "change"},
               {"state", "state", true}, {"match", "match", true}};
  t.text_order = {4, 2, 3, 5, 6, 1, 0};
  t.weight = 4;
  note_runs(before, after, t);
  for (const auto &[key, sum] : sums) {
    if (sum.before == sum.after) continue;
    t.add({text(t.keep(key.file)), ordinal(key.line), number(sum.before), number(sum.after), change(difference(sum.before, sum.after)),
           text(state_of(sum.had, sum.has)), text(sum.had && sum.has ? certainty_name(sum.certainty) : "")});
  }
  t.sort_by_weight();
  return t;
}

Table diff_paths(const Program &before, const Program &after) {
  bool counted = false;
  Table t;
  t.by = "path";
  t.columns = {{"function", "", true}, {"demangled", "function", true, Holds::names}, {"path", "path", true}, {"old", "old"}, {"new", "new"},
               {"change", "change"}, {"instructions", "instrs"}, {"state", "state", true}, {"match", "match", true}};
  t.text_order = {5, 3, 4, 6, 2, 7, 8, 1};
  t.weight = 5;
  note_runs(before, after, t);
  for (const Match &m : match_procedures(before, after)) {
    const CountedProcedure *a = at(before, m.before), *b = at(after, m.after);
    std::map<std::string, PathSum> sums;
    bool same = a != nullptr && b != nullptr && m.same_code() && a->map->plan.placement == b->map->plan.placement;
    if (a != nullptr) add_paths(*a, same, false, sums);
    if (b != nullptr) add_paths(*b, same, true, sums);
    counted = counted || !sums.empty();
    const std::string &name = b != nullptr ? b->map->name : a->map->name;
    for (const auto &[key, sum] : sums) {
      if (sum.before == sum.after) continue;
      t.add({text(name), text(t.keep(base::demangle(name))), text(t.keep(sum.number)), number(sum.before), number(sum.after),
             change(difference(sum.before, sum.after)), number(sum.length), text(state_of(sum.before != 0, sum.after != 0)),
             text(sum.before != 0 && sum.after != 0 ? certainty_name(m.certainty) : "")});
    }
  }
  if (!counted) throw base::Error("neither profile holds paths", "build with `chord --paths gcc …`");
  t.sort_by_weight();
  return t;
}

Table diff_contexts(const Program &before, const Program &after) {
  std::vector<ComparedContext> contexts = compare_contexts(before, after);
  Table t;
  t.by = "context";
  t.columns = {{"context", "context", true}, {"function", "", true}, {"demangled", "", true}, {"site", "site", true},
               {"old", "old"}, {"new", "new"}, {"change", "change"}, {"old_calls", "calls"}, {"new_calls", "now"},
               {"old_inclusive", ""}, {"new_inclusive", ""}, {"old_id", "", true}, {"new_id", "", true},
               {"state", "state", true}, {"match", "match", true}};
  t.text_order = {6, 4, 5, 7, 8, 13, 14, 3, 0};
  t.weight = 6;
  note_runs(before, after, t);
  for (const ComparedContext &c : contexts) {
    const ContextCosts &was = c.before, &is = c.after;
    if (was.exclusive == is.exclusive && was.calls == is.calls) continue;
    const bool both = was.present && is.present;
    t.add({text(t.keep(chain_of(contexts, c))), text(c.procedure->map->name), text(t.keep(base::demangle(c.procedure->map->name))), text(t.keep(c.site)),
           number(was.exclusive), number(is.exclusive), change(difference(was.exclusive, is.exclusive)), number(was.calls), number(is.calls),
           number(was.inclusive), number(is.inclusive), text(t.keep(was.present ? analysis::context_id(was.key) : "")),
           text(t.keep(is.present ? analysis::context_id(is.key) : "")), text(both ? "changed" : is.present ? "new" : "vanished"),
           text(both ? certainty_name(c.certainty) : "")});
  }
  t.sort_by_weight();
  return t;
}

const std::vector<Diff> &diffs() {
  static const std::vector<Diff> kDiffs = {{"function", diff_functions}, {"line", diff_lines}, {"path", diff_paths}, {"context", diff_contexts}};
  return kDiffs;
}

}  // namespace chord::report
