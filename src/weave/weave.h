// Original assembly in, woven assembly and its map out.
//
// The woven text is the original with edits, followed by the counters, the records
// that the runtime reads, the anchors and the map. The runtime itself (COMDAT groups of which the linker
// keeps one copy each, so any linker and any driver will do) is named, and joined by whoever assembles the text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assembly/graph/procedure.h"
#include "format/map/map.h"
#include "weave/options.h"
#include "weave/plan/edits.h"

namespace chord::weave {

// Files that the woven text includes; paths as the assembler will see them.
struct UnitFiles {
  std::string map_file;        // will hold format::encode_map(Woven::map)
  std::string runtime_folder;  // with the runtime's groups and chord_visible.s
  std::string tool = {};       // chord itself: programs that record have it pack what they write; empty: they are not told
};

struct Woven {
  std::string text;
  std::vector<std::string> runtime;    // files of the runtime that the object needs, without what follows the dot
  std::vector<Edits::Range> inserted;  // what of the text is ours, ascending
  // Where jumps stand that the assembler should not have to find out the size of (weave/compose/long_jumps.h), ascending.
  std::vector<uint32_t> long_jumps;
  format::UnitMap map;
  uint32_t woven = 0;    // procedures with probes
  uint32_t skipped = 0;
  // Functions whose chosen paths cannot be counted, with the reason: their edges are.
  std::vector<std::pair<std::string, std::string>> unchosen;
  // Fragments that are not in the plain program that was given (weave/sim/code_addresses.h).
  std::vector<std::string> unplaced;
  uint32_t unmatched = 0;  // of the woven: for lack of measured weights placed by estimate
};

// If no procedure is selected, `text` is the original.
Woven weave_unit(const assembly::Unit &unit, const Options &options, const UnitFiles &surroundings);

}  // namespace chord::weave
