// A SQLite database of everything that was counted. The schema is described, with
// queries, in docs/exports.md; its number is the database's user_version.
#include <fmt/core.h>

#include <map>
#include <optional>

#include "analysis/contexts/context_pattern.h"
#include "analysis/objects/object.h"
#include "analysis/program/path_counts.h"
#include "analysis/source/lines.h"
#include "base/cxx_names.h"
#include "exports/exports.h"
#include "exports/tables/database.h"
#include "exports/tables/intervals.h"
#include "format/map/metrics.h"
#include "report/contexts/contexts.h"
#include "report/source/call_graph.h"
#include "report/tables/listings.h"

namespace chord::exports {
namespace {

using analysis::CountedProcedure;

constexpr const char *kSchema = R"(
PRAGMA user_version = 1;
CREATE TABLE programs (id INTEGER PRIMARY KEY, name TEXT NOT NULL, path TEXT NOT NULL, runs INTEGER NOT NULL, threads INTEGER NOT NULL,
  instructions INTEGER NOT NULL);
CREATE TABLE builds (id INTEGER PRIMARY KEY, program INTEGER NOT NULL REFERENCES programs, path TEXT NOT NULL, build_id TEXT NOT NULL);
CREATE TABLE runs (id INTEGER PRIMARY KEY, program INTEGER NOT NULL REFERENCES programs, label TEXT NOT NULL, processes INTEGER NOT NULL,
  threads INTEGER NOT NULL, pid INTEGER NOT NULL, start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, instructions INTEGER NOT NULL);
CREATE TABLE files (id INTEGER PRIMARY KEY, name TEXT NOT NULL, path TEXT NOT NULL);
CREATE TABLE functions (id INTEGER PRIMARY KEY, build INTEGER NOT NULL REFERENCES builds, name TEXT NOT NULL, demangled TEXT NOT NULL,
  unit TEXT NOT NULL, file INTEGER REFERENCES files, line INTEGER, calls INTEGER, executed INTEGER, inclusive INTEGER,
  instructions INTEGER NOT NULL, exact INTEGER NOT NULL);
CREATE TABLE blocks (function INTEGER NOT NULL REFERENCES functions, block INTEGER NOT NULL, fragment TEXT NOT NULL, offset INTEGER NOT NULL,
  instructions INTEGER NOT NULL, count INTEGER, file INTEGER REFERENCES files, line INTEGER, PRIMARY KEY (function, block)) WITHOUT ROWID;
CREATE TABLE edges (function INTEGER NOT NULL REFERENCES functions, edge INTEGER NOT NULL, source INTEGER NOT NULL, target INTEGER NOT NULL,
  kind TEXT NOT NULL, count INTEGER, PRIMARY KEY (function, edge)) WITHOUT ROWID;
CREATE TABLE lines (file INTEGER NOT NULL REFERENCES files, line INTEGER NOT NULL, count INTEGER, executed INTEGER, instructions INTEGER NOT NULL,
  PRIMARY KEY (file, line)) WITHOUT ROWID;
CREATE TABLE calls (caller INTEGER NOT NULL REFERENCES functions, offset INTEGER NOT NULL, callee INTEGER REFERENCES functions, name TEXT,
  file INTEGER REFERENCES files, line INTEGER, calls INTEGER NOT NULL, inclusive INTEGER, tail INTEGER NOT NULL);
CREATE TABLE counts (run INTEGER NOT NULL REFERENCES runs, function INTEGER NOT NULL REFERENCES functions, calls INTEGER, executed INTEGER,
  PRIMARY KEY (run, function)) WITHOUT ROWID;
CREATE TABLE paths (function INTEGER NOT NULL REFERENCES functions, path INTEGER, partial INTEGER NOT NULL, count INTEGER NOT NULL,
  instructions INTEGER NOT NULL, blocks TEXT NOT NULL);
CREATE TABLE contexts (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES contexts, function INTEGER NOT NULL REFERENCES functions, key TEXT NOT NULL,
  kind TEXT NOT NULL, thread INTEGER, file INTEGER REFERENCES files, line INTEGER, calls INTEGER NOT NULL, exclusive INTEGER NOT NULL,
  inclusive INTEGER NOT NULL);
CREATE TABLE metrics (id INTEGER PRIMARY KEY, name TEXT NOT NULL, unit TEXT NOT NULL);
CREATE TABLE function_metrics (metric INTEGER NOT NULL REFERENCES metrics, function INTEGER NOT NULL REFERENCES functions, own INTEGER, inclusive INTEGER,
  PRIMARY KEY (metric, function)) WITHOUT ROWID;
CREATE TABLE instruction_metrics (metric INTEGER NOT NULL REFERENCES metrics, function INTEGER NOT NULL REFERENCES functions, instruction INTEGER NOT NULL,
  fragment TEXT NOT NULL, offset INTEGER NOT NULL, file INTEGER REFERENCES files, line INTEGER, own INTEGER NOT NULL,
  PRIMARY KEY (metric, function, instruction)) WITHOUT ROWID;
CREATE TABLE path_metrics (metric INTEGER NOT NULL REFERENCES metrics, function INTEGER NOT NULL REFERENCES functions, path INTEGER NOT NULL,
  own INTEGER NOT NULL, PRIMARY KEY (metric, function, path)) WITHOUT ROWID;
CREATE TABLE context_metrics (metric INTEGER NOT NULL REFERENCES metrics, context INTEGER NOT NULL REFERENCES contexts, own INTEGER, inclusive INTEGER,
  PRIMARY KEY (metric, context)) WITHOUT ROWID;
CREATE INDEX contexts_by_function ON contexts (function);
CREATE INDEX contexts_by_parent ON contexts (parent);
CREATE INDEX calls_by_callee ON calls (callee);
CREATE INDEX functions_by_name ON functions (name);
)";

class SqliteWriter {
 public:
  explicit SqliteWriter(const Input &input) : input_(input), program_(input.program), files_(input.program) {
    for (uint64_t n = 0; n < program_.procedures.size(); ++n) {
      const CountedProcedure &p = program_.procedures[n];
      numbers_[{program_.modules[p.module].path, p.map->key}] = n + 1;
    }
  }

  std::string run() {
    db_.run("BEGIN");
    db_.run(kSchema);
    add_program();
    add_functions();
    add_blocks_and_edges();
    add_lines();
    add_calls();
    add_paths();
    add_contexts();
    add_metrics();
    add_runs();
    db_.run("COMMIT");
    return db_.bytes();
  }

 private:
  static constexpr Insert::Null kNull{};

  void add_program() {
    Insert programs(db_, "programs", 6), builds(db_, "builds", 4), files(db_, "files", 3);
    programs.row(uint64_t{1}, program_.name, program_.path, program_.runs, program_.threads, program_.instructions);
    for (size_t m = 0; m < program_.modules.size(); ++m) {
      const std::string &id = program_.modules[m].build_id;
      builds.row(uint64_t{m + 1}, uint64_t{1}, program_.modules[m].path, id.empty() ? "" : analysis::show_build_id(id));
    }
    for (size_t f = 0; f < files_.files().size(); ++f) files.row(uint64_t{f + 1}, files_.files()[f].name, files_.files()[f].path);
  }

  // Where an instruction is, as two columns: the file's number and the line.
  uint64_t file_id(const CountedProcedure &p, const format::Instruction &at) const {
    return at.line == 0 ? 0 : files_.number(*p.unit, at.file) + 1;
  }

  void add_functions() {
    Insert insert(db_, "functions", 12);
    report::CallGraph graph = report::find_calls(program_);
    for (uint64_t n = 0; n < program_.procedures.size(); ++n) {
      const CountedProcedure &p = program_.procedures[n];
      const format::Instruction *first = nullptr;
      for (const format::Instruction &i : p.map->instructions) {
        if (first == nullptr && i.line != 0) first = &i;
      }
      auto add = [&](auto file, auto line, auto calls, auto executed, auto inclusive) {
        insert.row(n + 1, uint64_t{p.module + 1}, p.map->name, base::demangle(p.map->name), p.unit->unit, file, line, calls, executed,
                   inclusive, uint64_t{p.executed.size()}, p.exact());
      };
      auto with_place = [&](auto... counts) {
        first != nullptr ? add(file_id(p, *first), first->line, counts...) : add(kNull, kNull, counts...);
      };
      if (!p.exact()) {
        with_place(kNull, kNull, kNull);
      } else if (graph.inclusive[n]) {
        with_place(p.calls, p.instructions, *graph.inclusive[n]);
      } else {
        with_place(p.calls, p.instructions, kNull);
      }
    }
  }

  void add_blocks_and_edges() {
    Insert blocks(db_, "blocks", 8), edges(db_, "edges", 6);
    for (uint64_t n = 0; n < program_.procedures.size(); ++n) {
      const CountedProcedure &p = program_.procedures[n];
      for (uint64_t b = 0; b < p.map->blocks.size(); ++b) {
        const format::Block &block = p.map->blocks[b];
        if (!report::is_listed(block)) continue;
        const format::Instruction &first = p.map->instructions[block.first];
        auto add = [&](auto count, auto file, auto line) {
          blocks.row(n + 1, b, p.map->fragments[first.fragment].name, first.offset, block.count, count, file, line);
        };
        auto with_count = [&](auto... place) { p.exact() ? add(p.counts.vertex[b], place...) : add(kNull, place...); };
        first.line != 0 ? with_count(file_id(p, first), first.line) : with_count(kNull, kNull);
      }
      for (uint64_t e = 0; e < p.map->edges.size(); ++e) {
        const format::Edge &edge = p.map->edges[e];
        std::string_view kind = report::edge_kind_name(edge.kind);
        if (p.exact() && p.counts.edge_known[e]) {
          edges.row(n + 1, e, edge.from, edge.to, kind, p.counts.edge[e]);
        } else {
          edges.row(n + 1, e, edge.from, edge.to, kind, kNull);
        }
      }
    }
  }

  void add_lines() {
    Insert insert(db_, "lines", 5);
    for (const analysis::LineCount &l : analysis::count_lines(program_).lines) {
      uint64_t file = l.file + 1;
      if (!l.exact) {
        insert.row(file, l.line, kNull, kNull, l.instructions);
      } else if (!l.count_known) {
        insert.row(file, l.line, kNull, l.executed, l.instructions);
      } else {
        insert.row(file, l.line, l.count, l.executed, l.instructions);
      }
    }
  }

  void add_calls() {
    Insert insert(db_, "calls", 9);
    report::CallGraph graph = report::find_calls(program_);
    for (const report::CallSite &site : graph.sites) {
      const CountedProcedure &p = program_.procedures[site.caller];
      const format::Instruction &at = p.map->instructions[site.instruction];
      auto add = [&](auto callee, auto name, auto inclusive) {
        uint64_t file = file_id(p, at);
        if (file != 0) {
          insert.row(uint64_t{site.caller} + 1, at.offset, callee, name, file, at.line, site.calls, inclusive, site.tail);
        } else {
          insert.row(uint64_t{site.caller} + 1, at.offset, callee, name, kNull, kNull, site.calls, inclusive, site.tail);
        }
      };
      auto with_cost = [&](auto callee, auto name) { site.inclusive ? add(callee, name, *site.inclusive) : add(callee, name, kNull); };
      if (site.callee != core::kNone) {
        with_cost(uint64_t{site.callee} + 1, site.name);
      } else if (!site.name.empty()) {
        with_cost(kNull, site.name);
      } else {
        with_cost(kNull, kNull);
      }
    }
  }

  void add_paths() {
    Insert insert(db_, "paths", 6);
    for (uint64_t n = 0; n < program_.procedures.size(); ++n) {
      const CountedProcedure &p = program_.procedures[n];
      for (const analysis::CountedPath &path : p.paths) {
        if (path.count <= 0) continue;
        std::string blocks;
        for (uint32_t b : analysis::blocks_of(*p.map, path)) {
          if (report::is_listed(p.map->blocks[b])) blocks += (blocks.empty() ? "" : " ") + std::to_string(b);
        }
        auto count = static_cast<uint64_t>(path.count);
        uint64_t length = analysis::length_of(*p.map, path);
        if (path.partial) {
          insert.row(n + 1, kNull, true, count, length, blocks);
        } else {
          insert.row(n + 1, path.number, false, count, length, blocks);
        }
      }
    }
  }

  // Each thread's by itself.
  void add_contexts() {
    Insert insert(db_, "contexts", 11);
    for (uint64_t n = 0; n < program_.contexts.size(); ++n) {
      const analysis::CountedContext &c = program_.contexts[n];
      std::optional<uint64_t> parent, file, line, thread;
      if (c.parent != core::kNone) parent = c.parent + 1;
      if (c.thread != 0) thread = c.thread;
      if (uint32_t at = report::call_line(program_, c); at != 0) {
        const CountedProcedure &caller = program_.procedures[program_.contexts[c.parent].procedure];
        file = files_.number(*caller.unit, caller.map->instructions[c.site].file) + 1;
        line = at;
      }
      insert.row(n + 1, parent, uint64_t{c.procedure} + 1, analysis::context_id(c.key), std::string_view(report::kind_name(c.kind)), thread, file, line,
                 c.calls, c.exclusive, c.inclusive);
    }
  }

  void add_metrics() {
    Insert insert(db_, "metrics", 3);
    for (uint64_t m = 0; m < program_.metrics.size(); ++m) {
      const format::MetricKind *kind = format::find_metric_kind(program_.metrics[m]);
      insert.row(m + 1, program_.metrics[m], kind != nullptr ? kind->unit : std::string_view("events"));
      add_metric(m);
    }
  }

  // A row for what it was measured for; of instructions and paths for what took any of it.
  void add_metric(uint64_t m) {
    Insert functions(db_, "function_metrics", 4), instructions(db_, "instruction_metrics", 8), paths(db_, "path_metrics", 4);
    for (uint64_t n = 0; n < program_.procedures.size(); ++n) {
      const CountedProcedure &p = program_.procedures[n];
      std::optional<uint64_t> own = analysis::value_of(p.metrics.own, m), inclusive = analysis::value_of(p.metrics.total, m);
      if (own || inclusive) functions.row(m + 1, n + 1, own, inclusive);
      for (uint64_t i = 0; m < p.metrics.instructions.size() && i < p.metrics.instructions[m].size(); ++i) {
        const format::Instruction &at = p.map->instructions[i];
        std::optional<uint64_t> file, line;
        if (at.line != 0) file = file_id(p, at), line = at.line;
        const uint64_t value = p.metrics.instructions[m][i];
        if (value != 0) instructions.row(m + 1, n + 1, i, p.map->fragments[at.fragment].name, at.offset, file, line, value);
      }
      for (const analysis::CountedPath &path : p.paths) {
        std::optional<uint64_t> value = analysis::value_of(path.metrics, m);
        if (!path.partial && value.value_or(0) != 0) paths.row(m + 1, n + 1, path.number, *value);
      }
    }
    Insert contexts(db_, "context_metrics", 4);
    for (uint64_t n = 0; n < program_.contexts.size(); ++n) {
      const analysis::CountedContext &c = program_.contexts[n];
      std::optional<uint64_t> own = analysis::value_of(c.metrics, m), inclusive = analysis::value_of(c.metrics_inclusive, m);
      if (own || inclusive) contexts.row(m + 1, n + 1, own, inclusive);
    }
  }

  void add_runs() {
    Insert runs(db_, "runs", 9), counts(db_, "counts", 4);
    uint64_t number = 0;
    each_interval(input_, [&](const Interval &interval) {
      const format::Segment &s = interval.segment;
      runs.row(++number, uint64_t{1}, s.label, s.runs, s.threads, s.pid, s.start_ns, s.end_ns, interval.program.instructions);
      for (const CountedProcedure &p : interval.program.procedures) {
        if (p.instructions == 0 && p.calls == 0 && p.exact()) continue;
        uint64_t function = numbers_.at({interval.program.modules[p.module].path, p.map->key});
        if (p.exact()) {
          counts.row(number, function, p.calls, p.instructions);
        } else {
          counts.row(number, function, kNull, kNull);
        }
      }
    });
  }

  const Input &input_;
  const analysis::Program &program_;
  analysis::FileTable files_;
  std::map<std::pair<std::string, uint64_t>, uint64_t> numbers_;  // of functions, by module and key
  Database db_;
};

}  // namespace

Exported write_sqlite(const Input &input) { return {SqliteWriter(input).run(), {}}; }

}  // namespace chord::exports
