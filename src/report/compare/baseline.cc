#include "report/compare/baseline.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/diagnostics.h"
#include "report/contexts/contexts.h"
#include "report/tables/listings.h"

namespace chord::report {
namespace {

using analysis::CountedProcedure;

constexpr std::string_view kHead = "chord baseline 1";
constexpr size_t kContextsOfFunction = 12;

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

// Contexts that run one chain of names (calls from several places of a function) are one here.
void add_contexts(const std::vector<ContextNode> &nodes, std::vector<uint32_t> of_function, BaselineFunction &f) {
  std::stable_sort(of_function.begin(), of_function.end(), [&](uint32_t a, uint32_t b) { return nodes[a].exclusive > nodes[b].exclusive; });
  for (uint32_t n : of_function) {
    if (nodes[n].exclusive == 0) break;
    std::string chain = shown_chain(nodes, n);
    // A line of text is to hold it.
    std::replace(chain.begin(), chain.end(), '\n', ' ');
    bool wanted = f.contexts.size() < kContextsOfFunction || f.contexts.contains(chain);
    (wanted ? f.contexts[chain] : f.other_contexts) += nodes[n].exclusive;
  }
}

void add_contexts(const analysis::Program &program, const std::vector<uint32_t> &function_of, Baseline &out) {
  std::vector<ContextNode> nodes = context_nodes(program, false);
  std::vector<std::vector<uint32_t>> by_function(out.functions.size());
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    uint32_t function = function_of[program.contexts[nodes[n].context].procedure];
    if (function != core::kNone) by_function[function].push_back(n);
  }
  for (size_t f = 0; f < by_function.size(); ++f) add_contexts(nodes, std::move(by_function[f]), out.functions[f]);
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

  static uint64_t *count_named(std::string_view word, BaselineFunction &f) {
    return word == "calls" ? &f.calls : word == "executed" ? &f.executed : word == "others" ? &f.other_contexts : nullptr;
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
      if (out.runs == 0) fail("counts of no runs");
    } else if (word == "instructions") {
      out.instructions = number(rest);
    } else if (word == "function") {
      size_t space = rest.find(' ');
      out.functions.push_back({std::string(rest.substr(0, space)), space == rest.npos ? "" : std::string(rest.substr(space + 1)), 0, 0, {}, "", 0});
    } else if (out.functions.empty()) {
      fail(fmt::format("'{}' belongs to a function, or is not known here", word));
    } else if (word == "from") {
      size_t space = std::min(rest.find(' '), rest.size());
      if (space + 1 >= rest.size()) fail("a context has a count and a chain of functions");
      out.functions.back().contexts[std::string(rest.substr(space + 1))] = number(rest.substr(0, space));
    } else if (uint64_t *value = count_named(word, out.functions.back()); value != nullptr) {
      *value = number(rest);
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
  std::vector<uint32_t> place(program.procedures.size(), core::kNone);
  for (size_t n = 0; n < program.procedures.size(); ++n) {
    const CountedProcedure &p = program.procedures[n];
    if (p.counts_chosen_paths() || (p.calls == 0 && p.instructions == 0 && p.exact())) continue;
    place[n] = static_cast<uint32_t>(out.functions.size());
    out.functions.push_back(function_of(p));
  }
  add_contexts(program, place, out);
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
    for (const auto &[chain, executed] : f.contexts) out += fmt::format("from {} {}\n", executed, chain);
    if (f.other_contexts != 0) out += fmt::format("others {}\n", f.other_contexts);
  }
  return out;
}

Baseline parse_baseline(std::string_view text, const std::string &path) { return BaselineReader(text, path).run(); }

bool looks_like_baseline(std::string_view text) { return text.starts_with("chord baseline "); }

}  // namespace chord::report
