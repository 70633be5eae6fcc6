// Disjoint sets with union by size and path halving (Tarjan 1975): any sequence of
// operations runs in nearly constant time each.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace chord::core {

class UnionFind {
 public:
  explicit UnionFind(uint32_t size) : parent_(size), size_(size, 1) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }

  uint32_t find(uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }

  bool same(uint32_t a, uint32_t b) { return find(a) == find(b); }

  // False if both were in one set already.
  bool unite(uint32_t a, uint32_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return false;
    if (size_[a] < size_[b]) std::swap(a, b);
    parent_[b] = a;
    size_[a] += size_[b];
    return true;
  }

 private:
  std::vector<uint32_t> parent_;
  std::vector<uint32_t> size_;
};

}  // namespace chord::core
