#include "weave/sim/accesses.h"

#include <algorithm>
#include <cctype>

#include "weave/sim/probe_places.h"

namespace chord::weave {

using assembly::Instruction;
using isa::Access;
using Place = isa::Access::Place;

namespace {

// The address of an access: base + index * scale + number. Without a base it is known by the operand's text alone.
struct Form {
  unsigned base = isa::kNoRegister, index = isa::kNoRegister;
  uint8_t scale = 0;
  int64_t number = 0;

  bool same_registers(const Form &o) const { return base == o.base && index == o.index && (index == isa::kNoRegister || scale == o.scale); }
};

// A wider group would more often begin in one line and end in the next: then the runtime is asked about each of its accesses, and that takes four times as long
// as a question in line.
constexpr int64_t kPartOfLine = 4;

class Grouper {
 public:
  Grouper(const ProcedureFacts &facts, const ProcedurePlan &plan, uint32_t line) : facts_(facts), plan_(plan), p_(facts.p), line_(line) {}

  std::vector<AccessGroup> run(std::string &why_not) {
    for (const assembly::Block &b : p_.blocks) {
      if (b.kind != assembly::BlockKind::code) continue;
      block_ = &b;
      last_access_ = b.first;
      for (uint32_t i = b.first; i < b.first + b.count && why_not.empty(); ++i) {
        if (!p_.instructions[i].padding) instruction(i, why_not);
      }
      close();
    }
    return std::move(groups_);
  }

 private:
  void instruction(uint32_t i, std::string &why_not) {
    const Instruction &in = p_.instructions[i];
    isa::Accesses all = isa::accesses_of(bytes_of(facts_, in));
    if (!all.unknown.empty()) {
      why_not = std::string(all.unknown);
      return;
    }
    if (!all.list.empty() && stands_in_one_statement(i)) {
      why_not = "several instructions in one statement";
      return;
    }
    // Whether it still is what it was is looked at right in front of it, where nothing can be inserted.
    if (!all.list.empty() && is_bound(i) && linker_may_change(facts_, i)) {
      why_not = "a call for a thread-local variable that a linker may change";
      return;
    }
    if (all.repeated && !all.list.empty()) {
      close();
      start(i, all, all.list[0], {});
      groups_.back().strings = true;
      open_ = false;
    } else {
      for (const Access &a : all.list) access(i, all, a);
    }
    if (!all.list.empty()) last_access_ = i + 1;
    follow(i);
  }

  bool stands_in_one_statement(uint32_t i) const {
    auto shares = [&](uint32_t other) {
      return other < p_.instructions.size() && !p_.instructions[other].padding && p_.instructions[other].last_statement == p_.instructions[i].last_statement;
    };
    return (i > 0 && shares(i - 1)) || shares(i + 1);
  }

  Form form_of(uint32_t i, const isa::Accesses &all, const Access &a) const {
    switch (a.place) {
      case Place::pushed: return {isa::kStackPointer, isa::kNoRegister, 0, -static_cast<int64_t>(a.bytes)};
      case Place::stack_top: return {isa::kStackPointer, isa::kNoRegister, 0, 0};
      case Place::frame: return {isa::kFramePointer, isa::kNoRegister, 0, 0};
      case Place::operand: return all.plain && is_number(i) ? Form{all.base, all.index, all.scale, all.number} : Form{};
      default: return {};
    }
  }

  // What stands in front of the registers is a number, not a name.
  bool is_number(uint32_t i) const {
    const assembly::Statement &s = facts_.source().statements[p_.instructions[i].last_statement];
    if (s.intel_syntax) return false;
    for (std::string_view operand : assembly::split_operands(s.operands)) {
      size_t bracket = operand.find('(');
      if (bracket == std::string_view::npos) continue;
      std::string_view number = operand.substr(0, bracket);
      if (number.starts_with('*')) number.remove_prefix(1);
      return std::all_of(number.begin(), number.end(), [](unsigned char c) { return std::isdigit(c) || c == '-'; });
    }
    return false;
  }

  void access(uint32_t i, const isa::Accesses &all, const Access &a) {
    Form form = form_of(i, all, a);
    if (open_ && can_join(i, form, a)) {
      int64_t plus = form.number + moved_ - form_.number;
      AccessGroup &g = groups_.back();
      g.members.push_back({i, a, plus});
      g.low = std::min(g.low, plus);
      g.high = std::max(g.high, plus + clipped(a));
      return;
    }
    close();
    start(i, all, a, form);
  }

  int64_t clipped(const Access &a) const { return std::min<int64_t>(a.bytes, line_); }

  bool can_join(uint32_t i, const Form &form, const Access &a) const {
    const AccessGroup &g = groups_.back();
    if (form.base == isa::kNoRegister || !form_.same_registers(form)) return false;
    // A wider frame is taken down in front of what leaves it, and operands above it have moved.
    bool leaves = p_.instructions[i].decoded.flow == isa::Flow::leave || p_.instructions[i].decoded.flow == isa::Flow::jump;
    if (plan_.holder.widens_frame() && (leaves || is_moved(i) || is_moved(g.members[0].instruction))) return false;
    int64_t plus = form.number + (form.base == isa::kStackPointer ? moved_ : 0) - form_.number;
    return std::max(g.high, plus + clipped(a)) - std::min(g.low, plus) <= std::max(g.high - g.low, line_ / kPartOfLine);
  }

  bool is_moved(uint32_t i) const { return std::find(plan_.above.begin(), plan_.above.end(), i) != plan_.above.end(); }

  void start(uint32_t i, const isa::Accesses &all, const Access &a, const Form &form) {
    AccessGroup g;
    g.members.push_back({i, a, 0});
    g.about = all;
    g.high = clipped(a);
    g.before = place_for(i, all);
    groups_.push_back(std::move(g));
    form_ = form;
    moved_ = 0;
    open_ = form.base != isa::kNoRegister;
  }

  void close() { open_ = false; }

  // What the instruction does to the registers of the open group.
  void follow(uint32_t i) {
    const isa::Decoded &d = p_.instructions[i].decoded;
    if (d.flow == isa::Flow::call || d.unknown_effects) return close();
    if (!open_) return;
    isa::Resources stack = isa::register_numbered(isa::kStackPointer);
    isa::Resources registers = isa::register_numbered(form_.base) | isa::register_numbered(form_.index);
    if (!(d.writes & registers)) return;
    bool moves = form_.base == isa::kStackPointer && (d.writes & registers) == stack && d.stack == isa::StackMove::by;
    if (!moves) return close();
    moved_ -= d.stack_bytes;
  }

  // Anywhere between the last access and this one, as long as its registers have their values: where
  // least is live.
  uint32_t place_for(uint32_t i, const isa::Accesses &all) const {
    uint32_t best = i;
    auto price = [&](uint32_t at) { return price_before(plan_, at, 2); };
    while (is_bound(best)) --best;
    if (all.repeated || best != i || linker_may_change(facts_, i)) return best;
    unsigned least = price(i);
    for (uint32_t at = i; at > last_access_ && least > 0; --at) {
      const Instruction &before = p_.instructions[at - 1];
      if (before.padding || before.decoded.marks_entry || before.decoded.flow != isa::Flow::next || before.decoded.unknown_effects) break;
      if (before.decoded.writes & all.registers) break;
      if (is_bound(at - 1) || before.last_statement == p_.instructions[at].first_statement) break;
      if (unsigned here = price(at - 1); here < least) {
        least = here;
        best = at - 1;
      }
    }
    return best;
  }

  bool is_bound(uint32_t i) const { return i > block_->first && is_bound_to_next(facts_, i - 1); }

  const ProcedureFacts &facts_;
  const ProcedurePlan &plan_;
  const assembly::Procedure &p_;
  int64_t line_;
  std::vector<AccessGroup> groups_;
  const assembly::Block *block_ = nullptr;
  uint32_t last_access_ = 0;  // instructions before make accesses
  bool open_ = false;         // the last group can still grow
  Form form_;                 // of its first member
  int64_t moved_ = 0;         // the stack pointer, since then
};

bool has_mark(const ProcedureFacts &facts, uint32_t i, std::initializer_list<std::string_view> marks) {
  std::string_view operands = facts.source().statements[facts.p.instructions[i].last_statement].operands;
  return std::any_of(marks.begin(), marks.end(), [&](std::string_view mark) { return operands.find(mark) != std::string_view::npos; });
}

}  // namespace

std::string_view bytes_of(const ProcedureFacts &facts, const Instruction &in) {
  std::string_view section = facts.unit().layout.contents[facts.p.fragments[in.fragment].section];
  return section.substr(in.offset, in.decoded.size);
}

bool is_bound_to_next(const ProcedureFacts &facts, uint32_t i) {
  return has_mark(facts, i, {"@tlsgd", "@TLSGD", "@tlsld", "@TLSLD", "@tlsdesc", "@TLSDESC"});
}

bool linker_may_change(const ProcedureFacts &facts, uint32_t i) {
  return has_mark(facts, i, {"@GOTPCREL", "@gotpcrel"}) || is_thread_offset(facts, i);
}

bool is_thread_offset(const ProcedureFacts &facts, uint32_t i) { return has_mark(facts, i, {"@gottpoff", "@GOTTPOFF"}); }

std::vector<AccessGroup> group_accesses(const ProcedureFacts &facts, const ProcedurePlan &plan, uint32_t line, std::string &why_not) {
  return Grouper(facts, plan, line).run(why_not);
}

}  // namespace chord::weave
