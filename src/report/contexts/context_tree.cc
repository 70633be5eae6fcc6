#include "report/contexts/context_tree.h"

#include <algorithm>

namespace chord::report {
namespace {

constexpr uint64_t kUnfoldedAtFirst = 10;  // a tenth

}  // namespace

ContextTree::ContextTree(const analysis::Program &program)
    : program_(program), nodes_(context_nodes(program, false)), end_of_(nodes_.size()), unfolded_(nodes_.size()) {
  // Nodes are in the order of the tree, so what is below one comes right after it.
  std::vector<uint32_t> open;
  for (uint32_t n = 0; n <= nodes_.size(); ++n) {
    uint32_t depth = n < nodes_.size() ? nodes_[n].depth : 0;
    while (open.size() > depth) {
      end_of_[open.back()] = n;
      open.pop_back();
    }
    if (n == nodes_.size()) break;
    open.push_back(n);
    unfolded_[n] = nodes_[n].inclusive >= program.instructions / kUnfoldedAtFirst;
  }
}

uint32_t ContextTree::procedure(uint32_t n) const { return program_.contexts[nodes_[n].context].procedure; }

std::vector<uint32_t> ContextTree::shown() const {
  std::vector<uint32_t> out;
  for (uint32_t n = 0; n < nodes_.size(); n = unfolded_[n] ? n + 1 : end_of_[n]) out.push_back(n);
  return out;
}

void ContextTree::reveal(uint32_t n) {
  for (uint32_t at = nodes_[n].parent; at != core::kNone; at = nodes_[at].parent) unfolded_[at] = true;
}

std::vector<uint32_t> ContextTree::of(uint32_t procedure) const {
  std::vector<uint32_t> out;
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    if (this->procedure(n) == procedure) out.push_back(n);
  }
  std::stable_sort(out.begin(), out.end(), [&](uint32_t a, uint32_t b) { return nodes_[a].exclusive > nodes_[b].exclusive; });
  return out;
}

}  // namespace chord::report
