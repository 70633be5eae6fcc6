#include "verify/metrics/metrics.h"

#include <chord_abi.h>
#include <chord_gauges.h>
#include <chord_models.h>

#include <algorithm>

#include "format/map/metrics.h"

namespace chord::verify {
namespace {

bool is_clock(std::string_view metric) { return metric == "tsc" || metric == "time" || metric == "tsc,time" || metric == "time,tsc"; }

// A gauge as the runtime's table has it: its kind and, of a model, its number; of an event the map has no more than the name.
bool is_gauge(std::string_view metric, uint64_t kind, uint64_t type) {
  constexpr std::pair<std::string_view, uint64_t> kModels[] = {
      {"sim:l1d", CHORD_MODEL_DATA}, {"sim:l2", CHORD_MODEL_SECOND}, {"sim:l1i", CHORD_MODEL_CODE}, {"sim:branch", CHORD_MODEL_BRANCH}};
  for (const auto &[name, number] : kModels) {
    if (name == metric) return kind == CHORD_GAUGE_MODEL && type == number;
  }
  return kind == (is_clock(metric) ? CHORD_GAUGE_CLOCK : CHORD_GAUGE_EVENT);
}

// stale: a call has returned again, and what was read before is of a path that is gone.
enum class Meter : uint8_t { closed, open, stale };

class MetricVisitor {
 public:
  explicit MetricVisitor(const ProcedureFacts &f) : f_(f), map_(f.graph.map()) {
    uint64_t first = 0;
    for (const format::MetricSums &sums : map_.metrics) {
      if (sums.of == format::SumsOf::procedure && !metered_) {
        metered_ = true;
        clock_ = first;
      }
      if (sums.of == format::SumsOf::paths) paths_ = true;
      if (sums.of == format::SumsOf::instructions) lists_[sums.metric] = {first, sums.instructions.size()};
      first += map_.words(sums);
    }
    auto record = f.records.by_key.find(map_.metrics_in_records ? map_.key : format::metrics_key(map_.key));
    if (record != f.records.by_key.end()) record_ = &record->second;
    before_ = map_.metrics_in_records ? map_.plan.words() : 0;
    uint64_t words = before_ + first;
    if (first != 0 && (record_ == nullptr || record_->count != words)) fail(kNone, "the sums of its metrics have no record");
    if (!metered_) return;
    order();
    several_ = gauges_.size() != 1 || !is_clock(gauges_[0]);
    if (several_) table();
  }

  Meter start(uint32_t vertex) { return vertex == 0 || !metered_ ? Meter::closed : paths_ ? Meter::stale : Meter::open; }
  void execute(uint32_t, Meter &) {}

  void take(const Transition &t, const EdgeChain *, const Machine *machine, Meter &state) const {
    if (machine == nullptr) return;
    uint32_t about = t.from != kNone ? t.from : t.to;
    for (const Effect &e : machine->effects()) {
      const chord_geometry &data = f_.records.models.data;
      if (e.kind == Effect::Kind::looks_at && (data.sets == 0 || e.index.number != 8 * (int64_t{data.sets} - 1) || e.amount.number != int64_t{data.line_bits} - 3)) fail(about, "a set is looked for beyond those of the model");
      if (e.kind == Effect::Kind::measures) measure(about, e, *machine, state);
    }
  }

  void arrive(Node node, Meter &state) const {
    if (node >> 32 || !metered_) return;
    uint32_t i = static_cast<uint32_t>(node);
    const bool marked = f_.program.instrs()[i].facts.entry_mark, mark = marked && i == f_.program.functions()[f_.function].entry;
    // Before a mark (endbr64) nothing can be inserted.
    if (state == Meter::open || (marked && state == Meter::stale)) return;
    if (state == Meter::stale) fail(i, "a path that a second return begins is not measured from there on");
    if (!mark && !f_.flow.leaves(i)) fail(i, "a meter does not run here");
  }

  void leave(const Transition &t, const Meter &state) const {
    if (state != Meter::closed) fail(t.from, "a meter runs on when it returns");
  }

  // Who falls into a place that something returns to again measures anew from there on as well.
  static bool agree(Meter &one, const Meter &other) {
    if (one == Meter::closed || other == Meter::closed) return false;
    one = Meter::stale;
    return true;
  }
  std::string difference(const Meter &, const Meter &) const { return "a meter does not run alike on all paths here"; }

 private:
  [[noreturn]] void fail(uint32_t i, std::string what) const {
    if (i == kNone) i = f_.program.functions()[f_.function].entry;
    throw Unproved{f_.program.instrs()[i].last, std::move(what)};
  }

  // Of each gauge its own share, then, outside of contexts, of each its total, then of each, if it has any, its paths: one after the other.
  void order() {
    std::vector<std::pair<format::SumsOf, std::string_view>> there, expected;
    size_t before = 0, last = 0;
    for (size_t k = 0; k < map_.metrics.size(); ++k) {
      const format::MetricSums &sums = map_.metrics[k];
      if (sums.of == format::SumsOf::instructions) continue;
      if (sums.of == format::SumsOf::procedure) gauges_.emplace_back(sums.metric);
      if (there.empty()) before = k;
      there.emplace_back(sums.of, sums.metric);
      last = k;
    }
    auto expect = [&](format::SumsOf of) {
      for (std::string_view gauge : gauges_) expected.emplace_back(of, gauge);
    };
    expect(format::SumsOf::procedure);
    if (!map_.metrics_in_records) expect(format::SumsOf::total);
    if (paths_) expect(format::SumsOf::paths);
    bool right = there == expected && last - before + 1 == there.size();
    if (!right) fail(kNone, "sums of meters are not in the order that the runtime knows");
  }

  // What the runtime reads, in the order of the sums: .quad number of them; of each .long kind, type and .quad config.
  void table() const {
    const assembly::Source &woven = f_.pairing.woven();
    uint32_t s = f_.pairing.label(CHORD_GAUGES_SYMBOL, 0);
    auto numbers = [&](std::string_view directive, size_t count) {
      std::vector<uint64_t> out;
      s = s == kNone ? kNone : f_.pairing.next(s);
      if (s != kNone && woven.statements[s].name == directive) {
        for (std::string_view o : assembly::split_operands(woven.statements[s].operands)) {
          auto value = read_expression(assembly::trim(o));
          if (value && value->symbol.empty() && value->minus.empty()) out.push_back(static_cast<uint64_t>(value->number));
        }
      }
      if (out.size() != count) fail(kNone, "the runtime is not told what its meters read");
      return out;
    };
    if (s == kNone || s < f_.pairing.first_record()) fail(kNone, "the runtime is not told what its meters read");
    if (gauges_.size() > CHORD_MOST_GAUGES || numbers(".quad", 1)[0] != gauges_.size()) fail(kNone, "the runtime is not told what its meters read");
    for (std::string_view gauge : gauges_) {
      std::vector<uint64_t> what = numbers(".long", 2);
      numbers(".quad", 1);
      if (!is_gauge(gauge, what[0], what[1])) fail(kNone, "meters read something else than their sums are of");
    }
  }

  void measure(uint32_t about, const Effect &e, const Machine &machine, Meter &state) const {
    std::string_view routine = e.place;
    if (!routine.starts_with("__chord_meter")) return access(about, e);
    if (!metered_) fail(about, "a meter of a procedure that has none");
    if (routine == "__chord_meter_step") return step(about, e);
    bool tally = routine.starts_with("__chord_meter_tally"), several = tally || routine.ends_with("_all");
    if (several != several_) fail(about, "a meter of other readings");
    if (routine.ends_with("_all")) routine.remove_suffix(4);
    if (routine == "__chord_meter_restart" && state == Meter::stale) state = Meter::open;
    if (state == Meter::stale) fail(about, "a path that a second return begins is measured from before it");
    bool enters = routine.starts_with("__chord_meter_enter"), path = tally || routine.starts_with("__chord_meter_path");
    bool leaves = routine.ends_with("_leave");
    if (enters || path) own(about, e, !path);  // where a path's sum is depends on its number
    if (enters && index(e) != static_cast<int64_t>(clock_)) fail(about, "a meter of other sums");
    if (enters == (state == Meter::open)) fail(about, enters ? "a meter is opened twice" : "a meter is used that is not open");
    if (enters) state = Meter::open;
    if (leaves) state = Meter::closed;
    if (path) counted_so(about, e, machine);
    if (leaves && paths_ && !path) fail(about, "the time of a path is lost");
  }

  // From a path's sum of one gauge to that of the next it is as far as the list of one gauge is long.
  void step(uint32_t about, const Effect &e) const {
    bool right = paths_ && e.amount.is_number() && e.amount.number == static_cast<int64_t>(map_.plan.path_words());
    if (!right) fail(about, "sums of a path are not where they are said to be");
  }

  // The path that is measured is counted in the same probe, under the same number.
  void counted_so(uint32_t about, const Effect &e, const Machine &machine) const {
    const size_t lists = map_.metrics_in_records ? 1 : 2;  // paths come after own shares and, outside of contexts, totals
    Value number = sum(e.amount, constant(index(e) - static_cast<int64_t>(clock_ + lists * gauges_.size())));
    const std::vector<Effect> &all = machine.effects();
    auto counted = [&](const Effect &c) {
      if (c.kind != Effect::Kind::count) return false;
      return c.index == number || with_known(c.index, machine.known()) == with_known(number, machine.known());
    };
    if (!paths_ || std::none_of(all.begin(), all.end(), counted)) fail(about, "a path is measured under another number than it is counted");
  }

  // One of the list that the model has; of data caches the second level's is where it is said to be.
  void access(uint32_t about, const Effect &e) const {
    own(about, e, true);
    std::string_view model = e.place == "__chord_fetch" ? "sim:l1i" : e.place == "__chord_branch" ? "sim:branch" : "sim:l1d";
    auto list = lists_.find(model), second = lists_.find("sim:l2");
    int64_t at = list == lists_.end() ? -1 : index(e) - static_cast<int64_t>(list->second.first);
    if (at < 0 || at >= static_cast<int64_t>(list->second.second)) fail(about, "a sum of another list");
    if (model != "sim:l1d") return;
    int64_t distance = e.amount.is_number() ? e.amount.number / CHORD_ACCESS_SECOND : -1;
    int64_t expected = second == lists_.end() ? 0 : static_cast<int64_t>(second->second.first - list->second.first);
    if (distance != expected) fail(about, "sums of the second level are not where they are said to be");
  }

  int64_t index(const Effect &e) const { return e.index.number - static_cast<int64_t>(before_); }

  void own(uint32_t about, const Effect &e, bool within) const {
    if (record_ == nullptr || e.symbol != record_->counters || !is_place_of(*record_, e)) fail(about, "sums that are not its own");
    if (within && (index(e) < 0 || e.index.number >= record_->count)) fail(about, "sums that are not its own");
  }

  const ProcedureFacts &f_;
  const format::Procedure &map_;
  const Record *record_ = nullptr;
  uint64_t before_ = 0;  // words of the record that are counters
  uint64_t clock_ = 0;   // first word of the meters' sums
  bool metered_ = false, paths_ = false;
  bool several_ = false;                  // meters read more than the clock
  std::vector<std::string_view> gauges_;  // what they read, in the order of their sums
  std::map<std::string, std::pair<uint64_t, uint64_t>, std::less<>> lists_;  // of instructions, by metric: first word, number of them
};

}  // namespace

void prove_metrics(const ProcedureFacts &f) {
  MetricVisitor visitor(f);
  // Where there are none no probe speaks of any.
  auto speaks = [](const Effect &e) { return e.kind == Effect::Kind::measures || e.kind == Effect::Kind::looks_at; };
  bool any = !f.graph.map().metrics.empty();
  for (const Transition &t : f.flow.transitions()) {
    for (const Machine &m : t.ends) any = any || std::any_of(m.effects().begin(), m.effects().end(), speaks);
  }
  if (!any) return;
  Propagation<Meter, MetricVisitor>(f, visitor).run();
}

}  // namespace chord::verify
