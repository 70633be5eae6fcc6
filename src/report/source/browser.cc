#include "report/source/browser.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include "analysis/contexts/context_pattern.h"
#include "base/cxx_names.h"
#include "base/diagnostics.h"
#include "report/contexts/contexts.h"
#include "report/paths/paths.h"
#include "report/source/annotate.h"
#include "report/tables/listings.h"
#include "report/tables/names.h"

namespace chord::report {
namespace {

using analysis::CountedProcedure;
using Kind = BrowserPage::Kind;

std::vector<BrowserLine> lines_of(const std::string &text) {
  std::vector<BrowserLine> out;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    out.push_back({text.substr(at, end - at)});
    at = end + 1;
  }
  return out;
}

std::string shown_name(const CountedProcedure &p) { return base::familiar_name(base::demangle(p.map->name)); }

double part(uint64_t of, uint64_t all) { return all == 0 ? 0 : static_cast<double>(of) / static_cast<double>(all); }

std::string lower(std::string text) {
  for (char &c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

constexpr const char *kHelp =
    "  up, k / down, j      one line\n"
    "  Page Up / Page Down  one screen\n"
    "  g, Home / G, End     first, last line\n"
    "  Enter                open the function or path under the cursor\n"
    "  s                    its source with counts\n"
    "  a                    its instructions with counts\n"
    "  c                    who calls it, and what it calls\n"
    "  p                    its paths (builds with --paths)\n"
    "  x                    its calling contexts (builds with --context); Enter shows one in the tree\n"
    "  t                    the tree of calling contexts; Enter unfolds and folds\n"
    "                       (s, a and p on a context count in that one alone)\n"
    "  /  n                 search, again\n"
    "  o                    order of functions: executed, calls, name\n"
    "  q, Left              back; quit where there is nothing to go back to\n"
    "  h, F1                this page\n";

constexpr const char *kNameAt = "  function";

// Calls that executed most first, then those that were made most.
std::vector<uint32_t> by_cost(std::vector<uint32_t> sites, const CallGraph &calls) {
  auto cost = [&](uint32_t s) { return std::pair(calls.sites[s].inclusive.value_or(0), calls.sites[s].calls); };
  std::stable_sort(sites.begin(), sites.end(), [&](uint32_t a, uint32_t b) { return cost(a) > cost(b); });
  return sites;
}

// What the columns of a page are called.
std::string heading_of(Kind kind) {
  switch (kind) {
    case Kind::functions: return "";  // as wide as its counts: functions_page has it
    case Kind::calls: return fmt::format("{:>14} {:>16}{}", "calls", "with callees", kNameAt);
    case Kind::paths: return fmt::format("{:>14} {:>10}", "times", "length");
    case Kind::tree: return fmt::format("{:>6} {:>16} {:>14} {:>12}   {}", "share", "with callees", "executed", "calls", "function, and where it is called");
    case Kind::contexts: return fmt::format("{:>6} {:>16} {:>14}  {}", "share", "executed", "calls", "chain of calls");
    case Kind::source:
    case Kind::path: return fmt::format("{:>15} | {:>5}  {}", "times", "line", "source");
    case Kind::assembly: return fmt::format("{:>15} |  {}", "times", "instruction");
    case Kind::help: return "";
  }
  return "";
}

}  // namespace

std::string fit_line(const BrowserLine &line, size_t width) {
  if (line.name.empty()) return cut_end(line.text, width);
  const size_t taken = display_width(line.text) + display_width(line.after);
  // A name of which less is left says nothing: its place goes instead.
  constexpr size_t kReadableName = 20;
  if (taken + std::min(kReadableName, display_width(line.name)) > width) {
    return cut_end(line.text + fit_name(line.name, std::max(width, display_width(line.text) + 1) - display_width(line.text)) + line.after, width);
  }
  return line.text + fit_name(line.name, width - taken) + line.after;
}

Browser::Browser(const analysis::Program &program, LoadContext load_context)
    : program_(program), load_context_(std::move(load_context)), tree_(program), calls_(find_calls(program)) {
  show(functions_page());
}

void Browser::set_height(size_t lines) {
  height_ = std::max<size_t>(lines, 1);
  move(0);
}

void Browser::move(int64_t by) {
  BrowserPage &p = pages_.back();
  if (p.lines.empty()) return;
  int64_t at = std::clamp<int64_t>(static_cast<int64_t>(p.cursor) + by, 0, static_cast<int64_t>(p.lines.size()) - 1);
  p.cursor = static_cast<size_t>(at);
  if (p.cursor < p.top) p.top = p.cursor;
  if (p.cursor >= p.top + height_) p.top = p.cursor - height_ + 1;
}

void Browser::show(BrowserPage page) {
  if (page.heading.empty()) page.heading = heading_of(page.kind);
  pages_.push_back(std::move(page));
  move(0);
}

uint32_t Browser::chosen_function() const {
  const BrowserPage &p = page();
  if (!p.lines.empty() && p.lines[p.cursor].function != UINT32_MAX) return p.lines[p.cursor].function;
  return p.function;
}

uint32_t Browser::chosen_context() const {
  const BrowserPage &p = page();
  if (!p.lines.empty() && p.lines[p.cursor].function != UINT32_MAX) return p.lines[p.cursor].context;
  return p.context;
}

bool Browser::press(Key key) {
  auto screen = static_cast<int64_t>(height_), all = static_cast<int64_t>(page().lines.size());
  switch (key) {
    case Key::up: move(-1); break;
    case Key::down: move(1); break;
    case Key::page_up: move(-screen); break;
    case Key::page_down: move(screen); break;
    case Key::first: move(-all); break;
    case Key::last: move(all); break;
    case Key::open: open(); break;
    case Key::back:
      if (pages_.size() == 1) return false;
      pages_.pop_back();
      move(0);
      break;
    case Key::source: show_function(Kind::source); break;
    case Key::assembly: show_function(Kind::assembly); break;
    case Key::calls: show_function(Kind::calls); break;
    case Key::paths: show_function(Kind::paths); break;
    case Key::contexts: show_function(Kind::contexts); break;
    case Key::tree: show_tree(chosen_context()); break;
    case Key::help: show({Kind::help, "keys", UINT32_MAX, UINT32_MAX, lines_of(kHelp), 0, 0}); break;
    case Key::sort:
      if (page().kind != Kind::functions) break;
      order_ = (order_ + 1) % 3;
      pages_.pop_back();
      show(functions_page());
      break;
  }
  return true;
}

void Browser::open() {
  BrowserPage &p = pages_.back();
  if (p.lines.empty()) return;
  const BrowserLine &line = p.lines[p.cursor];
  if (p.kind == Kind::tree && line.context != UINT32_MAX && tree_.has_callees(line.context)) {
    tree_.toggle(line.context);
    p.lines = tree_lines();
  } else if (p.kind == Kind::contexts && line.context != UINT32_MAX) {
    show_tree(line.context);
  } else if (line.path != UINT64_MAX) {
    show(path_page({p.function, p.context}, line.path));
  } else if (line.function != UINT32_MAX) {
    show(page_about(Kind::source, {line.function, line.context}));
  }
}

void Browser::show_function(Kind kind) {
  Subject subject{chosen_function(), chosen_context()};
  if (subject.function != UINT32_MAX) show(page_about(kind, subject));
}

// One page of it is enough: it stays as it was folded.
void Browser::show_tree(uint32_t at) {
  if (at != UINT32_MAX) tree_.reveal(at);
  BrowserPage tree{Kind::tree, program_.name + ": calling contexts", UINT32_MAX, UINT32_MAX, tree_lines(), 0, 0};
  for (size_t n = 0; n < tree.lines.size(); ++n) {
    if (at != UINT32_MAX && tree.lines[n].context == at) tree.cursor = n;
  }
  if (page().kind == Kind::tree) pages_.pop_back();
  show(std::move(tree));
}

bool Browser::search(const std::string &text) {
  BrowserPage &p = pages_.back();
  std::string wanted = lower(text);
  for (size_t step = 1; step <= p.lines.size(); ++step) {
    size_t at = (p.cursor + step) % p.lines.size();
    if (lower(p.lines[at].text + p.lines[at].name + p.lines[at].after).find(wanted) == std::string::npos) continue;
    move(static_cast<int64_t>(at) - static_cast<int64_t>(p.cursor));
    return true;
  }
  return false;
}

BrowserPage Browser::functions_page() const {
  constexpr const char *kOrders[] = {"instructions executed", "calls", "name"};
  BrowserPage page{Kind::functions, fmt::format("{}: {} instructions; functions by {}", program_.name, group_digits(program_.instructions), kOrders[order_]),
                   UINT32_MAX, UINT32_MAX, {}, 0, 0};
  const auto &all = program_.procedures;
  std::vector<std::string> names;  // shortening one takes longer than comparing two
  size_t executed = display_width("executed"), calls = display_width("calls");
  for (const CountedProcedure &p : all) {
    names.push_back(shown_name(p));
    executed = std::max(executed, group_digits(p.instructions).size());
    calls = std::max(calls, group_digits(p.calls).size());
  }
  auto counts = [&](const std::string &share, const std::string &of_executed, const std::string &of_calls) {
    return fmt::format("{:>6}  {:>{}}  {:>{}}", share, of_executed, executed, of_calls, calls);
  };
  page.heading = counts("share", "executed", "calls") + kNameAt;
  std::vector<uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (order_ == 2) return names[a] < names[b];
    return order_ == 1 ? all[a].calls > all[b].calls : all[a].instructions > all[b].instructions;
  });
  for (uint32_t n : order) {
    const CountedProcedure &p = all[n];
    double heat = part(p.instructions, program_.instructions);
    std::string text = p.exact() ? counts(fmt::format("{:.1f}%", 100 * heat), group_digits(p.instructions), group_digits(p.calls)) : counts("?", "?", "?");
    page.lines.push_back({text + "  ", heat, n, UINT64_MAX, UINT32_MAX, std::move(names[n])});
  }
  return page;
}

const analysis::Program &Browser::program_of(const Subject &subject) {
  if (subject.context == UINT32_MAX) return program_;
  if (subject.context != loaded_context_) {
    loaded_context_ = UINT32_MAX;
    in_context_.emplace(load_context_(analysis::context_id(tree_.node(subject.context).key)));
    loaded_context_ = subject.context;
  }
  return *in_context_;
}

std::string Browser::title_of(const Subject &subject) const {
  return subject.context == UINT32_MAX ? shown_name(program_.procedures[subject.function]) : "in " + tree_.chain(subject.context);
}

BrowserPage Browser::page_about(Kind kind, const Subject &subject) {
  BrowserPage page{kind, title_of(subject), subject.function, subject.context, {}, 0, 0};
  try {
    // Calls and contexts are those of the whole program.
    if (kind == Kind::calls || kind == Kind::contexts) {
      page.context = UINT32_MAX;
      page.title = fmt::format("{} {}", kind == Kind::calls ? "calls of and by" : "contexts of", title_of({subject.function, UINT32_MAX}));
      page.lines = kind == Kind::calls ? calls_lines(subject.function) : contexts_lines(subject.function);
      page.cursor = kind == Kind::calls ? 1 : 0;  // the first line is a heading
      return page;
    }
    const analysis::Program &program = program_of(subject);
    const CountedProcedure &p = program.procedures[subject.function];
    if (kind == Kind::paths) {
      page.title = "paths " + (subject.context == UINT32_MAX ? "of " + page.title : page.title);
      page.lines = paths_lines(program, subject.function);
    } else {
      page.title += ": " + counted(p.instructions, "instruction") + " in " + counted(p.calls, "call");
      page.lines = code_lines(program, subject.function, kind == Kind::assembly);
    }
  } catch (const base::Error &e) {
    page.lines = lines_of(e.what());
  }
  return page;
}

std::vector<BrowserLine> Browser::code_lines(const analysis::Program &program, uint32_t function, bool instructions) const {
  Annotated annotated = annotate(program, {program.procedures[function].map->name, instructions}, {});
  std::vector<BrowserLine> lines = lines_of(annotated.text);
  for (size_t n = 0; n < lines.size(); ++n) lines[n].heat = annotated.heat[n];
  for (const std::string &warning : annotated.warnings) lines.insert(lines.begin(), {"  " + warning});
  return lines;
}

BrowserLine Browser::call_line(const CallSite &site, uint32_t other, std::string name) const {
  const CountedProcedure &p = program_.procedures[site.caller];
  const format::Instruction &at = p.map->instructions[site.instruction];
  std::string_view file = at.line == 0 ? std::string_view() : std::string_view(p.unit->files[at.file]);
  file.remove_prefix(file.rfind('/') + 1);
  const std::string place = at.line == 0 ? fmt::format("+{:#x}", at.offset) : fmt::format("{}:{}", file, at.line);
  // What functions that are not woven execute is not counted.
  const std::string cost = other == core::kNone ? "–" : site.inclusive ? group_digits(*site.inclusive) : "?";
  return {fmt::format("{:>14} {}{}  ", group_digits(site.calls), std::string(16 - std::min<size_t>(16, display_width(cost)), ' '), cost),
          site.inclusive ? part(*site.inclusive, program_.instructions) : 0, other == core::kNone ? UINT32_MAX : other, UINT64_MAX, UINT32_MAX,
          std::move(name), fmt::format("  at {}{}", place, site.tail ? " (tail call)" : "")};
}

std::vector<BrowserLine> Browser::calls_lines(uint32_t function) const {
  std::vector<BrowserLine> lines;
  lines.push_back({"called by"});
  for (uint32_t s : by_cost(calls_.called[function], calls_)) {
    lines.push_back(call_line(calls_.sites[s], calls_.sites[s].caller, shown_name(program_.procedures[calls_.sites[s].caller])));
  }
  if (lines.size() == 1) lines.push_back({"  nothing that is woven, by name"});
  lines.push_back({""});
  lines.push_back({"calls"});
  const size_t callers = lines.size();
  for (uint32_t s : by_cost(calls_.made[function], calls_)) {
    const CallSite &site = calls_.sites[s];
    lines.push_back(call_line(site, site.callee, site.name.empty() ? "(by address)" : base::familiar_name(base::demangle(std::string(site.name)))));
  }
  if (lines.size() == callers) lines.push_back({"  nothing"});
  return lines;
}

std::vector<BrowserLine> Browser::paths_lines(const analysis::Program &program, uint32_t function) const {
  const CountedProcedure &p = program.procedures[function];
  std::vector<const analysis::CountedPath *> order;
  for (const analysis::CountedPath &path : p.paths) {
    if (path.count > 0) order.push_back(&path);
  }
  auto cost = [&](const analysis::CountedPath *path) { return static_cast<uint64_t>(path->count) * analysis::length_of(*p.map, *path); };
  std::stable_sort(order.begin(), order.end(), [&](auto *a, auto *b) { return cost(a) > cost(b); });
  std::vector<BrowserLine> lines;
  for (const analysis::CountedPath *path : order) {
    std::string number = path->partial ? "partial" : std::to_string(path->number);
    lines.push_back({fmt::format("{:>14} {:>10} instructions  path {}", group_digits(static_cast<uint64_t>(path->count)),
                                 group_digits(analysis::length_of(*p.map, *path)), number),
                     part(cost(path), program_.instructions), UINT32_MAX, path->partial ? UINT64_MAX : path->number});
  }
  if (lines.empty()) lines.push_back({analysis::counts_paths(*p.map) ? "none of its paths ran" : "no paths were counted: build with chord --paths"});
  return lines;
}

BrowserPage Browser::path_page(const Subject &subject, uint64_t path) {
  BrowserPage page{Kind::path, fmt::format("path {} {}{}", path, subject.context == UINT32_MAX ? "of " : "", title_of(subject)),
                   subject.function, subject.context, {}, 0, 0};
  const analysis::Program &program = program_of(subject);
  page.lines = lines_of(show_path(program, program.procedures[subject.function].map->name, path, {}));
  return page;
}

std::vector<BrowserLine> Browser::tree_lines() const {
  if (tree_.empty()) return {{"no calling contexts were counted: build with chord --context"}};
  std::vector<BrowserLine> lines;
  for (uint32_t n : tree_.shown()) {
    const ContextNode &node = tree_.node(n);
    double heat = part(node.inclusive, program_.instructions);
    const char *sign = !tree_.has_callees(n) ? " " : tree_.unfolded(n) ? "-" : "+";
    std::string site = call_site(program_, program_.contexts[node.context]), kind = kind_name(node.kind);
    lines.push_back({fmt::format("{:5.1f}% {:>16} {:>14} {:>12} {}{} ", 100 * heat, group_digits(node.inclusive), group_digits(node.exclusive),
                                 group_digits(node.calls), std::string(2 * std::min<uint32_t>(node.depth, 40), ' '), sign),
                     heat, tree_.procedure(n), UINT64_MAX, n, shown_name(*node.procedure),
                     (site.empty() ? "" : "  " + site) + (kind.empty() ? "" : "  (" + kind + ")")});
  }
  return lines;
}

std::vector<BrowserLine> Browser::contexts_lines(uint32_t function) const {
  std::vector<BrowserLine> lines;
  for (uint32_t n : tree_.of(function)) {
    const ContextNode &node = tree_.node(n);
    double heat = part(node.exclusive, program_.instructions);
    lines.push_back({fmt::format("{:5.1f}% {:>16} {:>14}  {}", 100 * heat, group_digits(node.exclusive), group_digits(node.calls), tree_.chain(n)), heat, function,
                     UINT64_MAX, n});
  }
  if (lines.empty()) lines.push_back({tree_.empty() ? "no calling contexts were counted: build with chord --context" : "it has no record of its contexts"});
  return lines;
}

}  // namespace chord::report
