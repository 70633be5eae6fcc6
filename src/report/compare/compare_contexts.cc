#include "report/compare/compare_contexts.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "base/diagnostics.h"
#include "report/contexts/contexts.h"

namespace chord::report {
namespace {

using analysis::CountedContext;
using analysis::Program;
using core::kNone;

class ContextComparison {
 public:
  ContextComparison(const Program &before, const Program &after)
      : matches_(match_procedures(before, after)), match_before_(before.procedures.size()), match_after_(after.procedures.size()) {
    for (uint32_t n = 0; n < matches_.size(); ++n) {
      if (matches_[n].before != kNone) match_before_[matches_[n].before] = n;
      if (matches_[n].after != kNone) match_after_[matches_[n].after] = n;
    }
    find_exchanged_calls(before, after);
    add(before, match_before_, &ComparedContext::before);
    add(after, match_after_, &ComparedContext::after);
  }

  std::vector<ComparedContext> take() { return std::move(out_); }

 private:
  // Parent, kind, match and call; the call is kNone where calls are taken together.
  using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;

  // By caller: what was called where, as matches.
  using Calls = std::map<uint32_t, std::map<uint32_t, std::set<uint32_t>>>;

  static Calls calls_of(const Program &program, const std::vector<uint32_t> &match_of) {
    Calls calls;
    for (const CountedContext &c : program.contexts) {
      if (c.parent != kNone) calls[match_of[program.contexts[c.parent].procedure]][c.site].insert(match_of[c.procedure]);
    }
    return calls;
  }

  // Is one of them called from another place?
  static bool is_elsewhere(const std::map<uint32_t, std::set<uint32_t>> &sites, uint32_t site, const std::set<uint32_t> &wanted) {
    for (uint32_t callee : wanted) {
      for (const auto &[at, callees] : sites) {
        if (at != site && callees.contains(callee)) return true;
      }
    }
    return false;
  }

  // The shape of code does not tell whom its calls are of: two of them may have changed places.
  void find_exchanged_calls(const Program &before, const Program &after) {
    const Calls old_calls = calls_of(before, match_before_), new_calls = calls_of(after, match_after_);
    for (const auto &[caller, sites] : old_calls) {
      auto other = new_calls.find(caller);
      if (other == new_calls.end() || matches_[caller].certainty == Certainty::build) continue;
      for (const auto &[site, callees] : sites) {
        auto now = other->second.find(site);
        if (now == other->second.end()) continue;
        std::vector<uint32_t> both;
        std::ranges::set_intersection(callees, now->second, std::back_inserter(both));
        if (both.empty() && (is_elsewhere(other->second, site, callees) || is_elsewhere(sites, site, now->second))) exchanged_.insert(caller);
      }
    }
  }

  bool tells_calls_apart(uint32_t caller) const { return matches_[caller].same_code() && !exchanged_.contains(caller); }

  void add(const Program &program, const std::vector<uint32_t> &match_of, ContextCosts ComparedContext::*side) {
    std::vector<uint32_t> place;
    place.reserve(program.contexts.size());
    for (const CountedContext &c : program.contexts) {
      const uint32_t match = match_of[c.procedure];
      const uint32_t parent = c.parent == kNone ? kNone : place[c.parent];
      const uint32_t caller = parent == kNone ? kNone : match_of[program.contexts[c.parent].procedure];
      const bool told = parent != kNone && tells_calls_apart(caller);
      auto [at, fresh] = known_.try_emplace({parent, c.kind, match, told ? c.site : kNone}, static_cast<uint32_t>(out_.size()));
      if (fresh) {
        ComparedContext &made = out_.emplace_back();
        made.parent = parent;
        made.kind = c.kind;
        made.certainty = matches_[match].certainty;
        if (parent != kNone) made.certainty = std::max(made.certainty, out_[parent].certainty);
        if (parent != kNone && exchanged_.contains(caller)) made.certainty = std::max(made.certainty, Certainty::name);
      }
      ComparedContext &node = out_[at->second];
      node.procedure = &program.procedures[c.procedure];
      if (told) node.site = call_site(program, c);
      ContextCosts &costs = node.*side;
      if (!costs.present) costs.key = c.key;
      costs.present = costs.present || c.calls != 0 || c.inclusive != 0;
      costs.calls += c.calls;
      costs.exclusive += c.exclusive;
      costs.inclusive += c.inclusive;
      place.push_back(at->second);
    }
  }

  std::vector<Match> matches_;
  std::vector<uint32_t> match_before_, match_after_;
  std::set<uint32_t> exchanged_;  // matches whose calls are taken together although their code has one shape
  std::map<Key, uint32_t> known_;
  std::vector<ComparedContext> out_;
};

}  // namespace

std::vector<ComparedContext> compare_contexts(const Program &before, const Program &after) {
  if (before.contexts.empty() || after.contexts.empty()) {
    const Program &without = before.contexts.empty() ? before : after;
    throw base::Error(fmt::format("{}: the {} profile holds no calling contexts", without.name, &without == &before ? "old" : "new"),
                      "build with `chord --context gcc …`");
  }
  return ContextComparison(before, after).take();
}

}  // namespace chord::report
