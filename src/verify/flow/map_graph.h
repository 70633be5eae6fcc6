// The map's graph of a procedure, tied to the instructions that the proof has found itself: which
// edges and vertices of the plan a path from one instruction to the next stands for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "format/map/map.h"
#include "verify/evidence/jumps.h"
#include "verify/flow/flow.h"
#include "verify/program/program.h"
#include "verify/program/tables.h"

namespace chord::verify {

// Edges of the map that control takes one after the other, and where it comes from.
struct EdgeChain {
  uint32_t from = 0, to = 0;  // vertices
  std::vector<uint32_t> edges;
};

class MapGraph {
 public:
  // Throws Unproved.
  MapGraph(const Program &program, const format::Procedure &map, uint32_t function);

  const format::Procedure &map() const { return map_; }
  uint32_t block_of(uint32_t instruction) const;
  uint32_t number_of(uint32_t instruction) const;  // in the map; kNone if it has none
  uint32_t instruction(uint32_t number) const { return instr_[number]; }

  // What a transition stands for: nothing inside a block; several for one by way of a table. Throws
  // Unproved if the map has no edge for it.
  std::vector<EdgeChain> chains(const Transition &transition) const;
  bool is_inside_block(const Transition &transition) const;
  // The map has no edge that control cannot take. Throws Unproved.
  void check_edges(const std::vector<Transition> &transitions, const Jumps &jumps) const;
  // The call is one that does not return, says the map.
  bool ends_there(uint32_t instruction) const;

 private:
  void tie();
  void check_shape() const;
  void check_dispatches(const Tables &tables) const;
  void check_indirect(uint32_t jump, const Jumps &jumps) const;
  void check_unreached(uint32_t edge) const;
  void tie_tables();
  bool reads(uint32_t vertex, uint32_t table) const;
  std::set<uint32_t> blocks_behind(uint32_t vertex) const;
  void keep_padded(uint32_t padding, std::vector<EdgeChain> &chains) const;
  using Accepts = bool (*)(format::EdgeKind);
  void search(uint32_t origin, uint32_t vertex, uint32_t goal, Accepts first, EdgeChain chain, std::vector<EdgeChain> &out) const;
  bool is_code(uint32_t v) const { return map_.blocks[v].kind == format::VertexKind::code; }
  [[noreturn]] void fail(uint32_t instruction, std::string what) const;

  const Program &p_;
  const format::Procedure &map_;
  uint32_t function_;
  std::vector<uint32_t> instr_;                 // by number in the map
  std::unordered_map<uint32_t, uint32_t> number_;         // instruction -> number
  std::vector<uint32_t> block_of_;              // by number
  std::vector<std::vector<uint32_t>> out_;      // edges by vertex
  std::map<uint32_t, std::set<uint32_t>> jumps_of_;  // table -> dispatch vertices that it may belong to
};

}  // namespace chord::verify
