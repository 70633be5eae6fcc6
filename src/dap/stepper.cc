#include "dap/stepper.h"

#include <algorithm>
#include <string>

namespace chord::dap {
namespace {

// The line that each open activation is on, by depth, as a walk forward comes to know them.
class LinesByDepth {
 public:
  LinesByDepth() = default;
  // As they are when a walk starts in the middle of a run.
  LinesByDepth(Recording &recording, size_t thread, uint64_t number) {
    std::vector<Location> stack = recording.stack(thread, number);
    lines_.assign(stack.rbegin(), stack.rend());
    for (uint32_t depth = 0; depth < lines_.size(); ++depth) {
      if (lines_[depth].has_line()) continue;
      recording.walk(thread, number, Direction::backward, [&](const Step &step) {
        if (step.depth == depth && step.at.has_line()) lines_[depth] = step.at;
        return step.depth > depth || (step.depth == depth && !step.enters && !step.at.has_line());
      });
    }
  }

  // Does the activation come to a line with this step? (Instructions without a line are on none.)
  bool arrives(const Step &step) {
    if (step.depth >= lines_.size()) lines_.resize(step.depth + 1);
    Location &last = lines_[step.depth];
    bool fresh = step.enters || !last.same_line(step.at);
    if (step.at.has_line() || step.enters) last = step.at;
    return fresh && step.at.has_line();
  }

 private:
  std::vector<Location> lines_;
};

}  // namespace

bool parse_hit_condition(const std::string &text, Breakpoint &breakpoint) {
  size_t digits = text.find_first_of("0123456789");
  if (digits == std::string::npos || text.size() - digits > 18) return false;
  size_t end = text.find_first_not_of("0123456789", digits);
  if (end != std::string::npos && text.find_first_not_of(' ', end) != std::string::npos) return false;
  uint64_t n = std::stoull(text.substr(digits));
  std::string op = text.substr(0, digits);
  op.erase(std::remove(op.begin(), op.end(), ' '), op.end());
  if (op == "" || op == "==" || op == "=") {
    breakpoint.from = breakpoint.to = n;
  } else if (op == ">=" || op == ">") {
    breakpoint.from = n + (op == ">");
  } else if (op == "<=" || op == "<") {
    breakpoint.to = op == "<" && n > 0 ? n - 1 : n;
  } else if (op == "%" && n > 0) {
    breakpoint.from = breakpoint.every = n;
  } else {
    return false;
  }
  return true;
}

Stop Stepper::step_over(size_t thread, uint64_t number, Granularity granularity, Direction direction) {
  const Step start = recording_.step_at(thread, number);
  std::optional<Step> found;
  Step last = start;
  recording_.walk(thread, number, direction, [&](const Step &step) {
    last = step;
    bool same = step.depth == start.depth && !(direction == Direction::forward && step.enters);
    if (step.depth > start.depth) return true;
    if (granularity == Granularity::line && !step.at.has_line()) return true;
    if (granularity == Granularity::line && same && step.at.same_line(start.at)) return true;
    found = step;
    return false;
  });
  if (!found) return {last.number, std::nullopt};
  if (direction == Direction::forward || granularity == Granularity::instruction) return {found->number, std::nullopt};
  return back_to_line_start(thread, *found);
}

// The moment at which the activation came to the line it is on.
Stop Stepper::back_to_line_start(size_t thread, const Step &in) {
  uint64_t first = in.number;
  if (in.enters) return {first, std::nullopt};
  recording_.walk(thread, in.number, Direction::backward, [&](const Step &step) {
    if (step.depth > in.depth) return true;
    if (step.depth < in.depth || (step.at.has_line() && !step.at.same_line(in.at))) return false;
    if (step.at.has_line()) first = step.number;
    return !step.enters;
  });
  return {first, std::nullopt};
}

Stop Stepper::step_in(size_t thread, uint64_t number, Granularity granularity) {
  const Step start = recording_.step_at(thread, number);
  Stop stop{number, std::nullopt};
  recording_.walk(thread, number, Direction::forward, [&](const Step &step) {
    stop.number = step.number;
    if (granularity == Granularity::instruction) return false;
    bool elsewhere = step.depth != start.depth || step.enters || !step.at.same_line(start.at);
    return !(elsewhere && step.at.has_line());
  });
  return stop;
}

Stop Stepper::step_out(size_t thread, uint64_t number) {
  const Step start = recording_.step_at(thread, number);
  Stop stop{number, std::nullopt};
  recording_.walk(thread, number, Direction::forward, [&](const Step &step) {
    stop.number = step.number;
    return step.depth >= start.depth;
  });
  return stop;
}

Stop Stepper::run(size_t thread, uint64_t number, Direction direction) {
  return direction == Direction::forward ? run_forward(thread, number) : run_backward(thread, number);
}

const Breakpoint *Stepper::at_line(const Location &at) const {
  for (const Breakpoint &b : breakpoints_) {
    if (!b.on_function && b.file == at.file && b.line == at.line) return &b;
  }
  return nullptr;
}

const Breakpoint *Stepper::at_entry(const Step &step) const {
  if (!step.enters) return nullptr;
  for (const Breakpoint &b : breakpoints_) {
    if (b.on_function && b.function == step.at.function) return &b;
  }
  return nullptr;
}

Stop Stepper::run_forward(size_t thread, uint64_t number) {
  LinesByDepth lines(recording_, thread, number);
  Stop stop{number, std::nullopt};
  recording_.walk(thread, number, Direction::forward, [&](const Step &step) {
    stop.number = step.number;
    const Breakpoint *hit = at_entry(step);
    if (lines.arrives(step) && hit == nullptr) hit = at_line(step.at);
    if (hit == nullptr || !stops(thread, step.number, *hit)) return true;
    stop.breakpoint = hit->id;
    return false;
  });
  return stop;
}

// An activation came to a line at the first moment of it, which a walk backward sees last: it is kept until the activation
// turns out to have been elsewhere before.
Stop Stepper::run_backward(size_t thread, uint64_t number) {
  std::vector<std::optional<Step>> open;  // by depth: the earliest moment yet on a line with a breakpoint
  Stop stop{number, std::nullopt};
  auto stop_at = [&](const Step &step, const Breakpoint &b) {
    if (!stops(thread, step.number, b)) return false;
    stop = {step.number, b.id};
    return true;
  };
  recording_.walk(thread, number, Direction::backward, [&](const Step &step) {
    stop = {step.number, std::nullopt};
    if (step.depth >= open.size()) open.resize(step.depth + 1);
    for (size_t d = step.depth + 1; d < open.size(); ++d) open[d].reset();
    std::optional<Step> &pending = open[step.depth];
    if (pending && step.at.has_line() && !step.at.same_line(pending->at)) {
      const Breakpoint *b = at_line(pending->at);
      Step arrived = *pending;
      pending.reset();
      if (b != nullptr && stop_at(arrived, *b)) return false;
    }
    if (step.at.has_line() && at_line(step.at) != nullptr) pending = step;
    const Breakpoint *entry = at_entry(step);
    if (entry != nullptr && stop_at(step, *entry)) return false;
    if (step.enters && pending) {
      const Breakpoint *b = at_line(pending->at);
      Step arrived = *pending;
      pending.reset();
      if (b != nullptr && stop_at(arrived, *b)) return false;
    }
    if (step.enters) open[step.depth].reset();
    return true;
  });
  return stop;
}

// The moments, among all hits of a breakpoint that counts them, at which it stops.
const std::vector<uint64_t> &Stepper::wanted_hits(size_t thread, const Breakpoint &breakpoint) {
  auto [found, fresh] = wanted_.try_emplace({thread, breakpoint.id});
  std::vector<uint64_t> &wanted = found->second;
  if (!fresh) return wanted;
  LinesByDepth lines;
  uint64_t hits = 0;
  auto look = [&](const Step &step) {
    bool arrives = lines.arrives(step);
    bool hit = std::any_of(breakpoints_.begin(), breakpoints_.end(), [&](const Breakpoint &b) {
      return b.id == breakpoint.id && (b.on_function ? step.enters && b.function == step.at.function : arrives && b.file == step.at.file && b.line == step.at.line);
    });
    if (hit && breakpoint.wants(++hits)) wanted.push_back(step.number);
    return hits < breakpoint.to;
  };
  if (look(recording_.step_at(thread, 0))) recording_.walk(thread, 0, Direction::forward, look);
  return wanted;
}

bool Stepper::stops(size_t thread, uint64_t number, const Breakpoint &breakpoint) {
  if (!breakpoint.is_counted()) return true;
  const std::vector<uint64_t> &wanted = wanted_hits(thread, breakpoint);
  return std::binary_search(wanted.begin(), wanted.end(), number);
}

}  // namespace chord::dap
