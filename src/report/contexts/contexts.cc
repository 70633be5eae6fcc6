#include "report/contexts/contexts.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "analysis/contexts/context_pattern.h"
#include "base/cxx_names.h"
#include "base/diagnostics.h"
#include "report/tables/listings.h"
#include "report/tables/metrics.h"
#include "report/tables/names.h"

namespace chord::report {

using analysis::CountedContext;
using analysis::CountedProcedure;
using analysis::Program;

namespace {

// Linkage name.
const std::string &function_of(const ContextNode &node) { return node.inlined != nullptr ? node.inlined->function : node.procedure->map->name; }

std::string site_of(const Program &program, const ContextNode &node) {
  if (node.inlined == nullptr) return call_site(program, program.contexts[node.context]);
  return fmt::format("{}:{}", std::filesystem::path(node.inlined->file).filename().string(), node.inlined->line);
}

Cell calls_of(const ContextNode &node) { return node.inlined != nullptr ? Cell{} : number(node.calls); }

std::string_view kind_of(const ContextNode &node) { return node.inlined != nullptr ? "inlined" : kind_name(node.kind); }

std::vector<ContextNode> nodes_of(const Program &program, const ContextView &view) {
  return view.inlined != nullptr ? inlined_context_nodes(program, *view.inlined, view.by_thread) : context_nodes(program, view.by_thread, view.metric);
}

// Also says what calls are not counted.
std::string note_of(const Program &program, const ContextView &view) {
  std::string note = contexts_note(program);
  if (view.inlined != nullptr && !view.inlined->problem.empty()) note += (note.empty() ? "" : "; ") + view.inlined->problem;
  return note;
}

// Strings that many rows share, kept by the table once.
class Shared {
 public:
  Shared(const Program &program, Table &table) : program_(program), table_(table) {}

  std::string_view name(const ContextNode &node) {
    auto [at, fresh] = names_.try_emplace(&function_of(node));
    if (fresh) at->second = table_.keep(base::demangle(*at->first));
    return at->second;
  }
  std::string_view familiar(const ContextNode &node) {
    auto [at, fresh] = familiar_.try_emplace(&function_of(node));
    if (fresh) at->second = table_.keep(base::familiar_name(name(node)));
    return at->second;
  }
  std::string_view site(const ContextNode &node) {
    if (node.inlined != nullptr) return table_.keep(site_of(program_, node));
    const CountedContext &c = program_.contexts[node.context];
    if (c.parent == core::kNone) return {};
    auto [at, fresh] = sites_.try_emplace(uint64_t{program_.contexts[c.parent].procedure} << 32 | c.site);
    if (fresh) at->second = table_.keep(call_site(program_, c));
    return at->second;
  }

 private:
  const Program &program_;
  Table &table_;
  std::unordered_map<const std::string *, std::string_view> names_, familiar_;
  std::unordered_map<uint64_t, std::string_view> sites_;
};

bool is_function(const std::string &linkage, const std::string &name) { return linkage == name || base::demangle(linkage) == name; }
bool is_function(const ContextNode &node, const std::string &name) { return is_function(function_of(node), name); }

void want_function(const Program &program, const std::vector<ContextNode> &nodes, const std::string &name) {
  bool known = std::any_of(program.procedures.begin(), program.procedures.end(), [&](const CountedProcedure &p) { return is_function(p.map->name, name); }) ||
               std::any_of(nodes.begin(), nodes.end(), [&](const ContextNode &n) { return n.inlined != nullptr && is_function(n, name); });
  if (!known) throw base::Error(fmt::format("{}: no such function", name), "`chord report --by=function` lists them");
}

// Neighbours of a function in the tree, added up by site.
class Neighbours {
 public:
  // `function`: empty for a root.
  void add(const std::string &function, const std::string &site, const ContextNode &node) {
    auto &[calls, exclusive, inclusive] = sums_[{function, site}];
    calls += node.calls;
    exclusive += node.exclusive;
    inclusive += node.inclusive;
  }

  Table table(const std::string &by) {
    Table t;
    t.by = by;
    t.columns = {{"function", "", true}, {"demangled", by, true, Holds::names}, {"site", "site", true}, {"calls", "calls"},
                 {"exclusive", "exclusive"}, {"inclusive", "inclusive"}, {"share", "share"}};
    t.text_order = {5, 6, 4, 3, 2, 1};
    t.weight = 5;
    uint64_t whole = 0;
    for (const auto &[who, sum] : sums_) whole += std::get<2>(sum);
    for (const auto &[who, sum] : sums_) {
      const auto &[calls, exclusive, inclusive] = sum;
      const std::string &name = who.first;
      t.add({text(t.keep(name)), text(t.keep(name.empty() ? "(root)" : base::demangle(name))), text(t.keep(who.second)), number(calls),
             number(exclusive), number(inclusive), share(inclusive, whole)});
    }
    t.sort_by_weight();
    return t;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::tuple<uint64_t, uint64_t, uint64_t>> sums_;
};

}  // namespace

std::vector<ContextNode> arranged(const std::vector<ContextNode> &nodes) {
  std::vector<uint32_t> first_child(nodes.size() + 1, core::kNone), next(nodes.size(), core::kNone), order(nodes.size()), place(nodes.size());
  std::iota(order.begin(), order.end(), 0u);
  // Lists are filled from their ends, so what comes first must be added last.
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) { return std::tie(nodes[a].inclusive, b) < std::tie(nodes[b].inclusive, a); });
  for (uint32_t n : order) {
    uint32_t &list = first_child[nodes[n].parent == core::kNone ? nodes.size() : nodes[n].parent];
    next[n] = list;
    list = n;
  }
  std::vector<ContextNode> out;
  out.reserve(nodes.size());
  std::vector<uint32_t> stack;
  for (uint32_t n = first_child.back(); n != core::kNone;) {
    if (next[n] != core::kNone) stack.push_back(next[n]);
    const bool counted = nodes[n].calls != 0 || nodes[n].inclusive != 0;  // not only in an earlier part of the run
    if (counted) {
      place[n] = static_cast<uint32_t>(out.size());
      ContextNode &node = out.emplace_back(nodes[n]);
      if (node.parent != core::kNone) {
        node.parent = place[node.parent];
        node.depth = out[node.parent].depth + 1;
      }
    }
    n = counted ? first_child[n] : core::kNone;
    if (n == core::kNone && !stack.empty()) {
      n = stack.back();
      stack.pop_back();
    }
  }
  return out;
}

const char *kind_name(uint32_t kind) {
  return kind == CHORD_CONTEXT_SIGNAL ? "signal" : kind == CHORD_CONTEXT_OVERFLOW ? "overflow" : "";
}

std::string call_site(const Program &program, const CountedContext &context) {
  if (context.parent == core::kNone || context.site == core::kNone) return {};
  const CountedProcedure &caller = program.procedures[program.contexts[context.parent].procedure];
  const format::Instruction &in = caller.map->instructions[context.site];
  if (in.line == 0) return fmt::format("{}+{:#x}", caller.map->fragments[in.fragment].name, in.offset);
  return fmt::format("{}:{}", std::filesystem::path(caller.unit->files[in.file]).filename().string(), in.line);
}

uint32_t call_line(const Program &program, const CountedContext &context) {
  if (context.parent == core::kNone || context.site == core::kNone) return 0;
  return program.procedures[program.contexts[context.parent].procedure].map->instructions[context.site].line;
}

std::vector<ContextNode> context_nodes(const Program &program, bool by_thread, size_t metric) {
  std::vector<ContextNode> nodes;
  std::unordered_map<uint64_t, uint32_t> known;  // by key, where threads are added up
  std::vector<uint32_t> node_of;
  node_of.reserve(program.contexts.size());
  nodes.reserve(program.contexts.size());
  for (uint32_t n = 0; n < program.contexts.size(); ++n) {
    const CountedContext &c = program.contexts[n];
    auto place = static_cast<uint32_t>(nodes.size());
    if (!by_thread) place = known.try_emplace(c.key, place).first->second;
    node_of.push_back(place);
    if (place == nodes.size()) {
      ContextNode &node = nodes.emplace_back();
      node.key = c.key;
      node.thread = by_thread ? c.thread : 0;
      node.kind = c.kind;
      node.context = n;
      node.procedure = &program.procedures[c.procedure];
      if (c.parent != core::kNone) node.parent = node_of[c.parent];
    }
    ContextNode &node = nodes[place];
    node.calls += c.calls;
    bool counts = metric == kInstructions;
    node.exclusive += counts ? c.exclusive : analysis::value_of(c.metrics, metric).value_or(0);
    node.inclusive += counts ? c.inclusive : analysis::value_of(c.metrics_inclusive, metric).value_or(0);
    analysis::add_to(node.metrics, c.metrics);
    analysis::add_to(node.metrics_inclusive, c.metrics_inclusive);
    analysis::add_to(node.metrics_error, c.metrics_error);
    analysis::add_to(node.metrics_inclusive_error, c.metrics_inclusive_error);
  }
  return arranged(nodes);
}

namespace {

template <class Name>
std::string joined_chain(const std::vector<ContextNode> &nodes, size_t node, Name &&name) {
  std::string chain = name(nodes[node]);
  for (uint32_t at = nodes[node].parent; at != core::kNone; at = nodes[at].parent) chain = name(nodes[at]) + " > " + chain;
  return chain;
}

// As people read it.
std::string familiar_chain(const std::vector<ContextNode> &nodes, size_t node) {
  return joined_chain(nodes, node, [](const ContextNode &n) { return base::familiar_name(base::demangle(function_of(n))); });
}

}  // namespace

std::string context_chain(const std::vector<ContextNode> &nodes, size_t node) {
  return joined_chain(nodes, node, [](const ContextNode &n) { return base::demangle(function_of(n)); });
}

Table list_contexts(const Program &program, const ContextView &view) {
  std::vector<ContextNode> nodes = nodes_of(program, view);
  Table t;
  t.by = "context";
  t.columns = {{"id", "id", true, Holds::details},         {"parent", "", true},        {"function", "", true},     {"demangled", "", true},
               {"site", "", true},         {"calls", "calls"},          {"exclusive", "exclusive"}, {"inclusive", "inclusive"},
               {"thread", view.by_thread ? "thread" : ""}, {"kind", "", true}, {"share", "share"}, {"tree", "context", true, Holds::names}};
  t.text_order = {7, 10, 6, 5, 0, 11};
  if (view.by_thread) t.text_order.insert(t.text_order.begin(), 8);
  t.weight = 7;
  MetricsColumn metrics(t, program.metrics), inclusive(t, program.metrics, "metrics_inclusive", "");
  MetricsColumn errors(t, program.metrics, "metrics_error", ""), inclusive_errors(t, program.metrics, "metrics_inclusive_error", "");
  size_t left_out = 0;
  uint64_t whole = view.metric == kInstructions ? program.instructions : 0;
  for (const ContextNode &n : nodes) whole += view.metric != kInstructions ? n.exclusive : 0;
  Shared shared(program, t);
  std::vector<std::string_view> ids(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const ContextNode &n = nodes[i];
    if (static_cast<double>(n.inclusive) < view.threshold * static_cast<double>(whole)) {
      ++left_out;
      continue;
    }
    ids[i] = t.keep(analysis::context_id(n.key));
    std::string_view name = shared.name(n), site = shared.site(n), kind = kind_of(n);
    std::string tree = std::string(2 * std::min<uint32_t>(n.depth, 40), ' ') + std::string(shared.familiar(n)) + (site.empty() ? "" : "  ") + std::string(site) +
                       (kind.empty() ? "" : fmt::format("  ({})", kind));
    std::vector<Cell> row = {
           text(ids[i]), text(n.parent == core::kNone ? "" : ids[n.parent]), text(function_of(n)), text(name), text(site), calls_of(n),
           number(n.exclusive), number(n.inclusive), view.by_thread ? ordinal(n.thread) : Cell{}, text(kind),
           share(n.inclusive, whole), text(t.keep(std::move(tree)))};
    metrics.put(row, n.metrics);
    inclusive.put(row, n.metrics_inclusive);
    errors.put(row, n.metrics_error);
    inclusive_errors.put(row, n.metrics_inclusive_error);
    t.add(row);
  }
  t.note = note_of(program, view);
  if (left_out != 0)
    t.note += fmt::format("{}{} contexts below {:.3g} % are left out", t.note.empty() ? "" : "; ", left_out, 100 * view.threshold);
  return t;
}

Table list_contexts_of(const Program &program, const std::string &function, const ContextView &view) {
  std::vector<ContextNode> nodes = nodes_of(program, view);
  want_function(program, nodes, function);
  Table t;
  t.by = "context";
  t.columns = {{"id", "id", true, Holds::details}, {"function", "", true}, {"chain", "", true}, {"calls", "calls"},
               {"exclusive", "exclusive"}, {"inclusive", "inclusive"}, {"thread", ""}, {"tree", "context", true, Holds::chains}};
  t.text_order = {5, 4, 3, 0, 7};
  t.weight = 5;
  MetricsColumn metrics(t, program.metrics), inclusive(t, program.metrics, "metrics_inclusive", "");
  MetricsColumn errors(t, program.metrics, "metrics_error", ""), inclusive_errors(t, program.metrics, "metrics_inclusive_error", "");
  for (size_t i = 0; i < nodes.size(); ++i) {
    const ContextNode &n = nodes[i];
    if (!is_function(n, function)) continue;
    std::vector<Cell> row = {
           text(t.keep(analysis::context_id(n.key))), text(t.keep(function_of(n))), text(t.keep(context_chain(nodes, i))), calls_of(n),
           number(n.exclusive), number(n.inclusive), view.by_thread ? ordinal(n.thread) : Cell{}, text(t.keep(familiar_chain(nodes, i)))};
    metrics.put(row, n.metrics);
    inclusive.put(row, n.metrics_inclusive);
    errors.put(row, n.metrics_error);
    inclusive_errors.put(row, n.metrics_inclusive_error);
    t.add(row);
  }
  t.sort_by_weight();
  t.note = note_of(program, view);
  return t;
}

Table list_callers(const Program &program, const std::string &function, const ContextView &view) {
  std::vector<ContextNode> nodes = nodes_of(program, view);
  want_function(program, nodes, function);
  Neighbours callers;
  for (const ContextNode &n : nodes) {
    if (is_function(n, function)) callers.add(n.parent == core::kNone ? "" : function_of(nodes[n.parent]), site_of(program, n), n);
  }
  Table t = callers.table("caller");
  t.note = note_of(program, view);
  return t;
}

Table list_callees(const Program &program, const std::string &function, const ContextView &view) {
  std::vector<ContextNode> nodes = nodes_of(program, view);
  want_function(program, nodes, function);
  Neighbours callees;
  for (const ContextNode &n : nodes) {
    if (n.parent != core::kNone && is_function(nodes[n.parent], function)) callees.add(function_of(n), site_of(program, n), n);
  }
  Table t = callees.table("callee");
  t.note = note_of(program, view);
  return t;
}

Table list_functions_without(const Program &program) {
  std::vector<bool> has(program.procedures.size());
  for (const CountedContext &c : program.contexts) has[c.procedure] = true;
  Table t;
  t.by = "function";
  t.columns = {{"function", "", true}, {"demangled", "function", true}, {"calls", "calls"}, {"executed", "executed"}, {"reason", "reason", true}};
  t.text_order = {3, 2, 1, 4};
  t.weight = 3;
  for (size_t i = 0; i < program.procedures.size(); ++i) {
    const CountedProcedure &p = program.procedures[i];
    if (has[i] || p.instructions == 0) continue;
    t.add({text(p.map->name), text(t.keep(base::demangle(p.map->name))), number(p.calls), number(p.instructions),
           text(p.map->no_paths.empty() ? "it was built without --context" : std::string_view(p.map->no_paths))});
  }
  t.sort_by_weight();
  return t;
}

std::string contexts_note(const Program &program) {
  uint64_t inside = 0, overflow = 0, calls = 0;
  for (const CountedContext &c : program.contexts) {
    inside += c.exclusive;
    if (c.kind != CHORD_CONTEXT_OVERFLOW) continue;
    overflow += c.exclusive;
    calls += c.calls;
  }
  std::string note;
  if (inside != program.instructions) {
    note = fmt::format("{} of {} instructions are of functions that keep no record of their context (`chord contexts --missing` says which)",
                       group_digits(program.instructions - inside), group_digits(program.instructions));
  }
  if (calls != 0) {
    note += fmt::format("{}{} calls, {} instructions, found no memory for their contexts (CHORD_CONTEXT_MEMORY=MEGABYTES allows more)",
                        note.empty() ? "" : "; ", group_digits(calls), group_digits(overflow));
  }
  return note;
}

std::string shown_chain(const std::vector<ContextNode> &nodes, size_t node) { return familiar_chain(nodes, node); }

}  // namespace chord::report
