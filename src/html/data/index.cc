#include "html/data/index.h"

#include <fmt/core.h>

#include <map>
#include <numeric>

#include "base/cxx_names.h"
#include "html/data/head.h"
#include "html/facts/compare.h"
#include "html/text/json.h"
#include "report/contexts/contexts.h"
#include "report/tables/listings.h"

namespace chord::html {
namespace {

using analysis::CountedProcedure;

// Number of each string, in order of first mention.
class Names {
 public:
  uint64_t number(std::string_view name) { return numbers_.try_emplace(std::string(name), numbers_.size()).first->second; }
  void put(std::string &out) const {
    std::vector<std::string_view> names(numbers_.size());
    for (const auto &[name, number] : numbers_) names[number] = name;
    put_array(out, names, [&](std::string_view name) { put_json(out, name); });
  }

 private:
  std::map<std::string, uint64_t> numbers_;
};

class IndexWriter {
 public:
  IndexWriter(const Facts &facts, const DataOptions &options, const Tables &tables) : facts_(facts), options_(options), tables_(tables) {}

  std::string write(const Chunks &code, const Chunks &files, const std::vector<Source> &sources) {
    const analysis::Program &program = facts_.program;
    Object o(out_);
    put_head(out_, o, facts_);
    o.member("functions");
    functions();
    o.member("files");
    file_columns(sources);
    o.member("calls");
    calls();
    o.member("loops");
    table(tables_.loops);
    o.member("opcodes");
    opcodes();
    if (facts_.inlined.rows() != 0) {
      o.member("inlined");
      inlined();
    }
    o.member("skipped");
    skipped();
    if (!program.contexts.empty()) {
      o.member("contexts");
      contexts();
    }
    if (options_.comparison != nullptr) {
      o.member("old");
      comparison(*options_.comparison);
    }
    o.member("codeStarts");
    code.put_starts(out_);
    o.member("fileStarts");
    files.put_starts(out_);
    o.end();
    return std::move(out_);
  }

 private:
  template <class Put>
  void function_column(Object &o, std::string_view key, Put put) {
    o.member(key);
    put_array(out_, facts_.order, [&](uint32_t p) { put(facts_.program.procedures[p]); });
  }
  template <class Get>
  void count_column(Object &o, std::string_view key, Get get) {
    function_column(o, key, [&](const CountedProcedure &p) { put_json_if(out_, is_known(p), get(p)); });
  }

  void functions() {
    Names units, modules;
    Object o(out_);
    function_column(o, "name", [&](const CountedProcedure &p) { put_json(out_, std::string_view(p.map->name)); });
    function_column(o, "demangled", [&](const CountedProcedure &p) { demangled(p.map->name); });
    function_column(o, "unit", [&](const CountedProcedure &p) { put_json(out_, units.number(p.unit->unit)); });
    function_column(o, "module", [&](const CountedProcedure &p) {
      put_json(out_, modules.number(facts_.program.modules[p.module].path));
    });
    function_column(o, "place", [&](const CountedProcedure &p) { place(p); });
    count_column(o, "calls", [](const CountedProcedure &p) { return p.calls; });
    count_column(o, "executed", [](const CountedProcedure &p) { return p.instructions; });
    function_column(o, "instructions", [&](const CountedProcedure &p) { put_json(out_, uint64_t{p.executed.size()}); });
    count_column(o, "never", count_never);
    function_column(o, "blocks", [&](const CountedProcedure &p) { put_json(out_, count_blocks(p).blocks); });
    count_column(o, "blocksNever", [](const CountedProcedure &p) { return count_blocks(p).never; });
    function_column(o, "problem", [&](const CountedProcedure &p) { problem(p); });
    o.member("units");
    units.put(out_);
    o.member("modules");
    modules.put(out_);
    o.end();
  }

  // null where the source name is the linkage name.
  void demangled(const std::string &name) {
    const std::string shown = base::demangle(name);
    if (shown == name) {
      out_ += "null";
    } else {
      put_json(out_, std::string_view(shown));
    }
  }

  // [file, line] of its first instruction with a line.
  void place(const CountedProcedure &p) {
    for (const format::Instruction &i : p.map->instructions) {
      if (i.line == 0) continue;
      out_ += '[';
      put_json(out_, uint64_t{facts_.files.number(*p.unit, i.file)});
      out_ += ',';
      put_json(out_, uint64_t{i.line});
      out_ += ']';
      return;
    }
    out_ += "null";
  }

  void problem(const CountedProcedure &p) {
    if (p.counts_chosen_paths()) {
      put_json(out_, std::string_view("only chosen paths were counted"));
    } else if (!p.exact()) {
      put_json(out_, std::string_view(p.problem));
    } else {
      out_ += "null";
    }
  }

  void file_columns(const std::vector<Source> &sources) {
    const std::vector<FileSum> sums = sum_files(facts_);
    Object o(out_);
    o.member("name");
    put_array(out_, facts_.files.files(), [&](const analysis::SourceFile &f) { put_json(out_, std::string_view(f.name)); });
    o.member("shown");
    put_array(out_, facts_.names, [&](const std::string &name) { put_json(out_, std::string_view(name)); });
    o.member("path");
    put_array(out_, facts_.files.files(), [&](const analysis::SourceFile &f) { put_json(out_, std::string_view(f.path)); });
    o.member("length");
    put_array(out_, sources, [&](const Source &s) { put_json(out_, uint64_t{s.lines}); });
    auto column = [&](std::string_view key, uint64_t FileSum::*member) {
      o.member(key);
      put_array(out_, sums, [&](const FileSum &s) { put_json(out_, s.*member); });
    };
    column("lines", &FileSum::lines);
    column("ran", &FileSum::ran);
    column("executed", &FileSum::executed);
    column("instructions", &FileSum::instructions);
    o.end();
  }

  void calls() {
    Names outside;
    Object o(out_);
    const std::vector<Call> &all = facts_.calls.calls;
    o.member("from");
    put_array(out_, all, [&](const Call &c) { put_json(out_, uint64_t{facts_.position[c.caller]}); });
    o.member("to");
    put_array(out_, all, [&](const Call &c) {
      put_json_signed(out_, c.callee != kOutside ? static_cast<int64_t>(facts_.position[c.callee])
                                                 : -1 - static_cast<int64_t>(outside.number(c.symbol)));
    });
    o.member("count");
    put_array(out_, all, [&](const Call &c) { put_json(out_, c.count); });
    o.member("indirect");
    put_array(out_, facts_.order, [&](uint32_t p) { put_json(out_, facts_.calls.indirect[p]); });
    o.member("outside");
    outside.put(out_);
    o.end();
  }

  // Mnemonics and classes in one table; `kind` keeps them apart.
  void opcodes() {
    report::Table all = report::list_opcodes(facts_.program);
    for (size_t r = 0; r < tables_.classes.rows(); ++r) {
      for (size_t c = 0; c < tables_.classes.columns.size(); ++c) all.add({tables_.classes.at(r, c)});
    }
    table(all);
  }

  // A listing of `chord report`, column by column.
  void table(const report::Table &table) {
    Object o(out_);
    for (size_t c = 0; c < table.columns.size(); ++c) {
      o.member(table.columns[c].key);
      out_ += '[';
      for (size_t r = 0; r < table.rows(); ++r) {
        if (r != 0) out_ += ',';
        cell(table.at(r, c));
      }
      out_ += ']';
    }
    o.end();
  }

  void cell(const report::Cell &cell) {
    switch (cell.kind) {
      case report::CellKind::missing: out_ += "null"; break;
      case report::CellKind::number:
      case report::CellKind::ordinal:
      case report::CellKind::offset: put_json(out_, cell.number); break;
      case report::CellKind::share: out_ += fmt::format("{:.6f}", cell.share); break;
      case report::CellKind::flag: out_ += cell.number != 0 ? "true" : "false"; break;
      default: put_json(out_, cell.text); break;
    }
  }

  // Functions that were inlined; no more of the listing than the page shows.
  void inlined() {
    const report::Table &all = facts_.inlined;
    std::vector<size_t> rows(all.rows());
    std::iota(rows.begin(), rows.end(), size_t{0});
    Object o(out_);
    for (std::string_view key : {"function", "sites", "executed", "inclusive", "instructions"}) {
      const size_t column = all.column(key);
      o.member(key);
      put_array(out_, rows, [&](size_t row) { cell(all.at(row, column)); });
    }
    o.member("demangled");
    put_array(out_, rows, [&](size_t row) { demangled(std::string(all.at(row, all.column("function")).text)); });
    o.end();
  }

  // All threads together, parents first; -1: a root.
  void contexts() {
    const std::vector<report::ContextNode> nodes = report::context_nodes(facts_.program, false);
    Object o(out_);
    auto column = [&](std::string_view key, auto get) {
      o.member(key);
      put_array(out_, nodes, [&](const report::ContextNode &n) { put_json_signed(out_, static_cast<int64_t>(get(n))); });
    };
    column("parent", [](const report::ContextNode &n) { return n.parent == core::kNone ? int64_t{-1} : int64_t{n.parent}; });
    column("function", [&](const report::ContextNode &n) {
      return facts_.position[static_cast<size_t>(n.procedure - facts_.program.procedures.data())];
    });
    column("line", [&](const report::ContextNode &n) { return report::call_line(facts_.program, facts_.program.contexts[n.context]); });
    column("exclusive", [](const report::ContextNode &n) { return n.exclusive; });
    column("calls", [](const report::ContextNode &n) { return n.calls; });
    o.member("note", std::string_view(report::contexts_note(facts_.program)));
    o.end();
  }

  void skipped() {
    const std::vector<analysis::Skipped> &all = facts_.program.skipped;
    Object o(out_);
    o.member("name");
    put_array(out_, all, [&](const analysis::Skipped &s) { put_json(out_, std::string_view(s.map->name)); });
    o.member("demangled");
    put_array(out_, all, [&](const analysis::Skipped &s) { demangled(s.map->name); });
    o.member("unit");
    put_array(out_, all, [&](const analysis::Skipped &s) { put_json(out_, std::string_view(s.unit->unit)); });
    o.member("reason");
    put_array(out_, all, [&](const analysis::Skipped &s) { put_json(out_, std::string_view(s.map->skipped)); });
    o.end();
  }

  void comparison(const Comparison &with) {
    Object o(out_);
    o.member("program", std::string_view(with.old->name));
    o.member("instructions", with.old->instructions);
    o.member("runs", with.old->runs);
    auto column = [&](std::string_view key, uint64_t CountedProcedure::*member) {
      o.member(key);
      put_array(out_, facts_.order, [&](uint32_t p) {
        const CountedProcedure *old = with.matches[p].old;
        put_json_if(out_, old != nullptr && is_known(*old), old != nullptr ? old->*member : 0);
      });
    };
    column("executed", &CountedProcedure::instructions);
    column("calls", &CountedProcedure::calls);
    o.member("code");  // 0: the function is new, 1: its code differs, 2: the same code
    put_array(out_, facts_.order, [&](uint32_t p) {
      const Comparison::Match &match = with.matches[p];
      put_json(out_, uint64_t{match.old == nullptr ? 0u : match.same_code ? 2u : 1u});
    });
    o.member("gone");
    put_array(out_, with.gone, [&](const CountedProcedure *p) {
      Object one(out_);
      one.member("name", std::string_view(p->map->name));
      one.member("demangled");
      demangled(p->map->name);
      one.member("executed");
      put_json_if(out_, is_known(*p), p->instructions);
      one.member("calls");
      put_json_if(out_, is_known(*p), p->calls);
      one.end();
    });
    o.end();
  }

  std::string out_;
  const Facts &facts_;
  const DataOptions &options_;
  const Tables &tables_;
};

}  // namespace

std::string put_index(const Facts &facts, const DataOptions &options, const Tables &tables, const Chunks &code, const Chunks &files,
                      const std::vector<Source> &sources) {
  return IndexWriter(facts, options, tables).write(code, files, sources);
}

}  // namespace chord::html
