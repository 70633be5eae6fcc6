#include "report/compare/compare_contexts.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
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
    add(before, match_before_, &ComparedContext::before);
    add(after, match_after_, &ComparedContext::after);
  }

  std::vector<ComparedContext> take() { return std::move(out_); }

 private:
  // Parent, kind, match and call; the call is kNone where calls are taken together.
  using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;

  void add(const Program &program, const std::vector<uint32_t> &match_of, ContextCosts ComparedContext::*side) {
    std::vector<uint32_t> place;
    place.reserve(program.contexts.size());
    for (const CountedContext &c : program.contexts) {
      const uint32_t match = match_of[c.procedure];
      const uint32_t parent = c.parent == kNone ? kNone : place[c.parent];
      const bool told = parent != kNone && matches_[match_of[program.contexts[c.parent].procedure]].same_code();
      auto [at, fresh] = known_.try_emplace({parent, c.kind, match, told ? c.site : kNone}, static_cast<uint32_t>(out_.size()));
      if (fresh) {
        ComparedContext &made = out_.emplace_back();
        made.parent = parent;
        made.kind = c.kind;
        made.certainty = matches_[match].certainty;
        if (parent != kNone) made.certainty = std::max(made.certainty, out_[parent].certainty);
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
