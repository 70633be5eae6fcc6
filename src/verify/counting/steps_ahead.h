// What may still be added to the path register before a path is counted by it, from each place of a procedure, whatever way is
// taken: so many ways that they cannot be followed one by one are seen to count none of the chosen paths.
//
// A set of numbers is kept as a range with a stride, modulo 2^64, which holds at least those that are possible.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "verify/counting/counts.h"

namespace chord::verify {

class Steps {
 public:
  static Steps one(uint64_t number) { return {false, false, number, 0, 0}; }
  static Steps anything() { return {false, true, 0, 0, 0}; }

  Steps() = default;
  void add(const Steps &other);
  Steps plus(uint64_t number) const;
  // None of them is `wanted - from` for any of those wanted.
  bool misses(const std::set<int64_t> &wanted, int64_t from) const;
  bool operator==(const Steps &) const = default;

 private:
  Steps(bool none, bool any, uint64_t low, uint64_t span, uint64_t stride) : none_(none), any_(any), low_(low), span_(span), stride_(stride) {}

  bool none_ = true, any_ = false;
  uint64_t low_ = 0, span_ = 0, stride_ = 0;
};

// How inserted code on one path uses the register.
struct RegisterUse {
  std::vector<uint64_t> counted;   // register + this is counted
  std::optional<uint64_t> moved;   // the register becomes what it was plus this; nothing: something else
  bool odd = false;                // it is compared, or something is counted that does not depend on it
};

// By place: what is added until a path is counted, or the register is set anew. `use` says what inserted code does, `changes` which
// instructions of the program change the register.
std::map<Node, Steps> steps_ahead(const ProcedureFacts &procedure, const std::function<RegisterUse(const Machine &)> &use,
                                  const std::function<bool(uint32_t)> &changes);

}  // namespace chord::verify
