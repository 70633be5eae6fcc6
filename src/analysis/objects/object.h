// What chord finds in an executable or shared object: its build id, the maps of
// its translation units, and the anchors that say which procedures are really in it
// and where their woven code lies.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "format/map/map.h"

namespace chord::analysis {

// Bytes that a procedure's counters take: once in every thread, and once in the process.
// Numbers of paths (CHORD_COUNTERS_NUMBERS) are of the second kind; so is the copy that
// position-independent code counts in until a thread has its own.
struct CounterMemory {
  uint64_t thread = 0;
  uint64_t shared = 0;
};

struct Object {
  std::string path;
  std::string file;      // where it was read from: `path` unless it was moved
  std::string build_id;  // raw bytes, may be empty
  std::vector<format::UnitMap> units;
  std::vector<format::Anchor> anchors;
  std::unordered_map<uint64_t, CounterMemory> memory;  // by key of the procedure
  std::vector<uint64_t> records;                       // keys of its chord_proc, in their order
};

// Throws Error if the file cannot be read, is no ELF file, was not built with
// chord, or its sections are damaged. `texts`: see format::decode_maps.
Object read_object(const std::string &path, bool texts);

// The same from what `chord archive` keeps (stored_object.h). `path` is for messages.
Object read_object_bytes(const std::string &path, const std::string &bytes, bool texts);
// Where its profile goes, as `chord --out` was told (CHORD_PLACE_SECTION); empty if it was not, or is no ELF file.
std::string place_in_object(const std::string &path);
// Raw; empty if it has none. Throws Error if the file is no ELF file.
std::string build_id_of_file(const std::string &path);

// "3f2a…" for messages; "none" if empty.
std::string show_build_id(const std::string &build_id);

}  // namespace chord::analysis
