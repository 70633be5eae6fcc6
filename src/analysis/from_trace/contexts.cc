#include "analysis/from_trace/contexts.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>

#include "base/diagnostics.h"

namespace chord::analysis {

void TraceContexts::add(const TracedCode &code, const format::TraceStream &stream) {
  auto known = std::find(modules_.begin(), modules_.end(), stream.module);
  const auto module = static_cast<uint32_t>(known - modules_.begin());
  if (known == modules_.end()) modules_.push_back(stream.module);
  Tree &tree = trees_[{module, stream.thread}];
  tree.module = module;
  tree.thread = stream.thread;
  tree.code = &code;
  std::vector<uint32_t> open;  // nodes of the calls that are
  Ran last;
  CallVisitor visitor;
  visitor.begins = [&](const TraceCall &call) {
    Caller caller;
    if (is_jump_to(code, last, call)) caller = {last.node, last.instruction};
    else if (!open.empty() && !call.by_signal) caller = {open.back(), call.site};
    open.push_back(node_of(tree, caller, call));
    if (!call.resumed) ++nodes_[open.back()].calls;
  };
  visitor.ends = [&](const TraceCall &, uint64_t) { open.pop_back(); };
  visitor.runs = [&](const TraceStretch &s) {
    nodes_[open.back()].exclusive += s.count;
    last = {open.back(), s.procedure, s.first + s.count - 1, s.depth, s.number + s.count};
  };
  visit_calls(code, stream, visitor);
}

// The last thing that ran was a jump out of its function that names the one which begins.
bool TraceContexts::is_jump_to(const TracedCode &code, const Ran &last, const TraceCall &call) {
  if (last.node == core::kNone || call.resumed || call.by_signal || call.depth != last.depth || call.began != last.number) return false;
  const TracedProcedure &from = code.procedure(last.procedure);
  return !from.is_call[last.instruction] && from.map->instructions[last.instruction].callee == code.procedure(call.procedure).map->name;
}

uint32_t TraceContexts::node_of(Tree &tree, const Caller &caller, const TraceCall &call) {
  const uint32_t parent = caller.node;
  for (uint32_t above = parent; above != core::kNone; above = nodes_[above].parent) {
    if (nodes_[above].procedure == call.procedure) return above;
  }
  Node made;
  made.parent = parent;
  made.module = tree.module;
  made.procedure = call.procedure;
  made.site = caller.site;
  made.thread = tree.thread;
  made.kind = parent == core::kNone && call.by_signal ? CHORD_CONTEXT_SIGNAL : CHORD_CONTEXT_CALLED;
  auto [at, fresh] = tree.children.try_emplace({parent, made.site, made.procedure, made.kind}, static_cast<uint32_t>(nodes_.size()));
  if (!fresh) return at->second;
  made.procedure_key = tree.code->procedure(call.procedure).map->key;
  nodes_.push_back(made);
  return at->second;
}

void TraceContexts::give_to(Program &program) const {
  std::map<std::pair<std::string, uint64_t>, uint32_t> numbers;
  for (uint32_t n = 0; n < program.procedures.size(); ++n) {
    const CountedProcedure &p = program.procedures[n];
    numbers.emplace(std::pair(program.modules[p.module].path, p.map->key), n);
  }
  program.contexts.clear();
  for (const Node &node : nodes_) {
    auto number = numbers.find({modules_[node.module], node.procedure_key});
    if (number == numbers.end()) throw base::Error(fmt::format("{}: a function of the trace is not in the program", modules_[node.module]));
    CountedContext c;
    const uint64_t above = node.parent != core::kNone ? program.contexts[node.parent].key : CHORD_CONTEXT_ROOT_KEY(node.kind);
    c.key = CHORD_CONTEXT_KEY(above, node.site, node.procedure_key);
    c.thread = node.thread;
    c.kind = node.kind;
    c.parent = node.parent;
    c.procedure = number->second;
    c.site = node.site;
    c.calls = node.calls;
    c.exclusive = c.inclusive = node.exclusive;
    program.contexts.push_back(c);
  }
  for (size_t n = nodes_.size(); n-- > 0;) {
    if (nodes_[n].parent != core::kNone) program.contexts[nodes_[n].parent].inclusive += program.contexts[n].inclusive;
  }
}

}  // namespace chord::analysis
