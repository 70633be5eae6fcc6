// Routines of the runtime that inserted code calls: what they take, and what they leave.
#include "verify/flow/x86_64_machine.h"

#include <chord_abi.h>
#include <chord_models.h>

#include <algorithm>
#include <span>

namespace chord::verify {

using Meaning = AtomMeaning::Kind;

std::string Machine::call_bracket(std::string_view routine, Effect effect) {
  bool shared = routine.ends_with("_shared");
  std::optional<int64_t> key = stack_key();
  auto pushed = pushed_.find(*key);
  // The distance counts from the instruction that pushes it.
  if (pushed == pushed_.end() || pushed_at_ + 1 != executed_.size()) return "a bracket without its total";
  const Expression &total = pushed->second;
  bool right = shared ? total.relocation.empty() && total.minus == "." : total.relocation == "tpoff" && total.minus.empty();
  if (!right || total.number % 8 != 0) return "a bracket of another total";
  effect.kind = routine.starts_with("__chord_open") ? Effect::Kind::opens : Effect::Kind::closes;
  effect.where = shared ? Effect::Where::delta : Effect::Where::thread;
  effect.symbol = total.symbol;
  effect.index = constant(total.number / 8);
  effects_.push_back(std::move(effect));
  set(kRsp, sum(value(kRsp), constant(8)));
  return "";
}

// The number of events that the counter lacks stands above the place.
std::string Machine::call_budget(Effect effect) {
  int64_t key = *stack_key();
  auto place = pushed_.find(key);
  Value what = word(key + 8);
  if (place == pushed_.end() || !what.is_number() || place->second.number != 0) return "a check without its arguments";
  effect.kind = Effect::Kind::asks_budget;
  effect.index = what;
  effect.place = place->second.symbol;
  effect.symbol = place->second.minus;
  effects_.push_back(std::move(effect));
  return "";
}

std::string Machine::call_find_path() {
  int64_t key = *stack_key();
  Value numbers = word(key), number = word(key + 8);
  const AtomMeaning *array = numbers.terms.size() == 1 && numbers.number == 0 ? atoms_->meaning(numbers.terms[0].first) : nullptr;
  if (array == nullptr || array->kind != Meaning::symbol) return "a path is looked for in no array";
  return store_word(key + 8, atom_value(atoms_->find_of(Meaning::slot_of, number, array->name)));
}

// Which procedure's record is wanted stands in the word above the return address; the record comes to stand there.
std::string Machine::call_enter(Effect effect) {
  int64_t key = *stack_key();
  effect.symbol = symbol_of(word(key));
  if (effect.symbol.empty()) return "a record is asked for of no procedure";
  effect.kind = Effect::Kind::looks_up;
  effect.amount = constant(-key);
  // Where the slot is that will be put back: below the return address, so never at 0.
  for (int64_t own : {-8, -16}) {
    Value v = word(own);
    if (v.number == 0 && v.terms.size() == 1 && atoms_->is(v.terms[0].first, Meaning::loaded, "site.kept")) effect.index = constant(own);
  }
  std::string_view procedure = effect.symbol;
  effects_.push_back(std::move(effect));
  return store_word(key, atom_value(atoms_->find(Meaning::record, procedure)));
}

std::string Machine::call_trace(std::string_view routine, Effect effect) {
  if (routine == "__chord_trace_enter" || routine == "__chord_trace_enter_kept" || routine == "__chord_trace_enter_flags") {
    effect.kind = Effect::Kind::begins;
    effects_.push_back(std::move(effect));
    if (routine != "__chord_trace_enter") return "";
    set_fresh(10);
    set_fresh(11);
    return "";
  }
  if (routine == "__chord_trace_announce") return announce(std::move(effect));
  const bool reserve = routine == "__chord_trace_reserve", split = reserve || routine == "__chord_trace_split";
  if (!split && routine != "__chord_trace_flush") return "a probe calls something unknown";
  if (owed_ != (split ? Owed::split : Owed::flush)) return "the trace is written without a reason";
  owed_ = Owed::nothing;
  trace_ = atom_value(atoms_->fresh());
  trace_known_ = true;
  if (!split) return "";
  Value what = word(*stack_key());
  constexpr int64_t entry = int64_t{CHORD_TRACE_ENTRY_TOKEN_BITS} << kMostTokenBits | CHORD_TRACE_ENTRY_TOKEN;
  if (std::string_view record = entered_record(what, entry); !record.empty() && !reserve) {
    effect.kind = Effect::Kind::begins;
    effect.symbol = record;
    effects_.push_back(std::move(effect));
    return "";
  }
  if (!what.is_number()) return "a token that is not known";
  effect.kind = Effect::Kind::token;
  effect.whole = reserve;
  effect.index = constant(what.number >> kMostTokenBits);
  effect.amount = constant(what.number & ((1 << kMostTokenBits) - 1));
  effects_.push_back(std::move(effect));
  return "";
}

// No mark may be left then that a reader would know nothing of.
std::string Machine::announce(Effect effect) {
  const std::string_view record = entered_record(word(*stack_key()), 0);
  if (owed_ != Owed::announce || !expects_nobody_ || record.empty()) return "the trace is told of an entry without a reason";
  owed_ = Owed::nothing;
  trace_ = atom_value(atoms_->fresh());
  trace_known_ = true;
  effect.kind = Effect::Kind::begins;
  effect.symbol = record;
  effect.whole = true;
  effects_.push_back(std::move(effect));
  return "";
}

// Where sums are: an offset from the thread pointer, an address, or one as seen by the thread.
std::string Machine::argument_of_sums(int64_t key, std::string_view routine, Effect &effect) {
  bool meter = routine.starts_with("__chord_meter"), at = routine.ends_with("_at");
  bool shared = meter ? routine.find("_shared") != std::string_view::npos : routine.ends_with("_shared");
  if (meter && shared) {
    // The distance counts from the instruction that pushes it.
    auto pushed = pushed_.find(key);
    bool right = pushed != pushed_.end() && pushed_at_ + 1 == executed_.size() && pushed->second.relocation.empty() && pushed->second.minus == ".";
    if (!right || pushed->second.number % 8 != 0) return "a metric without its sums";
    effect.where = Effect::Where::delta;
    effect.symbol = pushed->second.symbol;
    effect.index = constant(pushed->second.number / 8);
    return "";
  }
  if (!at && !shared) {
    auto pushed = pushed_.find(key);
    if (pushed == pushed_.end() || pushed->second.relocation != "tpoff" || !pushed->second.minus.empty() || pushed->second.number % 8 != 0) return "a metric without its sums";
    effect.where = Effect::Where::thread;
    effect.symbol = pushed->second.symbol;
    effect.index = constant(pushed->second.number / 8);
    return "";
  }
  Value place = word(key);
  if (std::optional<InRecord> in = in_record(place)) {
    if (!at || in->ahead || in->offset < CHORD_CONTEXT_COUNTERS || in->offset % 8 != 0) return "a metric without its sums";
    effect.where = Effect::Where::record;
    effect.symbol = record_name(place);
    effect.index = constant((in->offset - CHORD_CONTEXT_COUNTERS) / 8);
    return "";
  }
  effect.where = at ? Effect::Where::shared : Effect::Where::delta;
  effect.index = constant(place.number / 8);
  if (place.number % 8 != 0) return "a metric without its sums";
  place.number = 0;
  effect.symbol = symbol_of(place);
  return effect.symbol.empty() ? "a metric without its sums" : "";
}

// So far from what holds the record, which may be ahead of it by a path's number.
std::string Machine::argument_along_record(int64_t offset, int64_t holder, Effect &effect) {
  Value far = word(offset), place = sum(word(holder), far);
  std::optional<InRecord> in = in_record(place);
  if (!far.is_number() || !in || in->offset % 8 != 0) return "a metric without its sums";
  effect.where = Effect::Where::record;
  effect.symbol = record_name(place);
  effect.index = constant((in->offset - CHORD_CONTEXT_COUNTERS) / 8);
  effect.amount = in->ahead ? atom_value(place.terms[0].first) : constant(0);
  return "";
}

// Routines that keep every register and, by names that end so or of repeated instructions, flags.
std::string Machine::call_metric(std::string_view routine, Effect effect) {
  bool keeps_flags = routine.ends_with("_flags") || routine.starts_with("__chord_strings");
  if (routine.ends_with("_flags")) routine.remove_suffix(6);
  struct Routine {
    std::string_view name;
    int sums;   // word, from the top of the stack, in which they are; -1: none
    int taken;  // bytes that it takes off the stack
  };
  static constexpr Routine kRoutines[] = {
      {"__chord_meter_enter", 0, 8}, {"__chord_meter_enter_at", 0, 8},    {"__chord_meter_enter_shared", 0, 8}, {"__chord_meter_leave", -1, 0}, {"__chord_meter_restart", -1, 0},
      {"__chord_meter_path", 0, 16}, {"__chord_meter_path_leave", 0, 16}, {"__chord_meter_path_shared", 0, 16}, {"__chord_meter_path_shared_leave", 0, 16}, {"__chord_meter_path_record", 0, 16}, {"__chord_meter_path_record_leave", 0, 16}, {"__chord_reference", 1, 0},    {"__chord_strings", 1, 0},
      {"__chord_fetch", 1, 0},       {"__chord_branch", 1, 0}};
  // Of several readings; all of them keep flags (runtime/gauges/gauges.cc).
  static constexpr Routine kGauges[] = {{"__chord_meter_enter_all", 0, 8},    {"__chord_meter_enter_at_all", 0, 8}, {"__chord_meter_enter_shared_all", 0, 8}, {"__chord_meter_leave_all", -1, 0},
                                        {"__chord_meter_restart_all", -1, 0}, {"__chord_meter_tally", 0, 24},       {"__chord_meter_tally_leave", 0, 24}, {"__chord_meter_tally_shared", 0, 24}, {"__chord_meter_tally_shared_leave", 0, 24},
                                        {"__chord_meter_tally_record", 0, 24}, {"__chord_meter_tally_record_leave", 0, 24}};
  std::string_view base = routine;
  for (std::string_view place : {"_here", "_at", "_shared"}) {
    if (base.ends_with(place) && !base.starts_with("__chord_meter")) base.remove_suffix(place.size());
  }
  bool gauges = routine.starts_with("__chord_meter") && (routine.ends_with("_all") || routine.starts_with("__chord_meter_tally"));
  if (gauges && !keeps_flags) return "a probe calls something unknown";
  if (routine.ends_with("_all")) routine.remove_suffix(4);
  for (const Routine &r : gauges ? std::span<const Routine>(kGauges) : std::span<const Routine>(kRoutines)) {
    if (r.name != base) continue;
    int64_t key = *stack_key();
    effect.kind = Effect::Kind::measures;
    effect.place = r.name;
    const bool along_record = r.name.find("_record") != std::string_view::npos;
    if (r.sums >= 0) {
      std::string fault = along_record ? argument_along_record(key, key + r.taken - 8, effect) : argument_of_sums(key + 8 * r.sums, routine, effect);
      if (!fault.empty()) return fault;
    }
    // The number of the path; or what is accessed, and with it where the second level's sums are.
    if (!along_record) effect.amount = r.taken >= 16 ? word(key + r.taken - 8) : r.sums == 1 ? word(key) : Value{};
    if (r.sums == 1) {
      if (std::string fault = tell(r.name, key, effect.index); !fault.empty()) return fault;
    }
    if (r.taken == 24) {  // how far the sums of one path are apart, from gauge to gauge
      Effect step = effect;
      step.place = "__chord_meter_step";
      step.amount = word(key + 8);
      effects_.push_back(std::move(step));
    }
    effects_.push_back(std::move(effect));
    set(kRsp, sum(value(kRsp), constant(r.taken)));
    if (!keeps_flags) spoil_flags();
    return "";
  }
  return "a probe calls something unknown";
}

std::string Machine::call(std::string_view routine, uint32_t statement) {
  std::optional<int64_t> key = stack_key();
  if (!key) return "the stack pointer is lost";
  if (*key - start_key() > -kRedZone && !around_.red_zone_dead) return "a call that overwrites the red zone";
  spoiled_ = {*key - start_key(), true, kNoRegister};
  Effect effect;
  effect.statement = statement;
  std::string fault;
  if (routine == "__chord_open" || routine == "__chord_close" || routine == "__chord_open_shared" || routine == "__chord_close_shared") {
    fault = call_bracket(routine, effect);
  } else if (routine == "__chord_leap") {
    effect.kind = Effect::Kind::leaps;
    effect.amount = word(*key);
    effects_.push_back(std::move(effect));
    set(kRsp, sum(value(kRsp), constant(8)));
  } else if (routine == "__chord_budget") {
    fault = owed_ == Owed::budget ? call_budget(effect) : "the runtime is asked without a reason";
    owed_ = Owed::nothing;
  } else if (routine == "__chord_find_path") {
    fault = call_find_path();
  } else if (routine == "__chord_enter") {
    fault = call_enter(effect);
  } else if (routine == "__chord_addresses_more") {
    fault = owed_ == Owed::addresses ? "" : "the runtime is asked without a reason";
    owed_ = Owed::nothing;
  } else if (routine.starts_with("__chord_trace_")) {
    fault = call_trace(routine, effect);
    if (routine.ends_with("_flags")) return fault;
  } else {
    return call_metric(routine, effect);
  }
  spoil_flags();
  return fault;
}

}  // namespace chord::verify
