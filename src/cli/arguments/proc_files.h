// What /proc says of a process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace chord::cli {

// A file of /proc/PID, whole. Throws Error: no such process, permission denied.
std::string read_proc(pid_t pid, const std::string &name);
// What a line `NAME:\tVALUE` of /proc/PID/status says; empty if there is none.
std::string status_field(const std::string &status, const std::string &name);
// The process's number as it knows it itself, in a container too.
uint64_t inner_pid(pid_t pid);
// How the files the process sees are reached from here: "" or "/proc/PID/root".
std::string root_of(pid_t pid);

}  // namespace chord::cli
