// chord dump PID of a program that records traces.
#pragma once

#include <sys/types.h>

#include <string>

namespace chord::cli {

// The trace that the process writes; empty: none.
std::string trace_of(pid_t pid);
// Once the process has written all that its threads have done: the file to read. A ring is copied to PROGRAM.dumped.chordtrace, since it is written over.
std::string keep_trace(const std::string &trace);

}  // namespace chord::cli
