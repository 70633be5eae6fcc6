// The data that goes with a woven procedure, as assembler text: counters, the
// runtime's records, the anchor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assembly/graph/procedure.h"
#include "format/map/map.h"
#include "isa/isa.h"

namespace chord::weave {

// Records share the fate of the procedure's section: its COMDAT group, or, where
// it has a section to itself, a section of their own that --gc-sections can drop.
class RecordPlacer {
 public:
  // `n` is the procedure's number in the unit. `section_owner` is the first woven procedure in the same section:
  // anchors tied to one section must name it by one symbol, or the assembler makes a section of each.
  RecordPlacer(const assembly::Unit &unit, uint32_t n, uint32_t section_owner);

  std::string loaded(std::string_view name, std::string_view flags, std::string_view type) const;
  std::string anchor() const;

 private:
  const assembly::Section &code_;
  uint32_t n_;
  uint32_t section_owner_;
};

std::string counters_text(const RecordPlacer &placer, const std::string &label, size_t count, isa::CounterPlace::Kind kind);

struct CounterRecord {
  std::string counters, label;
  size_t count = 0;
  uint64_t key = 0;
};
std::string record_text(const RecordPlacer &placer, const CounterRecord &record, isa::CounterPlace::Kind kind);

// `map` is the procedure's finished entry, `spots` are the labels of its spots.
std::string anchor_text(const RecordPlacer &placer, const format::Procedure &map, uint32_t n, const std::vector<std::string> &spots);

// Defines, once in a program, a symbol that tells the runtime something by being there.
std::string flag_text(std::string_view symbol);
// Where the profile goes, once in a module.
std::string name_text(std::string_view symbol, std::string_view section, const std::string &name);

}  // namespace chord::weave
