// Everything that is known of a procedure before anything is inserted. Computed once, then only read: all modes
// (weave/modes.h) plan from the same facts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assembly/graph/procedure.h"
#include "assembly/graph/stack_frame.h"
#include "assembly/graph/unwind_info.h"
#include "assembly/unit/liveness.h"
#include "core/graph/graph.h"
#include "format/map/map.h"
#include "weave/facts/sites.h"
#include "weave/options.h"

namespace chord::weave {

struct UnitFacts {
  UnitFacts(const assembly::Unit &unit, const format::UnitMap &map, const Options &options);

  const assembly::Unit &unit;
  const format::UnitMap &map;  // the procedures described so far
  const Options &options;
  JumpedLabels jumped;
  bool other_convention = false;  // frames and callee-saved registers are not C's
  std::vector<bool> jumped_to;    // by procedure: maybe another ends with a jump to it
  std::vector<bool> called;       // by procedure: some instruction of the file calls it by a name
};

class ProcedureFacts {
 public:
  // `map` describes procedure `n` of the unit. The rest is computed only if it is not skipped there and its graph has no defect.
  ProcedureFacts(const UnitFacts &unit, uint32_t n, format::Procedure map);

  const UnitFacts &in;
  uint32_t n;
  const assembly::Procedure &p;
  format::Procedure map;
  core::Graph graph;
  assembly::Liveness liveness;
  Sites sites;
  std::vector<double> weights;  // by edge: how often each is expected to be taken
  bool unmatched = false;       // weights were to be measured ones, and the procedure has none

  const assembly::Unit &unit() const { return in.unit; }
  const assembly::Source &source() const { return *in.unit.source; }
  const Options &options() const { return in.options; }
  bool is_code(uint32_t b) const { return p.blocks[b].kind == assembly::BlockKind::code; }
  uint32_t last_of(uint32_t b) const { return p.blocks[b].first + p.blocks[b].count - 1; }

  // Of the stack at each instruction.
  const assembly::StackFrame &frame() const;
  // Unwind rules in force before a statement, and where code at a site stands.
  const assembly::UnwindRules &rules_before(uint32_t fragment, uint32_t statement) const;
  const assembly::UnwindRules &rules_at(const Site &site) const;
  // The statement after which code put after `statement` stands: unwind rules that take effect with an instruction
  // are written after it, and must hold in a probe as well.
  uint32_t last_with_rules(uint32_t statement) const;

 private:
  bool is_passive(const assembly::Statement &statement) const;

  mutable std::optional<assembly::StackFrame> frame_;                 // made when first asked for
  mutable std::vector<std::optional<assembly::UnwindInfo>> rules_;    // likewise, by fragment
};

}  // namespace chord::weave
