// The map: what the weaver knew about each procedure of a translation unit. It
// speaks of the *original* code: offsets, sizes, lines and texts are those of the
// program as it would have been without probes.
//
// One UnitMap per translation unit is encoded (versioned header, zstd payload)
// into the .chord.map section; the linker concatenates them. Which procedures of
// a unit are really in the program is told by the anchors (abi/chord_abi.h).
//
// encode_map and decode_map are inverse; decode checks every bound and index, so
// a decoded map is safe to walk. to_text / from_text are the readable twin.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/counters/plan.h"
#include "core/graph/graph.h"
#include "format/map/metrics.h"
#include "isa/traits.h"

namespace chord::format {

struct Instruction {
  uint32_t fragment = 0;  // index in Procedure::fragments
  uint32_t offset = 0;    // from the fragment's start, original code
  uint8_t size = 0;
  isa::Traits traits = 0;
  uint32_t file = 0;      // index in UnitMap::files; meaningless if line == 0
  uint32_t line = 0;      // 0: no source line
  uint32_t mnemonic = 0;  // index in UnitMap::mnemonics
  std::string text;       // the statement as the compiler wrote it, one line
  std::string callee;     // calls and tail calls: symbol, if direct; else empty
  bool operator==(const Instruction &) const = default;
};

enum class VertexKind : uint8_t {
  entry,  // where activations start and control re-enters from outside
  exit,
  code,      // a basic block; the only kind that holds instructions
  dispatch,  // the middle of an indirect jump: jump -> dispatch -> targets
  landing,   // where control arrives from outside: landing pad, second return
  join,      // where branches meet that cannot carry a probe themselves
};

struct Block {
  VertexKind kind = VertexKind::code;
  uint32_t first = 0;  // instructions [first, first + count)
  uint32_t count = 0;
  bool operator==(const Block &) const = default;
};

enum class EdgeKind : uint8_t {
  return_edge,  // exit -> entry
  fall,         // to the next block in the text
  taken,        // a conditional branch that jumps
  jump,         // an unconditional branch
  dispatch,     // to or from a dispatch vertex
  enter,        // entry -> first block
  landing,      // entry -> landing vertex, or landing vertex -> its block
  leave,        // return instruction -> exit
  tail_call,    // jump out of the procedure -> exit
  never,        // cannot be taken: after a call that does not return
};

struct Edge {
  core::Vertex from = 0;
  core::Vertex to = 0;
  EdgeKind kind = EdgeKind::fall;
  // Alignment padding executed when this edge is taken:
  // instructions [padding_first, padding_first + padding_count).
  uint32_t padding_first = 0;
  uint32_t padding_count = 0;
  bool operator==(const Edge &) const = default;
};

struct Fragment {
  std::string name;   // the symbol: f, f.cold
  uint32_t size = 0;  // bytes of original code
  bool operator==(const Fragment &) const = default;
};

// A counter that is kept in a register while control is in a loop: memory lacks what
// the register holds.
struct Held {
  uint32_t counter = 0;   // number in the plan; each is held at most once
  uint8_t place = 0;      // register, numbered as in abi/chord_abi.h
  int32_t step = 1;       // what one count adds, to register and memory alike
  // The program's own instructions that add the step, where the register is one of the
  // program's, ascending; none: our probes count it up.
  std::vector<uint32_t> updates;
  // Blocks, ascending, at whose start one of those is still to come for a count that is
  // already supposed to be made.
  std::vector<core::Vertex> due;
  std::vector<core::Vertex> blocks;  // the loop, ascending
  bool operator==(const Held &) const = default;
};

// What was done and what was not where control stands in inserted code, or at an
// instruction that inserted code ran ahead of. Holds from its place in the woven code
// (the anchor has it) up to the next spot or mark; at a mark, for that instruction alone.
struct Spot {
  uint32_t fragment = 0;
  // The original instruction executed next; kNone if control has left the procedure.
  uint32_t instruction = 0;
  // Counters that lack a count (1) or are ahead by one (-1) of an activation that
  // stands before that instruction.
  struct Lack {
    uint32_t counter = 0;
    int32_t count = 0;
    bool operator==(const Lack &) const = default;
  };
  std::vector<Lack> lacks;
  std::vector<uint32_t> held;  // in use: indices in Procedure::held
  // Where paths are counted: the path register that such an activation would have, and what
  // it would have counted; constants, or (not `fixed`) to be added to the register it has.
  struct Path {
    bool fixed = false;
    uint64_t sum = 0;
    struct Count {
      bool fixed = false;
      uint64_t number = 0;
      int32_t count = 0;
      bool operator==(const Count &) const = default;
    };
    std::vector<Count> counts;
    bool operator==(const Path &) const = default;
  } path;
  bool operator==(const Spot &) const = default;
};

struct Procedure {
  uint64_t key = 0;     // also in chord_proc and the anchor
  std::string name;     // linkage name of the first fragment
  bool global = false;  // visible outside its translation unit
  // Where the source says that the function begins, whatever was inlined into it first.
  uint32_t file = 0;  // index in UnitMap::files; meaningless if line == 0
  uint32_t line = 0;  // 0: not known
  std::vector<Fragment> fragments;
  std::vector<Instruction> instructions;  // blocks' first, then padding
  std::vector<Block> blocks;              // block 0 = entry, block 1 = exit
  std::vector<Edge> edges;                // edge 0 = return edge (exit -> entry)
  // Marked instructions (abi/chord_abi.h, anchors), fragment by fragment.
  std::vector<uint32_t> marks;
  core::Plan plan;
  std::vector<Held> held;
  std::vector<Spot> spots;  // fragment by fragment, in the order of their places
  std::vector<MetricSums> metrics;  // sums of metrics, in the order they lie in memory (format/map/metrics.h)
  bool metrics_in_records = false;  // they follow the counters of each record of a calling context
  std::string skipped;  // why it was left alone; empty if woven
  std::string no_paths;  // why its edges are counted although paths were asked for
  bool operator==(const Procedure &) const;

  core::Graph graph() const;
  // Words that the sums of a list take, and those of all lists.
  uint64_t words(const MetricSums &sums) const;
  uint64_t metric_words() const;
};

struct UnitMap {
  std::string unit;                // source name as the compiler gave it (.file)
  uint64_t id = 0;                 // hash of the original assembly
  std::string folder;              // compilation folder, for relative file names
  std::vector<std::string> files;  // source files
  // By file: hash of its text when the unit was compiled; 0 if it could not be read or no instruction is of it.
  std::vector<uint64_t> hashes;
  std::vector<std::string> mnemonics;
  std::vector<Procedure> procedures;  // woven and skipped
};

// Empty if every index and range in the map is in bounds, else the first that is not.
std::string defect(const UnitMap &map);

std::string encode_map(const UnitMap &map);

// The maps of a whole .chord.map section. On damage: those before it, and the
// reason in `error`.
struct MapSection {
  std::vector<UnitMap> units;
  std::string error;
};
// Without `texts`, Instruction::text stays empty, which saves half the time.
MapSection decode_maps(std::string_view section, bool texts = true);

struct Anchor {
  uint64_t key = 0;
  struct Part {
    uint64_t address = 0;  // woven code, link-time
    uint32_t size = 0;
    std::vector<uint32_t> marks;  // woven offsets, ascending
    std::vector<uint32_t> spots;  // likewise
  };
  std::vector<Part> parts;  // same order as Procedure::fragments
};
struct AnchorSection {
  std::vector<Anchor> anchors;
  std::string error;
};
AnchorSection decode_anchors(std::string_view section);

std::string to_text(const UnitMap &map);
std::optional<UnitMap> map_from_text(std::string_view text, std::string &error);

}  // namespace chord::format
