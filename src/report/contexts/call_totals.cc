#include "report/contexts/call_totals.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "analysis/contexts/context_totals.h"
#include "base/cxx_names.h"
#include "format/facts/measured_calls.h"
#include "report/contexts/contexts.h"
#include "report/tables/listings.h"

namespace chord::report {

using analysis::CountedProcedure;
using analysis::Program;

namespace {

// Where a reader finds the call: its line if that is known, else its place in the code.
std::string site_of(const CountedProcedure &p, const format::Instruction &call) {
  const std::string &part = p.map->fragments[call.fragment].name;
  if (call.line == 0) return fmt::format("{}+{:#x}", part, call.offset);
  return fmt::format("{}:{}", std::filesystem::path(p.unit->files[call.file]).filename().string(), call.line);
}

Cell total_cell(uint64_t total) { return number_if(total != analysis::kUnknownTotal, total); }

// More than one module counted: each saw only its own instructions.
void note_modules(const Program &program, Table &table) {
  std::vector<uint32_t> measured;
  for (const CountedProcedure &p : program.procedures) {
    if (!p.totals.empty() && std::find(measured.begin(), measured.end(), p.module) == measured.end())
      measured.push_back(p.module);
  }
  if (measured.size() > 1) {
    table.note = "inclusive counts are those of the module's own instructions; other modules' are not among them";
  }
}

void note_what_lacks(const Program &program, Table &table) {
  note_modules(program, table);
  if (program.contexts.empty()) return;
  bool unknown = false;
  for (const CountedProcedure &p : program.procedures) unknown = unknown || std::any_of(p.totals.begin(), p.totals.end(), [](uint64_t n) { return n == analysis::kUnknownTotal; });
  std::string note = contexts_note(program);
  if (unknown) {
    note += fmt::format("{}{}", note.empty() ? "" : "; ",
                        "rows without inclusive counts are of recursions, which contexts fold, or of calls by address that led elsewhere");
  }
  if (!note.empty()) table.note = note;
}

}  // namespace

bool has_call_totals(const Program &program) {
  return std::any_of(program.procedures.begin(), program.procedures.end(),
                     [](const CountedProcedure &p) { return !p.totals.empty(); });
}

Table list_function_totals(const Program &program) {
  Table t;
  t.by = "function";
  t.columns = {{"function", "", true}, {"demangled", "function", true, Holds::names}, {"calls", "calls"},
               {"exclusive", "exclusive"}, {"inclusive", "inclusive"}};
  t.text_order = {4, 3, 2, 1};
  t.weight = 4;
  for (const CountedProcedure &p : program.procedures) {
    if (p.totals.empty()) continue;
    t.add({text(p.map->name), text(t.keep(base::demangle(p.map->name))), number_if(p.exact(), p.calls),
           number_if(p.exact(), p.instructions), total_cell(p.totals[0])});
  }
  t.sort_by_weight();
  note_what_lacks(program, t);
  return t;
}

Table list_call_sites(const Program &program) {
  Table t;
  t.by = "callsite";
  t.columns = {{"site", "site", true},     {"function", "", true}, {"demangled", "in function", true},
               {"offset", ""},             {"callee", "calls", true}, {"calls", "times"},
               {"inclusive", "inclusive"}};
  t.text_order = {6, 5, 0, 2, 4};
  t.weight = 6;
  for (const CountedProcedure &p : program.procedures) {
    if (p.totals.empty()) continue;
    std::vector<uint32_t> calls = format::measured_calls(*p.map);
    for (size_t i = 0; i < calls.size(); ++i) {
      const format::Instruction &call = p.map->instructions[calls[i]];
      if (p.exact() && p.executed[calls[i]] == 0) continue;
      t.add({text(t.keep(site_of(p, call))), text(p.map->fragments[call.fragment].name),
             text(t.keep(base::demangle(p.map->name))), offset(call.offset), text(t.keep(base::demangle(call.callee))),
             number_if(p.exact(), p.exact() ? p.executed[calls[i]] : 0),
             total_cell(p.totals[1 + i])});
    }
  }
  t.sort_by_weight();
  note_what_lacks(program, t);
  return t;
}

}  // namespace chord::report
