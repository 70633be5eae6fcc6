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
    s.text = fmt::format("\tpushq\t${}@tpoff+{}\n", here->label, 8 * here->index) + kPushed + call("__chord_meter_enter", 8, readings, live);
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
  std::string place = fmt::format("\tpushq\t${}@tpoff+{}\n", sums.label, 8 * sums.index) + kPushed;
  if (meter.readings == Readings::clock)
    return apart(text + place + call(meter.leaves ? "__chord_meter_path_leave" : "__chord_meter_path", 16, Readings::clock, live), 3);
  text += fmt::format("\tpushq\t${}\n", meter.paths) + kPushed + place;
  return apart(text + fmt::format("\tcall\t__chord_meter_tally{}_flags\n\t.cfi_adjust_cfa_offset -24\n", meter.leaves ? "_leave" : ""), 4);
}

Snippet restart_meter(Readings readings, Resources live) { return apart(call("__chord_meter_restart", 0, readings, live), 1); }

namespace {

constexpr const char *kProbeSums = CHORD_PROBE_SUMS_SYMBOL;

std::string sample_routine(const char *name, const MeterSample &sample, bool paths) {
  constexpr unsigned kRecord = 7;
  std::string body;
  AnyPlace sums = CounterPlace{.kind = CounterPlace::Kind::thread_local_exec, .label = kProbeSums};
  if (sample.in_record) {
    body = fmt::format("\tmovq\t{}@gottpoff(%rip),{}\n\taddq\t%fs:0,{}\n\tsubq\t${},{}\n", kProbeSums, reg(kRecord), reg(kRecord), CHORD_CONTEXT_COUNTERS, reg(kRecord));
    sums = RecordPlace{{PathHolder::Kind::free, kRecord}, 0};
  }
  body += enter_meter(sums, sample.readings, 0).text;
  CounterPlace along{.kind = CounterPlace::Kind::thread_local_exec, .label = kProbeSums, .index = static_cast<int64_t>(2 * sample.gauges)};
  for (int k = 0; paths && k < CHORD_PATHS_IN_SAMPLE; ++k) body += meter_path({}, along, {sample.readings, 1, false}, 0).text;
  body += leave_meter(sample.readings, 0).text;
  return fmt::format(
      "\t.section .text.{0},\"axG\",@progbits,{1},comdat\n\t.weak {0}\n\t.hidden {0}\n\t.type {0},@function\n\t.p2align 4\n{0}:\n\t.cfi_startproc\n\tendbr64\n"
      "{2}\tmovq\t{1}@gottpoff(%rip),%rax\n\tret\n\t.cfi_endproc\n\t.size {0},.-{0}\n",
      name, kProbeSums, body);
}

}  // namespace

std::string meter_sample_text(const MeterSample &sample) {
  return fmt::format("\t.section .tbss.{0},\"awTG\",@nobits,{0},comdat\n\t.balign 8\n\t.weak {0}\n\t.hidden {0}\n{0}:\n\t.zero {1}\n", kProbeSums, 8 * 3 * sample.gauges) +
         sample_routine(CHORD_PROBE_SAMPLE_SYMBOL, sample, false) + sample_routine(CHORD_PROBE_PATHS_SYMBOL, sample, true);
}

std::string meter_text() {
  return fmt::format(
      "\t.section .tbss.{0},\"awTG\",@nobits,{0},comdat\n\t.balign 8\n\t.weak {0}\n\t.hidden {0}\n{0}:\n\t.zero {1}\n"
      "\t.section .text.{2},\"axG\",@progbits,{0},comdat\n\t.weak {2}\n\t.hidden {2}\n\t.type {2},@function\n"
      "{2}:\n\t.cfi_startproc\n\tendbr64\n\tmovq {0}@gottpoff(%rip),%rax\n\tret\n\t.cfi_endproc\n\t.size {2},.-{2}\n",
      CHORD_METER_SYMBOL, 8 * CHORD_METER_WORDS, CHORD_METER_PLACE_SYMBOL);
}

}  // namespace chord::isa
