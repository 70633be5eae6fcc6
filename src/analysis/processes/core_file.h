// A core file: memory, threads with their registers, and loaded objects.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/processes/process_image.h"

namespace chord::analysis {

// By DWARF number; 16 is the program counter, 7 the stack pointer.
using RegisterSet = std::array<uint64_t, 17>;

struct CoreThread {
  uint32_t id = 0;
  uint64_t pointer = 0;  // what thread-local storage is relative to
  RegisterSet registers{};
  std::array<uint64_t, 32> vectors{};  // vector registers, the low half of each first
};

struct CoreFile {
  ImageMemory memory;
  std::vector<CoreThread> threads;
  std::vector<LoadedObject> objects;
  uint64_t vdso = 0;    // address of the kernel's own object, or 0
  uint32_t signal = 0;  // that ended the process; 0: a picture of a process that went on
  uint64_t time_ns = 0;
};

bool is_core_file(const std::string &path);

// Throws Error if the file cannot be read or is no core file of this machine. What
// the core lacks (code, constants) is taken from the objects' files; one that was
// replaced since is refused.
CoreFile read_core_file(const std::string &path);

}  // namespace chord::analysis
