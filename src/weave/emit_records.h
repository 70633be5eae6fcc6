// The data that goes with a woven procedure, as assembler text: counters, the
// runtime's record, the anchor.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assembly/procedure.h"
#include "format/map.h"
#include "weave/options.h"

namespace chord::weave {

// `n` is the procedure's number in the unit, `map` its finished entry. `section_owner`
// is the first woven procedure in the same section: anchors tied to one section must
// name it by one symbol, or the assembler makes a section of each.
struct RecordFacts {
  const std::vector<std::string> &spots;  // labels of the map's spots
  std::optional<uint32_t> context_sites;  // slots of its records of calling contexts, if it has any
  int context_frame = 0;                  // chord_context_proc::frame
};
std::string emit_records(const assembly::Unit &unit, const assembly::Procedure &procedure,
                         const format::Procedure &map, uint32_t n, uint32_t section_owner,
                         const RecordFacts &facts, const Options &options);

// Defines, once in a program, a symbol that tells the runtime something by being there.
std::string emit_flag(std::string_view symbol);

}  // namespace chord::weave
