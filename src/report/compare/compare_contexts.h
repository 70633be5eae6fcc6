// The calling contexts of two profiles as one tree.
//
// Contexts are one where their chains of calls are: callers that are one (report/compare/match.h), and the same call in them. Where
// a caller's code differs its calls cannot be told apart across the builds, so those of one function are taken together
// there, and for what lies below the certainty is that of names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/program/program.h"
#include "report/compare/match.h"

namespace chord::report {

struct ContextCosts {
  uint64_t key = 0;  // of the context, or of one of them
  bool present = false;
  uint64_t calls = 0, exclusive = 0, inclusive = 0;
  bool operator==(const ContextCosts &) const = default;
};

struct ComparedContext {
  uint32_t parent = core::kNone;  // index of an earlier one
  uint32_t kind = 0;              // CHORD_CONTEXT_*
  const analysis::CountedProcedure *procedure = nullptr;  // the new one if there is one
  std::string site;               // as ContextNode::site; empty where several calls are taken together
  Certainty certainty = Certainty::build;  // of the whole chain
  ContextCosts before, after;
};

// All threads together. Throws Error if neither profile holds contexts.
std::vector<ComparedContext> compare_contexts(const analysis::Program &before, const analysis::Program &after);

}  // namespace chord::report
