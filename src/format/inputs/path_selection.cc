#include "format/inputs/path_selection.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <sstream>

#include "base/diagnostics.h"
#include "base/hash.h"
#include "core/paths/chosen_paths.h"
#include "format/inputs/weights.h"

namespace chord::format {
namespace {

constexpr std::string_view kShape = "shape=", kBlocks = "blocks=";

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool read_number(std::string_view text, uint64_t &value, int base = 10) {
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return failed == std::errc{} && end == text.data() + text.size();
}

// Empty, or what is wrong.
std::string read_numbers(const std::string &text, PathChoice &choice) {
  for (const std::string &part : split(text, ',')) {
    size_t dash = part.find('-');
    uint64_t first = 0, last = 0;
    bool good = read_number(part.substr(0, dash), first);
    good = good && (dash == std::string::npos ? (last = first, true) : read_number(part.substr(dash + 1), last));
    if (!good || last < first) return fmt::format("'{}' is no number of a path", part);
    choice.numbers.emplace_back(first, last);
  }
  return {};
}

std::string read_lines(const std::string &text, PathChoice &choice) {
  size_t colon = text.rfind(':');
  choice.kind = PathChoice::Kind::lines;
  choice.file = text.substr(0, colon);
  for (const std::string &part : split(std::string_view(text).substr(colon + 1), ',')) {
    uint64_t line = 0;
    if (!read_number(part, line) || line == 0 || line > UINT32_MAX) return fmt::format("'{}' is no line", part);
    choice.lines.push_back(static_cast<uint32_t>(line));
  }
  return choice.file.empty() ? "there is no file in front of the colon" : "";
}

std::string read_choice(const std::vector<std::string> &words, PathChoice &choice) {
  using Kind = PathChoice::Kind;
  if (words.size() < 2 || words.size() > 3) return "a line has a function, its paths, and for numbers the function's shape";
  choice.function = words[0];
  const std::string &what = words[1];
  std::string wrong;
  if (what == "*") {
    choice.kind = Kind::all;
  } else if (what == "none") {
    choice.kind = Kind::none;
  } else if (what.starts_with(kBlocks)) {
    choice.kind = Kind::blocks;
    choice.blocks = split(std::string_view(what).substr(kBlocks.size()), ',');
  } else if (what.find(':') != std::string::npos) {
    wrong = read_lines(what, choice);
  } else {
    wrong = read_numbers(what, choice);
  }
  if (!wrong.empty()) return wrong;
  bool numbered = choice.kind == Kind::numbers || choice.kind == Kind::none || (choice.kind == Kind::all && words.back().starts_with(kShape));
  if (!numbered) return words.size() == 3 ? fmt::format("'{}' is too much", words[2]) : "";
  if (words.size() != 3 || !words[2].starts_with(kShape)) return "numbers of paths need the shape of the function they are of";
  return read_number(std::string_view(words[2]).substr(kShape.size()), choice.shape, 16) ? "" : fmt::format("'{}' is no shape", words[2]);
}

// Names that the standards and compilers reserve for functions that do not return.
bool never_returns(std::string_view callee) {
  static constexpr std::array<std::string_view, 20> kNames = {
      "abort",          "exit",          "_exit",       "_Exit",          "quick_exit",     "__assert_fail", "__stack_chk_fail",
      "__fortify_fail", "__chk_fail",    "__cxa_throw", "__cxa_rethrow",  "__cxa_bad_cast", "_Unwind_Resume", "__cxa_throw_bad_array_new_length",
      "_ZSt9terminatev", "__clang_call_terminate", "pthread_exit", "longjmp", "siglongjmp", "__longjmp_chk"};
  callee = callee.substr(0, callee.find('@'));
  return std::find(kNames.begin(), kNames.end(), callee) != kNames.end();
}

bool same_file(const std::string &full, const std::string &file) {
  return full == file || (full.size() > file.size() && full.ends_with(file) && full[full.size() - file.size() - 1] == '/');
}

// The paths through exactly these blocks.
core::PathPattern through_blocks(const Procedure &p, const std::vector<std::string> &blocks) {
  auto step = [&p, blocks](uint64_t next, core::Vertex v) -> std::optional<uint64_t> {
    if (v >= p.blocks.size() || p.blocks[v].kind != VertexKind::code) return next;
    if (next == blocks.size() || block_name(p, v) != blocks[next]) return std::nullopt;
    return next + 1;
  };
  return {step, [size = blocks.size()](uint64_t next) { return next == size; }};
}

class Chooser {
 public:
  Chooser(const UnitMap &unit, const Procedure &p, const core::PathNumbering &numbering)
      : unit_(unit), p_(p), numbering_(numbering), silent_(silent_edges(p)), shape_(path_shape(p, numbering)) {}

  std::optional<ChosenNumbers> run(const std::vector<const PathChoice *> &choices, std::string &why_not) {
    bool numbered = false, known = false;
    for (const PathChoice *c : choices) {
      bool by_number = c->kind == PathChoice::Kind::numbers || c->kind == PathChoice::Kind::none || c->shape != 0;
      numbered = numbered || by_number;
      known = known || (by_number && c->shape == shape_);
      if (!by_number || c->shape == shape_) why_not = take(*c);
      if (!why_not.empty()) return std::nullopt;
    }
    if (numbered && !known) {
      why_not = "the numbers are of another build of it";
      return std::nullopt;
    }
    if (chosen_.size() > kMostListedPaths) all_ = true;
    if (all_) return list_paths(core::PathSet(numbering_, silent_));
    return ChosenNumbers{false, {chosen_.begin(), chosen_.end()}};
  }

 private:
  std::string take(const PathChoice &c) {
    switch (c.kind) {
      case PathChoice::Kind::none:
        return {};
      case PathChoice::Kind::all:
        all_ = true;
        return {};
      case PathChoice::Kind::numbers:
        return take_numbers(c);
      case PathChoice::Kind::blocks:
        return take_set(c, through_blocks(p_, c.blocks));
      case PathChoice::Kind::lines:
        return take_set(c, through_lines(unit_, p_, c.file, c.lines));
    }
    return {};
  }

  std::string take_set(const PathChoice &c, core::PathPattern pattern) {
    ChosenNumbers found = list_paths(core::PathSet(numbering_, silent_, std::move(pattern)));
    all_ = all_ || found.all;
    chosen_.insert(found.numbers.begin(), found.numbers.end());
    if (found.all || !found.numbers.empty() || is_pattern(c.function)) return {};
    return fmt::format("it has no path '{}'", write_path_choice(c));
  }

  std::string take_numbers(const PathChoice &c) {
    for (auto [first, last] : c.numbers) {
      if (last >= numbering_.paths) return fmt::format("it has no path {}", last);
      all_ = all_ || last - first >= kMostListedPaths;
      for (uint64_t n = first; !all_ && n <= last; ++n) {
        if (core::is_possible_path(numbering_, silent_, n)) chosen_.insert(n);
      }
    }
    return {};
  }

  const UnitMap &unit_;
  const Procedure &p_;
  const core::PathNumbering &numbering_;
  std::vector<bool> silent_;
  uint64_t shape_;
  std::set<uint64_t> chosen_;
  bool all_ = false;
};

}  // namespace

bool is_pattern(const std::string &name) { return name.find_first_of("*?[") != std::string::npos; }

std::vector<const PathChoice *> PathSelection::find(const std::string &function) const {
  std::vector<const PathChoice *> found;
  for (const PathChoice &c : choices) {
    bool fits = is_pattern(c.function) ? fnmatch(c.function.c_str(), function.c_str(), 0) == 0 : c.function == function;
    if (fits) found.push_back(&c);
  }
  return found;
}

PathSelection read_path_selection(std::string_view text, const std::string &source) {
  PathSelection selection{source, {}};
  std::istringstream in{std::string(text)};
  size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::istringstream words_in(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; words_in >> word;) words.push_back(word);
    if (words.empty()) continue;
    PathChoice choice;
    if (std::string wrong = read_choice(words, choice); !wrong.empty()) {
      throw base::Error(fmt::format("{}:{}: {}", source, number, wrong),
                        "`chord paths select` writes such files; docs/paths.md tells what may be in them");
    }
    choice.line = number;
    selection.choices.push_back(std::move(choice));
  }
  return selection;
}

std::string write_path_choice(const PathChoice &c) {
  switch (c.kind) {
    case PathChoice::Kind::all:
      return c.shape == 0 ? c.function + " *" : fmt::format("{} * {}{:016x}", c.function, kShape, c.shape);
    case PathChoice::Kind::none:
      return fmt::format("{} none {}{:016x}", c.function, kShape, c.shape);
    case PathChoice::Kind::blocks:
      return fmt::format("{} {}{}", c.function, kBlocks, fmt::join(c.blocks, ","));
    case PathChoice::Kind::lines:
      return fmt::format("{} {}:{}", c.function, c.file, fmt::join(c.lines, ","));
    case PathChoice::Kind::numbers:
      break;
  }
  std::vector<std::string> parts;
  for (auto [first, last] : c.numbers) parts.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
  return fmt::format("{} {} {}{:016x}", c.function, fmt::join(parts, ","), kShape, c.shape);
}

std::vector<std::pair<uint64_t, uint64_t>> ranges_of(const std::vector<uint64_t> &numbers) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (uint64_t n : numbers) {
    if (!ranges.empty() && ranges.back().second + 1 == n) {
      ranges.back().second = n;
    } else {
      ranges.emplace_back(n, n);
    }
  }
  return ranges;
}

uint64_t path_shape(const Procedure &procedure, const core::PathNumbering &numbering) {
  base::Hash hash;
  hash.add(shape_hash(procedure)).add(numbering.paths);
  for (core::EdgeId e = 0; e < procedure.edges.size(); ++e) {
    if (numbering.cut[e]) hash.add(uint64_t{e});
  }
  return hash.value();
}

std::vector<bool> never_edges(const Procedure &p) {
  std::vector<bool> never;
  for (const Edge &e : p.edges) {
    const Block &from = p.blocks[e.from];
    bool behind_call = e.kind == EdgeKind::fall && from.count != 0 &&
                       never_returns(p.instructions[from.first + from.count - 1].callee);
    never.push_back(e.kind == EdgeKind::never || behind_call);
  }
  return never;
}

std::optional<core::PathNumbering> plan_numbering(const Procedure &p, std::string &why_not) {
  const core::PathPlan &plan = p.plan.paths;
  std::optional<core::PathNumbering> numbering =
      core::number_cut_paths(p.graph(), plan.cuts, why_not, plan.except_noise ? never_edges(p) : std::vector<bool>{});
  if (!numbering || numbering->paths == plan.paths) return numbering;
  why_not = fmt::format("the map speaks of {} paths, its graph has {}", plan.paths, numbering->paths);
  return std::nullopt;
}

std::vector<bool> silent_edges(const Procedure &p) {
  std::vector<bool> silent;
  for (const Edge &e : p.edges) {
    silent.push_back(e.kind == EdgeKind::never || (e.from == 0 && p.blocks[e.to].kind == VertexKind::landing));
  }
  return silent;
}

std::optional<ChosenNumbers> chosen_paths(const PathSelection &selection, const UnitMap &unit, const Procedure &procedure,
                                          const core::PathNumbering &numbering, std::string &why_not) {
  return Chooser(unit, procedure, numbering).run(selection.find(procedure.name), why_not);
}

ChosenNumbers list_paths(const core::PathSet &set) {
  ChosenNumbers found{set.size() > kMostListedPaths, {}};
  for (uint64_t k = 0; !found.all && k < set.size(); ++k) found.numbers.push_back(set.number(k));
  return found;
}

std::string block_name(const Procedure &p, uint32_t block) {
  const Instruction &first = p.instructions[p.blocks[block].first];
  std::string part = first.fragment == 0 ? "" : p.fragments[first.fragment].name + '+';
  return part + std::to_string(first.offset);
}

// The state is the number of lines met, and below it the line it was met in: each visit of a
// line counts once.
core::PathPattern through_lines(const UnitMap &unit, const Procedure &p, const std::string &file,
                                const std::vector<uint32_t> &lines) {
  auto step = [&unit, &p, file, lines](uint64_t state, core::Vertex v) -> std::optional<uint64_t> {
    if (v >= p.blocks.size()) return state;
    uint64_t next = state >> 32;
    auto last = static_cast<uint32_t>(state);
    for (uint32_t i = p.blocks[v].first; i < p.blocks[v].first + p.blocks[v].count; ++i) {
      const Instruction &in = p.instructions[i];
      if (in.line == 0 || in.line == last) continue;
      last = in.line;
      if (next < lines.size() && in.line == lines[next] && same_file(unit.files[in.file], file)) ++next;
    }
    return next << 32 | last;
  };
  return {step, [size = lines.size()](uint64_t state) { return state >> 32 == size; }};
}

}  // namespace chord::format
