// A line on the terminal for work that takes longer than a second: what is being
// done and how far it is. Nothing is shown where stderr is no terminal, and nothing
// is left behind.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace chord::base {

class Progress {
 public:
  Progress(std::string what, uint64_t total);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void step();

 private:
  void show();

  using Clock = std::chrono::steady_clock;
  std::string what_;
  uint64_t total_;
  uint64_t done_ = 0;
  bool wanted_;
  bool shown_ = false;
  Clock::time_point next_;
};

// "counting  [#######.............]  35 %"
std::string progress_line(const std::string &what, uint64_t done, uint64_t total);

}  // namespace chord::base
