#include "report/tables/listings.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "analysis/source/functions.h"
#include "analysis/source/lines.h"
#include "analysis/source/source_tree.h"
#include "base/cxx_names.h"
#include "report/tables/calls.h"
#include "report/tables/function_names.h"
#include "report/tables/metrics.h"
#include "report/tables/sources.h"

namespace chord::report {
namespace {

using analysis::CountedProcedure;
using analysis::Program;

constexpr std::string_view kVertexKinds[] = {"entry", "exit", "code", "dispatch", "landing"};

std::string trimmed(std::string line) {
  for (char &c : line) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  size_t first = std::min(line.find_first_not_of(' '), line.size());
  return line.substr(first, line.find_last_not_of(' ') + 1 - first);
}

}  // namespace

Table list_functions(const Program &program) { return list_functions_with(program, analysis::sums_copies(program)); }

Table list_functions_with(const Program &program, bool sum_copies) {
  Table t;
  t.by = "function";
  t.columns = {{"function", "", true},
               {"demangled", "function", true, Holds::names},
               {"file", "file", true, Holds::paths},
               {"unit", "", true},
               {"module", "", true},
               {"calls", "calls"},
               {"executed", "executed"},
               {"share", "share"},
               {"instructions", "instrs"},
               {"never", "never"},
               {"blocks", "blocks"},
               {"blocks_never", "never"},
               {"exact", ""},
               {"line", ""},
               {"copies", ""}};
  t.text_order = {7, 6, 5, 8, 9, 10, 11, 2, 1};
  t.weight = 6;
  MetricsColumn metrics(t, program.metrics), totals(t, program.metrics, "metrics_inclusive", ""),
      errors(t, program.metrics, "metrics_error", "");
  t.reserve(program.procedures.size());
  for (const analysis::FunctionCounts &f : analysis::count_functions(program, sum_copies)) {
    const CountedProcedure &p = *f.procedure;
    // One module cannot be named where the code is in several.
    bool several = f.copies > 1 || p.several_modules;
    std::vector<Cell> row = {
           text(p.map->name), text(t.keep(base::demangle(p.map->name))), text(file_of(p)), text(p.unit->unit),
           several ? text("") : text(program.modules[p.module].path), number_if(f.exact, f.calls),
           number_if(f.exact, f.executed), f.exact ? share(f.executed, program.instructions) : Cell{},
           number(f.instructions), number_if(f.exact, f.never), number(f.blocks),
           number_if(f.exact, f.blocks_never), flag(f.certain), ordinal(p.map->line), number(f.copies)};
    metrics.put(row, f.metrics);
    totals.put(row, f.metrics_total);
    errors.put(row, f.metrics_error);
    t.add(row);
  }
  t.sort_by_weight();
  return t;
}

namespace {

struct FileRow {
  uint64_t functions = 0, calls = 0, executed = 0, instructions = 0, never = 0, blocks = 0, blocks_executed = 0;
  bool exact = true, certain = true;
};

// One row for each name that `name_of` gives to procedures.
template <class Name>
Table list_places(const Program &program, const char *by, Name &&name_of) {
  std::vector<std::pair<std::string, FileRow>> rows;
  std::unordered_map<std::string, size_t> at;
  for (const analysis::FunctionCounts &f : analysis::count_functions(program, analysis::sums_copies(program))) {
    std::string file = name_of(*f.procedure);
    auto [found, fresh] = at.try_emplace(file, rows.size());
    if (fresh) rows.push_back({file, {}});
    FileRow &row = rows[found->second].second;
    ++row.functions;
    row.calls += f.calls;
    row.executed += f.executed;
    row.instructions += f.instructions;
    row.never += f.never;
    row.blocks += f.blocks;
    row.blocks_executed += f.blocks - f.blocks_never;
    row.exact = row.exact && f.exact;
    row.certain = row.certain && f.certain;
  }
  Table t;
  t.by = by;
  t.columns = {{by, by, true, Holds::paths},
               {"functions", "functions"},
               {"calls", "calls"},
               {"executed", "executed"},
               {"share", "share"},
               {"instructions", "instrs"},
               {"never", "never"},
               {"blocks", "blocks"},
               {"blocks_executed", "executed"},
               {"blocks_never", "never"},
               {"exact", ""}};
  t.text_order = {4, 3, 2, 1, 5, 6, 7, 8, 9, 0};
  t.weight = 3;
  for (const auto &[file, r] : rows) {
    t.add({text(t.keep(file)), number(r.functions), number_if(r.exact, r.calls), number_if(r.exact, r.executed),
           r.exact ? share(r.executed, program.instructions) : Cell{}, number(r.instructions),
           number_if(r.exact, r.never), number(r.blocks), number_if(r.exact, r.blocks_executed),
           number_if(r.exact, r.blocks - r.blocks_executed), flag(r.certain)});
  }
  t.sort_by_weight();
  return t;
}

}  // namespace

// Of one program files are called what its compiler was told; of several, each place in the tree has one name.
Table list_files(const Program &program) {
  if (program.parts.size() < 2)
    return list_places(program, "file", [](const CountedProcedure &p) { return std::string(file_of(p)); });
  analysis::SourceTree tree(program);
  return list_places(program, "file", [&](const CountedProcedure &p) { return tree.file_of(p); });
}

Table list_folders(const Program &program) {
  analysis::SourceTree tree(program);
  return list_places(program, "folder", [&](const CountedProcedure &p) { return tree.folder_of(tree.file_of(p)); });
}

Table table_of_lines(const Program &program, const analysis::LineTable &lines) {
  Table t;
  t.by = "line";
  t.columns = {{"file", "file", true, Holds::paths},   {"line", "line"},           {"count", "count"},          {"executed", "executed"},
               {"instructions", "instrs"}, {"exact", ""}, {"function", "function", true, Holds::names}, {"source", "source", true}};
  t.text_order = {2, 3, 4, 1, 0, 6, 7};
  t.weight = 2;
  MetricsColumn metrics(t, program.metrics);
  t.reserve(lines.lines.size());
  Sources sources;
  std::vector<std::string_view> names;
  for (const analysis::SourceFile &file : lines.files) names.push_back(t.keep(file.name));
  std::unordered_map<const CountedProcedure *, std::string_view> functions;
  for (const analysis::LineCount &l : lines.lines) {
    std::string_view &function = functions[l.procedure];
    if (function.empty() && l.procedure != nullptr) function = t.keep(base::without_parameters(base::demangle(l.procedure->map->name)));
    // A source that is not the one that was compiled would show the wrong text.
    const SourceText &source = sources.text(lines.files[l.file]);
    bool shown = source.found && !source.changed && l.line <= source.lines.size();
    std::vector<Cell> row = {
           text(names[l.file]), ordinal(l.line), number_if(l.exact && l.count_known, l.count), number_if(l.exact, program.only_ran && l.ran_inlined ? 1 : l.executed),
           number(l.instructions), flag(l.certain), text(function),
           shown ? text(t.keep(trimmed(source.lines[l.line - 1]))) : text("")};
    metrics.put(row, l.metrics);
    t.add(row);
  }
  return t;
}

Table list_blocks(const Program &program) {
  Table t;
  t.by = "block";
  t.columns = {{"function", "", true},
               {"unit", "", true},
               {"block", "block"},
               {"kind", "kind", true},
               {"fragment", "", true},
               {"offset", "offset"},
               {"count", "count"},
               {"instructions", "instrs"},
               {"file", "", true},
               {"line", "line"},
               {"exact", ""},
               {"demangled", "function", true, Holds::names}};
  t.text_order = {6, 7, 5, 2, 3, 9, 11};
  t.weight = 6;
  for (const CountedProcedure *p : in_order(program)) {
    std::string_view name = t.keep(base::demangle(p->map->name));
    for (size_t b = 0; b < p->map->blocks.size(); ++b) {
      const format::Block &block = p->map->blocks[b];
      if (!is_listed(block)) continue;
      const format::Instruction &first = p->map->instructions[block.first];
      t.add({text(p->map->name), text(p->unit->unit), ordinal(b),
             text(kVertexKinds[static_cast<size_t>(block.kind)]),
             text(p->map->fragments[first.fragment].name), offset(first.offset),
             number_if(p->exact(), p->counts.vertex[b]), number(block.count),
             text(first.line != 0 ? std::string_view(p->unit->files[first.file]) : std::string_view()),
             ordinal(first.line), flag(p->certain()), text(name)});
    }
  }
  return t;
}

Table list_edges(const Program &program) {
  Table t;
  t.by = "edge";
  t.columns = {
      {"function", "", true}, {"unit", "", true}, {"edge", "edge"}, {"from", "from"}, {"to", "to"},
      {"kind", "kind", true},         {"count", "count"}, {"exact", ""},
      {"demangled", "function", true, Holds::names}};
  t.text_order = {6, 3, 4, 5, 8};
  t.weight = 6;
  uint64_t open = 0;
  for (const CountedProcedure *p : in_order(program)) {
    std::string_view name = t.keep(base::demangle(p->map->name));
    for (size_t e = 0; e < p->map->edges.size(); ++e) {
      const format::Edge &edge = p->map->edges[e];
      if (!p->counts.edge_known[e]) {
        ++open;
        continue;
      }
      bool known = p->exact();
      t.add({text(p->map->name), text(p->unit->unit), ordinal(e), ordinal(edge.from), ordinal(edge.to),
             text(edge_kind_name(edge.kind)), number_if(known, p->counts.edge[e]),
             flag(p->certain()), text(name)});
    }
  }
  if (open != 0) {
    t.note = fmt::format("{} edges are left out: the build's --place counts blocks and leaves them open",
                         group_digits(open));
  }
  return t;
}

namespace {

analysis::MetricValues metrics_of(const CountedProcedure &p, uint32_t instruction) {
  analysis::MetricValues values;
  for (size_t m = 0; m < p.metrics.instructions.size(); ++m) {
    if (!p.metrics.instructions[m].empty()) analysis::add_to(values, m, p.metrics.instructions[m][instruction]);
  }
  return values;
}

}  // namespace

Table list_instructions(const Program &program) {
  Table t;
  t.by = "instruction";
  t.columns = {{"function", "function", true, Holds::symbols},
               {"procedure", "", true},
               {"unit", "", true},
               {"module", "", true},
               {"offset", "offset"},
               {"size", ""},
               {"count", "count"},
               {"file", "file", true, Holds::paths},
               {"line", "line"},
               {"text", "instruction", true},
               {"exact", ""}};
  t.text_order = {6, 4, 8, 7, 0, 9};
  t.weight = 6;
  MetricsColumn metrics(t, program.metrics);
  size_t total = 0;
  for (const CountedProcedure &p : program.procedures) total += p.executed.size();
  t.reserve(total);
  for (const CountedProcedure *p : in_order(program)) {
    const std::vector<format::Instruction> &all = p->map->instructions;
    for (uint32_t i : in_text_order(*p->map)) {
      bool lined = all[i].line != 0;
      std::vector<Cell> row = {
             text(p->map->fragments[all[i].fragment].name), text(p->map->name), text(p->unit->unit),
             text(program.modules[p->module].path), offset(all[i].offset), number(all[i].size),
             number_if(p->exact(), p->executed[i]),
             text(lined ? std::string_view(p->unit->files[all[i].file]) : std::string_view()),
             ordinal(all[i].line), text(all[i].text), flag(p->certain())};
      metrics.put(row, metrics_of(*p, i));
      t.add(row);
    }
  }
  return t;
}

const std::vector<Listing> &listings() {
  static const std::vector<Listing> kListings = {
      {"function", list_functions, false}, {"file", list_files, false},
      {"line", list_lines, false},         {"block", list_blocks, false},
      {"edge", list_edges, false},         {"instruction", list_instructions, true},
      {"opcode", list_opcodes, false},     {"class", list_classes, false},
      {"loop", list_loops, false},         {"inlined", list_inlined, false},
      {"inlined-site", list_inlined_sites, false},
      {"call", list_calls, false},         {"folder", list_folders, false}};
  return kListings;
}

}  // namespace chord::report
