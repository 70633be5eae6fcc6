// A recorded run to look at: a moment of a thread, the source or code around it, the calls it is in; and what keys do. A screen
// (cli/trace/trace_explore.cc) shows pages and passes on what was asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dap/recording.h"
#include "dap/stepper.h"

namespace chord::dap {

class Explorer {
 public:
  // The recording must outlive it, and have a thread.
  explicit Explorer(Recording &recording) : recording_(recording), moments_(recording.thread_count()) {}

  void step_over(Direction direction) { move(stepper().step_over(thread_, moment(), Granularity::line, direction)); }
  void step_in() { move(stepper().step_in(thread_, moment(), Granularity::line)); }
  void step_out() { move(stepper().step_out(thread_, moment())); }
  void step_instruction(Direction direction);
  // To the nearest breakpoint, or the end.
  void run(Direction direction) { move(stepper().run(thread_, moment(), direction)); }
  // The last moment, if there are fewer.
  void go_to(uint64_t number);
  void next_thread();
  // Shows the caller of what is shown, or what it called.
  void show_caller();
  void show_callee();
  void show_assembly(bool assembly) { assembly_ = assembly; }
  bool shows_assembly() const { return assembly_; }
  // FILE:LINE or a function; there already: takes it away. Gives what was done, or why not.
  std::string toggle_breakpoint(const std::string &place);

  struct Page {
    std::string title;
    std::vector<std::string> lines;  // of the source, or the code
    size_t current = 0;              // among them
    std::vector<std::string> stack;  // innermost first
    size_t shown = 0;                // among them
  };
  Page page();

 private:
  uint64_t &moment() { return moments_[thread_]; }
  Stepper stepper() { return {recording_, breakpoints_}; }
  void move(const Stop &stop);
  std::string name_of(const Location &at) const;
  void put_source(const Location &at, Page &page);
  void put_assembly(const Location &at, Page &page) const;
  bool has_breakpoint(const Location &at) const;
  const std::vector<std::string> &source(uint32_t file);

  Recording &recording_;
  std::vector<Breakpoint> breakpoints_;
  std::vector<uint64_t> moments_;  // by thread
  size_t thread_ = 0, frame_ = 0;
  bool assembly_ = false;
  std::map<uint32_t, std::vector<std::string>> sources_;  // empty: cannot be read
};

}  // namespace chord::dap
