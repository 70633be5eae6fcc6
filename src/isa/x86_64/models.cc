// Writing what feeds the models, for x86-64.
//
// The address is computed first, before any register is taken that it may be made of. Registers that are not dead are kept on the
// stack, beyond the red zone, which moves the stack pointer: addresses relative to it are moved along.
#include "isa/models.h"

#include <chord_abi.h>
#include <chord_models.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "isa/x86_64/model_text.h"
#include "isa/x86_64/registers.h"
#include "isa/x86_64/text.h"

namespace chord::isa {
namespace {

constexpr const char *kFirst = "__chord_l1d";

// Of an instruction with one byte after its opcode, then the displacement, from its end, and nothing else.
std::string read_address(const LineProbe &p, unsigned into, unsigned other) {
  return fmt::format("\tmovslq\t{0}+2(%rip),{1}\n\tleaq\t{0}+6(%rip),{2}\n\tleaq\t{3}({1},{2}),{1}\n", p.code, reg(into), reg(other), p.at.plus);
}

std::string request(const LineProbe &p, const LineProbe::Request &r, const Scratch &scratch) {
  unsigned a = scratch.registers[0], s = scratch.registers[1];
  std::string text;
  if (r.plus != 0) text += fmt::format("\tleaq\t{}({}),{}\n", r.plus, reg(a), reg(s));
  text += fmt::format("\tpushq\t{}\n", reg(r.plus != 0 ? s : a)) + kWord;
  CounterArgument counter = counter_argument(r.counter, s, scratch.depth() + kRedZone + 8);
  text += counter.text + fmt::format("\tpushq\t${}\n", std::min<uint32_t>(r.bytes, CHORD_ACCESS_BYTES) + p.second * CHORD_ACCESS_SECOND) + kWord;
  return text + fmt::format("\tcall\t__chord_reference{}\n", counter.suffix) + move_stack(24);
}

Snippet ask_for_each(const LineProbe &p, const Scratch &scratch) {
  unsigned a = scratch.registers[0], s = scratch.registers[1];
  Snippet out;
  out.moves_stack = true;
  if (!p.code.empty()) out.text += fmt::format("\tcmpb\t${},{}(%rip)\n\tjne\t{}\n", p.opcode, p.code, p.back);
  out.text += fmt::format("\taddq\t({}),{}\n", reg(s), reg(a)) + move_stack(-kRedZone);
  for (const LineProbe::Request &r : p.requests) out.text += request(p, r, scratch);
  out.text += move_stack(kRedZone) + fmt::format("\tjmp\t{}\n", p.back);
  return out;
}

}  // namespace

std::string operand_for_address(std::string_view operands, bool intel_syntax, bool thread_segment) {
  if (!intel_syntax) {
    if (!operands.empty() && operands[0] == '*') operands.remove_prefix(1);
    size_t mask = operands.rfind('{');
    if (mask != std::string_view::npos) operands = operands.substr(0, mask);
    if (thread_segment) {
      if (!operands.starts_with("%fs:")) return {};
      operands.remove_prefix(4);
    }
    if (operands.empty() || operands[0] == '%' || operands[0] == '$') return {};
    return std::string(operands);
  }
  std::string text(operands);
  if (size_t at = text.find("fs:"); thread_segment && at != std::string::npos) text.replace(at, 3, "ds:");
  return text;
}

ProbeWithOutside look_for_line(const LineProbe &p, Resources live) {
  Scratch scratch = take_scratch(live, p.shared_object ? 3 : 2, register_of(p.requests[0].counter));
  unsigned a = scratch.registers[0], s = scratch.registers[1];
  Snippet body;
  auto line = [&](const std::string &text) {
    body.text += "\t" + text + "\n";
    ++body.price;
  };
  if (p.at.thread_segment) line(fmt::format("addq\t%fs:0,{}", reg(a)));
  line(fmt::format("movl\t{},{}", low_half(a), low_half(s)));
  line(fmt::format("shrl\t${},{}", p.line_bits - 3, low_half(s)));
  line(fmt::format("andl\t${},{}", 8 * (p.sets - 1), low_half(s)));
  if (p.shared_object) {
    unsigned pointer = scratch.registers[2];
    line(fmt::format("movq\t{}@gottpoff(%rip),{}", kFirst, reg(pointer)));
    line(fmt::format("addq\t%fs:({}),{}", reg(pointer), reg(s)));
  } else {
    line(fmt::format("addq\t%fs:{}@tpoff,{}", kFirst, reg(s)));
  }
  line(fmt::format("subq\t({}),{}", reg(s), reg(a)));
  line(fmt::format("cmpq\t${},{}", (uint32_t{1} << p.line_bits) - p.bytes, reg(a)));
  line("ja\t" + p.out);
  body.text += p.back + ":\n";
  ProbeWithOutside out;
  std::string address = p.displacement_in_code ? read_address(p, a, s) : compute_address(p.at, a, scratch.depth());
  out.inside = keep(scratch, address, std::move(body), live);
  out.outside = ask_for_each(p, scratch);
  return out;
}

// The routine keeps flags as well.
Snippet tell_strings(const StringProbe &p, Resources live) {
  unsigned free = kScratch[0];
  for (unsigned r : kScratch) {
    if (!(live & general(r))) {
      free = r;
      break;
    }
  }
  bool keeps = (live & general(free)) != 0;
  const auto *record = std::get_if<RecordPlace>(&p.counter);
  // Finding the record takes an instruction that changes them.
  bool keeps_flags = record != nullptr && record->span != 0 && (live & kFlags) != 0;
  uint32_t what = p.bytes + p.second * CHORD_ACCESS_SECOND;
  if (p.source) what |= CHORD_ACCESS_SOURCE;
  if (p.target) what |= CHORD_ACCESS_TARGET;
  CounterArgument counter = counter_argument(p.counter, free, kRedZone + (keeps ? 8 : 0) + (keeps_flags ? 8 : 0));
  Snippet s;
  s.moves_stack = true;
  s.price = keeps ? 8 : 6;
  s.text = move_stack(-kRedZone) + (keeps ? push(free) : "");
  if (keeps_flags) s.text += fmt::format("\tpushfq\n{}", kWord);
  s.text += counter.text;
  s.text += fmt::format("\tpushq\t${}\n", what) + kWord + fmt::format("\tcall\t__chord_strings{}\n", counter.suffix) + move_stack(16);
  s.text += (keeps_flags ? "\tpopfq\n\t.cfi_adjust_cfa_offset -8\n" : "") + (keeps ? pop(free) : "") + move_stack(kRedZone);
  return s;
}

}  // namespace chord::isa
