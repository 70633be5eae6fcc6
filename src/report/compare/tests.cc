#include "report/compare/tests.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/cxx_names.h"
#include "base/diagnostics.h"
#include "base/function_names.h"
#include "report/source/inlined_lines.h"
#include "report/tables/listings.h"

namespace chord::report {
namespace {

using analysis::CountedProcedure;

// The lines of a function in one file.
struct Span {
  std::string function;
  std::string path;
  uint32_t first = 0, last = 0;
};

std::vector<Span> spans_of(const analysis::Program &program) {
  analysis::FileTable files(program);
  std::vector<Span> spans;
  for (const CountedProcedure &p : program.procedures) {
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> lines;  // by file
    for (const format::Instruction &i : p.map->instructions) {
      if (i.line == 0) continue;
      auto [at, fresh] = lines.try_emplace(files.number(*p.unit, i.file), i.line, i.line);
      at->second.first = std::min(at->second.first, i.line);
      at->second.second = std::max(at->second.second, i.line);
    }
    for (const auto &[file, both] : lines) spans.push_back({p.map->name, files.files()[file].path, both.first, both.second});
  }
  return spans;
}

Table table_of(const char *by) {
  Table t;
  t.by = by;
  t.columns = {{"test", "test", true}};
  return t;
}

}  // namespace

TestRun test_run(std::string name, const analysis::Program &program) {
  TestRun run;
  run.name = std::move(name);
  run.instructions = program.instructions;
  for (const CountedProcedure &p : program.procedures) {
    if (p.exact() && p.instructions != 0) run.functions[p.map->name] += p.instructions;
  }
  analysis::LineTable table = count_lines_with_inlined(program);
  for (const analysis::LineCount &l : table.lines) {
    if (l.executed != 0 || l.ran_inlined) run.lines[{table.files[l.file].path, l.line}] = l;
  }
  return run;
}

Table list_tests(const std::vector<TestRun> &tests) {
  Table t = table_of("test");
  t.columns.insert(t.columns.end(), {{"functions", "functions"}, {"lines", "lines"}, {"executed", "executed"}});
  t.text_order = {3, 1, 2, 0};
  t.weight = 3;
  for (const TestRun &test : tests) {
    t.add({text(t.keep(test.name)), number(test.functions.size()), number(test.lines.size()), number(test.instructions)});
  }
  return t;
}

Table tests_of_line(const std::vector<TestRun> &tests, const analysis::Program &program, const std::string &file, uint32_t line) {
  analysis::LineTable all = analysis::count_lines(program);
  bool known = std::any_of(all.lines.begin(), all.lines.end(), [&](const analysis::LineCount &l) {
    return l.line == line && names_file(all.files[l.file].path, file);
  });
  if (!known) throw base::Error(fmt::format("{}:{}: the program has no code there", file, line), "chord report --by=line lists the lines that hold code");
  Table t = table_of("line");
  t.columns.insert(t.columns.end(), {{"count", "count"}, {"executed", "executed"}});
  t.text_order = {1, 2, 0};
  t.weight = 1;
  for (const TestRun &test : tests) {
    uint64_t count = 0, executed = 0;
    bool ran = false;
    for (const auto &[place, l] : test.lines) {
      if (place.second != line || !names_file(place.first, file)) continue;
      ran = true;
      count += l.count;
      executed += l.executed;
    }
    if (ran) t.add({text(t.keep(test.name)), number(count), number(executed)});
  }
  t.sort_by_weight();
  return t;
}

Table tests_of_function(const std::vector<TestRun> &tests, const analysis::Program &program, const std::string &glob) {
  std::set<std::string> names;
  for (const CountedProcedure &p : program.procedures) {
    if (base::matches_function(p.map->name, glob)) names.insert(p.map->name);
  }
  if (names.empty()) throw base::Error(fmt::format("no function is called '{}'", glob));
  Table t = table_of("function");
  t.columns.insert(t.columns.end(), {{"function", "", true}, {"demangled", "function", true, Holds::names}, {"executed", "executed"}});
  t.text_order = {3, 0, 2};
  t.weight = 3;
  for (const TestRun &test : tests) {
    for (const auto &[name, executed] : test.functions) {
      if (names.contains(name)) t.add({text(t.keep(test.name)), text(t.keep(name)), text(t.keep(base::demangle(name))), number(executed)});
    }
  }
  t.sort_by_weight();
  return t;
}

Table impacted_tests(const std::vector<TestRun> &tests, const analysis::Program &program, const std::vector<ChangedLines> &changes) {
  std::vector<Span> spans = spans_of(program);
  Table t = table_of("impacted");
  t.columns.insert(t.columns.end(), {{"function", "", true}, {"demangled", "changed function", true, Holds::names}, {"file", "file", true, Holds::paths},
                                     {"first", "first"}, {"last", "last"}});
  t.text_order = {0, 2, 3, 4, 5};
  std::set<std::pair<std::string, std::string>> seen;
  auto add = [&](const TestRun &test, const std::string &function, const std::string &file, const ChangedLines &change) {
    if (!seen.insert({test.name, function + "\n" + file}).second) return;
    t.add({text(t.keep(test.name)), text(t.keep(function)), text(t.keep(function.empty() ? "(outside of functions)" : base::demangle(function))),
           text(t.keep(file)), ordinal(change.first), ordinal(change.last)});
  };
  std::string unknown;
  for (const ChangedLines &change : changes) {
    bool has_code = false, in_function = false;
    for (const Span &span : spans) {
      if (!names_file(span.path, change.file)) continue;
      has_code = true;
      if (span.last < change.first || change.last < span.first) continue;
      in_function = true;
      for (const TestRun &test : tests) {
        if (test.functions.contains(span.function)) add(test, span.function, span.path, change);
      }
    }
    if (!has_code) {
      if (unknown.find(change.file) == std::string::npos) unknown += (unknown.empty() ? "" : ", ") + change.file;
    } else if (!in_function) {
      for (const TestRun &test : tests) {
        auto ran = std::find_if(test.lines.begin(), test.lines.end(), [&](const auto &l) { return names_file(l.first.first, change.file); });
        if (ran != test.lines.end()) add(test, "", ran->first.first, change);
      }
    }
  }
  if (!unknown.empty()) t.note = "the program has no code of these, so which tests they concern is not known: " + unknown;
  return t;
}

}  // namespace chord::report
