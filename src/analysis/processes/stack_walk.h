// Walking the stacks of a process that is no more, by elfutils.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "analysis/processes/core_file.h"

namespace chord::analysis {

class StackWalker {
 public:
  struct Frame {
    uint64_t pc = 0, sp = 0;
    bool interrupted = false;  // pc was not executed; otherwise it is a return address
    uint64_t context = 0;      // interrupted by a signal: where the kernel saved all registers
    std::string function;      // its name, where the object has one
    uint64_t path = 0;         // number of the path that the activation was on (CHORD_PATH_NOTE)
    // Of a procedure that keeps records of calling contexts (CHORD_CONTEXT_NOTE), its id, and where the address of the record
    // may be: what it keeps, and what it leaves on its way out.
    std::optional<uint32_t> record_of = std::nullopt;
    uint64_t record = 0, record_left = 0;
  };

  // The core must outlive the walker.
  explicit StackWalker(const CoreFile &core);
  ~StackWalker();
  StackWalker(const StackWalker &) = delete;
  StackWalker &operator=(const StackWalker &) = delete;

  // From the innermost frame outwards. `interrupted`: of the innermost. False if the
  // stack could not be followed to its end: code without unwind information, damage.
  bool walk(const RegisterSet &registers, bool interrupted, const std::function<void(const Frame &)> &visit);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace chord::analysis
