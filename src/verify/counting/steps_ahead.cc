#include "verify/counting/steps_ahead.h"

#include <algorithm>
#include <numeric>

namespace chord::verify {
namespace {

constexpr unsigned kMostRounds = 40;  // then whatever still grows may be anything

}  // namespace

void Steps::add(const Steps &o) {
  if (o.none_ || any_) return;
  if (none_ || o.any_) {
    *this = o;
    return;
  }
  // The shorter of the two ranges that hold both, one beginning where this one does, the other where the other one does.
  auto from = [](const Steps &a, const Steps &b) -> std::optional<Steps> {
    uint64_t distance = b.low_ - a.low_, end = 0;
    if (__builtin_add_overflow(distance, b.span_, &end)) return std::nullopt;
    return Steps{false, false, a.low_, std::max(a.span_, end), std::gcd(std::gcd(a.stride_, b.stride_), distance)};
  };
  std::optional<Steps> mine = from(*this, o), other = from(o, *this);
  if (!mine || (other && other->span_ < mine->span_)) mine = other;
  *this = mine ? *mine : anything();
}

Steps Steps::plus(uint64_t number) const {
  Steps out = *this;
  if (!none_ && !any_) out.low_ += number;
  return out;
}

bool Steps::misses(const std::set<int64_t> &wanted, int64_t from) const {
  if (none_) return true;
  if (any_) return wanted.empty();
  return std::none_of(wanted.begin(), wanted.end(), [&](int64_t w) {
    uint64_t distance = static_cast<uint64_t>(w) - static_cast<uint64_t>(from) - low_;
    return distance <= span_ && (stride_ == 0 ? distance == 0 : distance % stride_ == 0);
  });
}

namespace {

struct Link {
  Node from = 0, to = 0;
  const Machine *machine = nullptr;
};

constexpr Node kOutside = UINT64_MAX;

struct Place {
  Node node = kOutside;
  bool operator==(const Place &) const = default;
};

// Writes down from where to where transitions lead.
class LinkVisitor {
 public:
  Place start(uint32_t) const { return {}; }
  void execute(uint32_t, Place &) const {}
  void arrive(Node node, Place &place) {
    place.node = node;
    if (pending_) links.push_back({from_, node, machine_});
    pending_ = false;
  }
  void take(const Transition &, const EdgeChain *, const Machine *machine, Place &place) {
    from_ = place.node;
    machine_ = machine;
    pending_ = true;
  }
  void leave(const Transition &, const Place &) {
    links.push_back({from_, kOutside, machine_});
    pending_ = false;
  }
  static bool agree(Place &, const Place &) { return true; }
  static std::string difference(const Place &, const Place &) { return {}; }

  std::vector<Link> links;

 private:
  Node from_ = kOutside;
  const Machine *machine_ = nullptr;
  bool pending_ = false;
};

}  // namespace

std::map<Node, Steps> steps_ahead(const ProcedureFacts &f, const std::function<RegisterUse(const Machine &)> &use,
                                  const std::function<bool(uint32_t)> &changes) {
  LinkVisitor visitor;
  Propagation<Place, LinkVisitor>(f, visitor).run();
  std::map<Node, Steps> out;
  std::vector<std::optional<RegisterUse>> uses;
  for (const Link &l : visitor.links) uses.push_back(l.machine == nullptr ? std::nullopt : std::optional(use(*l.machine)));
  auto through = [&](size_t k) {
    const Link &l = visitor.links[k];
    Steps later = l.to == kOutside ? Steps() : out[l.to];
    if (!uses[k]) return later;
    if (uses[k]->odd) return Steps::anything();
    Steps steps = uses[k]->moved ? later.plus(*uses[k]->moved) : Steps();
    for (uint64_t number : uses[k]->counted) steps.add(Steps::one(number));
    return steps;
  };
  // Links were found in the order of control, nearly: from the last to the first most of what a place needs is known.
  bool grows = true;
  for (unsigned round = 0; grows && round < 2 * kMostRounds; ++round) {
    grows = false;
    for (size_t k = visitor.links.size(); k-- > 0;) {
      Node from = visitor.links[k].from;
      if (from == kOutside || (from >> 32 == 0 && changes(static_cast<uint32_t>(from)))) continue;
      Steps more = out[from];
      more.add(through(k));
      if (more == out[from]) continue;
      out[from] = round < kMostRounds ? more : Steps::anything();
      grows = true;
    }
  }
  if (grows) out.clear();
  return out;
}

}  // namespace chord::verify
