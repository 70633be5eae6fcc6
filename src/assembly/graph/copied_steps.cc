#include "assembly/graph/copied_steps.h"

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "core/graph/order.h"

namespace chord::assembly {
namespace {

constexpr unsigned kRegisters = 16;

class Differences {
 public:
  Differences() { forget_all(); }
  bool operator==(const Differences &) const = default;

  void forget_all() {
    for (unsigned r = 0; r < kRegisters; ++r) root_[r] = static_cast<uint8_t>(r);
    plus_ = {};
  }

  void forget(unsigned r) {
    unsigned heir = kRegisters;
    for (unsigned x = 0; x < kRegisters && heir == kRegisters; ++x) {
      if (x != r && root_[x] == r) heir = x;
    }
    for (unsigned x = 0; heir != kRegisters && x < kRegisters; ++x) {
      if (x == r || x == heir || root_[x] != r) continue;
      root_[x] = static_cast<uint8_t>(heir);
      plus_[x] -= plus_[heir];
    }
    if (heir != kRegisters) {
      root_[heir] = static_cast<uint8_t>(heir);
      plus_[heir] = 0;
    }
    root_[r] = static_cast<uint8_t>(r);
    plus_[r] = 0;
  }

  // into = from + amount
  void set(unsigned into, unsigned from, uint64_t amount) {
    if (into != from) {
      forget(into);
      root_[into] = root_[from];
      plus_[into] = plus_[from] + amount;
    } else if (root_[into] != into) {
      plus_[into] += amount;
    } else {
      for (unsigned x = 0; x < kRegisters; ++x) {
        if (x != into && root_[x] == into) plus_[x] -= amount;
      }
    }
  }

  std::optional<uint64_t> difference(unsigned a, unsigned b) const {
    if (root_[a] != root_[b]) return std::nullopt;
    return plus_[a] - plus_[b];
  }

  // What both know. Modulo 2^64 alone: of lower halves some differences may look different
  // that are not.
  void meet(const Differences &other) {
    if (*this == other) return;
    Differences both;
    for (unsigned r = 1; r < kRegisters; ++r) {
      for (unsigned q = 0; q < r; ++q) {
        std::optional<uint64_t> known = difference(r, q);
        if (both.root_[q] != q || !known || known != other.difference(r, q)) continue;
        both.root_[r] = static_cast<uint8_t>(q);
        both.plus_[r] = *known;
        break;
      }
    }
    *this = both;
  }

 private:
  std::array<uint8_t, kRegisters> root_;   // by register: the one its class is measured from
  std::array<uint64_t, kRegisters> plus_;  // and how much more it is
};

class Finder {
 public:
  // `order`: of the blocks, those before a block first but for loops.
  Finder(Procedure &p, const std::vector<core::Vertex> &order, bool halves)
      : p_(p), order_(order), halves_(halves), before_(p.blocks.size()), reached_(p.blocks.size()), in_(p.blocks.size()) {
    for (size_t e = 1; e < p.edges.size(); ++e) in_[p.edges[e].to].push_back(p.edges[e].from);
  }

  void run() {
    std::vector<Differences> behind(p_.blocks.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t b : order_) changed = sweep(b, behind) || changed;
    }
    for (uint32_t b : order_) {
      Differences now = before_[b];
      for (Instruction &in : instructions_of(b)) {
        mark(in.decoded, now);
        follow(in.decoded, now);
      }
    }
  }

 private:
  bool sweep(uint32_t b, std::vector<Differences> &behind) {
    std::optional<Differences> now;
    if (in_[b].empty() || p_.blocks[b].kind == BlockKind::landing) now.emplace();
    for (uint32_t from : in_[b]) {
      if (!reached_[from]) continue;
      if (now) {
        now->meet(behind[from]);
      } else {
        now = behind[from];
      }
    }
    if (!now || (reached_[b] && *now == before_[b])) return false;
    before_[b] = *now;
    for (const Instruction &in : instructions_of(b)) follow(in.decoded, *now);
    behind[b] = *now;
    reached_[b] = true;
    return true;
  }

  std::span<Instruction> instructions_of(uint32_t b) {
    return std::span(p_.instructions).subspan(p_.blocks[b].first, p_.blocks[b].count);
  }

  void follow(const isa::Decoded &d, Differences &now) const {
    if (d.flow == isa::Flow::call || d.unknown_effects) return now.forget_all();
    if (d.copy.kind == isa::Copy::Kind::whole || (halves_ && d.copy.kind != isa::Copy::Kind::none)) {
      return now.set(d.copy.into, d.copy.from, static_cast<uint64_t>(int64_t{d.copy.plus}));
    }
    for (unsigned r = 0; r < kRegisters; ++r) {
      if (d.writes & isa::register_numbered(r)) now.forget(r);
    }
  }

  void mark(isa::Decoded &d, const Differences &now) const {
    if (d.stepped != 0 || d.copy.kind != (halves_ ? isa::Copy::Kind::half : isa::Copy::Kind::whole)) return;
    std::optional<uint64_t> known = now.difference(d.copy.from, d.copy.into);
    if (!known) return;
    uint64_t step = *known + static_cast<uint64_t>(int64_t{d.copy.plus});
    auto low = static_cast<int32_t>(step);
    if (low == 0 || (!halves_ && static_cast<uint64_t>(int64_t{low}) != step)) return;
    d.stepped = isa::register_numbered(d.copy.into);
    d.step = low;
    d.narrow_step = halves_;
    d.step_by_copy = true;
  }

  Procedure &p_;
  const std::vector<core::Vertex> &order_;
  bool halves_;
  std::vector<Differences> before_;  // by block
  std::vector<bool> reached_;
  std::vector<std::vector<uint32_t>> in_;
};

}  // namespace

void find_copied_steps(Procedure &procedure) {
  const std::vector<core::Vertex> order = core::depth_first_order(procedure.graph()).topological;
  Finder(procedure, order, false).run();
  Finder(procedure, order, true).run();
}

}  // namespace chord::assembly
