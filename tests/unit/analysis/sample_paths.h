// Procedures made by hand whose paths can be counted on fingers, as a program with a
// profile.
//
// `diamonds(name, n)` asks n questions in a row and has 2^n paths:
//
//   question i   2 instructions, line 10 i + 1
//     yes        3 instructions, line 10 i + 2      bit n-1-i of the path's number is 0
//     no         1 instruction,  line 10 i + 3      … is 1
//   end          2 instructions, line 10 n + 1
//
// A path with k times yes so has 2 + 2 n + 3 k + (n - k) instructions. `tree(name, n, common)`
// asks n questions, too, but never comes together again before its end: then, or with
// `common` only then, in one block. Numbers are as above. `counted_loop(name)` is the loop of sample_program.h; its paths are
//
//   0  entry, body, round    7 instructions      2  head, body, round    4
//   1  entry, out            7                   3  head, out            4
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/program/program.h"
#include "unit/analysis/sample_program.h"

namespace chord::analysis {

inline void count_by_path(format::Procedure &p, uint64_t paths, std::vector<core::EdgeId> cuts) {
  p.plan = {};
  p.plan.placement = core::Placement::paths;
  p.plan.paths.paths = paths;
  p.plan.paths.cuts = std::move(cuts);
  p.plan.paths.partial.assign(p.blocks.size(), 0);
}

// A procedure in the making: blocks of instructions, one byte each, and edges.
class ProcedureMaker {
 public:
  explicit ProcedureMaker(const std::string &name) {
    using format::VertexKind;
    p_.name = name;
    p_.global = true;
    p_.blocks = {{VertexKind::entry, 0, 0}, {VertexKind::exit, 0, 0}};
    p_.edges = {{1, 0, format::EdgeKind::return_edge, 0, 0}};
  }

  core::Vertex block(uint32_t instructions, uint32_t line) {
    p_.blocks.push_back({format::VertexKind::code, static_cast<uint32_t>(p_.instructions.size()), instructions});
    for (uint32_t i = 0; i < instructions; ++i) {
      auto offset = static_cast<uint32_t>(p_.instructions.size());
      p_.instructions.push_back({0, offset, 1, 0, 0, line, 9, "nop", ""});
    }
    return core::Vertex(p_.blocks.size() - 1);
  }

  void edge(core::Vertex from, core::Vertex to, format::EdgeKind kind) { p_.edges.push_back({from, to, kind, 0, 0}); }

  format::Procedure with_paths(uint64_t paths) {
    p_.fragments = {{p_.name, static_cast<uint32_t>(p_.instructions.size())}};
    p_.marks = {0};
    count_by_path(p_, paths, {});
    return std::move(p_);
  }

 private:
  format::Procedure p_;
};

inline format::Procedure diamonds(const std::string &name, uint32_t n) {
  using format::EdgeKind;
  ProcedureMaker make(name);
  make.edge(0, 2, EdgeKind::enter);
  for (uint32_t i = 0; i < n; ++i) {
    core::Vertex question = make.block(2, 10 * i + 1), yes = make.block(3, 10 * i + 2), no = make.block(1, 10 * i + 3);
    make.edge(question, yes, EdgeKind::fall);
    make.edge(question, no, EdgeKind::taken);
    make.edge(yes, core::Vertex(no + 1), EdgeKind::jump);
    make.edge(no, core::Vertex(no + 1), EdgeKind::fall);
  }
  make.edge(make.block(2, 10 * n + 1), 1, EdgeKind::leave);
  return make.with_paths(uint64_t{1} << n);
}

// Block `at` is a question with `depth` - 1 more after each answer, or a leaf, which leads to
// block `end`: the exit, or one that all have in common.
inline void grow(ProcedureMaker &make, core::Vertex at, uint32_t depth, core::Vertex end) {
  using format::EdgeKind;
  if (depth == 0) {
    make.edge(at, end, end == 1 ? EdgeKind::leave : EdgeKind::jump);
    return;
  }
  core::Vertex yes = make.block(1, 1), no = make.block(1, 1);
  make.edge(at, yes, EdgeKind::fall);
  make.edge(at, no, EdgeKind::taken);
  grow(make, yes, depth - 1, end);
  grow(make, no, depth - 1, end);
}

inline format::Procedure tree(const std::string &name, uint32_t depth, bool common_end) {
  using format::EdgeKind;
  ProcedureMaker make(name);
  make.edge(0, 2, EdgeKind::enter);
  core::Vertex root = make.block(1, 1), end = common_end ? make.block(1, 2) : core::Vertex(1);
  if (common_end) make.edge(end, 1, EdgeKind::leave);
  grow(make, root, depth, end);
  return make.with_paths(uint64_t{1} << depth);
}

inline format::Procedure counted_loop(const std::string &name) {
  format::Procedure p = loop_procedure();
  p.name = name;
  count_by_path(p, 4, {3});
  return p;
}

// A procedure, and how often each of its paths ran.
using Ran = std::pair<format::Procedure, std::vector<uint64_t>>;

inline Program program_of(std::vector<Ran> functions) {
  Object object = loop_object();
  format::UnitMap &unit = object.units[0];
  unit.procedures.clear();
  object.anchors.clear();
  format::Segment segment = loop_segment(0, 0);
  segment.modules[0].procedures.clear();
  for (auto &[p, counters] : functions) {
    uint64_t number = unit.procedures.size();
    p.key = kLoopKey + number;
    uint64_t address = kLoopAddress + 0x1000 * number;
    object.anchors.push_back({p.key, {{address, p.fragments[0].size, std::vector<uint32_t>(p.marks.size())}}});
    counters.resize(p.plan.words());
    segment.modules[0].procedures.push_back({p.key, counters});
    unit.procedures.push_back(std::move(p));
  }
  std::vector<Object> objects;
  objects.push_back(std::move(object));
  return count_program(std::move(objects), {&segment});
}

}  // namespace chord::analysis
