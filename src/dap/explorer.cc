#include "dap/explorer.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace chord::dap {

void Explorer::move(const Stop &stop) {
  moment() = stop.number;
  frame_ = 0;
}

void Explorer::step_instruction(Direction direction) {
  const uint64_t length = recording_.length(thread_);
  if (direction == Direction::forward && moment() + 1 < length) ++moment();
  if (direction == Direction::backward && moment() > 0) --moment();
  frame_ = 0;
}

void Explorer::go_to(uint64_t number) {
  moment() = std::min(number, recording_.length(thread_) - 1);
  frame_ = 0;
}

void Explorer::next_thread() {
  thread_ = (thread_ + 1) % recording_.thread_count();
  frame_ = 0;
}

void Explorer::show_caller() {
  if (frame_ + 1 < recording_.stack(thread_, moment()).size()) ++frame_;
}

void Explorer::show_callee() {
  if (frame_ > 0) --frame_;
}

std::string Explorer::toggle_breakpoint(const std::string &place) {
  Breakpoint wanted;
  const size_t colon = place.rfind(':');
  const std::string digits = colon == std::string::npos ? "" : place.substr(colon + 1);
  auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), wanted.line);
  if (!digits.empty() && failed == std::errc{} && end == digits.data() + digits.size()) {
    std::vector<uint32_t> files = recording_.files_named(place.substr(0, colon));
    if (files.empty()) return fmt::format("there is no file {}", place.substr(0, colon));
    wanted.file = files[0];
    const std::vector<uint32_t> lines = recording_.lines_with_code(wanted.file);
    if (!std::binary_search(lines.begin(), lines.end(), wanted.line)) return fmt::format("{}: there is no code", place);
  } else {
    std::vector<uint32_t> functions = recording_.functions_named(place);
    if (functions.empty()) return fmt::format("there is no function {}", place);
    wanted.on_function = true;
    wanted.function = functions[0];
    wanted.line = 0;
  }
  auto same = [&](const Breakpoint &b) { return b.on_function == wanted.on_function && (b.on_function ? b.function == wanted.function : b.file == wanted.file && b.line == wanted.line); };
  if (std::erase_if(breakpoints_, same) != 0) return fmt::format("no breakpoint at {} any more", place);
  wanted.id = breakpoints_.empty() ? 1 : breakpoints_.back().id + 1;
  breakpoints_.push_back(wanted);
  return fmt::format("breakpoint at {}", place);
}

std::string Explorer::name_of(const Location &at) const {
  std::string place = at.has_line() ? fmt::format("  {}:{}", std::filesystem::path(recording_.file_name(at.file)).filename().string(), at.line) : "";
  return fmt::format("{}+{:#x}{}", recording_.function_name(at.function), at.offset, place);
}

Explorer::Page Explorer::page() {
  Page page;
  const std::vector<Location> stack = recording_.stack(thread_, moment());
  for (const Location &at : stack) page.stack.push_back(name_of(at));
  page.shown = frame_ = std::min(frame_, stack.size() - 1);
  page.title = fmt::format("{}  moment {} of {}  depth {}  {}", recording_.thread_name(thread_), moment(), recording_.length(thread_), stack.size() - 1, page.stack[0]);
  const Location &at = stack[frame_];
  if (!assembly_ && at.has_line()) put_source(at, page);
  if (page.lines.empty()) put_assembly(at, page);
  return page;
}

bool Explorer::has_breakpoint(const Location &at) const {
  return std::any_of(breakpoints_.begin(), breakpoints_.end(), [&](const Breakpoint &b) { return !b.on_function && b.file == at.file && b.line == at.line; });
}

void Explorer::put_source(const Location &at, Page &page) {
  const std::vector<std::string> &lines = source(at.file);
  for (uint32_t n = 1; n <= lines.size(); ++n) {
    const Location here{at.function, 0, at.file, n};
    page.lines.push_back(fmt::format("{}{}{:>6}  {}", n == at.line ? '>' : ' ', has_breakpoint(here) ? '*' : ' ', n, lines[n - 1]));
  }
  page.current = at.line <= lines.size() ? at.line - 1 : 0;
  if (at.line > lines.size()) page.lines.clear();  // of another version
}

void Explorer::put_assembly(const Location &at, Page &page) const {
  for (const CodeLine &line : recording_.code(at.function)) {
    if (line.at.offset == at.offset) page.current = page.lines.size();
    page.lines.push_back(fmt::format("{} {:>6x}  {}", line.at.offset == at.offset ? '>' : ' ', line.at.offset, line.text));
  }
}

const std::vector<std::string> &Explorer::source(uint32_t file) {
  auto [entry, fresh] = sources_.try_emplace(file);
  if (!fresh) return entry->second;
  std::ifstream in(recording_.file_name(file));
  for (std::string line; std::getline(in, line);) entry->second.push_back(line);
  return entry->second;
}

}  // namespace chord::dap
