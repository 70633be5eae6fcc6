#include "exports/coverage/coverage.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "analysis/source/lines.h"
#include "base/diagnostics.h"
#include "report/source/inlined_lines.h"

namespace chord::exports {
namespace {

using analysis::CountedProcedure;
using core::kNone;

class Collector {
 public:
  explicit Collector(const analysis::Program &program) : program_(program), numbers_(program) {
    files_.resize(numbers_.files().size());
    for (size_t f = 0; f < files_.size(); ++f) files_[f].path = numbers_.files()[f].path;
  }

  Coverage run() {
    for (const CountedProcedure &p : program_.procedures) {
      if (!p.exact()) {
        ++contradictory_;
        continue;
      }
      if (p.counts_chosen_paths()) continue;  // load_program has said so
      add_function(p);
      add_branches(p);
    }
    add_lines();
    for (CoveredFile &file : files_) sort(file);
    std::erase_if(files_, [](const CoveredFile &file) { return file.lines.empty(); });
    if (files_.empty()) throw base::Error("no function has a source line", "build with -g");
    std::sort(files_.begin(), files_.end(), [](const auto &a, const auto &b) { return a.path < b.path; });
    return {std::move(files_), warnings()};
  }

 private:
  CoveredFile &file_of(const CountedProcedure &p, const format::Instruction &i) {
    return files_[numbers_.number(*p.unit, i.file)];
  }

  void add_function(const CountedProcedure &p) {
    const std::vector<format::Instruction> &all = p.map->instructions;
    auto first = std::find_if(all.begin(), all.end(), [](const format::Instruction &i) { return i.line != 0; });
    if (first == all.end()) {
      ++without_lines_;
      return;
    }
    CoveredFile &file = file_of(p, *first);
    // Copies of a static function in a header are one function to a reader of the header.
    auto [found, fresh] = functions_.try_emplace({&file - files_.data(), p.map->name}, file.functions.size());
    if (fresh) file.functions.push_back({p.map->name, first->line, first->line, 0, 0, 0});
    CoveredFunction &function = file.functions[found->second];
    function.calls = program_.only_ran ? std::max(function.calls, p.calls) : function.calls + p.calls;
    for (const format::Instruction &i : all) {
      if (i.line != 0 && &file_of(p, i) == &file) function.last_line = std::max(function.last_line, i.line);
    }
    for (size_t b = 0; b < p.map->blocks.size(); ++b) {
      if (p.map->blocks[b].kind != format::VertexKind::code) continue;
      ++function.blocks;
      function.blocks_executed += p.counts.vertex[b] != 0 ? 1 : 0;
    }
  }

  void add_branches(const CountedProcedure &p) {
    core::Graph graph = p.map->graph();
    for (core::Vertex b = 0; b < p.map->blocks.size(); ++b) {
      const format::Block &block = p.map->blocks[b];
      if (block.count == 0) continue;
      const format::Instruction &last = p.map->instructions[block.first + block.count - 1];
      if ((last.traits & isa::kConditional) != 0) add_jump(p, last, graph.out(b));
      if ((last.traits & isa::kIndirect) != 0) add_dispatch(p, last, graph, b);
    }
  }

  // Which of several jumps went where is not known if they share a dispatch vertex.
  void add_dispatch(const CountedProcedure &p, const format::Instruction &jump, const core::Graph &graph, core::Vertex block) {
    for (core::EdgeId e : graph.out(block)) {
      core::Vertex to = graph.edge(e).to;
      if (p.map->blocks[to].kind != format::VertexKind::dispatch) continue;
      if (graph.in(to).size() == 1) {
        add_jump(p, jump, graph.out(to));
      } else {
        ++shared_;
      }
    }
  }

  void add_jump(const CountedProcedure &p, const format::Instruction &jump, const std::vector<core::EdgeId> &outcomes) {
    if (jump.line == 0) {
      ++lineless_;
      return;
    }
    bool known = true;
    uint64_t executed = 0;
    for (core::EdgeId e : outcomes) {
      known = known && p.counts.edge_known[e];
      executed += p.counts.edge[e];
    }
    if (!known) {
      ++open_;
      return;
    }
    CoveredFile &file = file_of(p, jump);
    uint32_t number = jumps_[{&file - files_.data(), jump.line}]++;
    uint32_t outcome = 0;
    for (core::EdgeId e : outcomes) {
      format::EdgeKind kind = p.map->edges[e].kind;
      if (kind == format::EdgeKind::never) continue;
      file.branches.push_back({jump.line, number, outcome++, kind == format::EdgeKind::fall, executed != 0, p.counts.edge[e]});
    }
  }

  // Where arrivals are not known, the most often executed instruction stands for the line:
  // it ran at least that often.
  std::map<uint64_t, uint64_t> greatest_counts() {
    std::map<uint64_t, uint64_t> greatest;
    for (const CountedProcedure &p : program_.procedures) {
      if (!p.exact() || p.counts_chosen_paths()) continue;
      for (size_t i = 0; i < p.executed.size(); ++i) {
        const format::Instruction &at = p.map->instructions[i];
        if (at.line == 0) continue;
        uint64_t &most = greatest[static_cast<uint64_t>(numbers_.number(*p.unit, at.file)) << 32 | at.line];
        most = std::max(most, p.executed[i]);
      }
    }
    return greatest;
  }

  void add_lines() {
    analysis::LineTable table = report::count_lines_with_inlined(program_);
    std::map<uint64_t, uint64_t> greatest;
    for (const analysis::LineCount &l : table.lines) {
      if (!l.exact) {
        ++inexact_lines_;
        continue;
      }
      uint64_t hits = program_.only_ran ? l.executed != 0 || l.ran_inlined : l.count;
      if (program_.only_ran) {
        // A line that ran did, whatever is known of how it was come to.
      } else if (!l.count_known || (hits == 0 && l.executed != 0)) {
        if (greatest.empty()) greatest = greatest_counts();
        hits = greatest[static_cast<uint64_t>(l.file) << 32 | l.line];
        estimated_ += l.count_known ? 0 : 1;
      }
      files_[l.file].lines.push_back({l.line, hits, l.executed});
    }
  }

  static void sort(CoveredFile &file) {
    std::sort(file.functions.begin(), file.functions.end(), [](const CoveredFunction &a, const CoveredFunction &b) {
      return a.line != b.line ? a.line < b.line : a.name < b.name;
    });
    std::stable_sort(file.branches.begin(), file.branches.end(), [](const CoveredBranch &a, const CoveredBranch &b) {
      return a.line != b.line ? a.line < b.line : a.jump < b.jump;
    });
  }

  std::vector<std::string> warnings() const {
    std::vector<std::string> out;
    auto say = [&](uint64_t n, const char *what) {
      if (n != 0) out.push_back(fmt::format("{} {}", n, what));
    };
    if (program_.only_ran) out.push_back("built with --coverage: 1 says that something ran, not how often");
    say(without_lines_, "functions have no source lines and are left out; build with -g");
    say(contradictory_, "functions whose counts contradict each other are left out");
    say(inexact_lines_, "lines of such functions are left out");
    say(open_, "branches are left out: the build's --place leaves their counts open");
    say(estimated_, "lines have the count of their most executed instruction: the build's --place leaves arrivals open");
    say(lineless_, "jumps have no source line; their branches are left out");
    say(shared_, "indirect jumps share their targets with others, so which of them went where is not known; they are left out of the branches");
    return out;
  }

  const analysis::Program &program_;
  analysis::FileTable numbers_;
  std::vector<CoveredFile> files_;
  std::map<std::pair<std::ptrdiff_t, std::string>, size_t> functions_;
  std::map<std::pair<std::ptrdiff_t, uint32_t>, uint32_t> jumps_;  // on each line so far
  uint64_t without_lines_ = 0, contradictory_ = 0, inexact_lines_ = 0, open_ = 0, estimated_ = 0, shared_ = 0,
           lineless_ = 0;
};

}  // namespace

Share lines_of(const CoveredFile &file) {
  Share share;
  for (const CoveredLine &line : file.lines) share.add(line.hits != 0);
  return share;
}

Share functions_of(const CoveredFile &file) {
  Share share;
  for (const CoveredFunction &function : file.functions) share.add(function.calls != 0);
  return share;
}

Share branches_of(const CoveredFile &file) {
  Share share;
  for (const CoveredBranch &branch : file.branches) share.add(branch.taken != 0);
  return share;
}

Coverage measure_coverage(const analysis::Program &program) { return Collector(program).run(); }

}  // namespace chord::exports
