#include "report/paths/paths.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <fstream>
#include <map>

#include "analysis/source/lines.h"
#include "base/cxx_names.h"
#include "base/diagnostics.h"
#include "format/inputs/path_selection.h"
#include "report/tables/listings.h"
#include "report/tables/metrics.h"

namespace chord::report {
namespace {

using analysis::CountedPath;
using analysis::CountedProcedure;
using analysis::Program;
using format::VertexKind;

std::string_view start_of(const CountedProcedure &p, const CountedPath &path) {
  if (p.map->blocks[path.path.first].kind == VertexKind::landing) return "landing";
  return path.path.from_entry ? "entry" : "loop";
}

std::string_view end_of(const CountedPath &path) {
  if (path.partial) return path.running ? "running" : "partial";
  return path.path.to_exit ? "exit" : "loop";
}

std::string name_block(const CountedProcedure &p, uint32_t b) {
  if (b <= 1) return b == 0 ? "entry" : "exit";
  return format::block_name(*p.map, b);
}

// Offsets of the path's blocks; those of cold fragments with the fragment's name.
std::string list_blocks(const CountedProcedure &p, const CountedPath &path) {
  std::string out;
  for (uint32_t b : analysis::blocks_of(*p.map, path)) {
    if (p.map->blocks[b].kind != VertexKind::code) continue;
    if (!out.empty()) out += '\n';
    out += name_block(p, b);
  }
  return out;
}

// Source lines in the order they are run through, each visit once: file:line.
std::string list_lines(const CountedProcedure &p, const CountedPath &path) {
  std::string out, last;
  for (uint32_t b : analysis::blocks_of(*p.map, path)) {
    const format::Block &block = p.map->blocks[b];
    uint32_t end = block.first + block.count;
    if (path.partial && b == path.last_block) end = path.instruction + (path.executed ? 1 : 0);
    for (uint32_t i = block.first; i < end; ++i) {
      const format::Instruction &in = p.map->instructions[i];
      if (in.line == 0) continue;
      std::string place = fmt::format("{}:{}", p.unit->files[in.file], in.line);
      if (place == last) continue;
      if (!out.empty()) out += '\n';
      out += place;
      last = place;
    }
  }
  return out;
}

uint64_t executed_on(const CountedProcedure &p, const CountedPath &path) {
  return path.count <= 0 ? 0 : static_cast<uint64_t>(path.count) * analysis::length_of(*p.map, path);
}

// All paths from block `from` that go on from vertex `at`.
void add_paths(Table &t, const CountedProcedure &p, const core::Graph &graph, core::Vertex from, core::Vertex at, bool cut) {
  const std::vector<core::EdgeId> &cuts = p.map->plan.paths.cuts;
  for (core::EdgeId e : graph.out(at)) {
    const format::Edge &edge = p.map->edges[e];
    bool outside = edge.from == 0 && edge.kind != format::EdgeKind::enter;
    if (e == 0 || outside || edge.kind == format::EdgeKind::never) continue;
    bool here = cut || std::binary_search(cuts.begin(), cuts.end(), e);
    if (edge.to != 1 && p.map->blocks[edge.to].kind != VertexKind::code) {
      add_paths(t, p, graph, from, edge.to, here);
    } else {
      t.add({text(p.map->name), text(t.keep(name_block(p, from))), text(t.keep(name_block(p, edge.to))), flag(here)});
    }
  }
}

// What numbers of paths in selections come with.
std::string shape_text(const CountedProcedure &p) {
  return fmt::format("{:016x}", format::path_shape(*p.map, analysis::numbering_of(*p.map)));
}

// A path as the code it runs through.
class PathWriter {
 public:
  PathWriter(const Program &program, const CountedProcedure &p, const TextStyle &style)
      : files_(program), p_(p), style_(style) {}

  std::string write(const CountedPath &path) {
    out_ = bold(fmt::format("{} path {}", base::demangle(p_.map->name), path.number), style_);
    std::string times = is_counted(path) ? counted(static_cast<uint64_t>(path.count), "time") : "not counted";
    out_ += fmt::format(": {}, {} each, {} → {}\n", times, counted(analysis::length_of(*p_.map, path), "instruction"), start_of(p_, path),
                        end_of(path));
    std::vector<uint32_t> blocks = analysis::blocks_of(*p_.map, path);
    for (size_t i = 0; i < blocks.size(); ++i) {
      write_lines(p_.map->blocks[blocks[i]]);
      if (i < path.path.edges.size()) write_branch(p_.map->edges[path.path.edges[i]], i + 1 == blocks.size());
    }
    return std::move(out_);
  }

 private:
  bool is_counted(const CountedPath &path) const {
    if (p_.map->plan.placement == core::Placement::paths) return true;
    return std::any_of(p_.paths.begin(), p_.paths.end(), [&](const CountedPath &one) { return one.number == path.number; });
  }

  void write_lines(const format::Block &block) {
    for (uint32_t i = block.first; i < block.first + block.count; ++i) {
      const format::Instruction &in = p_.map->instructions[i];
      if (in.line == 0) continue;
      uint32_t file = files_.number(*p_.unit, in.file);
      if (file == file_ && in.line == line_) continue;
      if (file != file_) out_ += dim(fmt::format("{}\n", p_.unit->files[in.file]), style_);
      file_ = file;
      line_ = in.line;
      const std::vector<std::string> &source = source_of(file);
      out_ += fmt::format("{:>7}  {}\n", in.line, in.line <= source.size() ? source[in.line - 1] : "");
    }
  }

  // Only what decides something: where a block has several successors.
  void write_branch(const format::Edge &edge, bool last) {
    size_t successors = 0;
    for (const format::Edge &e : p_.map->edges) successors += e.from == edge.from && e.kind != format::EdgeKind::never;
    if (last && edge.to != 1) {
      out_ += dim(fmt::format("         ↑ on to {}\n", place_of(edge.to)), style_);
    } else if (successors > 1 && p_.map->blocks[edge.from].kind == VertexKind::code) {
      bool taken = edge.kind == format::EdgeKind::taken;
      out_ += dim(fmt::format("         {} {}\n", taken ? "branch taken to" : "not taken, on to", place_of(edge.to)), style_);
    } else if (p_.map->blocks[edge.from].kind == VertexKind::dispatch) {
      out_ += dim(fmt::format("         case at {}\n", place_of(edge.to)), style_);
    }
  }

  std::string place_of(uint32_t vertex) const {
    const format::Block &block = p_.map->blocks[vertex];
    for (uint32_t i = block.first; i < block.first + block.count; ++i) {
      if (p_.map->instructions[i].line != 0) return fmt::format("line {}", p_.map->instructions[i].line);
    }
    return vertex == 1 ? "the end" : fmt::format("block {}", vertex);
  }

  const std::vector<std::string> &source_of(uint32_t file) {
    auto [it, fresh] = sources_.try_emplace(file);
    if (!fresh) return it->second;
    std::ifstream in(files_.files()[file].path);
    for (std::string line; std::getline(in, line);) it->second.push_back(line);
    return it->second;
  }

  analysis::FileTable files_;
  const CountedProcedure &p_;
  const TextStyle &style_;
  std::map<uint32_t, std::vector<std::string>> sources_;
  uint32_t file_ = UINT32_MAX, line_ = 0;
  std::string out_;
};

const CountedProcedure &find_function(const Program &program, const std::string &name) {
  for (const CountedProcedure &p : program.procedures) {
    std::string shown = base::demangle(p.map->name);
    if (p.map->name == name || shown == name || shown.substr(0, shown.find('(')) == name) return p;
  }
  throw base::Error(fmt::format("{}: no function of {}", name, program.name), "chord paths --by=function lists them");
}

}  // namespace

std::string path_lines(const CountedProcedure &p, const CountedPath &path) { return list_lines(p, path); }

Table list_paths(const Program &program) {
  Table t;
  t.by = "path";
  t.columns = {{"function", "", true},  {"demangled", "function", true, Holds::names}, {"path", "path"},  {"count", "count"},
               {"instructions", "each"}, {"executed", "instructions"},    {"share", "share"}, {"start", "start", true, Holds::details},
               {"end", "end", true, Holds::details},     {"blocks", "", true},            {"lines", "lines", true}};
  t.text_order = {6, 5, 3, 4, 2, 1, 7, 8, 10};
  t.weight = 5;
  MetricsColumn metrics(t, program.metrics), errors(t, program.metrics, "metrics_error", "");
  for (const CountedProcedure &p : program.procedures) {
    for (const CountedPath &path : p.paths) {
      bool chosen = p.map->plan.placement == core::Placement::chosen_paths;  // it is good to know that it did not run
      if (path.count <= 0 && !chosen) continue;  // ran on from an earlier segment: not this one's
      uint64_t executed = executed_on(p, path);
      std::vector<Cell> row = {
             text(p.map->name), text(t.keep(base::demangle(p.map->name))), path.partial ? Cell{} : ordinal(path.number),
             number(static_cast<uint64_t>(path.count)), number(analysis::length_of(*p.map, path)), number(executed),
             chosen ? Cell{} : share(executed, program.instructions), text(start_of(p, path)), text(end_of(path)),
             list(t.keep(list_blocks(p, path))), list(t.keep(list_lines(p, path)))};
      metrics.put(row, path.metrics);
      errors.put(row, path.metrics_error);
      t.add(row);
    }
  }
  t.sort_by_weight();
  return t;
}

namespace {

// Tables of paths in the records of calling contexts, in bytes, by procedure.
std::vector<uint64_t> tables_in_records(const Program &program) {
  std::vector<uint64_t> bytes(program.procedures.size());
  for (const analysis::CountedContext &c : program.contexts) {
    const core::Plan &plan = program.procedures[c.procedure].map->plan;
    if (plan.paths.in_records) bytes[c.procedure] += 8 * plan.words();
  }
  return bytes;
}

}  // namespace

analysis::CounterMemory path_memory(const Program &program) {
  analysis::CounterMemory sum;
  for (const CountedProcedure &p : program.procedures) {
    if (!analysis::counts_paths(*p.map) || p.map->plan.paths.in_records) continue;
    sum.thread += p.memory.thread;
    sum.shared += p.memory.shared;
  }
  return sum;
}

uint64_t path_memory_in_records(const Program &program) {
  std::vector<uint64_t> bytes = tables_in_records(program);
  return std::accumulate(bytes.begin(), bytes.end(), uint64_t{0});
}

Table list_path_functions(const Program &program) {
  Table t;
  t.by = "function";
  t.columns = {{"function", "", true}, {"demangled", "function", true, Holds::names}, {"possible", "possible"},
               {"executed", "executed"}, {"needed90", "for 90%"},       {"needed99", "for 99%"},
               {"instructions", "instructions"}, {"why", "counted by edges because", true}, {"shape", "", true},
               {"bytes_per_thread", "bytes/thread"}, {"bytes_shared", "shared"}, {"bytes_in_records", program.contexts.empty() ? "" : "in contexts"}};
  t.text_order = {6, 2, 3, 4, 5, 9, 10, 1, 7};
  if (!program.contexts.empty()) t.text_order.insert(t.text_order.begin() + 7, 11);
  t.weight = 6;
  analysis::CounterMemory memory = path_memory(program);
  t.summary = fmt::format("{}: counters of paths take {} bytes in each thread and {} shared by all", program.name,
                          group_digits(memory.thread), group_digits(memory.shared));
  const std::vector<uint64_t> in_records = tables_in_records(program);
  if (!program.contexts.empty())
    t.summary += fmt::format(", and {} in the records of calling contexts", group_digits(path_memory_in_records(program)));
  for (size_t n = 0; n < program.procedures.size(); ++n) {
    const CountedProcedure &p = program.procedures[n];
    const bool in_record = p.map->plan.paths.in_records;
    bool counted = analysis::counts_paths(*p.map);
    std::vector<uint64_t> executed;
    uint64_t whole = 0;
    for (const CountedPath &path : p.paths) {
      if (path.partial || path.count <= 0) continue;
      executed.push_back(executed_on(p, path));
      whole += executed.back();
    }
    std::sort(executed.rbegin(), executed.rend());
    auto needed = [&](double part) {
      uint64_t sum = 0, paths = 0;
      while (paths < executed.size() && static_cast<double>(sum) < part * static_cast<double>(whole)) sum += executed[paths++];
      return paths;
    };
    t.add({text(p.map->name), text(t.keep(base::demangle(p.map->name))), number_if(counted, counted ? analysis::possible_paths(*p.map) : 0),
           number_if(counted, executed.size()), number_if(counted, needed(0.9)), number_if(counted, needed(0.99)),
           number_if(p.exact(), p.instructions), text(p.map->no_paths), counted ? text(t.keep(shape_text(p))) : Cell{},
           number_if(counted, in_record ? 0 : p.memory.thread), number_if(counted, in_record ? 0 : p.memory.shared), number_if(counted, in_records[n])});
  }
  t.sort_by_weight();
  return t;
}

Table list_path_edges(const Program &program) {
  Table t;
  t.by = "edge";
  t.columns = {{"function", "function", true}, {"from", "from", true}, {"to", "to", true}, {"cut", "cut"}};
  t.text_order = {0, 1, 2, 3};
  for (const CountedProcedure &p : program.procedures) {
    if (!analysis::counts_paths(*p.map)) continue;
    core::Graph graph = p.map->graph();
    for (core::Vertex b = 0; b < p.map->blocks.size(); ++b) {
      if (p.map->blocks[b].kind == VertexKind::code || b == 0) add_paths(t, p, graph, b, b, false);
    }
  }
  return t;
}

std::string show_path(const Program &program, const std::string &function, uint64_t number, const TextStyle &style) {
  const CountedProcedure &p = find_function(program, function);
  if (!analysis::counts_paths(*p.map)) {
    throw base::Error(fmt::format("{}: its paths are not counted: {}", function,
                                  p.map->no_paths.empty() ? "it was built without --paths" : p.map->no_paths));
  }
  if (number >= p.map->plan.paths.paths) {
    throw base::Error(fmt::format("{}: has no path {}", function, number),
                      fmt::format("its paths are 0 to {}", p.map->plan.paths.paths - 1));
  }
  return PathWriter(program, p, style).write(analysis::path_numbered(*p.map, p.paths, number));
}

}  // namespace chord::report
