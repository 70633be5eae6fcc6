#include "core/sequences/sequitur.h"

#include <stddef.h>

#include <utility>

namespace chord::core {

// ---- the finished grammar ----

std::vector<uint32_t> Grammar::bottom_up() const {
  std::vector<uint32_t> order;
  std::vector<bool> seen(rules.size());
  std::vector<std::pair<uint32_t, size_t>> stack{{0, 0}};
  seen[0] = true;
  while (!stack.empty()) {
    auto &[rule, next] = stack.back();
    if (next == rules[rule].size()) {
      order.push_back(rule);
      stack.pop_back();
      continue;
    }
    uint32_t symbol = rules[rule][next++];
    if (!is_rule(symbol) || seen[rule_of(symbol)]) continue;
    seen[rule_of(symbol)] = true;
    stack.emplace_back(rule_of(symbol), 0);
  }
  return order;
}

std::vector<uint64_t> Grammar::uses() const {
  std::vector<uint64_t> uses(rules.size());
  uses[0] = 1;
  std::vector<uint32_t> order = bottom_up();
  for (size_t i = order.size(); i-- > 0;) {
    for (uint32_t symbol : rules[order[i]]) {
      if (is_rule(symbol)) uses[rule_of(symbol)] += uses[order[i]];
    }
  }
  return uses;
}

std::vector<uint32_t> Grammar::expand() const {
  std::vector<uint32_t> out;
  std::vector<std::pair<uint32_t, size_t>> stack{{0, 0}};
  while (!stack.empty()) {
    auto &[rule, next] = stack.back();
    if (next == rules[rule].size()) {
      stack.pop_back();
      continue;
    }
    uint32_t symbol = rules[rule][next++];
    if (is_rule(symbol)) {
      stack.emplace_back(rule_of(symbol), 0);
    } else {
      out.push_back(symbol);
    }
  }
  return out;
}

// ---- making it ----

Sequitur::Sequitur() { make_rule(); }

void Sequitur::append(uint32_t symbol) {
  Place last = nodes_[rules_[0].guard].before;
  insert_after(last, symbol);
  if (last != rules_[0].guard) check(last);
}

Sequitur::Place Sequitur::make_node(uint32_t symbol, bool guards) {
  Place p;
  if (free_nodes_.empty()) {
    p = static_cast<Place>(nodes_.size());
    nodes_.emplace_back();
  } else {
    p = free_nodes_.back();
    free_nodes_.pop_back();
  }
  nodes_[p] = {kNowhere, kNowhere, symbol, guards};
  return p;
}

uint32_t Sequitur::make_rule() {
  uint32_t rule;
  if (free_rules_.empty()) {
    rule = static_cast<uint32_t>(rules_.size());
    rules_.emplace_back();
  } else {
    rule = free_rules_.back();
    free_rules_.pop_back();
  }
  Place guard = make_node(rule, true);
  nodes_[guard].before = nodes_[guard].after = guard;
  rules_[rule] = {guard, 0};
  return rule;
}

void Sequitur::insert_after(Place p, uint32_t symbol) {
  Place fresh = make_node(symbol, false);
  if (Grammar::is_rule(symbol)) ++rules_[Grammar::rule_of(symbol)].uses;
  Place next = nodes_[p].after;
  link(fresh, next);
  link(p, fresh);
}

void Sequitur::remove(Place p) {
  Node node = nodes_[p];
  forget_pair(p);
  link(node.before, node.after);
  if (Grammar::is_rule(node.symbol)) --rules_[Grammar::rule_of(node.symbol)].uses;
  free_nodes_.push_back(p);
}

bool Sequitur::is_same_pair(Place a, Place b) const {
  return has_pair(a) && has_pair(b) && pair_at(a) == pair_at(b);
}

// Makes them neighbours. Of three equal symbols in a row the table knows only one of the two overlapping pairs. If that is
// broken up here, the other one is entered.
void Sequitur::link(Place left, Place right) {
  if (nodes_[left].after != kNowhere) {
    forget_pair(left);
    if (nodes_[right].before != kNowhere && nodes_[right].after != kNowhere && !ends_rule(right) &&
        is_same_pair(nodes_[right].before, right)) {
      pairs_[pair_at(right)] = right;
    }
    if (nodes_[left].before != kNowhere && is_same_pair(nodes_[left].before, left)) pairs_[pair_at(left)] = nodes_[left].before;
  }
  nodes_[left].after = right;
  nodes_[right].before = left;
}

void Sequitur::forget_pair(Place p) {
  if (!has_pair(p)) return;
  auto found = pairs_.find(pair_at(p));
  if (found != pairs_.end() && found->second == p) pairs_.erase(found);
}

void Sequitur::note_pair(Place p) {
  if (has_pair(p)) pairs_.try_emplace(pair_at(p), p);
}

// Is the pair at p known? If it stands somewhere else, too, both become a rule.
bool Sequitur::check(Place p) {
  if (!has_pair(p)) return false;
  auto [found, fresh] = pairs_.try_emplace(pair_at(p), p);
  if (fresh) return false;
  Place other = found->second;
  if (other != p && nodes_[other].after != p && nodes_[p].after != other) merge(p, other);
  return true;
}

void Sequitur::merge(Place here, Place there) {
  uint32_t rule;
  if (ends_rule(nodes_[there].before) && ends_rule(nodes_[nodes_[there].after].after)) {
    rule = nodes_[nodes_[there].before].symbol;
    substitute(here, rule);
  } else {
    rule = make_rule();
    uint32_t first = nodes_[here].symbol;
    uint32_t second = nodes_[nodes_[here].after].symbol;
    insert_after(rules_[rule].guard, first);
    insert_after(nodes_[rules_[rule].guard].before, second);
    substitute(there, rule);
    substitute(here, rule);
    pairs_[pair_at(nodes_[rules_[rule].guard].after)] = nodes_[rules_[rule].guard].after;
  }
  unfold_if_used_once(nodes_[rules_[rule].guard].after);
  unfold_if_used_once(nodes_[rules_[rule].guard].before);
}

// The pair at `first` becomes the rule.
void Sequitur::substitute(Place first, uint32_t rule) {
  Place before = nodes_[first].before;
  remove(nodes_[first].after);
  remove(first);
  insert_after(before, Grammar::kRule | rule);
  if (!check(before)) check(nodes_[before].after);
}

// A rule whose last use is at p says what it says there.
void Sequitur::unfold_if_used_once(Place p) {
  if (ends_rule(p) || !Grammar::is_rule(nodes_[p].symbol)) return;
  uint32_t rule = Grammar::rule_of(nodes_[p].symbol);
  if (rules_[rule].uses != 1) return;
  Place left = nodes_[p].before, right = nodes_[p].after, guard = rules_[rule].guard;
  Place first = nodes_[guard].after, last = nodes_[guard].before;
  forget_pair(left);
  forget_pair(p);
  link(left, first);
  link(last, right);
  note_pair(left);
  note_pair(last);
  free_nodes_.push_back(p);
  free_nodes_.push_back(guard);
  free_rules_.push_back(rule);
  rules_[rule] = {};
}

Grammar Sequitur::grammar() const {
  Grammar out;
  std::vector<uint32_t> number(rules_.size(), UINT32_MAX);
  for (uint32_t rule = 0; rule < rules_.size(); ++rule) {
    if (rules_[rule].guard == kNowhere) continue;
    number[rule] = static_cast<uint32_t>(out.rules.size());
    out.rules.emplace_back();
  }
  for (uint32_t rule = 0; rule < rules_.size(); ++rule) {
    Place guard = rules_[rule].guard;
    if (guard == kNowhere) continue;
    for (Place p = nodes_[guard].after; p != guard; p = nodes_[p].after) {
      uint32_t symbol = nodes_[p].symbol;
      out.rules[number[rule]].push_back(Grammar::is_rule(symbol) ? Grammar::kRule | number[Grammar::rule_of(symbol)] : symbol);
    }
  }
  return out;
}

}  // namespace chord::core
