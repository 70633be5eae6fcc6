// Writing what feeds the models of instruction caches and branch predictors, for x86-64.
#include <chord_models.h>
#include <fmt/core.h>

#include <array>

#include "isa/models.h"
#include "isa/x86_64/model_text.h"
#include "isa/x86_64/registers.h"
#include "isa/x86_64/text.h"

namespace chord::isa {
namespace {

constexpr const char *kFirstCode = "__chord_l1i";
constexpr const char *kPredictor = "__chord_predictor";

std::string low_byte(unsigned r) {
  constexpr std::array<const char *, 8> kNames = {"%al", "%cl", "%dl", "%bl", "%spl", "%bpl", "%sil", "%dil"};
  return r < kNames.size() ? kNames[r] : reg(r) + "b";
}

void add_line(Snippet &s, const std::string &text) {
  s.text += "\t" + text + "\n";
  ++s.price;
}

// A word of the thread's that the module's code reaches.
void load_word(Snippet &s, const char *word, unsigned into, bool shared_object) {
  if (!shared_object) return add_line(s, fmt::format("movq\t%fs:{}@tpoff,{}", word, reg(into)));
  add_line(s, fmt::format("movq\t{}@gottpoff(%rip),{}", word, reg(into)));
  add_line(s, fmt::format("movq\t%fs:({0}),{0}", reg(into)));
}

Snippet fetch_requests(const FetchProbe &p, const Scratch &scratch) {
  Snippet out;
  out.moves_stack = true;
  out.text = move_stack(-kRedZone);
  for (const FetchProbe::Request &r : p.requests) {
    out.text += fmt::format("\tpushq\t${}\n", r.address) + kWord;
    CounterArgument counter = counter_argument(r.counter, scratch.registers[0], scratch.depth() + kRedZone + 8);
    out.text += counter.text + fmt::format("\tpushq\t${}\n", r.bytes) + kWord;
    out.text += fmt::format("\tcall\t__chord_fetch{}\n", counter.suffix) + move_stack(24);
  }
  out.text += move_stack(kRedZone) + fmt::format("\tjmp\t{}\n", p.back);
  return out;
}

constexpr std::array<const char *, 16> kConditions = {"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"};

// 1 if the branch will be taken. Flags are as the branch will find them.
void find_outcome(Snippet &s, const BranchTest &test, unsigned into) {
  if (test.count_is_zero) add_line(s, test.count_has_32_bits ? "testl\t%ecx,%ecx" : "testq\t%rcx,%rcx");
  add_line(s, fmt::format("set{}\t{}", test.count_is_zero ? "e" : kConditions[test.condition], low_byte(into)));
  add_line(s, fmt::format("movzbl\t{},{}", low_byte(into), low_half(into)));
}

Snippet prediction_request(const PredictionProbe &p, const Scratch &scratch) {
  unsigned taken = scratch.registers[0];
  std::string number = p.history_mask == 0 ? fmt::format("${}", p.number) : reg(scratch.registers[2]);
  Snippet out;
  out.moves_stack = true;
  out.text = move_stack(-kRedZone) + fmt::format("\tpushq\t{}\n", reg(taken)) + kWord;
  CounterArgument counter = counter_argument(p.counter, taken, scratch.depth() + kRedZone + 8);
  out.text += counter.text + fmt::format("\tpushq\t{}\n", number) + kWord;
  out.text += fmt::format("\tcall\t__chord_branch{}\n", counter.suffix) + move_stack(24 + kRedZone) + fmt::format("\tjmp\t{}\n", p.back);
  return out;
}

}  // namespace

ProbeWithOutside look_for_code(const FetchProbe &p, Resources live) {
  Scratch scratch = take_scratch(live, 1, register_of(p.requests[0].counter));
  unsigned word = scratch.registers[0];
  Snippet body;
  load_word(body, kFirstCode, word, p.shared_object);
  for (uint64_t line : p.lines) {
    add_line(body, fmt::format("cmpq\t${},{}({})", line, 8 * ((line >> p.line_bits) & (p.sets - 1)), reg(word)));
    add_line(body, "jne\t" + p.out);
  }
  body.text += p.back + ":\n";
  ProbeWithOutside out;
  out.inside = keep(scratch, "", std::move(body), live);
  out.outside = fetch_requests(p, scratch);
  return out;
}

std::optional<BranchTest> branch_test(std::string_view bytes) {
  size_t at = 0;
  bool narrow = false;
  auto byte = [&](size_t i) -> unsigned { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0; };
  for (; byte(at) == 0x2e || byte(at) == 0x3e || byte(at) == 0xf2 || byte(at) == 0x67; ++at) narrow = narrow || byte(at) == 0x67;
  BranchTest test;
  if ((byte(at) & 0xf0) == 0x70) {
    test.condition = byte(at) & 15;
  } else if (byte(at) == 0x0f && (byte(at + 1) & 0xf0) == 0x80) {
    test.condition = byte(at + 1) & 15;
  } else if (byte(at) == 0xe3) {
    test.count_is_zero = true;
    test.count_has_32_bits = narrow;
  } else {
    return std::nullopt;
  }
  return test;
}

// The thread's history is changed here, unless the runtime is asked.
ProbeWithOutside predict_branch(const PredictionProbe &p, Resources live) {
  Scratch scratch = take_scratch(live, p.history_mask == 0 ? 2 : 3, register_of(p.counter));
  unsigned taken = scratch.registers[0], predictor = scratch.registers[1];
  Snippet body;
  find_outcome(body, p.test, taken);
  load_word(body, kPredictor, predictor, p.shared_object);
  if (p.history_mask == 0) {
    add_line(body, fmt::format("cmpb\t{},{}({})", low_byte(taken), CHORD_PREDICTOR_COUNTERS + p.number, reg(predictor)));
    add_line(body, "jne\t" + p.out);
  } else {
    unsigned number = scratch.registers[2];
    add_line(body, fmt::format("movl\t({}),{}", reg(predictor), low_half(number)));
    add_line(body, fmt::format("andl\t${},{}", p.history_mask, low_half(number)));
    add_line(body, fmt::format("xorl\t${},{}", p.number, low_half(number)));
    add_line(body, fmt::format("cmpb\t{},{}({},{})", low_byte(taken), CHORD_PREDICTOR_COUNTERS, reg(predictor), reg(number)));
    add_line(body, "jne\t" + p.out);
    add_line(body, fmt::format("movl\t({}),{}", reg(predictor), low_half(number)));
    add_line(body, fmt::format("leal\t({},{},2),{}", reg(taken), reg(number), low_half(number)));
    add_line(body, fmt::format("movl\t{},({})", low_half(number), reg(predictor)));
  }
  body.text += p.back + ":\n";
  ProbeWithOutside out;
  out.inside = keep(scratch, "", std::move(body), live);
  out.outside = prediction_request(p, scratch);
  return out;
}

}  // namespace chord::isa
