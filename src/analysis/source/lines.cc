#include "analysis/source/lines.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "analysis/counting/count_procedure.h"
#include "core/graph/graph.h"

namespace chord::analysis {
namespace {

using core::kNone;

struct Visit {
  uint64_t line = 0;       // file << 32 | line
  uint64_t total = 0;      // times control came here
  uint64_t continued = 0;  // of these, from the same line
  bool open = false;       // how many is not known
};

struct Stretch {
  uint32_t first_visit = 0, end_visit = 0;
  uint32_t last_visit = kNone;  // the visit control leaves from; kNone without lines
};

struct Continuation {
  uint32_t from = 0, to = 0;  // visits of one line
  uint64_t count = 0;
};

// The visits of one procedure. `keys`: by instruction, the line it belongs to; 0: that of what surrounds it.
class Visits {
 public:
  Visits(const CountedProcedure &procedure, const std::vector<uint64_t> &keys) : procedure_(procedure), keys_(keys) {
    const format::Procedure &map = *procedure.map;
    first_.resize(map.blocks.size());
    last_.resize(map.blocks.size());
    for (uint32_t b = 0; b < map.blocks.size(); ++b) cut_block(b);
    adopt_lines();
    for (uint32_t e = 0; e < map.edges.size(); ++e) {
      uint32_t from = last_[map.edges[e].from], to = first_[map.edges[e].to];
      if (procedure.counts.edge_known[e]) {
        continue_lines(from, to, procedure.counts.edge[e]);
      } else {
        leave_open(from, to);
      }
    }
  }

  // Adds to `counts`, by line.
  template <class Add>
  void count(Add add) const {
    arrivals(add);
    for (uint32_t c : back_continuations()) add(visits_[continuations_[c].to].line, continuations_[c].count, true);
  }

  // The same without repetitions of loops that never leave a line.
  template <class Add>
  void arrivals(Add add) const {
    for (const Visit &visit : visits_) {
      // More may have set out from the line than arrived, if activations ended on the way.
      add(visit.line, visit.total > visit.continued ? visit.total - visit.continued : 0, !visit.open);
    }
  }

 private:
  void visit(Stretch &stretch, uint64_t line, uint64_t total) {
    for (uint32_t v = stretch.first_visit; v < visits_.size(); ++v) {
      if (visits_[v].line == line) {
        stretch.last_visit = v;
        return;
      }
    }
    stretch.last_visit = static_cast<uint32_t>(visits_.size());
    visits_.push_back({line, total, 0});
  }

  uint32_t open_stretch() {
    auto v = static_cast<uint32_t>(visits_.size());
    stretches_.push_back({v, v, kNone});
    return static_cast<uint32_t>(stretches_.size() - 1);
  }

  // Instructions without a line belong to what surrounds them.
  void cut_block(uint32_t b) {
    const format::Block &block = procedure_.map->blocks[b];
    uint32_t current = first_[b] = open_stretch();
    for (uint32_t i = block.first; i < block.first + block.count; ++i) {
      const format::Instruction &instruction = procedure_.map->instructions[i];
      if (keys_[i] != 0) visit(stretches_[current], keys_[i], procedure_.executed[i]);
      stretches_[current].end_visit = static_cast<uint32_t>(visits_.size());
      bool more = i + 1 < block.first + block.count;
      if (more && (instruction.traits & isa::kCall) != 0 && stretches_[current].last_visit != kNone) {
        uint32_t before = current;
        current = open_stretch();
        inner_.push_back({before, current, procedure_.executed[i + 1]});
      }
    }
    last_[b] = current;
    for (const Continuation &c : inner_) continue_lines(c.from, c.to, c.count);
    inner_.clear();
  }

  // A block that has no line of its own (the middle of an indirect jump, code the
  // compiler could not attribute) lies in the line of the blocks that lead to it, if
  // that is one line. Chains of such blocks take several rounds.
  void adopt_lines() {
    const format::Procedure &map = *procedure_.map;
    std::vector<std::vector<uint32_t>> before(map.blocks.size());
    for (const format::Edge &edge : map.edges) before[edge.to].push_back(edge.from);
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t b = 0; b < map.blocks.size(); ++b) {
        bool inner = map.blocks[b].kind == format::VertexKind::code ||
                     map.blocks[b].kind == format::VertexKind::dispatch;
        if (inner && stretches_[last_[b]].last_visit == kNone && adopt_line(b, before[b])) changed = true;
      }
    }
  }

  bool adopt_line(uint32_t b, const std::vector<uint32_t> &before) {
    uint64_t line = 0;
    for (uint32_t block : before) {
      uint32_t from = stretches_[last_[block]].last_visit;
      if (from == kNone || (line != 0 && visits_[from].line != line)) return false;
      line = visits_[from].line;
    }
    if (line == 0) return false;
    first_[b] = last_[b] = open_stretch();
    visit(stretches_[first_[b]], line, procedure_.counts.vertex[b]);
    stretches_[first_[b]].end_visit = static_cast<uint32_t>(visits_.size());
    return true;
  }

  void continue_lines(uint32_t from_stretch, uint32_t to_stretch, uint64_t count) {
    uint32_t from = stretches_[from_stretch].last_visit;
    if (from == kNone) return;
    const Stretch &to = stretches_[to_stretch];
    for (uint32_t v = to.first_visit; v < to.end_visit; ++v) {
      if (visits_[v].line != visits_[from].line) continue;
      visits_[v].continued += count;
      continuations_.push_back({from, v, count});
    }
  }

  // The line goes on along an edge that may have been taken any number of times.
  void leave_open(uint32_t from_stretch, uint32_t to_stretch) {
    uint32_t from = stretches_[from_stretch].last_visit;
    if (from == kNone || visits_[from].total == 0) return;
    const Stretch &to = stretches_[to_stretch];
    for (uint32_t v = to.first_visit; v < to.end_visit; ++v) {
      if (visits_[v].line == visits_[from].line && visits_[v].total != 0) visits_[v].open = true;
    }
  }

  // Continuations that close a loop: those to a visit that is still open in a
  // depth-first walk, started where lines are arrived at.
  std::vector<uint32_t> back_continuations() const {
    std::vector<std::vector<uint32_t>> out(visits_.size());
    std::vector<bool> continued(visits_.size(), false);
    for (uint32_t c = 0; c < continuations_.size(); ++c) {
      out[continuations_[c].from].push_back(c);
      if (continuations_[c].from != continuations_[c].to) continued[continuations_[c].to] = true;
    }
    std::vector<uint32_t> found;
    std::vector<uint8_t> state(visits_.size(), 0);  // 0 new, 1 open, 2 done
    for (bool roots : {true, false}) {
      for (uint32_t v = 0; v < visits_.size(); ++v) {
        if (state[v] == 0 && (!roots || !continued[v])) walk(v, out, state, found);
      }
    }
    return found;
  }

  void walk(uint32_t root, const std::vector<std::vector<uint32_t>> &out, std::vector<uint8_t> &state,
            std::vector<uint32_t> &found) const {
    std::vector<std::pair<uint32_t, size_t>> stack = {{root, 0}};
    state[root] = 1;
    while (!stack.empty()) {
      auto &[v, next] = stack.back();
      if (next == out[v].size()) {
        state[v] = 2;
        stack.pop_back();
        continue;
      }
      uint32_t c = out[v][next++];
      uint32_t to = continuations_[c].to;
      if (state[to] == 1) found.push_back(c);
      if (state[to] != 0) continue;
      state[to] = 1;
      stack.emplace_back(to, 0);
    }
  }

  const CountedProcedure &procedure_;
  const std::vector<uint64_t> &keys_;
  std::vector<Visit> visits_;
  std::vector<Stretch> stretches_;
  std::vector<uint32_t> first_, last_;  // stretches of each block
  std::vector<Continuation> continuations_;
  std::vector<Continuation> inner_;  // from stretch to stretch of the block at hand
};

}  // namespace

std::vector<uint64_t> line_keys(const CountedProcedure &procedure, const FileTable &files) {
  const std::vector<format::Instruction> &instructions = procedure.map->instructions;
  std::vector<uint64_t> keys(instructions.size(), 0);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (instructions[i].line != 0) keys[i] = line_key(files.number(*procedure.unit, instructions[i].file), instructions[i].line);
  }
  return keys;
}

std::unordered_map<uint64_t, Arrivals> count_arrivals(const CountedProcedure &procedure, const std::vector<uint64_t> &keys) {
  std::unordered_map<uint64_t, Arrivals> found;
  Visits(procedure, keys).arrivals([&](uint64_t key, uint64_t count, bool known) {
    Arrivals &arrivals = found[key];
    arrivals.count = checked_add(arrivals.count, count, procedure.map->name);
    arrivals.known = arrivals.known && known;
  });
  return found;
}

std::string source_path(const format::UnitMap &unit, const std::string &file) {
  std::filesystem::path path(file);
  if (path.is_relative() && !unit.folder.empty()) path = std::filesystem::path(unit.folder) / path;
  return path.lexically_normal().string();
}

FileTable::FileTable(const Program &program) {
  std::unordered_map<std::string, uint32_t> known;
  for (const Module &module : program.modules) {
    for (const format::UnitMap &unit : module.units) {
      std::vector<uint32_t> &numbers = numbers_[&unit];
      for (size_t i = 0; i < unit.files.size(); ++i) {
        std::string path = source_path(unit, unit.files[i]);
        auto [at, fresh] = known.try_emplace(path, static_cast<uint32_t>(files_.size()));
        if (fresh) files_.push_back({unit.files[i], path, {}});
        numbers.push_back(at->second);
        std::vector<uint64_t> &hashes = files_[at->second].hashes;
        uint64_t hash = i < unit.hashes.size() ? unit.hashes[i] : 0;
        if (hash != 0 && std::find(hashes.begin(), hashes.end(), hash) == hashes.end()) hashes.push_back(hash);
      }
    }
  }
}

LineTable count_lines(const Program &program, const std::set<const CountedProcedure *> &only) {
  FileTable files(program);
  std::unordered_map<uint64_t, LineCount> lines;
  for (const CountedProcedure &procedure : program.procedures) {
    if (!only.empty() && !only.contains(&procedure)) continue;
    std::unordered_map<uint64_t, uint64_t> own;  // executed by this procedure
    const std::vector<uint64_t> keys = line_keys(procedure, files);
    for (size_t i = 0; i < keys.size(); ++i) {
      const uint64_t key = keys[i];
      if (key == 0) continue;
      LineCount &line = lines[key];
      ++line.instructions;
      line.executed = checked_add(line.executed, procedure.executed[i], procedure.map->name);
      line.exact = line.exact && procedure.exact();
      line.certain = line.certain && procedure.certain();
      own[key] += procedure.executed[i];
      for (size_t m = 0; m < procedure.metrics.instructions.size(); ++m) {
        if (!procedure.metrics.instructions[m].empty()) add_to(line.metrics, m, procedure.metrics.instructions[m][i]);
      }
    }
    for (auto [key, executed] : own) {
      LineCount &line = lines[key];
      if (line.procedure != nullptr && executed <= line.procedure_executed) continue;
      line.procedure = &procedure;
      line.procedure_executed = executed;
    }
    Visits(procedure, keys).count([&](uint64_t key, uint64_t count, bool known) {
      LineCount &line = lines[key];
      line.count_known = line.count_known && known;
      line.count = checked_add(line.count, count, procedure.map->name);
    });
  }
  LineTable table;
  table.files = files.files();
  for (auto &[key, line] : lines) {
    line.file = static_cast<uint32_t>(key >> 32);
    line.line = static_cast<uint32_t>(key);
    table.lines.push_back(line);
  }
  std::sort(table.lines.begin(), table.lines.end(), [](const LineCount &a, const LineCount &b) {
    return std::tie(a.file, a.line) < std::tie(b.file, b.line);
  });
  return table;
}

}  // namespace chord::analysis
