// Procedures as control-flow graphs over the statements of a Source.
//
// A procedure is a function with its cold fragments. Its graph has a virtual entry
// (block 0) and exit (block 1). Calls do not end blocks; what leaves a procedure in
// the middle of a block (exit, throw, longjmp) is recorded at run time and put back
// by analysis. Control that comes in from outside other than by a call arrives
// through a landing vertex: entry -> landing -> block.
//
// Anything not understood makes the procedure `skipped`, with the reason, and its
// text is left as it is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "assembly/text/layout.h"
#include "assembly/text/source.h"
#include "assembly/text/symbols.h"
#include "core/graph/graph.h"
#include "isa/isa.h"

namespace chord::assembly {

struct Instruction {
  uint32_t first_statement = 0;  // a lone prefix and its instruction are two statements
  uint32_t last_statement = 0;
  uint32_t offset = 0;           // in the section's original code
  uint32_t fragment = 0;
  uint32_t file = 0;             // number given by .file; meaningless if line == 0
  uint32_t line = 0;
  isa::Decoded decoded;
  bool padding = false;          // made by an alignment directive
};

enum class BlockKind : uint8_t { entry, exit, code, dispatch, landing, join };

struct Block {
  BlockKind kind = BlockKind::code;
  uint32_t first = 0;  // instructions [first, first + count)
  uint32_t count = 0;
};

enum class EdgeKind : uint8_t { return_edge, fall, taken, jump, dispatch, enter, landing, leave, tail_call, never };

struct Edge {
  core::Vertex from = 0;
  core::Vertex to = 0;
  EdgeKind kind = EdgeKind::fall;
  uint32_t padding_first = 0;  // instructions executed on the way
  uint32_t padding_count = 0;
  std::vector<Mention> slots;  // dispatch and landing: operands that name the target
};

struct Fragment {
  std::string_view name;
  uint32_t section = 0;
  uint32_t first_statement = 0;  // its label
  uint32_t last_statement = 0;   // one past; statements of other sections may lie between
  uint32_t begin = 0;            // bytes of the section
  uint32_t end = 0;
};

// What is known of the convention a procedure follows (assembly/unit/evidence.h). Without evidence
// anybody may want anything.
struct Convention {
  bool compiled = false;  // a compiler wrote it: flags mean nothing at calls and returns
  bool unusual = false;   // its calls may take any register for an argument
  bool callers_known = false;
  isa::Resources given_up = 0;  // what no caller can want on return
};

// The blocks that every graph has, before those of the text.
inline constexpr core::Vertex kEntry = 0, kExit = 1;

struct Procedure {
  std::string_view name;
  bool global = false;
  std::vector<Fragment> fragments;
  std::vector<Instruction> instructions;  // block by block, in text order; then padding
  std::vector<Block> blocks;
  std::vector<Edge> edges;                // edge 0 is exit -> entry
  std::string skipped;
  Convention convention;
  // What callers in this unit want after their calls, as results or left alone, of what a callee
  // may destroy by the usual convention.
  isa::Resources wanted = 0;

  core::Graph graph() const;
};

struct Unit {
  const Source *source = nullptr;
  Layout layout;
  Symbols symbols;
  std::vector<Procedure> procedures;  // in text order
  // Labels in tables after the last instruction of their fragment: compilers let entries for
  // cases that cannot occur lead there. What follows in the section has nothing to do with them.
  std::unordered_set<uint32_t> dead_ends;
  // Names that lead to a procedure's first instruction: its labels there, and aliases.
  std::unordered_map<std::string_view, uint32_t> entry_named;
  bool has_vectors = false;  // some instruction uses vector registers
  // Procedures whose address instructions take: any call through a register may be theirs.
  std::vector<uint32_t> materialised;
  // Registers that some compiled procedure reads unwritten, or writes for nobody: somebody
  // elsewhere has to do with them, by whatever convention.
  isa::Resources odd = 0;
  // Callee-saved registers that some compiled procedure saves on entry, and that are not odd: no option
  // and no variable reserves them.
  isa::Resources saved = 0;
};

// Finds and builds all procedures. The layout must be of the same source.
void build_unit(const Source &source, Layout layout, Unit &out);

// Callee of a direct call or tail call: the symbol without @PLT; empty if indirect.
std::string_view callee_of(const Source &source, const Instruction &instruction);
// The procedure of this unit that is called or jumped to, or kElsewhere.
inline constexpr uint32_t kElsewhere = UINT32_MAX;
uint32_t local_callee(const Unit &unit, const Instruction &instruction);

}  // namespace chord::assembly
