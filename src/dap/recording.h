// A recorded run as a debugger needs it: moments of a thread, walked in both directions.
//
// A moment is a number: how many instructions the thread had executed before it. Moment 0 is before the first instruction,
// and the last one, length() - 1, before the last. An interface, so that stepping (dap/stepper.h) can be tested with runs made up by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace chord::dap {

inline constexpr uint32_t kNoFile = UINT32_MAX;

// Where an instruction is: in a function, and in the source if that is known (line 0: it is not).
struct Location {
  uint32_t function = 0;
  uint32_t offset = 0;  // bytes from the function's start
  uint32_t file = kNoFile;
  uint32_t line = 0;

  bool has_line() const { return file != kNoFile && line != 0; }
  bool same_line(const Location &other) const { return file == other.file && line == other.line; }
};

// The instruction that runs at a moment.
struct Step {
  uint64_t number = 0;
  uint32_t depth = 0;   // activations below this one
  bool enters = false;  // the first instruction of its activation
  Location at;
};

struct CodeLine {
  Location at;
  std::string text;
};

enum class Direction : uint8_t { forward, backward };

class Recording {
 public:
  virtual ~Recording() = default;

  virtual size_t thread_count() const = 0;
  virtual std::string thread_name(size_t thread) const = 0;
  virtual uint64_t length(size_t thread) const = 0;

  // Calls `visit` for the moments after `number`, or before it, nearest first, until it returns false.
  virtual void walk(size_t thread, uint64_t number, Direction direction, const std::function<bool(const Step &)> &visit) = 0;
  virtual Step step_at(size_t thread, uint64_t number) = 0;
  // Innermost first: the instruction that runs, then the call each caller is in.
  virtual std::vector<Location> stack(size_t thread, uint64_t number) = 0;

  virtual std::string function_name(uint32_t function) const = 0;
  virtual std::string file_name(uint32_t file) const = 0;
  // Functions of that name (demangled, linkage or unqualified), and files that the name may mean.
  virtual std::vector<uint32_t> functions_named(const std::string &name) const = 0;
  virtual std::vector<uint32_t> files_named(const std::string &path) const = 0;
  // Lines of a file that have code, in order.
  virtual std::vector<uint32_t> lines_with_code(uint32_t file) const = 0;
  // All instructions of a function, in order of their offsets.
  virtual std::vector<CodeLine> code(uint32_t function) const = 0;
};

}  // namespace chord::dap
