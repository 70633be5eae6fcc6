// The breakpoints a client has set, and what it is told of them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dap/recording.h"
#include "dap/stepper.h"

namespace chord::dap {

class Breakpoints {
 public:
  // The arguments of setBreakpoints (which replaces those of one file) and of setFunctionBreakpoints (all of functions). A line
  // without code is moved to the next one that has some.
  void set_lines(const Recording &recording, const nlohmann::json &arguments);
  void set_functions(const Recording &recording, const nlohmann::json &arguments);

  // To the request before: one for each breakpoint that was asked for.
  const nlohmann::json &answers() const { return answers_; }
  const std::vector<Breakpoint> &all() const { return all_; }

 private:
  void refuse(const std::string &why);
  bool limit_hits(const nlohmann::json &wanted, Breakpoint &breakpoint);
  void set_line(const Recording &recording, const std::vector<uint32_t> &files, const nlohmann::json &wanted);

  std::vector<Breakpoint> all_;
  nlohmann::json answers_;
  uint32_t last_id_ = 0;
};

}  // namespace chord::dap
