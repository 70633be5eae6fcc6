// The map entry of a procedure, from what assembly reading found out.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "assembly/graph/procedure.h"
#include "format/map/map.h"

namespace chord::weave {

class MapBuilder {
 public:
  MapBuilder(const assembly::Unit &unit, format::UnitMap &map);

  format::Procedure describe(const assembly::Procedure &procedure);
  // Source file the procedure begins in, or the unit's name.
  std::string file_of(const assembly::Procedure &procedure) const;

 private:
  format::Instruction describe(const assembly::Procedure &p, const assembly::Instruction &in);
  void find_beginning(const assembly::Procedure &p, format::Procedure &out) const;
  uint32_t mnemonic_number(std::string_view name);

  const assembly::Unit &unit_;
  format::UnitMap &map_;
  std::unordered_map<uint32_t, uint32_t> file_numbers_;  // .file number -> index in map
  std::unordered_map<std::string_view, uint32_t> mnemonics_;
};

// Of procedure `n` of the file: what tells it from all others.
uint64_t key_of_procedure(const format::UnitMap &map, uint32_t n);

}  // namespace chord::weave
