// Breaks correct weavings at random, in the ways a weaver can be wrong, and asks the proof.
//   mutate [--seed=N] [--each=N] [--mode=NAME] [--kind=NAME]… FILE.s…
//
// Each mutant must be refused, or be equivalent by one of the rules below:
//   dead       the planner's data flow, which the proof does not share, calls what is destroyed dead
//              at the next instruction of the program, and no counter or path number is kept in it
//   unordered  two neighbouring instructions that neither read nor write what the other writes
//   unchanged  the text is the same, or a jump leads to the same instruction
// Everything else that the proof accepts is a survivor: reported, and an error.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "assembly/liveness.h"
#include "base/file.h"
#include "mutation/woven_case.h"

namespace chord::mutation {
namespace {

using assembly::Statement;
using assembly::StatementKind;

constexpr const char *kWhole[16] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};
constexpr const char *kHalf[16] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"};
constexpr unsigned kDwarf[16] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

struct Edit {
  uint32_t begin = 0, end = 0;
  std::string text;
  bool inserted = true;  // part of what is claimed to be new
};

struct Mutant {
  std::string what;
  std::vector<Edit> edits;
  std::string equivalent;  // by which rule
};

// One woven text, with its statements sorted by what can be broken about them.
class Subject {
 public:
  explicit Subject(const WovenCase &c) : c_(c) {
    read_source(c.woven.text, text_);
    inserted_.assign(text_.statements.size(), false);
    original_.assign(text_.statements.size(), UINT32_MAX);
    size_t range = 0;
    uint32_t number = 0;
    for (uint32_t s = 0; s < text_.statements.size(); ++s) {
      uint32_t at = text_.statements[s].begin;
      while (range < c.inserted.size() && c.inserted[range].end <= at) ++range;
      inserted_[s] = range < c.inserted.size() && c.inserted[range].begin <= at;
      if (!inserted_[s]) original_[s] = number++;
    }
    tail_ = static_cast<uint32_t>(text_.statements.size());
    for (uint32_t s = 0; s < text_.statements.size(); ++s) {
      if (text_.statements[s].begin >= c.inserted.back().begin) tail_ = std::min(tail_, s);
    }
    classify();
  }

  const Statement &at(uint32_t s) const { return text_.statements[s]; }
  const std::string &text() const { return text_.text; }
  std::string words(uint32_t s) const { return text_.text.substr(at(s).begin, at(s).end - at(s).begin); }
  bool is_inserted(uint32_t s) const { return inserted_[s]; }
  bool is_code(uint32_t s) const { return at(s).kind == StatementKind::instruction; }
  uint32_t tail() const { return tail_; }
  size_t size() const { return text_.statements.size(); }

  // Original statement -> procedure and instruction, if it begins one of a woven procedure.
  std::optional<std::pair<uint32_t, uint32_t>> instruction(uint32_t s) const {
    auto found = starts_.find(original_[s]);
    return found == starts_.end() ? std::nullopt : std::optional(found->second);
  }
  // The next statement that is an instruction, in the same section.
  uint32_t next_code(uint32_t s) const {
    for (uint32_t k = s + 1; k < tail_; ++k) {
      if (at(k).section != at(s).section) continue;
      if (is_code(k)) return k;
    }
    return UINT32_MAX;
  }
  const assembly::Liveness &liveness(uint32_t procedure) const {
    auto found = liveness_.find(procedure);
    if (found == liveness_.end()) found = liveness_.emplace(procedure, assembly::compute_liveness(c_.unit, c_.unit.procedures[procedure])).first;
    return found->second;
  }
  // Registers in which the weaver keeps something for longer than one probe.
  std::set<unsigned> kept(uint32_t procedure) const {
    std::set<unsigned> out;
    for (const format::Procedure &p : c_.woven.map.procedures) {
      if (p.name != c_.unit.procedures[procedure].name) continue;
      for (const format::Held &h : p.held) {
        for (unsigned r = 0; r < 16; ++r) {
          if (kDwarf[r] == h.place) out.insert(r);
        }
      }
      // The note at the end of the code says in which register the number of the path is.
      for (unsigned r = 0; p.plan.placement == core::Placement::paths && r < 16; ++r) {
        char note[32];
        std::snprintf(note, sizeof note, "nopl\t0x706143%02x", kDwarf[r]);
        if (text_.text.find(note) != std::string::npos) out.insert(r);
      }
    }
    return out;
  }

  std::vector<uint32_t> probes, counts, pops, ends, originals, jumps, data, rules, lowered, stack_words, records, conditions, labels;

 private:
  void classify() {
    for (uint32_t n = 0; n < c_.unit.procedures.size(); ++n) {
      const assembly::Procedure &p = c_.unit.procedures[n];
      bool woven = false;
      for (const format::Procedure &m : c_.woven.map.procedures) woven = woven || (m.name == p.name && m.skipped.empty());
      if (!woven) continue;
      for (uint32_t i = 0; i < p.instructions.size(); ++i) {
        if (!p.instructions[i].padding && p.instructions[i].first_statement == p.instructions[i].last_statement) {
          starts_[p.instructions[i].first_statement] = {n, i};
        }
      }
    }
    std::set<std::string_view> code_labels;
    for (uint32_t s = 0; s < tail_; ++s) {
      if (at(s).kind == StatementKind::label && text_.sections[at(s).section].executable) code_labels.insert(at(s).name);
    }
    for (uint32_t s = 0; s < tail_; ++s) {
      const Statement &x = at(s);
      if (inserted_[s] && is_code(s)) probe(s, x);
      if (!inserted_[s] && is_code(s) && instruction(s)) {
        originals.push_back(s);
        auto [p, i] = *instruction(s);
        const isa::Decoded &d = c_.unit.procedures[p].instructions[i].decoded;
        if ((d.flow == isa::Flow::jump || d.flow == isa::Flow::conditional) && !d.indirect) jumps.push_back(s);
      }
      if (!inserted_[s] && (x.name == ".long" || x.name == ".quad") && !text_.sections[x.section].debug &&
          code_labels.contains(assembly::first_symbol(x.operands)) && assembly::first_symbol(x.operands).starts_with(".L")) {
        data.push_back(s);
      }
      if (inserted_[s] && x.name.starts_with(".cfi_") && x.name != ".cfi_personality") rules.push_back(s);
      if (x.kind == StatementKind::label && x.name.starts_with(".L") && text_.sections[x.section].executable && !x.name.starts_with(".Lchord_")) labels.push_back(s);
    }
    for (uint32_t s = tail_; s < text_.statements.size(); ++s) {
      if (text_.sections[at(s).section].name == "chord_procs" && at(s).name == ".long" && at(s).operands.find("tpoff") == std::string_view::npos) {
        // Records of events say nothing about this unit.
        bool event = at(s).operands.ends_with(", 3") || at(s).operands.starts_with("0,");
        if (!event) records.push_back(s);
      }
    }
  }

  void probe(uint32_t s, const Statement &x) {
    if (x.name == "nopl") return;
    probes.push_back(s);
    bool memory = x.operands.find('(') != std::string_view::npos || x.operands.find("%fs:") != std::string_view::npos;
    bool own = x.operands.find("(%rsp)") != std::string_view::npos || x.operands.find("(%rbp)") != std::string_view::npos;
    bool adds = x.name == "incq" || x.name == "decq" || x.name == "addq" || x.name == "subq" || x.name == "lock";
    if (adds && memory && !own) counts.push_back(s);
    if (x.name == "popq") pops.push_back(s);
    if (own && x.name != "leaq") stack_words.push_back(s);
    if (x.name == "leaq" && x.operands.starts_with("-128(%rsp)")) lowered.push_back(s);
    if (x.name == "je" || x.name == "jne" || x.name == "js") conditions.push_back(s);
    // The last of its chunk: what follows is the program's.
    uint32_t next = next_code(s);
    if (next != UINT32_MAX && !inserted_[next] && instruction(next) && x.name != "jmp") ends.push_back(s);
  }

  const WovenCase &c_;
  assembly::Source text_;
  std::vector<bool> inserted_;
  std::vector<uint32_t> original_;
  uint32_t tail_ = 0;
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> starts_;
  mutable std::map<uint32_t, assembly::Liveness> liveness_;
};

class Mutator {
 public:
  Mutator(const Subject &s, std::mt19937 &random) : s_(s), random_(random) {}

  using Make = std::optional<Mutant> (Mutator::*)();
  static const std::vector<std::pair<std::string, Make>> &kinds() {
    static const std::vector<std::pair<std::string, Make>> kKinds = {
        {"register destroyed", &Mutator::destroy_register}, {"flags destroyed", &Mutator::destroy_flags},
        {"probe instruction dropped", &Mutator::drop_probe}, {"probe instructions swapped", &Mutator::swap_probes},
        {"wrong register restored", &Mutator::wrong_restore}, {"wrong counter", &Mutator::wrong_counter},
        {"wrong amount", &Mutator::wrong_amount}, {"counted twice", &Mutator::count_twice},
        {"other side of a branch", &Mutator::cross_branch}, {"original dropped", &Mutator::drop_original},
        {"original doubled", &Mutator::double_original}, {"originals swapped", &Mutator::swap_originals},
        {"original re-encoded", &Mutator::encode_anew}, {"jump led elsewhere", &Mutator::lead_elsewhere},
        {"table led elsewhere", &Mutator::lead_table_elsewhere}, {"rule changed", &Mutator::change_rule},
        {"rule dropped", &Mutator::drop_rule}, {"red zone overwritten", &Mutator::overwrite_red_zone},
        {"wrong word", &Mutator::wrong_word}, {"record changed", &Mutator::change_record},
        {"condition turned", &Mutator::turn_condition}};
    return kKinds;
  }

 private:
  template <class T>
  const T *pick(const std::vector<T> &v) {
    return v.empty() ? nullptr : &v[std::uniform_int_distribution<size_t>(0, v.size() - 1)(random_)];
  }
  unsigned number(unsigned below) { return std::uniform_int_distribution<unsigned>(0, below - 1)(random_); }
  Edit replace(uint32_t s, std::string with) const { return {s_.at(s).begin, s_.at(s).end, std::move(with), s_.is_inserted(s)}; }
  Edit behind(uint32_t s, const std::string &text) const { return {s_.at(s).end, s_.at(s).end, "\n\t" + text + "\n", true}; }

  std::optional<Mutant> destroy_register() {
    const uint32_t *s = pick(s_.ends);
    if (s == nullptr) return std::nullopt;
    unsigned r = number(16);
    if (r == 4) return std::nullopt;
    Mutant m{std::string("movl $7,%") + kHalf[r] + " behind '" + s_.words(*s) + "'", {behind(*s, std::string("movl\t$7,%") + kHalf[r])}, ""};
    auto [p, i] = *s_.instruction(s_.next_code(*s));
    if (!(s_.liveness(p).before[i] & isa::register_numbered(r)) && !s_.kept(p).contains(r)) m.equivalent = "dead";
    return m;
  }

  std::optional<Mutant> destroy_flags() {
    const uint32_t *s = pick(s_.ends), *c = pick(s_.counts);
    if (s == nullptr || c == nullptr || s_.at(*c).name == "lock") return std::nullopt;
    std::string operand(s_.at(*c).operands);
    if (size_t comma = operand.find(','); comma != std::string::npos && operand.find('(') == std::string::npos) operand = operand.substr(comma + 1);
    if (operand.find('(') != std::string::npos) return std::nullopt;
    Mutant m{"flags destroyed behind '" + s_.words(*s) + "'", {behind(*s, "incq\t" + operand + "\n\tdecq\t" + operand)}, ""};
    auto [p, i] = *s_.instruction(s_.next_code(*s));
    isa::Resources lost = isa::all_flags() & ~(isa::Resources{1} << 48);
    if (!(s_.liveness(p).before[i] & lost)) m.equivalent = "dead";
    return m;
  }

  std::optional<Mutant> drop_probe() {
    const uint32_t *s = pick(s_.probes);
    if (s == nullptr) return std::nullopt;
    return Mutant{"dropped '" + s_.words(*s) + "'", {replace(*s, "")}, ""};
  }

  static std::set<std::string> registers_in(std::string_view text) {
    std::set<std::string> out;
    for (size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
      size_t end = at + 1;
      while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end]))) ++end;
      std::string name(text.substr(at + 1, end - at - 1));
      for (unsigned r = 0; r < 16; ++r) {
        if (name == kHalf[r]) name = kWhole[r];
      }
      if (name == "al") name = "rax";
      if (name != "rip" && name != "fs") out.insert(name);
    }
    return out;
  }

  // Neither reads or writes what the other writes; both leave flags alone, or only one touches them.
  bool unordered(uint32_t a, uint32_t b) const {
    const Statement &x = s_.at(a), &y = s_.at(b);
    std::set<std::string> simple = {"leaq", "movq", "movl", "movabsq", "xorl", "incq", "decq", "addq", "subq", "movlps", "pxor", "psubq", "pcmpeqd", "movhlps"};
    if (!simple.contains(std::string(x.name)) || !simple.contains(std::string(y.name))) return false;
    auto is_flag_free = [](std::string_view n) { return n == "leaq" || n == "movq" || n == "movl" || n == "movabsq" || n.starts_with("p") || n.starts_with("mov"); };
    auto adds_to_memory = [](const Statement &z) { return (z.name == "incq" || z.name == "decq" || z.name == "addq" || z.name == "subq") && z.operands.find("tpoff") != std::string_view::npos; };
    if (adds_to_memory(x) && adds_to_memory(y) && x.name == y.name && x.name == "incq") return true;
    std::set<std::string> one = registers_in(x.operands), other = registers_in(y.operands);
    if (one.contains("rsp") || other.contains("rsp") || one.contains("rbp") || other.contains("rbp")) return false;
    for (const std::string &r : one) {
      if (other.contains(r)) return false;
    }
    bool both_flags = !is_flag_free(x.name) && !is_flag_free(y.name);
    // Flags that both set: what is left differs, but nobody who had flags alive would have either.
    return !both_flags || (adds_to_memory(x) && adds_to_memory(y)) || (x.name == "xorl" || y.name == "xorl");
  }

  std::optional<Mutant> swap_probes() {
    const uint32_t *s = pick(s_.probes);
    if (s == nullptr) return std::nullopt;
    uint32_t next = s_.next_code(*s);
    if (next == UINT32_MAX || !s_.is_inserted(next) || s_.at(next).name == "nopl") return std::nullopt;
    Mutant m{"swapped '" + s_.words(*s) + "' and '" + s_.words(next) + "'", {replace(*s, s_.words(next)), replace(next, s_.words(*s))}, ""};
    if (s_.words(*s) == s_.words(next)) m.equivalent = "unchanged";
    if (unordered(*s, next)) m.equivalent = "unordered";
    return m;
  }

  std::optional<Mutant> wrong_restore() {
    const uint32_t *s = pick(s_.pops);
    if (s == nullptr) return std::nullopt;
    unsigned r = number(16);
    std::string with = std::string("popq\t%") + kWhole[r];
    if (r == 4 || with == s_.words(*s)) return std::nullopt;
    return Mutant{with + " for '" + s_.words(*s) + "'", {replace(*s, with)}, ""};
  }

  // The first signed number behind `from` that is followed by one of `ends`, changed by `by`.
  static std::optional<std::string> change_number(std::string text, size_t from, int64_t by) {
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
      return changed ? std::optional(Mutant{*changed + " for '" + text + "'", {replace(k, *changed)}, ""}) : std::nullopt;
    }
    auto changed = change_number(text, text.find_first_of("+-", from), number(2) ? 8 : -8);
    if (!changed) return std::nullopt;
    return Mutant{*changed + " for '" + text + "'", {replace(*s, *changed)}, ""};
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
    return Mutant{with + " for '" + text + "'", {replace(*s, with)}, ""};
  }

  std::optional<Mutant> count_twice() {
    const uint32_t *s = pick(s_.counts);
    if (s == nullptr) return std::nullopt;
    return Mutant{"twice '" + s_.words(*s) + "'", {behind(*s, s_.words(*s))}, ""};
  }

  // The instructions of a chunk directly behind or in front of a conditional jump go to its other side.
  std::optional<Mutant> cross_branch() {
    const uint32_t *j = pick(s_.jumps);
    if (j == nullptr || s_.at(*j).name.starts_with("jmp")) return std::nullopt;
    std::string moved;
    Mutant m;
    bool forward = number(2) == 0;
    if (!forward) {
      for (uint32_t k = s_.next_code(*j); k != UINT32_MAX && s_.is_inserted(k); k = s_.next_code(k)) {
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

  std::optional<Mutant> drop_original() {
    const uint32_t *s = pick(s_.originals);
    if (s == nullptr) return std::nullopt;
    return Mutant{"dropped '" + s_.words(*s) + "'", {replace(*s, "")}, ""};
  }
  // In the woven text only, as a probe and as what it is.
  std::optional<Mutant> double_original() {
    const uint32_t *s = pick(s_.originals);
    if (s == nullptr) return std::nullopt;
    Edit again = behind(*s, s_.words(*s));
    again.inserted = number(2) == 0;
    return Mutant{"twice '" + s_.words(*s) + "'", {again}, ""};
  }
  std::optional<Mutant> swap_originals() {
    const uint32_t *s = pick(s_.originals);
    if (s == nullptr) return std::nullopt;
    uint32_t next = s_.next_code(*s);
    if (next == UINT32_MAX || s_.is_inserted(next) || !s_.instruction(next) || s_.words(*s) == s_.words(next)) return std::nullopt;
    return Mutant{"swapped '" + s_.words(*s) + "' and '" + s_.words(next) + "'", {replace(*s, s_.words(next)), replace(next, s_.words(*s))}, ""};
  }
  std::optional<Mutant> encode_anew() {
    const uint32_t *s = pick(s_.originals);
    if (s == nullptr) return std::nullopt;
    std::string text = s_.words(*s), with = text;
    size_t at = text.find('%');
    if (at != std::string::npos && number(2)) {
      unsigned r = number(16);
      size_t end = at + 1;
      while (end < with.size() && std::isalnum(static_cast<unsigned char>(with[end]))) ++end;
      with.replace(at + 1, end - at - 1, with[at + 1] == 'e' ? kHalf[r] : kWhole[r]);
    } else if (auto changed = change_number(text, 0, 1)) {
      with = *changed;
    }
    if (with == text) return std::nullopt;
    return Mutant{with + " for '" + text + "'", {replace(*s, with)}, ""};
  }

  std::optional<Mutant> lead_elsewhere() {
    std::vector<uint32_t> all = s_.jumps;
    for (uint32_t s : s_.probes) {
      if (s_.at(s).name == "jmp") all.push_back(s);
    }
    const uint32_t *s = pick(all), *label = pick(s_.labels);
    if (s == nullptr || label == nullptr) return std::nullopt;
    std::string text = s_.words(*s), target(s_.at(*label).name), operand(s_.at(*s).operands);
    if (operand == target) return std::nullopt;
    // The same place under another name, or by way of an inserted jump and nothing else.
    std::function<uint32_t(std::string_view)> place = [&](std::string_view name) -> uint32_t {
      for (uint32_t k = 0; k < s_.tail(); ++k) {
        if (s_.at(k).kind != StatementKind::label || s_.at(k).name != name) continue;
        uint32_t code = s_.next_code(k);
        bool jumps_on = code != UINT32_MAX && s_.is_inserted(code) && s_.at(code).name == "jmp" && code != *s;
        return jumps_on ? place(s_.at(code).operands) : code;
      }
      return UINT32_MAX;
    };
    Mutant m{target + " for '" + text + "'", {replace(*s, std::string(s_.at(*s).name) + "\t" + target)}, ""};
    if (place(operand) == place(target)) m.equivalent = "unchanged";
    return m;
  }

  std::optional<Mutant> lead_table_elsewhere() {
    const uint32_t *s = pick(s_.data), *label = pick(s_.labels);
    if (s == nullptr || label == nullptr) return std::nullopt;
    std::string text = s_.words(*s), target(s_.at(*label).name);
    std::string_view symbol = assembly::first_symbol(s_.at(*s).operands);
    if (symbol == target) return std::nullopt;
    size_t at = static_cast<size_t>(symbol.data() - s_.text().data()) - s_.at(*s).begin;
    std::string with = text;
    with.replace(at, symbol.size(), target);
    return Mutant{with + " for '" + text + "'", {replace(*s, with)}, ""};
  }

  std::optional<Mutant> change_rule() {
    const uint32_t *s = pick(s_.rules);
    if (s == nullptr) return std::nullopt;
    std::string text = s_.words(*s);
    size_t comma = text.find(',');
    auto changed = change_number(text, comma == std::string::npos ? text.find_first_of(" \t") : comma + 1, number(2) ? 8 : -8);
    if (!changed) return std::nullopt;
    return Mutant{*changed + " for '" + text + "'", {replace(*s, *changed)}, ""};
  }
  std::optional<Mutant> drop_rule() {
    const uint32_t *s = pick(s_.rules);
    if (s == nullptr) return std::nullopt;
    return Mutant{"dropped '" + s_.words(*s) + "'", {replace(*s, "")}, ""};
  }

  std::optional<Mutant> overwrite_red_zone() {
    const uint32_t *s = pick(s_.lowered);
    if (s == nullptr) return std::nullopt;
    Mutant m{"64 bytes for 128", {}, ""};
    for (uint32_t k = *s; k < s_.tail() && k < *s + 60; ++k) {
      if (s_.at(k).section != s_.at(*s).section) continue;
      if (!s_.is_inserted(k) && s_.is_code(k)) break;
      std::string text = s_.words(k);
      size_t at = text.find("128");
      if (at == std::string::npos || !s_.is_inserted(k)) continue;
      m.edits.push_back(replace(k, text.replace(at, 3, "64")));
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
    return Mutant{with + " for '" + text + "'", {replace(*s, with)}, ""};
  }

  std::optional<Mutant> change_record() {
    const uint32_t *s = pick(s_.records);
    if (s == nullptr) return std::nullopt;
    std::string text = s_.words(*s);
    size_t at = number(2) ? text.find_first_of(" \t") + 1 : text.find(',') + 1;
    auto changed = change_number(text, at, 1);
    if (!changed) return std::nullopt;
    return Mutant{*changed + " for '" + text + "'", {replace(*s, *changed)}, ""};
  }

  std::optional<Mutant> turn_condition() {
    const uint32_t *s = pick(s_.conditions);
    if (s == nullptr || s_.at(*s).name == "js") return std::nullopt;
    std::string with = (s_.at(*s).name == "je" ? "jne\t" : "je\t") + std::string(s_.at(*s).operands);
    return Mutant{with + " for '" + s_.words(*s) + "'", {replace(*s, with)}, ""};
  }

  const Subject &s_;
  std::mt19937 &random_;
};

// The mutant's text, and what of it is claimed to be new.
std::string apply(const std::string &text, std::vector<Edit> edits, std::vector<verify::TextRange> &ranges) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit &a, const Edit &b) { return a.begin < b.begin; });
  std::string out;
  std::vector<verify::TextRange> result;
  size_t at = 0, r = 0;
  auto copy = [&](size_t to) {
    while (at < to) {
      while (r < ranges.size() && ranges[r].end <= at) ++r;
      bool inside = r < ranges.size() && ranges[r].begin <= at;
      size_t end = std::min<size_t>(to, r == ranges.size() ? to : inside ? ranges[r].end : std::max<size_t>(ranges[r].begin, at));
      if (end == at) end = to;
      auto begin = static_cast<uint32_t>(out.size());
      out.append(text, at, end - at);
      if (inside) result.push_back({begin, static_cast<uint32_t>(out.size())});
      at = end;
    }
  };
  for (const Edit &e : edits) {
    copy(e.begin);
    auto begin = static_cast<uint32_t>(out.size());
    out += e.text;
    if (e.inserted) result.push_back({begin, static_cast<uint32_t>(out.size())});
    at = e.end;
  }
  copy(text.size());
  ranges = std::move(result);
  return out;
}

struct Tally {
  unsigned mutants = 0, refused = 0, survivors = 0;
  std::map<std::string, unsigned> equivalent;
};

class Run {
 public:
  Run(unsigned seed, unsigned each, std::set<std::string> kinds) : random_(seed), each_(each), kinds_(std::move(kinds)) {}

  void mode(const std::string &mode, const std::vector<std::unique_ptr<WovenCase>> &cases) {
    std::vector<std::unique_ptr<Subject>> subjects;
    for (const auto &c : cases) subjects.push_back(std::make_unique<Subject>(*c));
    for (const auto &[name, make] : Mutator::kinds()) {
      if (!kinds_.empty() && !kinds_.contains(name)) continue;
      Tally tally;
      for (unsigned tries = 0; tally.mutants < each_ && tries < 40 * each_ && !cases.empty(); ++tries) {
        size_t n = std::uniform_int_distribution<size_t>(0, cases.size() - 1)(random_);
        std::optional<Mutant> m = (Mutator(*subjects[n], random_).*make)();
        if (m) judge(*cases[n], name, *m, tally);
      }
      report(mode, name, tally);
    }
  }

  unsigned survivors() const { return survivors_; }
  unsigned mutants() const { return mutants_; }

 private:
  void judge(const WovenCase &c, const std::string &kind, const Mutant &m, Tally &tally) {
    std::vector<verify::TextRange> ranges = c.inserted;
    std::string text = apply(c.woven.text, m.edits, ranges);
    ++tally.mutants;
    ++mutants_;
    if (!verify::prove({c.source, c.unit.layout, text, ranges, c.woven.map}).empty()) {
      ++tally.refused;
    } else if (!m.equivalent.empty()) {
      ++tally.equivalent[m.equivalent];
    } else {
      ++tally.survivors;
      ++survivors_;
      if (tally.survivors <= 5) std::printf("SURVIVOR %s, %s, %s: %s\n", c.mode.c_str(), kind.c_str(), c.name.c_str(), m.what.c_str());
    }
  }

  void report(const std::string &mode, const std::string &name, const Tally &t) {
    std::printf("%-11s %-27s %5u mutants, %5u refused", mode.c_str(), name.c_str(), t.mutants, t.refused);
    for (const auto &[rule, many] : t.equivalent) std::printf(", %u equivalent (%s)", many, rule.c_str());
    if (t.survivors) std::printf(", %u SURVIVE", t.survivors);
    std::printf("\n");
    std::fflush(stdout);
  }

  std::mt19937 random_;
  unsigned each_;
  std::set<std::string> kinds_;
  unsigned survivors_ = 0, mutants_ = 0;
};

}  // namespace
}  // namespace chord::mutation

int main(int argc, char **argv) {
  using namespace chord;
  unsigned seed = 1, each = 20;
  std::string only;
  std::set<std::string> kind;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    if (a.starts_with("--seed=")) seed = static_cast<unsigned>(std::stoul(a.substr(7)));
    else if (a.starts_with("--each=")) each = static_cast<unsigned>(std::stoul(a.substr(7)));
    else if (a.starts_with("--mode=")) only = a.substr(7);
    else if (a.starts_with("--kind=")) kind.insert(a.substr(7));
    else files.push_back(a);
  }
  mutation::Run run(seed, each, kind);
  for (const std::string &mode : mutation::all_modes()) {
    if (!only.empty() && mode != only) continue;
    std::vector<std::unique_ptr<mutation::WovenCase>> cases;
    for (const std::string &file : files) {
      auto c = mutation::weave_case(file, base::read_file(file), mode);
      if (c) cases.push_back(std::move(c));
    }
    run.mode(mode, cases);
  }
  std::printf("%u mutants, %u survivors\n", run.mutants(), run.survivors());
  return run.survivors() != 0;
}
