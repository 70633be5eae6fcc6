#include "verify/evidence/statements.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "verify/claims/x86_64_probe.h"
#include "verify/evidence/differences.h"

namespace chord::verify {

using assembly::Statement;
using assembly::StatementKind;

namespace {

constexpr std::string_view kWrap = "__chord_wrap_";

bool is_wrapped(std::string_view name) {
#define CHORD_NAME(f) std::string_view(#f),
  static constexpr std::array kNames = {CHORD_WRAPPED_FUNCTIONS(CHORD_NAME)};
#undef CHORD_NAME
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool may_be_inserted(const Statement &s) {
  if (s.kind == StatementKind::label) return s.name.starts_with(".Lchord_");
  if (s.kind == StatementKind::instruction) return true;
  if (s.kind != StatementKind::directive) return false;
  if (s.name == ".skip") return s.operands.ends_with(",0x90");
  if (s.name == ".set") return s.operands.starts_with(".Lchord_");
  if (s.name == ".reloc") return s.operands.starts_with(".,BFD_RELOC_NONE,.Lchord_") || s.operands.starts_with(".,BFD_RELOC_NONE,__chord_");
  return s.name.starts_with(".cfi_") || s.name == ".att_syntax" || s.name == ".intel_syntax";
}

class Comparer {
 public:
  Comparer(const Program &p, const Pairing &pairing, const Liveness &liveness, const std::vector<bool> &woven)
      : p_(p), pairing_(pairing), live_(liveness), woven_(woven), original_(p.source()), rewritten_(pairing.woven()) {
    for (const Mention &m : p.mentions()) mentioned_[m.statement].insert(m.operand);
  }

  StatementFacts run() {
    for (uint32_t s = 0; s < original_.statements.size(); ++s) compare(s);
    for (uint32_t s = 0; s < pairing_.first_record(); ++s) {
      const Statement &x = rewritten_.statements[s];
      if (pairing_.is_inserted(s) && !may_be_inserted(x)) complain(kNone, 0, fmt::format("inserted: {} {}", x.name, x.operands));
    }
    return std::move(out_);
  }

 private:
  void complain(uint32_t function, uint32_t line, std::string what) {
    std::string name = function == kNone ? "" : std::string(p_.functions()[function].name);
    out_.faults.push_back({std::move(name), line, std::move(what)});
  }

  uint32_t instr_of(uint32_t s) const {
    uint32_t i = p_.instr_from(s);
    return i != kNone && p_.instrs()[i].first <= s && s <= p_.instrs()[i].last ? i : kNone;
  }

  void compare(uint32_t s) {
    const Statement &a = original_.statements[s], &b = rewritten_.statements[pairing_.woven_of(s)];
    uint32_t i = original_.sections[a.section].executable ? instr_of(s) : kNone;
    // The last instruction of a lone prefix's pair, and code in front of which nothing stands.
    uint32_t function = i == kNone ? kNone : p_.instrs()[i].function;
    const assembly::Section &x = original_.sections[a.section], &y = rewritten_.sections[b.section];
    bool same_place = x.name == y.name && x.arguments == y.arguments && a.intel_syntax == b.intel_syntax;
    if (a.kind == b.kind && a.name == b.name && same_place) {
      if (a.operands == b.operands || may_differ(s, i, a, b)) return;
    } else if (a.kind == b.kind && i != kNone && same_place && is_step(i, a, b)) {
      return;
    }
    complain(function, a.line, fmt::format("another statement stands in the place of '{} {}': '{} {}'", a.name, a.operands, b.name, b.operands));
  }

  bool may_differ(uint32_t s, uint32_t i, const Statement &a, const Statement &b) {
    if (a.kind == StatementKind::directive && a.name.starts_with(".cfi_")) return rules_may_differ(a, b);
    bool in_woven = i != kNone && p_.instrs()[i].function != kNone && woven_[p_.instrs()[i].function];
    if (in_woven && !p_.instrs()[i].callee.empty() && p_.instrs()[i].facts.flow != Flow::call) {
      if (a.operands.find('@') == std::string_view::npos || b.operands.starts_with(".Lchord_")) return true;
    }
    if (renamed(s, a, b)) return true;
    return in_woven && (is_step(i, a, b) || is_moved(i, a, b));
  }

  // Where the frame's end and saved registers are is compared as a whole.
  bool rules_may_differ(const Statement &a, const Statement &b) const {
    if (a.name == ".cfi_def_cfa" || a.name == ".cfi_def_cfa_offset" || a.name == ".cfi_offset") return true;
    if (a.name == ".cfi_sections") return b.operands == ".eh_frame, " + std::string(a.operands);
    if (a.name != ".cfi_personality") return false;
    std::vector<std::string_view> parts = assembly::split_operands(a.operands);
    if (parts.size() != 2) return false;
    std::string_view name = parts[1];
    if (name.starts_with("DW.ref.")) name.remove_prefix(7);
    return b.operands == fmt::format("0x1b,__chord_personality.{}", name);
  }

  // Operands are the same but for names: of library functions, and of code that data leads to.
  bool renamed(uint32_t s, const Statement &a, const Statement &b) const {
    std::vector<std::string_view> x = assembly::split_operands(a.operands), y = assembly::split_operands(b.operands);
    if (x.size() != y.size()) return false;
    auto mentioned = mentioned_.find(s);
    for (uint32_t k = 0; k < x.size(); ++k) {
      if (x[k] == y[k]) continue;
      bool may_lead_elsewhere = mentioned != mentioned_.end() && mentioned->second.contains(k);
      if (!renamed_operand(x[k], y[k], may_lead_elsewhere)) return false;
    }
    return true;
  }

  bool renamed_operand(std::string_view a, std::string_view b, bool may_lead_elsewhere) const {
    auto names = renamed_symbol(a, b);
    return names && (is_stand_in(p_, names->first, names->second) || (may_lead_elsewhere && names->second.starts_with(".Lchord_")));
  }

  // The step of a lower half, made on the whole register, where nobody can tell: neither flags nor the
  // upper half are wanted after it.
  bool is_step(uint32_t i, const Statement &a, const Statement &b) {
    const Instr &in = p_.instrs()[i];
    const Sum &sum = in.facts.sum;
    if (in.function == kNone || !woven_[in.function] || in.first != in.last) return false;
    if (sum.into == kNoRegister || !sum.half || (a.kind != StatementKind::instruction)) return false;
    if (b.name != "leaq" && b.name != "lea") return false;
    std::optional<int64_t> step = step_of(p_, i, sum.into, true);
    if (!step || *step == 0 || !writes_whole_step(b, {sum.into, sum.into, *step, false})) return false;
    Set wanted = live_.behind[i];
    if ((wanted & upper(sum.into)) || (wanted & in.facts.writes & kFlags)) return false;
    out_.widened_steps.insert(i);
    return true;
  }

  static bool writes_whole_step(const Statement &b, const Sum &sum) {
    std::vector<std::string_view> o = assembly::split_operands(b.operands);
    if (o.size() != 2) return false;
    auto is = [&](std::string_view name) { return register_number(name) == sum.into && name[0] == 'r' && name.back() != 'd'; };
    if (b.intel_syntax) {
      std::string_view inside = o[1];
      if (b.name != "lea" || !is(o[0]) || !inside.starts_with('[') || !inside.ends_with(']')) return false;
      inside = inside.substr(1, inside.size() - 2);
      size_t sign = inside.find_first_of("+-");
      if (sign == std::string_view::npos || !is(inside.substr(0, sign))) return false;
      auto plus = read_expression(inside.substr(sign));
      return plus && plus->symbol.empty() && plus->minus.empty() && plus->number == sum.plus;
    }
    auto probe = read_probe(b);
    if (!probe || probe->op != Op::address || probe->narrow) return false;
    const Operand &m = probe->operands[0];
    bool plain = m.kind == Operand::Kind::memory && m.index == kNoRegister && !m.code_relative && !m.thread && m.value.symbol.empty() && m.value.minus.empty();
    return plain && m.base == sum.into && m.value.number == sum.plus && probe->operands[1].kind == Operand::Kind::general &&
           probe->operands[1].reg == sum.into;
  }

  // One memory operand, 16 bytes further up.
  bool is_moved(uint32_t i, const Statement &a, const Statement &b) {
    std::vector<std::string_view> x = assembly::split_operands(a.operands), y = assembly::split_operands(b.operands);
    if (x.size() != y.size()) return false;
    bool moved = false;
    for (size_t k = 0; k < x.size(); ++k) {
      if (x[k] == y[k]) continue;
      if (moved || !is_moved_operand(x[k], y[k], a.intel_syntax)) return false;
      moved = true;
    }
    if (moved) out_.moved.insert(i);
    return moved;
  }

  static bool is_moved_operand(std::string_view a, std::string_view b, bool intel) {
    size_t at = 0;
    if (intel) {
      at = a.find('[');
      if (at == std::string_view::npos) return false;
      return b == std::string(a).insert(at + 1, "16+");
    }
    size_t open = a.rfind('(');
    if (open == std::string_view::npos) return false;
    if (size_t colon = a.find(':'); colon != std::string_view::npos) at = colon + 1;
    if (at < a.size() && a[at] == '*') ++at;
    return b == std::string(a).insert(at, at == open ? "16" : "16+");
  }

  const Program &p_;
  const Pairing &pairing_;
  const Liveness &live_;
  const std::vector<bool> &woven_;
  const assembly::Source &original_, &rewritten_;
  std::map<uint32_t, std::set<uint32_t>> mentioned_;
  StatementFacts out_;
};

}  // namespace

std::optional<std::pair<std::string_view, std::string_view>> renamed_symbol(std::string_view a, std::string_view b) {
  std::vector<std::string_view> x = assembly::symbols_in(a), y = assembly::symbols_in(b);
  if (x.size() != y.size()) return std::nullopt;
  size_t k = 0;
  while (k < x.size() && x[k] == y[k]) ++k;
  if (k == x.size()) return std::nullopt;
  size_t at = static_cast<size_t>(x[k].data() - a.data());
  if (std::string(a).replace(at, x[k].size(), y[k]) != b) return std::nullopt;
  return std::pair(x[k], y[k]);
}

bool is_stand_in(const Program &program, std::string_view original, std::string_view woven) {
  return woven.starts_with(kWrap) && woven.substr(kWrap.size()) == original && is_wrapped(original) && !program.defines(original);
}

StatementFacts compare_statements(const Program &program, const Pairing &pairing, const Liveness &liveness,
                                  const std::vector<bool> &woven) {
  return Comparer(program, pairing, liveness, woven).run();
}

}  // namespace chord::verify
