#include "analysis/from_trace/counts.h"

#include <fmt/core.h>

#include <filesystem>
#include <set>
#include <unordered_map>
#include <utility>

#include "analysis/trace/replay.h"

namespace chord::analysis {
namespace {

// What ran of one module.
struct Tally {
  std::vector<uint64_t> edges;     // by TracedProcedure::first_edge
  std::vector<uint64_t> executed;  // by first_instruction

  explicit Tally(const TracedCode &code) : edges(code.edge_count()), executed(code.instruction_count() + 1) {}
};

// While replay runs, `executed` has where stretches begin, less where they end.
std::string add(const TracedCode &code, const format::TraceStream &stream, const CountedCall *only, Tally &tally) {
  TraceCursor cursor = only != nullptr && only->index != nullptr ? only->index->seek(only->began) : TraceCursor(code, stream);
  cursor.count_edges(tally.edges, only != nullptr ? only->began : TraceCursor::kAnyCall);
  for (TraceStretch s; (only == nullptr || cursor.number() < only->ended) && cursor.next(s);) {
    if (only != nullptr && (s.began != only->began || s.procedure != only->procedure)) continue;
    size_t at = code.procedure(s.procedure).first_instruction + s.first;
    ++tally.executed[at];
    --tally.executed[at + s.count];
  }
  return cursor.problem();
}

// The runtime's last word says where the thread stood, that it ended, or why recording did.
bool breaks_off(const format::TraceStream &stream) {
  if (stream.chunks.empty() || stream.chunks.back().empty()) return true;
  uint64_t last = stream.chunks.back().back();
  if (is_full_word(last) || is_partial_word(last)) return true;
  uint32_t kind = kind_of_word(last);
  return kind != CHORD_TRACE_STANDS && kind != CHORD_TRACE_THREAD_END && kind != CHORD_TRACE_STOPPED && kind != CHORD_TRACE_PAUSED;
}

struct Counted {
  std::vector<uint64_t> edges, executed;
};

std::unordered_map<uint64_t, Counted> by_key(const TracedCode &code, Tally &tally) {
  for (size_t i = 1; i < tally.executed.size(); ++i) tally.executed[i] += tally.executed[i - 1];
  std::unordered_map<uint64_t, Counted> out;
  for (uint32_t n = 0; n < code.size(); ++n) {
    const TracedProcedure &p = code.procedure(n);
    auto edges = tally.edges.begin() + static_cast<ptrdiff_t>(p.first_edge);
    auto executed = tally.executed.begin() + static_cast<ptrdiff_t>(p.first_instruction);
    out[p.map->key] = {{edges, edges + static_cast<ptrdiff_t>(p.map->edges.size())}, {executed, executed + static_cast<ptrdiff_t>(p.map->instructions.size())}};
  }
  return out;
}

// A vertex is entered by its edges. The return edge closes the circle: every activation, and what came from outside, has left or
// will have left.
void fill(CountedProcedure &procedure, Counted counted) {
  const format::Procedure &map = *procedure.map;
  procedure.problem.clear();
  procedure.ran_in_profile = true;
  procedure.counts.vertex.assign(map.blocks.size(), 0);
  procedure.counts.edge_known.assign(map.edges.size(), true);
  procedure.calls = procedure.instructions = 0;
  uint64_t &back = counted.edges[core::Graph::return_edge()];
  back = 0;
  for (uint32_t e = 1; e < map.edges.size(); ++e) {
    procedure.counts.vertex[map.edges[e].to] += counted.edges[e];
    if (map.edges[e].from == 0) back += counted.edges[e];
    if (map.edges[e].kind == format::EdgeKind::enter) procedure.calls += counted.edges[e];
  }
  procedure.counts.vertex[0] = procedure.counts.vertex[1] = back;
  procedure.counts.edge = std::move(counted.edges);
  procedure.executed = std::move(counted.executed);
  for (uint64_t count : procedure.executed) procedure.instructions += count;
}

}  // namespace

Program count_trace(const format::Trace &trace, TracedModules modules, const CountedCall *only) {
  std::map<std::string, Tally> tallies;
  std::set<std::pair<uint64_t, uint32_t>> processes;
  std::set<std::tuple<uint64_t, uint32_t, uint32_t>> threads;
  std::vector<std::string> warnings;
  for (const format::TraceStream &stream : trace.streams) {
    const TracedCode &code = *modules.at(stream.module);
    if (only != nullptr && only->stream != &stream) continue;
    std::string problem = add(code, stream, only, tallies.try_emplace(stream.module, code).first->second);
    if (!problem.empty()) warnings.push_back(fmt::format("{}: {}; what came after it is not counted", trace.path, problem));
    if (stream.stopped != 0) warnings.push_back(fmt::format("{}: thread {}: recording ended before it did; what came after it is not counted", trace.path, stream.thread));
    if (breaks_off(stream))
      warnings.push_back(fmt::format("{}: thread {}: its trace breaks off, as the process was killed or still runs; its last steps are not counted", trace.path, stream.thread));
    processes.insert({stream.start_ns, stream.process});
    threads.insert({stream.start_ns, stream.process, stream.thread});
  }
  std::vector<Object> objects;
  std::map<std::string, std::unordered_map<uint64_t, Counted>> counts;
  for (auto &[path, code] : modules) {
    if (auto tally = tallies.find(path); tally != tallies.end()) counts[path] = by_key(*code, tally->second);
    objects.push_back(code->release());
    objects.back().path = path;
  }
  Program program = count_program(std::move(objects), {});
  program.warnings = warnings;  // none of those that say that nothing was counted
  program.exact = warnings.empty();
  program.runs = processes.size();
  program.threads = threads.size();
  program.path = trace.streams.empty() ? "" : trace.streams[0].module;
  program.name = std::filesystem::path(program.path).filename();
  program.instructions = 0;
  for (CountedProcedure &procedure : program.procedures) {
    auto &module = counts[program.modules[procedure.module].path];
    if (auto found = module.find(procedure.map->key); found != module.end())
      fill(procedure, std::move(found->second));
    else if (core::counts_anything(procedure.map->plan.placement))
      procedure.problem = "it was not built with --trace";
    program.instructions += procedure.instructions;
    program.exact = program.exact && procedure.exact();
  }
  program.parts = {{program.name, program.path, program.runs, program.threads, program.instructions, program.exact}};
  return program;
}

}  // namespace chord::analysis
