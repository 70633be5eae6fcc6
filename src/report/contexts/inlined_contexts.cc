// Contexts through inlined functions: below each context a node for each function that was inlined in it, as deep as they
// lie in each other, with the instructions that come from it; what such code calls is called from there.
#include <chord_abi.h>

#include <map>
#include <unordered_map>

#include "report/contexts/contexts.h"

namespace chord::report {
namespace {

using analysis::CountedContext;
using analysis::CountedProcedure;
using analysis::Program;
using core::kNone;

class InlinedTree {
 public:
  InlinedTree(const Program &program, const InlineTables &tables, bool by_thread) : program_(program), tables_(tables), by_thread_(by_thread) {}

  std::vector<ContextNode> run() {
    for (uint32_t n = 0; n < program_.contexts.size(); ++n) add(n);
    for (size_t i = nodes_.size(); i-- > 0;)
      if (nodes_[i].parent != kNone) nodes_[nodes_[i].parent].inclusive += nodes_[i].inclusive;
    return std::move(nodes_);
  }

 private:
  const std::vector<uint32_t> &innermost(uint32_t procedure) {
    auto [at, fresh] = innermost_.try_emplace(procedure);
    if (fresh) at->second = tables_.innermost(program_.procedures[procedure]);
    return at->second;
  }

  // The node of an inlined call, or of the procedure itself, in the context whose node that is.
  uint32_t node_within(uint32_t node, uint32_t call) {
    if (call == kNone) return node;
    if (auto known = within_.find({node, call}); known != within_.end()) return known->second;
    const analysis::InlinedCall &inlined = tables_.of_module[nodes_[node].procedure->module]->calls()[call];
    const uint32_t parent = node_within(node, inlined.parent);
    const auto place = static_cast<uint32_t>(nodes_.size());
    ContextNode fresh = nodes_[node];
    fresh.key = CHORD_CONTEXT_MIX(nodes_[node].key, ~uint64_t{call});
    fresh.parent = parent;
    fresh.inlined = &inlined;
    fresh.calls = fresh.exclusive = fresh.inclusive = 0;
    fresh.metrics = fresh.metrics_inclusive = {};
    nodes_.push_back(std::move(fresh));
    within_[{node, call}] = place;
    return place;
  }

  // Where the parent calls it from: maybe from within what was inlined there.
  uint32_t parent_of(const CountedContext &c) {
    if (c.parent == kNone) return kNone;
    const CountedContext &caller = program_.contexts[c.parent];
    return node_within(node_of_[c.parent], c.site == kNone ? kNone : innermost(caller.procedure)[c.site]);
  }

  uint32_t place_for(uint32_t n) {
    const CountedContext &c = program_.contexts[n];
    const uint32_t parent = parent_of(c);
    const auto place = static_cast<uint32_t>(nodes_.size());
    if (!by_thread_) {
      if (auto [known, fresh] = known_.try_emplace(c.key, place); !fresh) return known->second;
    }
    ContextNode &node = nodes_.emplace_back();
    node.key = c.key;
    node.thread = by_thread_ ? c.thread : 0;
    node.kind = c.kind;
    node.context = n;
    node.procedure = &program_.procedures[c.procedure];
    node.parent = parent;
    return place;
  }

  void add(uint32_t n) {
    const CountedContext &c = program_.contexts[n];
    const uint32_t place = place_for(n);
    node_of_.push_back(place);
    nodes_[place].calls += c.calls;
    analysis::add_to(nodes_[place].metrics, c.metrics);
    analysis::add_to(nodes_[place].metrics_inclusive, c.metrics_inclusive);
    const std::vector<uint32_t> &inlined = innermost(c.procedure);
    for (uint32_t i = 0; c.details != nullptr && i < c.details->executed.size(); ++i) {
      const uint64_t count = c.details->executed[i];
      if (count == 0) continue;
      ContextNode &node = nodes_[node_within(place, inlined[i])];
      node.exclusive += count;
      node.inclusive += count;
    }
  }

  const Program &program_;
  const InlineTables &tables_;
  bool by_thread_;
  std::vector<ContextNode> nodes_;
  std::vector<uint32_t> node_of_;                               // by context
  std::unordered_map<uint64_t, uint32_t> known_;                // by key, where threads are added up
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> within_;    // by node of the context, and inlined call
  std::unordered_map<uint32_t, std::vector<uint32_t>> innermost_;  // by procedure
};

}  // namespace

std::vector<ContextNode> inlined_context_nodes(const Program &program, const InlineTables &tables, bool by_thread) {
  return arranged(InlinedTree(program, tables, by_thread).run());
}

}  // namespace chord::report
