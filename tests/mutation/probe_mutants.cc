#include "mutation/mutants.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>

#include "mutation/same_effect.h"
#include "mutation/wanted.h"

namespace chord::mutation {

using assembly::Statement;
using assembly::StatementKind;

std::optional<std::string> Maker::change_number(std::string text, size_t from, int64_t by) {
  for (size_t at = from; at < text.size(); ++at) {
    bool starts = std::isdigit(static_cast<unsigned char>(text[at])) && (at == 0 || std::strchr("+-$ \t,(", text[at - 1]) != nullptr);
    if (!starts) continue;
    bool negative = at > 0 && text[at - 1] == '-', signed_ = at > 0 && (text[at - 1] == '-' || text[at - 1] == '+');
    size_t end = at;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    if (end - at > 9) return std::nullopt;
    int64_t value = std::stoll(text.substr(at, end - at)) * (negative ? -1 : 1) + by;
    size_t begin = signed_ ? at - 1 : at;
    bool plus = signed_ && begin > 0 && value >= 0 && text[begin - 1] != '$' && text[begin - 1] != '\t';
    return text.replace(begin, end - begin, (plus ? "+" : "") + std::to_string(value));
  }
  return std::nullopt;
}

namespace {

class ProbeMutants : Maker {
 public:
  using Maker::Maker;

  std::optional<Mutant> destroy_register() {
    const uint32_t *s = pick(s_.ends);
    if (s == nullptr) return std::nullopt;
    unsigned r = number(16);
    if (r == 4) return std::nullopt;
    return Mutant{std::string("movl $7,%") + kHalf[r] + " after '" + s_.words(*s) + "'", {after(*s, std::string("movl\t$7,%") + kHalf[r])}, "", {}};
  }

  std::optional<Mutant> destroy_flags() {
    const uint32_t *s = pick(s_.ends), *c = pick(s_.counts);
    if (s == nullptr || c == nullptr || s_.at(*c).name == "lock") return std::nullopt;
    std::string operand(s_.at(*c).operands);
    if (size_t comma = operand.find(','); comma != std::string::npos && operand.find('(') == std::string::npos) operand = operand.substr(comma + 1);
    if (operand.find('(') != std::string::npos) return std::nullopt;
    Mutant m{"flags destroyed after '" + s_.words(*s) + "'", {after(*s, "incq\t" + operand + "\n\tdecq\t" + operand)}, "", {}};
    // The counter is what it was, which mutation/same_effect.h does not know; and carry.
    uint32_t next = s_.next_code(*s);
    if (!is_wanted(s_, next, "flags") && !is_wanted(s_, next, "overflow")) m.equivalent = "dead";
    return m;
  }

  std::optional<Mutant> drop_probe() {
    const uint32_t *s = pick(s_.probes);
    if (s == nullptr) return std::nullopt;
    return Mutant{"dropped '" + s_.words(*s) + "'", {replace(*s, "")}, "", {}};
  }

  std::optional<Mutant> swap_probes() {
    const uint32_t *s = pick(s_.probes);
    if (s == nullptr) return std::nullopt;
    uint32_t next = s_.next_code(*s);
    if (next == kNowhere || !s_.is_inserted(next) || s_.at(next).name == "nopl" || s_.words(*s) == s_.words(next)) return std::nullopt;
    if (s_.at(*s).name.starts_with('j') || s_.at(next).name.starts_with('j')) return std::nullopt;  // that is "other side of a branch"
    return Mutant{"swapped '" + s_.words(*s) + "' and '" + s_.words(next) + "'", {replace(*s, s_.words(next)), replace(next, s_.words(*s))}, "", {}};
  }

  std::optional<Mutant> wrong_restore() {
    const uint32_t *s = pick(s_.pops);
    if (s == nullptr) return std::nullopt;
    unsigned r = number(16);
    std::string with = std::string("popq\t%") + kWhole[r];
    if (r == 4 || with == s_.words(*s)) return std::nullopt;
    return Mutant{with + " for '" + s_.words(*s) + "'", {replace(*s, with)}, "", {}};
  }

  std::optional<Mutant> wrong_counter() {
    const uint32_t *s = pick(s_.counts);
    if (s == nullptr) return std::nullopt;
    std::string text = s_.words(*s);
    size_t from = text.find("@tpoff");
    if (from == std::string::npos) from = text.find(".Lchord_c");
    if (from == std::string::npos) {
      // The address is made by an instruction in front.
      uint32_t k = *s;
      while (k > 0 && !(s_.is_inserted(k) && s_.at(k).name == "leaq" && s_.words(k).find(".Lchord_c") != std::string::npos) && *s - k < 12) --k;
      if (s_.at(k).name != "leaq") return std::nullopt;
      text = s_.words(k);
      auto changed = change_number(text, text.find('+'), number(2) ? 8 : -8);
      return changed ? std::optional(Mutant{*changed + " for '" + text + "'", {replace(k, *changed)}, "", {}}) : std::nullopt;
    }
    auto changed = change_number(text, text.find_first_of("+-", from), number(2) ? 8 : -8);
    if (!changed) return std::nullopt;
    return Mutant{*changed + " for '" + text + "'", {replace(*s, *changed)}, "", {}};
  }

  std::optional<Mutant> wrong_amount() {
    const uint32_t *s = pick(s_.counts);
    if (s == nullptr) return std::nullopt;
    std::string text = s_.words(*s), with = text;
    auto turn = [&](const char *from, const char *to) {
      if (size_t at = with.find(from); at != std::string::npos && with == text) with.replace(at, 4, to);
    };
    if (size_t at = text.find('$'); at != std::string::npos) {
      auto changed = change_number(text, at, number(2) ? 1 : -1);
      if (changed) with = *changed;
    }
    turn("incq", "decq");
    turn("decq", "incq");
    turn("addq", "subq");
    turn("subq", "addq");
    if (with == text) return std::nullopt;
    return Mutant{with + " for '" + text + "'", {replace(*s, with)}, "", {}};
  }

  std::optional<Mutant> count_twice() {
    const uint32_t *s = pick(s_.counts);
    if (s == nullptr) return std::nullopt;
    return Mutant{"twice '" + s_.words(*s) + "'", {after(*s, s_.words(*s))}, "", {}};
  }

  // The instructions of a chunk directly after or in front of a conditional jump go to its other side.
  std::optional<Mutant> cross_branch() {
    const uint32_t *j = pick(s_.jumps);
    if (j == nullptr || s_.at(*j).name.starts_with("jmp")) return std::nullopt;
    std::string moved;
    Mutant m;
    bool forward = number(2) == 0;
    if (!forward) {
      for (uint32_t k = s_.next_code(*j); k != kNowhere && s_.is_inserted(k); k = s_.next_code(k)) {
        if (s_.at(k).name == "jmp" || s_.at(k).name == "nopl") return std::nullopt;
        moved += "\t" + s_.words(k) + "\n";
        m.edits.push_back(replace(k, ""));
      }
      m.edits.insert(m.edits.begin(), {s_.at(*j).begin, s_.at(*j).begin, "\n" + moved, true});
    } else {
      std::vector<uint32_t> chunk;
      for (uint32_t k = *j; k-- > 0 && *j - k < 60;) {
        if (s_.at(k).section != s_.at(*j).section || s_.at(k).kind == StatementKind::label) {
          if (s_.at(k).kind == StatementKind::label && !s_.is_inserted(k)) break;
          continue;
        }
        if (!s_.is_code(k)) continue;
        if (!s_.is_inserted(k)) break;
        chunk.insert(chunk.begin(), k);
      }
      for (uint32_t k : chunk) {
        if (s_.at(k).name == "jmp" || s_.at(k).name == "nopl") return std::nullopt;
        moved += "\t" + s_.words(k) + "\n";
        m.edits.push_back(replace(k, ""));
      }
      m.edits.push_back({s_.at(*j).end, s_.at(*j).end, "\n" + moved, true});
    }
    if (moved.empty()) return std::nullopt;
    m.what = "other side of '" + s_.words(*j) + "': " + moved;
    return m;
  }

  std::optional<Mutant> overwrite_red_zone() {
    const uint32_t *s = pick(s_.lowered);
    if (s == nullptr) return std::nullopt;
    Mutant m{"64 bytes for 128", {}, "", {}};
    for (uint32_t k = *s; k < s_.tail() && k < *s + 60; ++k) {
      if (s_.at(k).section != s_.at(*s).section) continue;
      if (!s_.is_inserted(k) && s_.is_code(k)) break;
      std::string text = s_.words(k);
      size_t at = text.find("128");
      if (at == std::string::npos || !s_.is_inserted(k)) continue;
      m.edits.push_back(replace(k, text.replace(at, 3, "64")));
      if (s_.words(k).find("\t128(%rsp)") != std::string::npos) break;
    }
    return m;
  }

  std::optional<Mutant> wrong_word() {
    const uint32_t *s = pick(s_.stack_words);
    if (s == nullptr) return std::nullopt;
    std::string text = s_.words(*s);
    size_t open = text.rfind("(%r"), from = open;
    while (from > 0 && (std::isdigit(static_cast<unsigned char>(text[from - 1])) || text[from - 1] == '-')) --from;
    if (from == open) return std::nullopt;
    int64_t was = std::stoll(text.substr(from, open - from));
    std::string with = text;
    with.replace(from, open - from, std::to_string(was + (number(2) ? 8 : -8)));
    return Mutant{with + " for '" + text + "'", {replace(*s, with)}, "", {}};
  }

  std::optional<Mutant> turn_condition() {
    const uint32_t *s = pick(s_.conditions);
    if (s == nullptr || s_.at(*s).name == "js") return std::nullopt;
    std::string with = (s_.at(*s).name == "je" ? "jne\t" : "je\t") + std::string(s_.at(*s).operands);
    return Mutant{with + " for '" + s_.words(*s) + "'", {replace(*s, with)}, "", {}};
  }

  std::optional<Mutant> restore_in_other_order() {
    const uint32_t *s = pick(s_.pop_pairs);
    if (s == nullptr) return std::nullopt;
    uint32_t next = s_.next_code(*s);
    return Mutant{"swapped '" + s_.words(*s) + "' and '" + s_.words(next) + "'", {replace(*s, s_.words(next)), replace(next, s_.words(*s))}, "", {}};
  }

  std::optional<Mutant> drop_count() {
    const uint32_t *s = pick(s_.counts);
    if (s == nullptr) return std::nullopt;
    return Mutant{"dropped '" + s_.words(*s) + "'", {replace(*s, "")}, "", {}};
  }

  std::optional<Mutant> drop_lock() {
    const uint32_t *s = pick(s_.locks);
    if (s == nullptr) return std::nullopt;
    std::string with(s_.at(*s).operands);
    return Mutant{with + " for '" + s_.words(*s) + "'", {replace(*s, with)}, "", {}};
  }

  // A frame, or the step over the red zone, off by a word.
  std::optional<Mutant> move_stack_further() {
    const uint32_t *s = pick(s_.stack_moves);
    if (s == nullptr) return std::nullopt;
    std::string text = s_.words(*s);
    auto changed = change_number(text, text.find_first_of(" \t"), number(2) ? 8 : -8);
    if (!changed) return std::nullopt;
    return Mutant{*changed + " for '" + text + "'", {replace(*s, *changed)}, "", {}};
  }

  // In front of an instruction, nobody finds out that it is executed but by counters of events; no check is among it.
  bool only_events(const std::string &text, uint32_t before) const {
    std::set<std::string> events;
    for (int64_t n = 0; n < 64; ++n) events.insert(Sum{{{"fs", 1}, {"__chord_events@tpoff", 1}}, 8 * n}.text());
    assembly::Source source;
    read_source(text, source);
    StraightCode code(std::move(events));
    for (const Statement &x : source.statements) {
      if (x.kind == StatementKind::instruction && !code.run(x)) return false;
    }
    std::set<std::string> changed = code.differences(StraightCode());
    return std::none_of(changed.begin(), changed.end(), [&](const std::string &name) { return is_wanted(s_, before, name); });
  }

  // All of a chunk's instructions stand one instruction of the program later.
  std::optional<Mutant> move_probe() {
    const uint32_t *last = pick(s_.ends);
    if (last == nullptr) return std::nullopt;
    uint32_t past = s_.next_code(*last);
    if (s_.decoded(past).flow != isa::Flow::next) return std::nullopt;
    Mutant m;
    std::string moved;
    for (uint32_t k = *last; k != kNowhere && s_.is_inserted(k); k = s_.previous_code(k)) {
      if (s_.at(k).name == "jmp" || s_.at(k).name == "nopl") return std::nullopt;
      moved = "\t" + s_.words(k) + "\n" + moved;
      m.edits.push_back(replace(k, ""));
    }
    // What an interrupted loop's counters in registers lack is not proved (docs/proof.md).
    bool in_memory = std::any_of(s_.counts.begin(), s_.counts.end(), [&](uint32_t k) { return moved.find(s_.words(k)) != std::string::npos; });
    if (!in_memory && !s_.woven_case().mode.starts_with("paths")) return std::nullopt;
    m.edits.push_back({s_.at(past).end, s_.at(past).end, "\n" + moved, true});
    m.what = "after '" + s_.words(past) + "': " + moved;
    // Counters of events are exact at calls, returns and checks; nothing is said of other places.
    if (s_.woven_case().mode.starts_with("events") || only_events(moved, s_.leads_to(s_.next_code(past)))) m.equivalent = "between";
    return m;
  }
};

template <std::optional<Mutant> (ProbeMutants::*kMake)()>
std::optional<Mutant> make(const Subject &s, std::mt19937 &random) {
  return (ProbeMutants(s, random).*kMake)();
}

}  // namespace

std::vector<MutantKind> kinds_of_probe_mutants() {
  return {
      {"register destroyed", make<&ProbeMutants::destroy_register>},
      {"flags destroyed", make<&ProbeMutants::destroy_flags>},
      {"probe instruction dropped", make<&ProbeMutants::drop_probe>},
      {"probe instructions swapped", make<&ProbeMutants::swap_probes>},
      {"wrong register restored", make<&ProbeMutants::wrong_restore>},
      {"restored in another order", make<&ProbeMutants::restore_in_other_order>},
      {"wrong counter", make<&ProbeMutants::wrong_counter>},
      {"wrong amount", make<&ProbeMutants::wrong_amount>},
      {"counted twice", make<&ProbeMutants::count_twice>},
      {"count missing", make<&ProbeMutants::drop_count>},
      {"lock dropped", make<&ProbeMutants::drop_lock>},
      {"other side of a branch", make<&ProbeMutants::cross_branch>},
      {"probe moved", make<&ProbeMutants::move_probe>},
      {"red zone overwritten", make<&ProbeMutants::overwrite_red_zone>},
      {"wrong word", make<&ProbeMutants::wrong_word>},
      {"stack moved by another word", make<&ProbeMutants::move_stack_further>},
      {"condition turned", make<&ProbeMutants::turn_condition>},
  };
}

}  // namespace chord::mutation
