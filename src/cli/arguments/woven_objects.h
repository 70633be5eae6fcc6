// The objects that a running process is made of.
#pragma once

#include <sys/types.h>

#include <set>
#include <string>

namespace chord::cli {

// The executable, as /proc/PID/exe (it may have been replaced on disk), and whatever else code is mapped from.
std::set<std::string> objects_of(pid_t pid);

// Whether the object was built with chord.
bool carries_runtime(const std::string &path);

}  // namespace chord::cli
