#include "verify/metrics.h"

#include <chord_abi.h>
#include <chord_models.h>

#include <algorithm>

#include "format/metrics.h"

namespace chord::verify {
namespace {

constexpr int64_t kPathsBehind = 2;  // sums of a procedure's own time and its total come first

enum class Meter : uint8_t { closed, open };

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
  }

  Meter start(uint32_t vertex) { return vertex != 0 && metered_ ? Meter::open : Meter::closed; }
  void execute(uint32_t, Meter &) {}

  void take(const Transition &t, const EdgeChain *, const Machine *machine, Meter &state) const {
    if (machine == nullptr) return;
    uint32_t about = t.from != kNone ? t.from : t.to;
    for (const Effect &e : machine->effects()) {
      if (e.kind == Effect::Kind::looks_at && e.index.number != f_.records.model_mask) fail(about, "a set is looked for beyond those of the model");
      if (e.kind == Effect::Kind::measures) measure(about, e, *machine, state);
    }
  }

  void arrive(Node node, Meter &state) const {
    if (node >> 32 || !metered_ || state == Meter::open) return;
    uint32_t i = static_cast<uint32_t>(node);
    bool mark = f_.program.instrs()[i].facts.entry_mark && i == f_.program.functions()[f_.function].entry;
    if (!mark && !f_.flow.leaves(i)) fail(i, "a meter does not run here");
  }

  void leave(const Transition &t, const Meter &state) const {
    if (state != Meter::closed) fail(t.from, "a meter runs on when it returns");
  }

  static bool agree(Meter &, const Meter &) { return false; }
  std::string difference(const Meter &, const Meter &) const { return "a meter does not run alike on all ways here"; }

 private:
  [[noreturn]] void fail(uint32_t i, std::string what) const {
    if (i == kNone) i = f_.program.functions()[f_.function].entry;
    throw Unproved{f_.program.instrs()[i].last, std::move(what)};
  }

  void measure(uint32_t about, const Effect &e, const Machine &machine, Meter &state) const {
    std::string_view routine = e.place;
    if (!routine.starts_with("__chord_meter")) return access(about, e);
    if (!metered_) fail(about, "a meter of a procedure that has none");
    bool enters = routine.starts_with("__chord_meter_enter"), path = routine.starts_with("__chord_meter_path");
    bool leaves = routine.ends_with("_leave");
    if (enters || path) own(about, e, !path);  // where a path's sum is depends on its number
    if (enters && index(e) != static_cast<int64_t>(clock_)) fail(about, "a meter of other sums");
    if (enters == (state == Meter::open)) fail(about, enters ? "a meter is opened twice" : "a meter is used that is not open");
    if (enters) state = Meter::open;
    if (leaves) state = Meter::closed;
    if (path) counted_so(about, e, machine);
    if (leaves && paths_ && !path) fail(about, "the time of a path is lost");
  }

  // The path that is measured is counted in the same probe, under the same number.
  void counted_so(uint32_t about, const Effect &e, const Machine &machine) const {
    Value number = sum(e.amount, constant(index(e) - static_cast<int64_t>(clock_) - kPathsBehind));
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
  std::map<std::string, std::pair<uint64_t, uint64_t>, std::less<>> lists_;  // of instructions, by metric: first word, number of them
};

}  // namespace

void prove_metrics(const ProcedureFacts &f) {
  MetricVisitor visitor(f);
  Propagation<Meter, MetricVisitor>(f, visitor).run();
}

}  // namespace chord::verify
