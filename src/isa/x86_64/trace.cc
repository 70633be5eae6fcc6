// Writing tokens of a trace on x86-64.
//
// The word that tokens are shifted into starts as 1: the highest bit that is set is above the bits written so far. When it
// has come to the top, the word holds 63 bits and goes to the buffer.
//   one bit, 0    shl word; js out
//   one bit, 1    r = word; r = 2 r + 1; word = r; test r; js out
//   more bits     is there room? else out, which writes all of them; r = word; r = r << n | v; word = r
//   more, all 0   is there room? else out; shl word
//   zeros that a number is added to: the same, also of one bit; out writes what there is, and leaves the zeros in a new word
//   to add          add to word; where flags are live, r = word; r = r + n by lea; word = r
// A signal handler that runs the same probe in between does no harm: the runtime puts the word back when a handler
// returns (runtime/trace/markers.cc).
#include <chord_abi.h>
#include <fmt/core.h>

#include <vector>

#include "isa/trace.h"
#include "isa/x86_64/registers.h"
#include "isa/x86_64/text.h"

namespace chord::isa {
namespace {

constexpr unsigned kLengthShift = 24;  // of what __chord_trace_split is told
static_assert(kMostTraceBits <= kLengthShift);

constexpr const char *kHome = CHORD_TRACE_SYMBOL CHORD_HOME_SUFFIX;

constexpr unsigned kScratch[] = {r11, r10, rcx, rdx, rsi, rdi, r8, r9, rax, rbx, r12, r13, r14, r15};

class Writer {
 public:
  Writer(const TracePlace &place, Resources live) : place_(place), live_(live) {}

  Snippet run(const TraceBits &token, const TraceLabels &labels) {
    const unsigned wanted = (place_.position_independent ? 1 : 0) + (token.value == 0 ? 0 : 1);
    take_registers(wanted);
    find_state();
    const std::string spare = wanted > (place_.position_independent ? 1u : 0u) ? reg(registers_.back()) : "";
    token.bits == 1 && !token.whole ? one_bit(token.value != 0, spare, labels) : several(token, spare, labels);
    put_back();
    return finish();
  }

  Snippet run_addition(uint32_t amount) {
    const bool by_lea = (live_ & kFlags) != 0;
    live_ &= ~kFlags;  // which lea and mov leave alone
    take_registers((place_.position_independent ? 1 : 0) + (by_lea ? 1 : 0));
    find_state(by_lea);
    if (by_lea) {
      const std::string r = reg(registers_.back());
      line(fmt::format("movq\t{},{}", word(), r));
      line(fmt::format("leaq\t{0}({1}),{1}", amount, r));
      line(fmt::format("movq\t{},{}", r, word()));
    } else {
      line(fmt::format("addq\t${},{}", amount, word()));
    }
    stored_ = text_.size();
    put_back();
    return finish();
  }

  // Who it is goes to the trace by a routine, which nothing is left for that a reader would not know.
  static EntryToken run_comparison(const std::string &record, uint32_t mark, Resources live, const TraceLabels &labels) {
    EntryToken out;
    out.probe.text = fmt::format("\tcmpl\t${},{}\n\tjne\t{}\n{}:\n", mark, expected(), labels.out, labels.back);
    out.probe.tail = labels.back.size() + 2;
    out.probe.price = 2;
    const bool keeps = (live & general(r11)) != 0;
    std::string &text = out.outside.text;
    text = move_stack(-kRedZone) + (keeps ? push(r11) : "") + fmt::format("\tmovl\t$0,{}\n", expected()) + number_of(record, labels, r11) + push(r11) + "\tcall\t__chord_trace_announce\n";
    const std::string rest = (keeps ? move_stack(8) + pop(r11) + move_stack(kRedZone) : move_stack(kRedZone + 8)) + fmt::format("\tjmp\t{}\n", labels.back);
    text += rest;
    out.outside.tail = rest.size();
    out.outside.moves_stack = true;
    out.outside.price = 8;
    return out;
  }

  // The lower half of the word that marks are left in.
  static std::string expected() { return fmt::format("%fs:{}@tpoff+{}", CHORD_TRACE_SYMBOL, 8 * CHORD_TRACE_EXPECTED); }

  // The offset of the record in its section is a constant, but no linker knows it as one: it is the difference of two distances from here.
  EntryToken run_entry(const std::string &record, const TraceLabels &labels) {
    constexpr unsigned bits = CHORD_TRACE_ENTRY_TOKEN_BITS;
    constexpr uint32_t one = CHORD_TRACE_ENTRY_TOKEN;
    take_registers(place_.position_independent ? 3 : 2);
    find_state();
    const unsigned number = registers_[registers_.size() - 2], spare = registers_.back();
    text_ += number_of(record, labels, number);
    price_ += 3;
    line(fmt::format("cmpl\t${},{}", uint32_t{1} << (31 - bits), word(4)));
    line("jae\t" + labels.out);
    line(fmt::format("movq\t{},{}", word(), reg(spare)));
    line(fmt::format("shlq\t${},{}", bits, reg(spare)));
    line(fmt::format("leaq\t{0}({1},{2}),{1}", one, reg(spare), reg(number)));
    line(fmt::format("movq\t{},{}", reg(spare), word()));
    stored_ = text_.size();
    text_ += labels.back + ":\n";
    put_back();
    EntryToken out{finish(), {}};
    out.outside.moves_stack = true;
    out.outside.price = 5;
    out.outside.text = move_stack(-kRedZone) + fmt::format("\tleal\t{0}({1}),{2}\n", (bits << kLengthShift) | one, reg(number), low_half(number)) + push(number) +
                       "\tcall\t__chord_trace_split\n";
    const std::string rest = move_stack(kRedZone + 8) + fmt::format("\tjmp\t{}\n", labels.back);
    out.outside.text += rest;
    out.outside.tail = rest.size();
    return out;
  }

 private:
  static std::string number_of(const std::string &record, const TraceLabels &labels, unsigned r) {
    return fmt::format("\tmovl\t${0}-{1},{2}\n\tsubl\t$__start_{3}-{1},{2}\n\tshrl\t$3,{2}\n", record, labels.back, low_half(r), CHORD_PROCS_SECTION);
  }

  Snippet finish() {
    Snippet s;
    s.tail = text_.size() - stored_;
    s.text = std::move(text_);
    s.price = price_;
    s.moves_stack = depth_ != 0;
    s.depth_at_check = depth_;
    return s;
  }

  void line(const std::string &text) {
    text_ += "\t" + text + "\n";
    ++price_;
  }

  // Its address comes to the first register (chord_home). `keeps_flags`: the last one helps.
  void find_state(bool keeps_flags = false) {
    if (!place_.position_independent) return;
    const std::string r = reg(registers_[0]), other = reg(registers_.back());
    line(fmt::format("movq\t{}(%rip),{}", kHome, r));
    line(fmt::format("movq\t%fs:({0}),{0}", r));
    if (keeps_flags) {
      line(fmt::format("movq\t{}+8(%rip),{}", kHome, other));
      line(fmt::format("leaq\t({0},{1}),{0}", r, other));
    } else {
      line(fmt::format("addq\t{}+8(%rip),{}", kHome, r));
    }
  }

  // Of the word, `plus` bytes on.
  std::string word(int plus = 0) const {
    if (place_.position_independent) return fmt::format("{}({})", plus, reg(registers_[0]));
    return fmt::format("%fs:{}@tpoff+{}", CHORD_TRACE_SYMBOL, plus);
  }

  void take_registers(unsigned wanted) {
    for (unsigned r : kScratch) {
      if (registers_.size() < wanted && !(live_ & general(r))) registers_.push_back(r);
    }
    keeps_flags_ = (live_ & kFlags) != 0;
    if (registers_.size() == wanted && !keeps_flags_) return;
    text_ += move_stack(-kRedZone);
    depth_ = kRedZone;
    if (keeps_flags_) {
      text_ += "\tpushfq\n\t.cfi_adjust_cfa_offset 8\n";
      depth_ += 8;
    }
    for (unsigned r : kScratch) {
      if (registers_.size() == wanted) break;
      if (!(live_ & general(r))) continue;
      text_ += push(r);
      depth_ += 8;
      registers_.push_back(r);
      saved_.push_back(r);
    }
    price_ += 2 + 2 * static_cast<unsigned>(saved_.size()) + (keeps_flags_ ? 2 : 0);
  }

  void put_back() {
    if (depth_ == 0) return;
    for (auto r = saved_.rbegin(); r != saved_.rend(); ++r) text_ += pop(*r);
    if (keeps_flags_) text_ += "\tpopfq\n\t.cfi_adjust_cfa_offset -8\n";
    text_ += move_stack(kRedZone);
  }

  void one_bit(bool set, const std::string &spare, const TraceLabels &labels) {
    if (set) {
      line(fmt::format("movq\t{},{}", word(), spare));
      line(fmt::format("leaq\t1({0},{0}),{0}", spare));
      line(fmt::format("movq\t{},{}", spare, word()));
      stored_ = text_.size();
      line(fmt::format("testq\t{0},{0}", spare));
    } else {
      line(fmt::format("shlq\t{}", word()));
      stored_ = text_.size();
    }
    line("js\t" + labels.out);
    text_ += labels.back + ":\n";
  }

  void several(const TraceBits &token, const std::string &spare, const TraceLabels &labels) {
    line(fmt::format("cmpl\t${},{}", uint32_t{1} << (31 - token.bits), word(4)));
    line("jae\t" + labels.out);
    if (token.value == 0) {
      line(fmt::format("shlq\t${},{}", token.bits, word()));
    } else {
      line(fmt::format("movq\t{},{}", word(), spare));
      line(fmt::format("shlq\t${},{}", token.bits, spare));
      line(fmt::format("addq\t${},{}", token.value, spare));
      line(fmt::format("movq\t{},{}", spare, word()));
    }
    stored_ = text_.size();
    text_ += labels.back + ":\n";
  }

  const TracePlace &place_;
  Resources live_;
  bool keeps_flags_ = false;
  std::vector<unsigned> registers_, saved_;
  std::string text_;
  unsigned price_ = 0;
  int depth_ = 0;
  size_t stored_ = 0;  // of the text, up to where the token is in the word
};

}  // namespace

Snippet write_token(const TracePlace &place, const TraceBits &token, Resources live, const TraceLabels &labels) {
  return Writer(place, live).run(token, labels);
}

// A full word is written as it is; tokens of several bits that have no room are written by the runtime altogether, which is
// told by a word above the return address.
Snippet write_token_outside(const TraceBits &token, const TraceLabels &labels) {
  Snippet s;
  s.moves_stack = true;
  s.price = 4;
  s.text = move_stack(-kRedZone);
  const bool flushes = token.bits == 1 && !token.whole;
  if (flushes) {
    s.text += "\tcall\t__chord_trace_flush\n";
  } else {
    s.text += fmt::format("\tpushq\t${}\n\t.cfi_adjust_cfa_offset 8\n\tcall\t{}\n", (token.bits << kLengthShift) | token.value,
                          token.whole ? "__chord_trace_reserve" : "__chord_trace_split");
  }
  const size_t written = s.text.size();
  s.text += move_stack(kRedZone + (flushes ? 0 : 8)) + fmt::format("\tjmp\t{}\n", labels.back);
  s.tail = flushes ? s.text.size() : s.text.size() - written;  // one bit is in the word when it comes here
  return s;
}

Snippet add_to_token(const TracePlace &place, uint32_t amount, Resources live) { return Writer(place, live).run_addition(amount); }

bool entry_is_token(Resources live) { return (live & kFlags) == 0; }

EntryToken write_entry_token(const TracePlace &place, const std::string &record, Resources live, const TraceLabels &labels) {
  return Writer(place, live).run_entry(record, labels);
}

EntryToken compare_at_entry(const std::string &record, uint32_t mark, Resources live, const TraceLabels &labels) { return Writer::run_comparison(record, mark, live, labels); }

Snippet leave_mark(uint32_t mark) {
  Snippet s;
  s.text = fmt::format("\tmovl\t${},{}\n", mark, Writer::expected());
  s.price = 1;
  return s;
}

Snippet write_entry(Resources live) {
  bool keeps = (live & (general(r10) | general(r11))) != 0;
  const bool keeps_flags = (live & kFlags) != 0;
  return {fmt::format("\tcall\t__chord_trace_enter{}\n", keeps_flags ? "_flags" : keeps ? "_kept" : ""), 16, false, 0};
}

}  // namespace chord::isa
