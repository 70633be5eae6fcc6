#include "core/counters/counter_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "core/counters/ports.h"
#include "core/graph/wide.h"

namespace chord::core {
namespace {

// Sums that would need greater coefficients are not worth the trouble.
constexpr int64_t kGreatest = int64_t{1} << 20;

// The arcs that have no counter, from the roots of their trees outwards.
class Forest {
 public:
  Forest(const Graph &graph, const Plan &plan) : ports_{graph} {
    std::vector<bool> known(ports_.arc_count());
    for (EdgeId e : plan.never) known[e] = true;
    for (const Counter &c : plan.counters) known[ports_.arc(c)] = true;
    std::vector<std::vector<uint32_t>> at(ports_.port_count());
    for (uint32_t arc = 0; arc < ports_.arc_count(); ++arc) {
      if (known[arc]) continue;
      at[ports_.tail(arc)].push_back(arc);
      at[ports_.head(arc)].push_back(arc);
    }
    std::vector<bool> seen(ports_.port_count());
    for (uint32_t root = 0; root < ports_.port_count(); ++root) {
      if (!seen[root]) grow(root, at, seen);
    }
  }

  // By port: what the terms add up to on the path there from the root of its tree; where the path
  // goes against an arc, taken off.
  std::vector<int64_t> potentials(const std::vector<CounterSum::Term> &terms) const {
    std::vector<int64_t> on_vertex(ports_.graph.vertex_count()), potential(ports_.port_count());
    for (const CounterSum::Term &t : terms) on_vertex[t.vertex] = t.times;
    for (const Step &step : steps_) {
      int64_t times = ports_.is_edge(step.arc) ? 0 : on_vertex[step.arc - ports_.graph.edge_count()];
      bool forward = ports_.head(step.arc) == step.to;
      potential[step.to] = potential[step.from] + (forward ? times : -times);
    }
    return potential;
  }

 private:
  struct Step {
    uint32_t arc, from, to;  // ports
  };

  void grow(uint32_t root, const std::vector<std::vector<uint32_t>> &at, std::vector<bool> &seen) {
    std::vector<uint32_t> todo{root};
    seen[root] = true;
    while (!todo.empty()) {
      uint32_t port = todo.back();
      todo.pop_back();
      for (uint32_t arc : at[port]) {
        uint32_t to = ports_.tail(arc) == port ? ports_.head(arc) : ports_.tail(arc);
        if (seen[to]) continue;
        seen[to] = true;
        steps_.push_back({arc, port, to});
        todo.push_back(to);
      }
    }
  }

  Ports ports_;
  std::vector<Step> steps_;
};

// A sum as a combination of counters: sum over k of on[k] * counter k = total.
struct Row {
  std::vector<int64_t> on;
  Wide total = 0;
  bool too_great = false;

  // Rid of what it has on `pivot`, by means of a row that has something there.
  void eliminate(const Row &by, size_t pivot) {
    if (on[pivot] == 0 || too_great) return;
    int64_t common = std::gcd(on[pivot], by.on[pivot]);
    int64_t mine = by.on[pivot] / common, its = on[pivot] / common;
    for (size_t k = 0; k < on.size(); ++k) on[k] = on[k] * mine - by.on[k] * its;
    Wide a = 0, b = 0;
    too_great = __builtin_mul_overflow(total, Wide{mine}, &a) || __builtin_mul_overflow(by.total, Wide{its}, &b) ||
                __builtin_sub_overflow(a, b, &total);
    reduce();
  }

  // Counts are whole numbers: if they solve it, then what is common to all divides the total.
  void reduce() {
    int64_t common = 0;
    for (int64_t c : on) common = std::gcd(common, c);
    if (common > 1 && total % common == 0) {
      for (int64_t &c : on) c /= common;
      total /= common;
    }
    too_great = too_great || std::any_of(on.begin(), on.end(), [](int64_t c) { return std::abs(c) > kGreatest; });
  }
};

// An arc of the plan's that closes a cycle has what it carries itself and what the path back does.
// Where it leads to another tree the difference means nothing, but as no flow piles up in a
// tree, all of those cancel.
Row express(const Graph &graph, const Forest &forest, const std::vector<Counter> &counters, const CounterSum &sum) {
  Row row;
  Ports ports{graph};
  std::vector<int64_t> potential = forest.potentials(sum.terms);
  for (const Counter &c : counters) {
    uint32_t arc = ports.arc(c);
    int64_t times = c.site == Site::vertex ? sum.times_at(c.vertex()) : 0;
    row.on.push_back(times + potential[ports.tail(arc)] - potential[ports.head(arc)]);
  }
  return row;
}

class Exchange {
 public:
  Exchange(const Graph &graph, const Costs &costs, Plan plan)
      : graph_(graph), costs_(costs), plan_(std::move(plan)), forest_(graph, plan_), spared_(plan_.counters.size()) {}

  void offer(const OfferedSum &o) {
    CounterSum sum{o.terms, {}};
    Row row = express(graph_, forest_, plan_.counters, sum);
    row.reduce();
    for (size_t i = 0; i < rows_.size(); ++i) row.eliminate(rows_[i], pivots_[i]);
    size_t dearest = row.on.size();
    for (size_t k = 0; k < row.on.size(); ++k) {
      if (row.on[k] == 0 || spared_[k]) continue;
      if (dearest == row.on.size() || cost(k) > cost(dearest)) dearest = k;
    }
    if (row.too_great || dearest == row.on.size() || cost(dearest) <= o.cost) return;
    sum.spared = plan_.counters[dearest];
    spared_[dearest] = true;
    plan_.sums.push_back(std::move(sum));
    rows_.push_back(std::move(row));
    pivots_.push_back(dearest);
  }

  Plan finish() {
    std::vector<Counter> kept;
    for (size_t k = 0; k < spared_.size(); ++k) {
      if (!spared_[k]) kept.push_back(plan_.counters[k]);
    }
    for (uint32_t s = 0; s < plan_.sums.size(); ++s) kept.push_back({Site::sum, s});
    plan_.counters = std::move(kept);
    return std::move(plan_);
  }

 private:
  double cost(size_t k) const {
    const Counter &c = plan_.counters[k];
    return c.site == Site::edge ? costs_.edge[c.id] : costs_.vertex[c.id];
  }

  const Graph &graph_;
  const Costs &costs_;
  Plan plan_;
  Forest forest_;
  std::vector<bool> spared_;  // by counter of the plan as it was
  std::vector<Row> rows_;     // of the plan's sums; row i has nothing on the pivots of those before
  std::vector<size_t> pivots_;
};

// What the most expensive of its terms would cost by itself, beyond the sum.
double promise(const Graph &graph, const Costs &costs, const OfferedSum &o) {
  double dearest = 0;
  for (const CounterSum::Term &t : o.terms) {
    double ways = 0;
    for (EdgeId e : graph.in(t.vertex)) ways += costs.edge[e];
    double cost = std::min(ways, costs.vertex[t.vertex]);
    if (std::isfinite(cost)) dearest = std::max(dearest, cost);
  }
  return dearest - o.cost;
}

// A procedure of thousands of loops offers as many sums: of those that promise most the cheapest first.
std::vector<const OfferedSum *> worth_trying(const Graph &graph, const Costs &costs, const std::vector<OfferedSum> &offers) {
  std::vector<std::pair<double, const OfferedSum *>> promising;
  for (const OfferedSum &o : offers) promising.emplace_back(promise(graph, costs, o), &o);
  std::stable_sort(promising.begin(), promising.end(), [](auto &a, auto &b) { return a.first > b.first; });
  if (promising.size() > kMostSums) promising.resize(kMostSums);
  std::vector<const OfferedSum *> tried;
  for (auto &[promised, o] : promising) tried.push_back(o);
  std::stable_sort(tried.begin(), tried.end(), [](auto *a, auto *b) { return a->cost < b->cost; });
  return tried;
}

// What counts of the spared counters make the sums what they were measured to be.
class Resolution {
 public:
  Resolution(const Graph &graph, const Plan &plan, const Measurement &measured, size_t known)
      : graph_(graph), plan_(plan), forest_(graph, plan), measured_(measured), known_(known) {}

  std::string run(std::vector<uint64_t> &values) {
    for (size_t s = 0; s < plan_.sums.size(); ++s) {
      Row row = row_of(s);
      row.reduce();
      for (size_t i = 0; i < rows_.size(); ++i) row.eliminate(rows_[i], i);
      if (row.too_great || row.on[s] == 0) return fmt::format("sum {} does not tell {}", s, name_of_spared(s));
      rows_.push_back(std::move(row));
    }
    std::vector<Wide> found(rows_.size());
    for (size_t s = rows_.size(); s-- > 0;) {
      Wide rest = rows_[s].total;
      for (size_t i = s + 1; i < found.size(); ++i) rest -= rows_[s].on[i] * found[i];
      found[s] = rest / rows_[s].on[s];
      if (rest % rows_[s].on[s] != 0 || found[s] < 0 || found[s] > Wide{UINT64_MAX}) {
        return fmt::format("{} would be {}/{}", name_of_spared(s), to_text(rest), rows_[s].on[s]);
      }
    }
    values.assign(found.begin(), found.end());
    return "";
  }

 private:
  std::string name_of_spared(size_t s) const {
    Ports ports{graph_};
    return ports.name(ports.arc(plan_.sums[s].spared));
  }

  // With all that is known on the other side. Spared counters are the last ones.
  Row row_of(size_t s) const {
    Row all = express(graph_, forest_, plan_.counters, plan_.sums[s]);
    Row row;
    row.total = static_cast<int64_t>(measured_.counters[known_ + s]);
    for (size_t k = 0; k < known_; ++k) row.total -= Wide{all.on[k]} * measured_.counters[k];
    if (!measured_.early_exits.empty()) {
      std::vector<int64_t> potential = forest_.potentials(plan_.sums[s].terms);
      for (Vertex v = 0; v < graph_.vertex_count(); ++v) {
        int64_t around = potential[2 * v + 1] - potential[2 * graph_.exit()];
        row.total -= Wide{around} * static_cast<int64_t>(measured_.early_exits[v]);
      }
    }
    row.on.assign(all.on.begin() + static_cast<ptrdiff_t>(known_), all.on.end());
    return row;
  }

  const Graph &graph_;
  const Plan &plan_;
  Forest forest_;
  const Measurement &measured_;
  size_t known_;
  std::vector<Row> rows_;
};

}  // namespace

Plan exchange_for_sums(const Graph &graph, const Costs &costs, const std::vector<OfferedSum> &offers, Plan plan) {
  if (offers.empty()) return plan;
  Exchange exchange(graph, costs, std::move(plan));
  for (const OfferedSum *o : worth_trying(graph, costs, offers)) exchange.offer(*o);
  return exchange.finish();
}

std::string resolve_sums(const Graph &graph, Plan &plan, Measurement &measured) {
  if (plan.sums.empty()) return "";
  // After the others; an edge that was not counted here but elsewhere may have been put after the sums.
  size_t known = 0;
  Plan counted = plan;
  Measurement numbers = measured;
  counted.counters.clear();
  numbers.counters.clear();
  for (size_t k = 0; k < plan.counters.size(); ++k) {
    if (plan.counters[k].site == Site::sum) continue;
    counted.counters.push_back(plan.counters[k]);
    numbers.counters.push_back(measured.counters[k]);
    ++known;
  }
  for (size_t k = 0; k < plan.counters.size(); ++k) {
    if (plan.counters[k].site != Site::sum) continue;
    counted.counters.push_back(plan.sums[plan.counters[k].id].spared);
    numbers.counters.push_back(measured.counters[k]);
  }
  std::vector<uint64_t> values(plan.sums.size());
  std::string contradiction = Resolution(graph, counted, numbers, known).run(values);
  std::copy(values.begin(), values.end(), numbers.counters.begin() + static_cast<ptrdiff_t>(known));
  counted.sums.clear();
  plan = std::move(counted);
  measured = std::move(numbers);
  return contradiction;
}

}  // namespace chord::core
