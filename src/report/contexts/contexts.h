// Calling contexts as listings (chord contexts).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/program/program.h"
#include "report/contexts/inline_tables.h"
#include "report/tables/table.h"

namespace chord::report {

// A calling context as listings and exports show it: of one thread, or of all together.
struct ContextNode {
  uint64_t key = 0;
  uint32_t thread = 0;            // 0: all
  uint32_t kind = 0;              // CHORD_CONTEXT_*
  uint32_t parent = core::kNone;  // index of a node before it
  uint32_t depth = 0;
  const analysis::CountedProcedure *procedure = nullptr;
  // Of a function that is inlined into the procedure: where. It has no calls.
  const analysis::InlinedCall *inlined = nullptr;
  uint32_t context = 0;           // index in Program::contexts, of one of those it stands for
  uint64_t calls = 0, exclusive = 0, inclusive = 0;
  analysis::MetricValues metrics, metrics_inclusive, metrics_error, metrics_inclusive_error;
};

// Of CHORD_CONTEXT_*: "signal", "overflow", or empty.
const char *kind_name(uint32_t kind);

// Where the parent calls it: file and line, or function and offset; empty for a root.
std::string call_site(const analysis::Program &program, const analysis::CountedContext &context);

// Its line; 0: it is a root, or the line is not known.
uint32_t call_line(const analysis::Program &program, const analysis::CountedContext &context);

// Parents before children, the most expensive first.
// `metric`: what they took of it, in the place of instructions.
inline constexpr size_t kInstructions = SIZE_MAX;
std::vector<ContextNode> context_nodes(const analysis::Program &program, bool by_thread, size_t metric = kInstructions);

// The same with a node for each function inlined in each context. The program must have been loaded with
// LoadOptions::context_details, and the tables must outlive the nodes.
std::vector<ContextNode> inlined_context_nodes(const analysis::Program &program, const InlineTables &tables, bool by_thread);
// In the order of the tree, the most expensive first among siblings; those that nothing was counted in are left out.
std::vector<ContextNode> arranged(const std::vector<ContextNode> &nodes);

// From the root down to the node: "main > parse > next".
std::string context_chain(const std::vector<ContextNode> &nodes, size_t node);

struct ContextView {
  bool by_thread = false;
  size_t metric = kInstructions;
  const InlineTables *inlined = nullptr;  // contexts through inlined functions are wanted
  double threshold = 0;  // share of the whole below which contexts are left out, with all below them
};
// The tree from its roots down.
Table list_contexts(const analysis::Program &program, const ContextView &view);
// All contexts of a function, with their chains; those of its callers, or of what it calls, added up.
Table list_contexts_of(const analysis::Program &program, const std::string &function, const ContextView &view);
Table list_callers(const analysis::Program &program, const std::string &function, const ContextView &view);
Table list_callees(const analysis::Program &program, const std::string &function, const ContextView &view);

// Functions that ran without records of their contexts, and why.
Table list_functions_without(const analysis::Program &program);

// What contexts do not say: functions without records, and the overflow.
std::string contexts_note(const analysis::Program &program);

// As context_chain, with names as people read them.
std::string shown_chain(const std::vector<ContextNode> &nodes, size_t node);

}  // namespace chord::report
