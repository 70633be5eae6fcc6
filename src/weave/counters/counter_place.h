// Where a procedure's counter lies, as a probe finds it, and where the probe stands.
#pragma once

#include <string>
#include <utility>

#include "assembly/graph/procedure.h"
#include "isa/contexts.h"
#include "weave/options.h"
#include "weave/facts/sites.h"

namespace chord::weave {

inline isa::AnyPlace counter_place(const Options &options, const Site &site, std::string label = {}, int64_t index = 0) {
  if (site.record.kind != isa::PathHolder::Kind::none) return isa::RecordPlace{site.record, index, 0, site.held};
  return isa::CounterPlace{options.counters, std::move(label), index, isa::kNoRegister, site.held};
}

// What is put on the edge stands in front of its source's last instruction, or after it.
inline bool leaves_block(const assembly::Procedure &p, const Site &site, uint32_t edge) {
  const assembly::Block &from = p.blocks[p.edges[edge].from];
  if (from.kind != assembly::BlockKind::code) return false;
  const assembly::Instruction &last = p.instructions[from.first + from.count - 1];
  return site.kind == Site::Kind::after ? site.statement == last.last_statement : site.statement == last.first_statement;
}

}  // namespace chord::weave
