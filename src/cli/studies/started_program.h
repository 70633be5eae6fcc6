// A program that has been started and has not executed anything yet.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace chord::cli {

struct RunCommand {
  std::string program;
  std::vector<std::string> arguments;
  std::string profile;  // where a woven program writes its counts
  std::string input;    // file that it reads as standard input; empty: nothing
};

class StartedProgram {
 public:
  enum class Wait : uint8_t {
    for_release,  // before it becomes the program
    traced,       // stopped at its first instruction, by ptrace(2), at addresses that are the same in every run
  };
  // Throws Error if it cannot be started; of `for_release`, release() does.
  StartedProgram(const RunCommand &command, Wait wait);
  // Ends it if it still runs.
  ~StartedProgram();
  StartedProgram(const StartedProgram &) = delete;
  StartedProgram &operator=(const StartedProgram &) = delete;

  pid_t pid() const { return pid_; }
  void release();
  // Its status, as waitpid(2) gives it.
  int wait();
  // Somebody else has waited for it.
  void forget() { pid_ = -1; }

 private:
  void expect_started();

  std::string program_;
  pid_t pid_ = -1;
  int gate_ = -1, failure_ = -1;
};

}  // namespace chord::cli
