// Where a running process will put its profile: the runtime's rules (runtime/profile/place.cc),
// followed from outside with what /proc says.
//
// Some things cannot be known from outside. A relative name means the folder the process
// was *started* in; it may have left it since, so the folder of its environment (PWD) is
// tried beside the present one. %t is the process's own idea of its start. And whether it
// could write beside the program when it started. They make
// the answer a set of files; the segments in them say which one it is.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments/proc_files.h"

namespace chord::cli {

class ProfilePlace {
 public:
  // Throws Error if there is no such process or its facts may not be read.
  explicit ProfilePlace(pid_t pid);
  // The user knows the file.
  explicit ProfilePlace(const std::string &file);

  // The files that exist now.
  std::vector<std::string> files() const;
  // For messages: where it was looked.
  std::string describe() const;

 private:
  std::vector<std::string> patterns_;  // for glob(3)
  std::vector<std::string> shown_;
};

// The profiles that runs of a program left where they go by themselves; none if there are none.
std::vector<std::string> profiles_of_program(const std::string &program);

// What the % of CHORD_OUT stand for.
struct ProfileNames {
  std::string process, program, start, host;
};
// CHORD_OUT as the runtime understands it; `literal` is applied to the rest of it.
std::string expand_profile_name(const std::string &out, const ProfileNames &names,
                                const std::function<std::string(std::string_view)> &literal);

}  // namespace chord::cli
