// Writing the probes of path profiles for x86-64.
//
// The number of the path is kept in a register that the procedure does not use, or in
// a word of its frame, so a signal handler, a callee, another thread and whoever
// switches stacks have their own. Nothing here has to change in one instruction but
// the counter, which x86_64_emit.cc takes care of.
#include <fmt/core.h>

#include <array>
#include <vector>

#include "chord_abi.h"
#include "isa/isa.h"
#include "isa/x86_64/registers.h"
#include "isa/x86_64/text.h"

namespace chord::isa {
namespace {

constexpr std::array<unsigned, 9> kScratch = {r11, r10, rcx, rdx, rsi, rdi, r8, r9, rax};

std::string slot(const PathHolder &h, int64_t moved) {
  int64_t displacement = h.displacement + (h.base == kStackPointer ? moved : 0);
  return fmt::format("{}({})", displacement, reg(h.base));
}

std::string load_constant(int64_t value, unsigned r) {
  if (value >= 0 && value <= INT64_C(0xffffffff)) return fmt::format("\tmovl\t${},{}\n", value, low_half(r));
  if (fits_constant(value)) return fmt::format("\tmovq\t${},{}\n", value, reg(r));
  return fmt::format("\tmovabsq\t${},{}\n", value, reg(r));
}

// Runs `body` with one register that is live, kept in the other word of the widened frame
// meanwhile.
template <class Body>
Snippet with_kept_scratch(const PathHolder &h, Body body) {
  PathHolder spare = h;
  spare.displacement += 8;
  std::string after = fmt::format("\tmovq\t{},{}\n", slot(spare, 0), reg(kScratch[0]));
  Snippet inner = body(std::vector<unsigned>{kScratch[0]}, 0);
  inner.text = fmt::format("\tmovq\t{},{}\n", reg(kScratch[0]), slot(spare, 0)) + inner.text + after;
  inner.tail += after.size();
  inner.price += 2;
  return inner;
}

// Runs `body(scratch registers, bytes the stack pointer is lower)` with registers that
// are dead, or else kept on the stack beyond the red zone. Never the holder's own.
// `spoils_flags`: the flags are kept as well, if somebody wants them.
template <class Body>
Snippet with_scratch(const PathHolder &h, Resources live, unsigned count, Body body, bool spoils_flags = false) {
  bool keeps_flags = spoils_flags && (live & kFlags);
  std::vector<unsigned> scratch;
  for (unsigned r : kScratch) {
    if (scratch.size() < count && !(live & general(r)) && r != h.reg) scratch.push_back(r);
  }
  if (scratch.size() == count && !keeps_flags) return body(scratch, 0);
  if (count == 1 && !keeps_flags && h.kind == PathHolder::Kind::slot) return with_kept_scratch(h, body);
  scratch.clear();
  std::string before = move_stack(-kRedZone), after;
  if (keeps_flags) {
    before += "\tpushfq\n\t.cfi_adjust_cfa_offset 8\n";
    after = "\tpopfq\n\t.cfi_adjust_cfa_offset -8\n";
  }
  for (unsigned r : kScratch) {
    if (scratch.size() == count || r == h.reg) continue;
    before += push(r);
    after = pop(r) + after;
    scratch.push_back(r);
  }
  Snippet inner = body(scratch, kRedZone + 8 * static_cast<int64_t>(count + keeps_flags));
  inner.text = before + inner.text + after + move_stack(kRedZone);
  inner.tail += after.size() + move_stack(kRedZone).size();
  inner.price += 2 + 2 * (count + keeps_flags);
  inner.moves_stack = true;
  return inner;
}

std::string add_to_register(unsigned target, int64_t amount) {
  return fmt::format("\tleaq\t{}({}),{}\n", amount, reg(target), reg(target));
}

}  // namespace

Snippet set_path(const PathHolder &h, int64_t value, Resources) {
  switch (h.kind) {
    case PathHolder::Kind::none:
      return {};
    case PathHolder::Kind::free:
    case PathHolder::Kind::saved:
      return {load_constant(value, h.reg), 1};
    case PathHolder::Kind::slot:
      break;
  }
  if (fits_constant(value)) return {fmt::format("\tmovq\t${},{}\n", value, slot(h, 0)), 1};
  auto low = static_cast<uint32_t>(value), high = static_cast<uint32_t>(static_cast<uint64_t>(value) >> 32);
  return {fmt::format("\tmovl\t${},{}\n\tmovl\t${},{}\n", static_cast<int32_t>(low), slot(h, 0),
                      static_cast<int32_t>(high), fmt::format("4+{}", slot(h, 0))),
          2};
}

Snippet add_to_path(const PathHolder &h, int64_t amount, Resources live) {
  if (h.kind == PathHolder::Kind::none || amount == 0) return {};
  bool small = fits_constant(amount);
  if (h.kind != PathHolder::Kind::slot) {
    if (small) return {add_to_register(h.reg, amount), 1};
    return with_scratch(h, live, 1, [&](const std::vector<unsigned> &r, int64_t) -> Snippet {
      return {load_constant(amount, r[0]) + fmt::format("\tleaq\t({0},{1}),{0}\n", reg(h.reg), reg(r[0])), 2};
    });
  }
  if (small && !(live & kFlags)) return {fmt::format("\taddq\t${},{}\n", amount, slot(h, 0)), 1};
  return with_scratch(h, live, small ? 1 : 2, [&](const std::vector<unsigned> &r, int64_t moved) -> Snippet {
    std::string place = slot(h, moved), load = fmt::format("\tmovq\t{},{}\n", place, reg(r[0]));
    std::string store = fmt::format("\tmovq\t{},{}\n", reg(r[0]), place);
    if (small) return {load + add_to_register(r[0], amount) + store, 3};
    return {load + load_constant(amount, r[1]) + fmt::format("\tleaq\t({0},{1}),{0}\n", reg(r[0]), reg(r[1])) + store, 4};
  });
}

Snippet count_path(const PathHolder &h, const CounterPlace &place, Resources live) {
  CounterPlace at = place;
  if (h.kind == PathHolder::Kind::none) return increment(at, live);
  if (h.kind != PathHolder::Kind::slot) {
    at.index_register = h.reg;
    return increment(at, live | general(h.reg));
  }
  // Flags are kept in %rax: the index must not be there.
  Resources taken = live | ((live & kFlags) ? general(rax) : 0);
  return with_scratch(h, taken, 1, [&](const std::vector<unsigned> &r, int64_t moved) {
    at.index_register = r[0];
    Snippet s = increment(at, live | general(r[0]));
    s.text = fmt::format("\tmovq\t{},{}\n", slot(h, moved), reg(r[0])) + s.text;
    s.price += 1;
    return s;
  });
}

Snippet count_expected_path(const PathHolder &h, int64_t expected, const CounterPlace &place, const std::string &otherwise,
                            Resources live) {
  if (h.kind != PathHolder::Kind::slot || (live & kFlags) || !fits_constant(expected)) return {};
  CounterPlace at = place;
  at.index += expected;
  Snippet s = increment(at, live);
  if (s.moves_stack) return {};
  s.text = fmt::format("\tcmpq\t${},{}\n\tjne\t{}\n", expected, slot(h, 0), otherwise) + s.text;
  s.price += 2;
  return s;
}

namespace {

// register = number of the path + `add`. `spare` may be changed.
std::string load_number(const PathHolder &h, int64_t add, unsigned into, unsigned spare, int64_t moved) {
  unsigned holder = h.reg;
  std::string text;
  if (h.kind == PathHolder::Kind::slot) {
    text = fmt::format("\tmovq\t{},{}\n", slot(h, moved), reg(into));
    holder = into;
  }
  if (fits_constant(add)) return text + fmt::format("\tleaq\t{}({}),{}\n", add, reg(holder), reg(into));
  return text + load_constant(add, spare) + fmt::format("\tleaq\t({},{}),{}\n", reg(holder), reg(spare), reg(into));
}

// The runtime finds another slot: the word that held the number then holds the index.
std::string ask_for_slot(unsigned key, unsigned index, unsigned numbers, bool below_red_zone) {
  std::string down = below_red_zone ? "" : move_stack(-kRedZone), up = below_red_zone ? "" : move_stack(kRedZone);
  return down + push(key) + push(numbers) + "\tcall\t__chord_find_path\n" + pop(numbers) + pop(index) + up;
}

}  // namespace

Snippet count_path_by_number(const PathHolder &h, const CounterPlace &place, const NumberedCounters &counters,
                             Resources live) {
  auto body = [&](const std::vector<unsigned> &r, int64_t moved) {
    unsigned key = r[0], index = r[1], numbers = r[2];
    std::string text = load_number(h, static_cast<int64_t>(static_cast<uint64_t>(place.index) + 1), key, index, moved);
    text += load_constant(static_cast<int64_t>(CHORD_PATH_FACTOR), index) +
            fmt::format("\timulq\t{0},{1}\n\tshrq\t${2},{1}\n\tleaq\t{3}(%rip),{4}\n\tcmpq\t{0},({4},{1},8)\n\tje\t{5}\n",
                        reg(key), reg(index), 64 - CHORD_PATH_SLOT_BITS, counters.numbers, reg(numbers), counters.found) +
            ask_for_slot(key, index, numbers, moved != 0) + counters.found + ":\n";
    CounterPlace at = place;
    at.index = 0;
    at.index_register = index;
    Resources busy = live | general(index) | (h.kind == PathHolder::Kind::slot ? 0 : general(h.reg));
    Snippet s = increment(at, busy & ~(general(key) | general(numbers) | kFlags));
    s.text = text + s.text;
    s.price += 7 + (h.kind == PathHolder::Kind::slot ? 1 : 0);
    s.moves_stack = true;
    return s;
  };
  return with_scratch(h, live, 3, body, true);
}

unsigned dwarf_number(unsigned r) {
  constexpr std::array<unsigned, 16> kNumbers = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
  return kNumbers[r];
}

std::string saved_register_rule(const PathHolder &h) {
  if (h.kind != PathHolder::Kind::saved) return {};
  return fmt::format(".cfi_offset {}, -16", dwarf_number(h.reg));
}

std::string widen_frame(const PathHolder &h, bool unwinding) {
  auto line = [&](const std::string &text) { return unwinding ? "\t" + text + "\n" : std::string(); };
  if (h.kind == PathHolder::Kind::slot) return "\tleaq\t-16(%rsp),%rsp\n" + line(".cfi_adjust_cfa_offset 16");
  return fmt::format("\tpushq\t{}\n", reg(h.reg)) + line(".cfi_adjust_cfa_offset 8") + line(saved_register_rule(h)) +
         "\tleaq\t-8(%rsp),%rsp\n" + line(".cfi_adjust_cfa_offset 8");
}

std::string narrow_frame(const PathHolder &h, bool unwinding) {
  auto line = [&](const std::string &text) { return unwinding ? "\t" + text + "\n" : std::string(); };
  if (h.kind == PathHolder::Kind::slot) return "\tleaq\t16(%rsp),%rsp\n" + line(".cfi_adjust_cfa_offset -16");
  return "\tleaq\t8(%rsp),%rsp\n" + line(".cfi_adjust_cfa_offset -8") + fmt::format("\tpopq\t{}\n", reg(h.reg)) +
         line(".cfi_adjust_cfa_offset -8") + line(fmt::format(".cfi_restore {}", dwarf_number(h.reg)));
}

std::string move_displacement(std::string_view operand, bool intel_syntax, int64_t amount) {
  std::string text(operand);
  if (intel_syntax) {
    // What is in brackets is added up, however many there are: call [QWORD PTR 8[rsp]].
    size_t bracket = text.rfind('[');
    if (bracket == std::string::npos) return {};
    return text.insert(bracket + 1, fmt::format("{}+", amount));
  }
  size_t bracket = text.rfind('(');
  if (bracket == std::string::npos || text.find('%', bracket) == std::string::npos) return {};
  size_t start = text.find(':') == std::string::npos ? 0 : text.find(':') + 1;
  if (start < text.size() && text[start] == '*') ++start;  // an indirect jump or call
  return text.insert(start, start == bracket ? fmt::format("{}", amount) : fmt::format("{}+", amount));
}

}  // namespace chord::isa
