#include "base/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace chord::base {
namespace {

constexpr std::chrono::milliseconds kPatience{1000};
constexpr std::chrono::milliseconds kPace{100};
constexpr uint64_t kWidth = 30;

}  // namespace

std::string progress_line(const std::string &what, uint64_t done, uint64_t total) {
  const uint64_t filled = total == 0 ? kWidth : done * kWidth / total;
  const uint64_t share = total == 0 ? 100 : done * 100 / total;
  std::string percent = std::to_string(share);
  percent.insert(0, 3 - std::min<size_t>(percent.size(), 3), ' ');
  return what + "  [" + std::string(filled, '#') + std::string(kWidth - filled, '.') + "] " + percent + " %";
}

Progress::Progress(std::string what, uint64_t total)
    : what_(std::move(what)), total_(total), wanted_(::isatty(STDERR_FILENO) != 0), next_(Clock::now() + kPatience) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::step() {
  ++done_;
  if (wanted_ && Clock::now() >= next_) show();
}

void Progress::show() {
  next_ = Clock::now() + kPace;
  shown_ = true;
  std::fprintf(stderr, "\r%s\033[K", progress_line(what_, done_, total_).c_str());
}

}  // namespace chord::base
