// What of an executable or shared object reading a profile needs, as a small ELF file of its own: the map, the anchors,
// the records of procedures and the build id. All other sections are there by name and address, without content, as in
// files of debug information. runtime/profile/maps.cc writes the same.
#pragma once

#include <string>

namespace chord::analysis {

// Throws Error if the file cannot be read, is damaged, or was not built with chord. `build_id`: its, raw.
std::string extract_maps(const std::string &path, std::string &build_id);

}  // namespace chord::analysis
