#include "report/baseline.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/diagnostics.h"
#include "report/listings.h"

namespace chord::report {
namespace {

using analysis::CountedProcedure;

constexpr std::string_view kHead = "chord baseline 1";

BaselineFunction function_of(const CountedProcedure &p) {
  if (!p.exact()) throw base::Error(fmt::format("{}: its counts cannot be trusted: {}", p.map->name, p.problem));
  BaselineFunction f{p.map->name, p.unit->unit, p.calls, p.instructions, {}, std::string(file_of(p)), 0};
  for (const format::Instruction &i : p.map->instructions) {
    bool own = i.line != 0 && p.unit->files[i.file] == f.file;
    if (own && (f.line == 0 || i.line < f.line)) f.line = i.line;
  }
  for (size_t i = 0; i < p.executed.size(); ++i) {
    const format::Instruction &at = p.map->instructions[i];
    if (at.line == 0 || p.executed[i] == 0) continue;
    const std::string &file = p.unit->files[at.file];
    f.lines[file == f.file ? fmt::format("+{}", at.line - f.line) : fmt::format("{}:{}", file, at.line)] += p.executed[i];
  }
  return f;
}

class BaselineReader {
 public:
  BaselineReader(std::string_view text, const std::string &path) : text_(text), path_(path) {}

  Baseline run() {
    if (next() != kHead) fail("this is no baseline of a version known here");
    Baseline out;
    while (!text_.empty()) read(next(), out);
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string &what) const {
    throw base::Error(fmt::format("{}:{}: {}", path_, line_, what), "write it again with chord check --write-baseline");
  }

  std::string_view next() {
    ++line_;
    std::string_view line = text_.substr(0, text_.find('\n'));
    text_.remove_prefix(std::min(text_.size(), line.size() + 1));
    return line;
  }

  uint64_t number(std::string_view word) const {
    uint64_t value = 0;
    auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (failed != std::errc{} || end != word.data() + word.size() || word.empty()) fail(fmt::format("'{}' is no count", word));
    return value;
  }

  void read(std::string_view line, Baseline &out) {
    if (line.empty() || line.starts_with('#')) return;
    if (line.starts_with("  ")) {
      size_t blank = line.rfind(' ');
      if (out.functions.empty() || blank < 3) fail("a line's count belongs to a function");
      out.functions.back().lines[std::string(line.substr(2, blank - 2))] = number(line.substr(blank + 1));
      return;
    }
    size_t blank = line.find(' ');
    if (blank == std::string_view::npos) fail(fmt::format("'{}' has no value", line));
    std::string_view word = line.substr(0, blank), rest = line.substr(blank + 1);
    if (word == "program") {
      out.program = rest;
    } else if (word == "runs") {
      out.runs = number(rest);
    } else if (word == "instructions") {
      out.instructions = number(rest);
    } else if (word == "function") {
      size_t space = rest.find(' ');
      out.functions.push_back({std::string(rest.substr(0, space)), space == rest.npos ? "" : std::string(rest.substr(space + 1)), 0, 0, {}, "", 0});
    } else if ((word == "calls" || word == "executed") && !out.functions.empty()) {
      (word == "calls" ? out.functions.back().calls : out.functions.back().executed) = number(rest);
    } else {
      fail(fmt::format("'{}' is not known here", word));
    }
  }

  std::string_view text_;
  const std::string &path_;
  uint32_t line_ = 0;
};

}  // namespace

Baseline baseline_of(const analysis::Program &program) {
  Baseline out{program.name, std::max<uint64_t>(program.runs, 1), program.instructions, {}};
  for (const CountedProcedure &p : program.procedures) {
    if (!p.counts_chosen_paths() && (p.calls != 0 || p.instructions != 0 || !p.exact())) out.functions.push_back(function_of(p));
  }
  std::stable_sort(out.functions.begin(), out.functions.end(), [](const BaselineFunction &a, const BaselineFunction &b) {
    return std::tie(a.name, a.unit) < std::tie(b.name, b.unit);
  });
  return out;
}

std::string to_text(const Baseline &baseline) {
  std::string out = fmt::format("{}\nprogram {}\nruns {}\ninstructions {}\n", kHead, baseline.program, baseline.runs, baseline.instructions);
  for (const BaselineFunction &f : baseline.functions) {
    out += fmt::format("\nfunction {} {}\ncalls {}\nexecuted {}\n", f.name, f.unit, f.calls, f.executed);
    // +10 after +9.
    std::vector<std::pair<std::string, uint64_t>> lines(f.lines.begin(), f.lines.end());
    std::stable_sort(lines.begin(), lines.end(), [](const auto &a, const auto &b) { return a.first.size() < b.first.size(); });
    for (const auto &[place, executed] : lines) out += fmt::format("  {} {}\n", place, executed);
  }
  return out;
}

Baseline parse_baseline(std::string_view text, const std::string &path) { return BaselineReader(text, path).run(); }

bool looks_like_baseline(std::string_view text) { return text.starts_with("chord baseline "); }

}  // namespace chord::report
