#include "analysis/source/woven_places.h"

#include <filesystem>

#include "analysis/objects/object.h"
#include "analysis/objects/woven_code.h"
#include "base/diagnostics.h"

namespace chord::analysis {
namespace {

// The executable may have been moved: then the program knows where it is now.
std::string file_of(const Program &program, const std::string &module) {
  bool executable = module.empty() || std::filesystem::path(module).filename() == program.name;
  return executable ? program.path : module;
}

}  // namespace

WovenPlaces::WovenPlaces(const Program &program) {
  for (const analysis::Module &module : program.modules) {
    Module &here = modules_.emplace_back();
    here.file = file_of(program, module.path);
    try {
      for (format::Anchor &anchor : read_object(here.file, false).anchors) {
        if (is_live(anchor)) here.anchors.emplace(anchor.key, std::move(anchor));
      }
    } catch (const base::Error &) {
      // It was read when the program was loaded, and is gone since; nothing is known of its places.
    }
  }
}

std::vector<uint64_t> WovenPlaces::addresses(const CountedProcedure &procedure) const {
  std::vector<uint64_t> addresses(procedure.map->instructions.size());
  auto found = modules_[procedure.module].anchors.find(procedure.map->key);
  if (found == modules_[procedure.module].anchors.end()) return addresses;
  const std::vector<format::Anchor::Part> &parts = found->second.parts;
  for (uint32_t part = 0; part < parts.size() && part < procedure.map->fragments.size(); ++part) {
    if (!is_address(parts[part].address)) continue;
    PartLayout layout(*procedure.map, found->second, part);
    for (const PartLayout::Place &place : layout.places()) addresses[place.instruction] = parts[part].address + place.begin;
  }
  return addresses;
}

}  // namespace chord::analysis
