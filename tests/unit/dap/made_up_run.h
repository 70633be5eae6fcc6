// A recording made up by hand: one thread, each step a line of a function at a depth.
#pragma once

#include <string>
#include <vector>

#include "dap/recording.h"

namespace chord::dap {

class MadeUpRun : public Recording {
 public:
  // Each word is one instruction: "FUNCTION:LINE", indented by '>' for its depth, '!' before it if it enters its activation.
  // Functions are main, f and g; all in one file, a.c. Line 0: none.
  explicit MadeUpRun(const std::vector<std::string> &words) {
    for (const std::string &word : words) {
      Step step;
      size_t i = 0;
      for (; word[i] == '>'; ++i) ++step.depth;
      if (word[i] == '!') step.enters = true, ++i;
      size_t colon = word.find(':');
      std::string name = word.substr(i, colon - i);
      step.at.function = name == "main" ? 0 : name == "f" ? 1 : 2;
      step.at.line = static_cast<uint32_t>(std::stoul(word.substr(colon + 1)));
      step.at.file = step.at.line == 0 ? kNoFile : 0;
      step.at.offset = step.at.line;
      step.number = steps_.size();
      steps_.push_back(step);
    }
  }

  size_t thread_count() const override { return 1; }
  std::string thread_name(size_t) const override { return "main"; }
  uint64_t length(size_t) const override { return steps_.size(); }
  Step step_at(size_t, uint64_t number) override { return steps_.at(number); }
  void walk(size_t, uint64_t number, Direction direction, const std::function<bool(const Step &)> &visit) override {
    if (direction == Direction::forward) {
      for (uint64_t i = number + 1; i < steps_.size() && visit(steps_[i]); ++i) continue;
    } else {
      for (uint64_t i = number; i > 0 && visit(steps_[i - 1]); --i) continue;
    }
  }
  std::vector<Location> stack(size_t, uint64_t number) override {
    std::vector<Location> out{steps_[number].at};
    uint32_t depth = steps_[number].depth;
    for (uint64_t i = number; i > 0 && depth > 0; --i) {
      if (steps_[i - 1].depth >= depth) continue;
      depth = steps_[i - 1].depth;
      out.push_back(steps_[i - 1].at);
    }
    return out;
  }
  std::string function_name(uint32_t function) const override { return function == 0 ? "main" : function == 1 ? "f" : "g"; }
  std::string file_name(uint32_t) const override { return "/src/a.c"; }
  std::vector<uint32_t> functions_named(const std::string &name) const override {
    if (name == "main") return {0};
    if (name == "f") return {1};
    return name == "g" ? std::vector<uint32_t>{2} : std::vector<uint32_t>{};
  }
  std::vector<uint32_t> files_named(const std::string &path) const override { return path.ends_with("a.c") ? std::vector<uint32_t>{0} : std::vector<uint32_t>{}; }
  std::vector<uint32_t> lines_with_code(uint32_t) const override { return {1, 2, 3, 10, 11, 20}; }
  std::vector<CodeLine> code(uint32_t function) const override {
    return {{{function, 0, 0, 1}, "push"}, {{function, 1, 0, 1}, "mov"}, {{function, 4, 0, 2}, "ret"}};
  }

 private:
  std::vector<Step> steps_;
};

}  // namespace chord::dap
