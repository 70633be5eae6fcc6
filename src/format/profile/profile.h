// The profile file <program>.chord: segments appended by the runtime, one per
// process image. The byte layout is in abi/chord_abi.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chord::format {

struct ModuleProfile {
  std::string path;
  std::string build_id;  // raw bytes, may be empty
  uint64_t bias = 0;
  struct Procedure {
    uint64_t key = 0;
    std::vector<uint64_t> counters;
    // Instead: what was counted by number (chord_abi.h), ascending, without zeros.
    bool by_number = false;
    std::vector<std::pair<uint64_t, uint64_t>> numbers;
    bool operator==(const Procedure &) const = default;
  };
  std::vector<Procedure> procedures;
  bool operator==(const ModuleProfile &) const = default;
};

struct EarlyExit {
  uint64_t pc = 0;  // link-time address in the module
  uint64_t count = 0;
  uint32_t module = 0;
  uint32_t kind = 0;  // CHORD_EXIT_*
  uint64_t path = 0;  // path register of the activation, where it has one
  bool operator==(const EarlyExit &) const = default;
};

// What one thread counted of a kind of event.
struct ThreadEvents {
  uint32_t thread = 0;  // from 1, in the order of creation
  uint32_t kind = 0;    // CHORD_EVENT_*
  uint64_t count = 0;
  bool operator==(const ThreadEvents &) const = default;
};

// What was counted of a procedure in one calling context, by one thread.
struct ContextCounts {
  uint32_t thread = 0;  // as above; 0: any
  uint32_t module = 0;
  uint32_t kind = 0;    // CHORD_CONTEXT_*
  uint32_t site = 0;    // index among the calls of the parent's procedure (format/facts/context_sites.h)
  uint64_t procedure = 0;  // key
  uint64_t parent = 0;     // key of the parent's context; 0: a root
  uint64_t key = 0;        // the same in every run of a build
  std::vector<uint64_t> counters;
  bool operator==(const ContextCounts &) const = default;
};

struct Segment {
  uint32_t flags = 0;
  uint64_t pid = 0, parent = 0, start_ns = 0, end_ns = 0, threads = 0;
  uint32_t end = 0, status = 0;  // CHORD_END_*
  uint64_t runs = 1;             // process images summed into this segment
  std::string executable, folder, label;
  std::vector<std::string> arguments;
  std::vector<ModuleProfile> modules;
  std::vector<EarlyExit> exits;
  std::vector<ThreadEvents> thread_events;
  std::vector<std::string> notes;
  std::vector<ContextCounts> contexts;
  bool operator==(const Segment &) const = default;
};

// What of an executable or shared object reading needs, kept in the profile (analysis/objects/stored_object.h).
struct StoredObject {
  std::string build_id;  // raw
  std::string bytes;
};

struct Profile {
  std::vector<Segment> segments;
  std::vector<uint64_t> ends;  // by segment: where in the bytes it ends
  std::vector<StoredObject> objects;
  std::vector<std::string> folders;  // where the files lay; set by who read them
  // What was passed over and why (torn, foreign or newer segments).
  std::vector<std::string> warnings;
};

// Never fails: whatever is readable is returned, the rest becomes warnings.
// A file with no readable segment gives an empty profile and at least one warning.
Profile decode_profile(std::string_view bytes);
std::string encode_segment(const Segment &segment);
std::string encode_objects(const std::vector<StoredObject> &objects);

std::string to_text(const Profile &profile);
bool profile_from_text(std::string_view text, Profile &out, std::string &error);

}  // namespace chord::format
