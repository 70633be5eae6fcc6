#include <chord_abi.h>
#include <chord_gauges.h>
#include <fmt/core.h>

#include "isa/meters.h"
#include "isa/x86_64/registers.h"
#include "isa/x86_64/text.h"

namespace chord::isa {
namespace {

constexpr const char *kPushed = "\t.cfi_adjust_cfa_offset 8\n";

// Of each routine there is another that keeps flags, and one for several readings, which always does.
std::string call(const char *routine, int taken, Readings readings, Resources live) {
  const char *kind = readings == Readings::several ? "_all_flags" : (live & kFlags) != 0 ? "_flags" : "";
  std::string text = fmt::format("\tcall\t{}{}\n", routine, kind);
  return taken == 0 ? text : text + fmt::format("\t.cfi_adjust_cfa_offset {}\n", -taken);
}

bool is_seen(const CounterPlace &p) { return p.kind == CounterPlace::Kind::thread_delta; }

// In front of the call: an offset from the thread pointer or, where counters are seen through the thread's word, the distance from this very instruction.
std::string push_sums(const CounterPlace &p) {
  return fmt::format("\tpushq\t${}{}+{}{}\n", p.label, is_seen(p) ? "" : "@tpoff", 8 * p.index, is_seen(p) ? "-." : "") + kPushed;
}

// Around what may stand anywhere: it keeps the red zone.
Snippet apart(const std::string &text, unsigned price) {
  Snippet s;
  s.moves_stack = true;
  s.price = price + 2;
  s.text = move_stack(-kRedZone) + text + move_stack(kRedZone);
  return s;
}

}  // namespace

Snippet enter_meter(const AnyPlace &sums, Readings readings, Resources live) {
  Snippet s;
  s.moves_stack = true;
  if (const auto *here = std::get_if<CounterPlace>(&sums)) {
    s.price = 2;
    s.text = push_sums(*here) + call(is_seen(*here) ? "__chord_meter_enter_shared" : "__chord_meter_enter", 8, readings, live);
    return s;
  }
  const RecordPlace &record = std::get<RecordPlace>(sums);
  const PathHolder &h = record.holder;
  std::string from = h.kind == PathHolder::Kind::slot ? fmt::format("{}({})", h.displacement, reg(h.base)) : reg(h.reg);
  s.price = 3;
  s.text = fmt::format("\tpushq\t{}\n", from) + kPushed + fmt::format("\taddq\t${},(%rsp)\n", CHORD_CONTEXT_COUNTERS + 8 * record.index) +
           call("__chord_meter_enter_at", 8, readings, 0);  // contexts are entered with dead flags
  return s;
}

// Clear of what was popped, of which unwind rules may still say that it is there.
Snippet leave_meter(Readings readings, Resources live) { return apart(call("__chord_meter_leave", 0, readings, live), 1); }

namespace {

std::string push_holder(const PathHolder &h) {
  std::string what = "$0";
  if (h.kind == PathHolder::Kind::slot) {
    what = fmt::format("{}({})", h.displacement + (h.base == kStackPointer ? kRedZone : 0), reg(h.base));
  } else if (h.kind != PathHolder::Kind::none) {
    what = reg(h.reg);
  }
  return fmt::format("\tpushq\t{}\n", what) + kPushed;
}

}  // namespace

Snippet meter_path_in_record(const PathHolder &h, int64_t sums, const PathMeter &meter, Resources live) {
  std::string text = push_holder(h);
  std::string place = fmt::format("\tpushq\t${}\n", CHORD_CONTEXT_COUNTERS + 8 * sums) + kPushed;
  const char *leave = meter.leaves ? "_leave" : "";
  if (meter.readings == Readings::clock)
    return apart(text + place + call(fmt::format("__chord_meter_path_record{}", leave).c_str(), 16, Readings::clock, live), 3);
  text += fmt::format("\tpushq\t${}\n", meter.paths) + kPushed + place;
  return apart(text + fmt::format("\tcall\t__chord_meter_tally_record{}_flags\n\t.cfi_adjust_cfa_offset -24\n", leave), 4);
}

Snippet meter_path(const PathHolder &h, const CounterPlace &sums, const PathMeter &meter, Resources live) {
  std::string text = push_holder(h);
  std::string ending = fmt::format("{}{}", is_seen(sums) ? "_shared" : "", meter.leaves ? "_leave" : "");
  if (meter.readings == Readings::clock)
    return apart(text + push_sums(sums) + call(("__chord_meter_path" + ending).c_str(), 16, Readings::clock, live), 3);
  text += fmt::format("\tpushq\t${}\n", meter.paths) + kPushed + push_sums(sums);
  return apart(text + fmt::format("\tcall\t__chord_meter_tally{}_flags\n\t.cfi_adjust_cfa_offset -24\n", ending), 4);
}

Snippet restart_meter(Readings readings, Resources live) { return apart(call("__chord_meter_restart", 0, readings, live), 1); }

namespace {

// Not a symbol: it is thread-local in objects for programs alone, and a program may have objects of both kinds.
constexpr const char *kProbeSums = ".L" CHORD_PROBE_SUMS_SYMBOL;
constexpr unsigned kResult = 0;

// Where its sums are, at run time, into a register: they are the module's own in a shared object, else the thread's.
std::string sums_into(unsigned into, bool shared) {
  if (shared) return fmt::format("\tleaq\t{}(%rip),{}\n", kProbeSums, reg(into));
  return fmt::format("\tmovq\t{}@gottpoff(%rip),{}\n\taddq\t%fs:0,{}\n", kProbeSums, reg(into), reg(into));
}

std::string sample_routine(const char *name, const MeterSample &sample, bool paths) {
  constexpr unsigned kRecord = 7;
  const PathHolder record{PathHolder::Kind::free, kRecord};
  std::string body;
  const CounterPlace here{.kind = CounterPlace::Kind::thread_local_exec, .label = kProbeSums};
  const bool by_address = sample.in_record || sample.shared;
  if (by_address) body = sums_into(kRecord, sample.shared) + fmt::format("\tsubq\t${},{}\n", CHORD_CONTEXT_COUNTERS, reg(kRecord));
  body += enter_meter(by_address ? AnyPlace(RecordPlace{record, 0}) : AnyPlace(here), sample.readings, 0).text;
  const auto along = static_cast<int64_t>(2 * sample.gauges);
  const PathMeter meter{sample.readings, 1, false};
  for (int k = 0; paths && k < CHORD_PATHS_IN_SAMPLE; ++k) {
    CounterPlace sum = here;
    sum.index = along;
    body += (sample.shared ? meter_path_in_record(record, along, meter, 0) : meter_path({}, sum, meter, 0)).text;
  }
  body += leave_meter(sample.readings, 0).text;
  return fmt::format(
      "\t.section .text.{0},\"axG\",@progbits,{1},comdat\n\t.weak {0}\n\t.hidden {0}\n\t.type {0},@function\n\t.p2align 4\n{0}:\n\t.cfi_startproc\n\tendbr64\n"
      "{2}{3}\tsubq\t%fs:0,%rax\n\tret\n\t.cfi_endproc\n\t.size {0},.-{0}\n",
      name, CHORD_PROBE_SAMPLE_SYMBOL, body, sums_into(kResult, sample.shared));
}

}  // namespace

std::string meter_sample_text(const MeterSample &sample) {
  const char *section = sample.shared ? ".bss" : ".tbss", *flags = sample.shared ? "awG" : "awTG";
  return fmt::format("\t.section {}{},\"{}\",@nobits,{},comdat\n\t.balign 8\n{}:\n\t.zero {}\n", section, "." CHORD_PROBE_SUMS_SYMBOL, flags, CHORD_PROBE_SAMPLE_SYMBOL, kProbeSums,
                     8 * 3 * sample.gauges) +
         sample_routine(CHORD_PROBE_SAMPLE_SYMBOL, sample, false) + sample_routine(CHORD_PROBE_PATHS_SYMBOL, sample, true);
}

}  // namespace chord::isa
