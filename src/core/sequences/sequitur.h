// A grammar that generates one given sequence and nothing else: SEQUITUR (Nevill-Manning and Witten, "Identifying
// Hierarchical Structure in Sequences", 1997), which Larus used for whole program paths ("Whole Program Paths", 1999).
// What repeats becomes a rule, and rules are made of rules, so a trace of many rounds takes little space and can be searched
// without unfolding it (core/sequences/hot_sequences.h).
//
// Invariant: after each append the start rule generates exactly the symbols appended so far, every other rule is used at
// least twice, and a pair of neighbours that the table of pairs knows is at the place it says. Amortised O(1) an append.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace chord::core {

struct Grammar {
  static constexpr uint32_t kRule = UINT32_C(1) << 31;  // set: the rest is the number of a rule; clear: a symbol of the sequence

  std::vector<std::vector<uint32_t>> rules;  // rule 0 generates the sequence

  static bool is_rule(uint32_t symbol) { return (symbol & kRule) != 0; }
  static uint32_t rule_of(uint32_t symbol) { return symbol & ~kRule; }

  // Rules such that each stands after all the rules it uses.
  std::vector<uint32_t> bottom_up() const;
  // How often each rule occurs in the sequence.
  std::vector<uint64_t> uses() const;
  // The sequence itself.
  std::vector<uint32_t> expand() const;
};

class Sequitur {
 public:
  Sequitur();

  // Symbols are below Grammar::kRule.
  void append(uint32_t symbol);
  Grammar grammar() const;

 private:
  using Place = uint32_t;
  static constexpr Place kNowhere = UINT32_MAX;

  // Rules are rings: the guard of a rule stands between its last symbol and its first.
  struct Node {
    Place before = kNowhere;
    Place after = kNowhere;
    uint32_t symbol = 0;
    bool guards = false;  // then `symbol` is the number of its rule
  };
  struct Rule {
    Place guard = kNowhere;
    uint32_t uses = 0;
  };

  bool ends_rule(Place p) const { return nodes_[p].guards; }
  bool has_pair(Place p) const { return !ends_rule(p) && !ends_rule(nodes_[p].after); }
  uint64_t pair_at(Place p) const { return uint64_t{nodes_[p].symbol} << 32 | nodes_[nodes_[p].after].symbol; }
  bool is_same_pair(Place a, Place b) const;

  Place make_node(uint32_t symbol, bool guards);
  uint32_t make_rule();
  void insert_after(Place p, uint32_t symbol);
  void remove(Place p);
  void link(Place left, Place right);
  void forget_pair(Place p);
  void note_pair(Place p);
  bool check(Place p);
  void merge(Place here, Place there);
  void substitute(Place first, uint32_t rule);
  void unfold_if_used_once(Place p);

  std::vector<Node> nodes_;
  std::vector<Place> free_nodes_;
  std::vector<Rule> rules_;
  std::vector<uint32_t> free_rules_;
  std::unordered_map<uint64_t, Place> pairs_;  // where a pair of neighbours is
};

}  // namespace chord::core
