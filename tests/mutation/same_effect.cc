#include "mutation/same_effect.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "mutation/subject.h"

namespace chord::mutation {
namespace {

// Nothing but marks is written there, and code that writes one does not read it afterwards.
constexpr std::string_view kWordOfMarks = "%fs:__chord_trace@tpoff+48";

Sum unknown(std::string name) { return {{{std::move(name), 1}}, 0}; }
Sum number(int64_t n) { return {{}, n}; }

Sum plus(Sum a, const Sum &b, int64_t times = 1) {
  for (const auto &[name, factor] : b.terms) {
    if ((a.terms[name] += factor * times) == 0) a.terms.erase(name);
  }
  a.number = static_cast<int64_t>(static_cast<uint64_t>(a.number) + static_cast<uint64_t>(b.number) * static_cast<uint64_t>(times));
  return a;
}

bool is_vector(std::string_view operand) { return operand.starts_with("%xmm"); }

// The whole register, if the operand is one, or its lower half.
std::string whole_name(std::string_view operand) {
  if (!operand.starts_with('%')) return {};
  std::string name(operand.substr(1));
  if (name.starts_with("xmm")) return name;
  for (unsigned r = 0; r < 16; ++r) {
    if (name == kWhole[r] || name == kHalf[r]) return kWhole[r];
  }
  return {};
}

bool is_half(std::string_view operand) {
  return std::any_of(std::begin(kHalf), std::end(kHalf), [&](const char *name) { return operand == std::string("%") + name; });
}

// symbol+number-symbol: symbols are unknowns.
std::optional<Sum> expression(std::string_view text) {
  Sum out;
  for (size_t at = 0; at < text.size();) {
    int64_t sign = 1;
    for (; at < text.size() && (text[at] == '-' || text[at] == '+'); ++at) sign = text[at] == '-' ? -sign : sign;
    size_t end = std::min(text.find_first_of("+-", at), text.size());
    std::string_view term = text.substr(at, end - at);
    if (term.empty()) return std::nullopt;
    if (std::isdigit(static_cast<unsigned char>(term[0]))) {
      int base = term.starts_with("0x") ? 16 : 10;
      if (base == 16) term.remove_prefix(2);
      uint64_t value = 0;
      auto [stop, error] = std::from_chars(term.data(), term.data() + term.size(), value, base);
      if (error != std::errc() || stop != term.data() + term.size()) return std::nullopt;
      out = plus(out, number(static_cast<int64_t>(value)), sign);
    } else {
      out = plus(out, unknown(std::string(term)), sign);
    }
    at = end;
  }
  return out;
}

}  // namespace

std::string Sum::text() const {
  std::string out;
  for (const auto &[name, factor] : terms) out += name + "*" + std::to_string(factor) + "+";
  return out + std::to_string(number);
}

Sum StraightCode::get(const std::string &reg) {
  if (reg == "rax" && parts_) {
    std::string name = "parts(" + parts_->rest.text() + ";" + parts_->al + ";";
    if (parts_->ah) name += parts_->ah->carry + "," + parts_->ah->others;
    name += ")";
    packed_[name] = *parts_;
    return unknown(name);
  }
  auto found = registers_.find(reg);
  return found == registers_.end() ? unknown(reg) : found->second;
}

void StraightCode::set(const std::string &reg, const Sum &value) {
  if (reg == "rax") {
    parts_.reset();
    bool single = value.terms.size() == 1 && value.number == 0 && value.terms.begin()->second == 1;
    auto packed = single ? packed_.find(value.terms.begin()->first) : packed_.end();
    if (packed != packed_.end()) parts_ = packed->second;
  }
  registers_[reg] = value;
}

void StraightCode::set_flags(const std::string &by, bool carry) {
  flags_.others = "others(" + by + ")";
  flags_.overflow = "overflow(" + by + ")";
  if (carry) flags_.carry = "carry(" + by + ")";
}

std::optional<Sum> StraightCode::address(std::string_view operand) const {
  Sum out;
  if (operand.starts_with("%fs:")) {
    out = unknown("fs");
    operand.remove_prefix(4);
  }
  size_t open = operand.find('(');
  if (open != std::string_view::npos) {
    std::vector<std::string_view> inside;
    std::string_view list = operand.substr(open + 1, operand.size() - open - 2);
    for (size_t at = 0; at <= list.size();) {
      size_t end = std::min(list.find(',', at), list.size());
      inside.push_back(assembly::trim(list.substr(at, end - at)));
      at = end + 1;
    }
    int64_t scale = inside.size() > 2 ? inside[2][0] - '0' : 1;
    for (size_t k = 0; k < inside.size() && k < 2; ++k) {
      if (inside[k].empty() || inside[k] == "%rip") continue;
      std::string reg = whole_name(inside[k]);
      if (reg.empty()) return std::nullopt;
      out = plus(out, const_cast<StraightCode *>(this)->get(reg), k == 1 ? scale : 1);
    }
    operand = operand.substr(0, open);
  }
  if (operand.empty()) return out;
  auto displacement = expression(operand);
  return displacement ? std::optional(plus(out, *displacement)) : std::nullopt;
}

Sum StraightCode::load(const Sum &address) {
  auto stored = memory_.find(address.text());
  if (stored != memory_.end()) return stored->second.second;
  std::string name = "memory[" + address.text() + "]";
  // What is known of a callee (.Lchord_j) was written when the program was linked.
  const bool constant = address.terms.size() == 1 && address.terms.begin()->first.starts_with(".Lchord_j");
  if (!address.terms.contains("rsp") && !constant && stores_elsewhere_ != 0) name += "@" + std::to_string(stores_elsewhere_);
  if (auto added = added_.find(address.text()); added != added_.end()) {
    for (const std::string &amount : added->second) name += "+" + amount;
  }
  return unknown(name);
}

// Words that are found by one register do not overlap those found by another: not understood, but for thread-local words by their
// names, which are neither on the stack nor each other.
bool StraightCode::store(const Sum &address, const Sum &value) {
  auto thread_local_word = [](const Sum &a) { return a.terms.size() == 2 && a.terms.contains("fs") && a.number == 0; };
  // What a thread keeps of a module (chord_home): a distance and a base, both loaded.
  auto in_a_home = [](const Sum &a) {
    return a.terms.size() == 2 && std::all_of(a.terms.begin(), a.terms.end(), [](const auto &term) { return term.first.starts_with("memory[") && term.second == 1; });
  };
  if (address.terms.size() != 1 && !thread_local_word(address) && !in_a_home(address)) return false;
  // By a pointer: whatever it leads to, what is stored there and when is told; what is read later may be another.
  if (!address.terms.contains("rsp") && !thread_local_word(address)) {
    ++stores_elsewhere_;
    trace_.push_back({"store " + address.text() + "=" + value.text(), "", {}, "", {}});
    return true;
  }
  for (const auto &[text, word] : memory_) {
    bool apart = thread_local_word(word.first) || thread_local_word(address);
    if (apart && word.first.terms != address.terms && (word.first.terms.contains("rsp") || word.first.terms.contains("fs")) &&
        (address.terms.contains("rsp") || address.terms.contains("fs"))) continue;
    if (word.first.terms != address.terms) return false;
    int64_t distance = word.first.number - address.number;
    if (distance != 0 && distance > -8 && distance < 8) return false;
  }
  memory_[address.text()] = {address, value};
  return true;
}

std::optional<Sum> StraightCode::read(std::string_view operand) {
  if (operand.starts_with('$')) return expression(operand.substr(1));
  if (std::string reg = whole_name(operand); !reg.empty()) {
    if (is_vector(operand)) return unknown("low(" + get(reg).text() + ")");
    return is_half(operand) ? unknown("half(" + get(reg).text() + ")") : get(reg);
  }
  auto at = address(operand);
  return at ? std::optional(load(*at)) : std::nullopt;
}

std::string StraightCode::part_of(std::string_view operand) {
  static constexpr std::array<std::string_view, 8> kBytes = {"al", "cl", "dl", "bl", "", "", "sil", "dil"};
  if (std::string reg = whole_name(operand); !reg.empty()) return reg;
  if (!operand.starts_with('%')) return {};
  for (unsigned r = 0; r < 16; ++r) {
    bool old = r < kBytes.size() && operand.substr(1) == kBytes[r];
    if (old || (r >= kBytes.size() && operand.substr(1) == std::string(kWhole[r]) + "b")) return kWhole[r];
  }
  return {};
}

// Also bytes.
std::optional<Sum> StraightCode::read_part(std::string_view operand) {
  if (std::string reg = part_of(operand); !reg.empty() && whole_name(operand).empty()) return unknown("byte(" + get(reg).text() + ")");
  return read(operand);
}

bool StraightCode::write(std::string_view operand, const Sum &value) {
  if (std::string reg = whole_name(operand); !reg.empty()) {
    set(reg, is_vector(operand) ? unknown("vector(" + value.text() + ")") : value);
    return true;
  }
  auto at = address(operand);
  return at && store(*at, value);
}

bool StraightCode::arithmetic(std::string_view name, const std::vector<std::string_view> &o, bool locked) {
  bool one = name == "incq" || name == "decq";
  if (o.size() != (one ? 1u : 2u)) return false;
  std::optional<Sum> amount = one ? number(name == "incq" ? 1 : -1) : read(o[0]);
  if (!amount) return false;
  Sum added = name == "subq" ? plus({}, *amount, -1) : *amount;
  std::string_view into = o.back();
  if (!whole_name(into).empty()) {
    Sum was = *read(into);
    set(whole_name(into), plus(was, added));
    set_flags("add " + was.text() + " " + added.text(), !one);
    return !is_half(into) && !is_vector(into) && !locked;
  }
  auto at = address(into);
  if (!at) return false;
  if (memory_.contains(at->text())) {
    set_flags("add " + load(*at).text() + " " + added.text(), !one);
    return store(*at, plus(load(*at), added));
  }
  // What such flags are nobody asks who may add in any order.
  set_flags("counter", !one);
  if (!unread_.contains(at->text())) added_[at->text()].insert((locked ? "locked " : "") + added.text());
  return true;
}

bool StraightCode::flags_in_rax(std::string_view name) {
  if (name == "sahf") {
    bool known = parts_ && parts_->ah;
    std::string was = get("rax").text();
    flags_.carry = known ? parts_->ah->carry : "sahf carry " + was;
    flags_.others = known ? parts_->ah->others : "sahf others " + was;
    return true;
  }
  if (!parts_) parts_ = Parts{get("rax"), {}, {}};
  if (name == "lahf") parts_->ah = flags_;
  if (name == "lahf") parts_->ah->overflow.clear();
  if (name == "seto") parts_->al = flags_.overflow;
  return true;
}

bool StraightCode::stack(std::string_view name, const std::vector<std::string_view> &o) {
  if (name == "pushq" || name == "pushfq") {
    std::optional<Sum> value = name == "pushq" && o.size() == 1 ? read(o[0]) : unknown("eflags(" + flags_.carry + "," + flags_.others + "," + flags_.overflow + ")");
    if (!value) return false;
    if (name == "pushfq") pushed_flags_[value->text()] = flags_;
    set("rsp", plus(get("rsp"), number(-8)));
    return store(get("rsp"), *value);
  }
  Sum value = load(get("rsp"));
  set("rsp", plus(get("rsp"), number(8)));
  if (name == "popfq") {
    auto known = pushed_flags_.find(value.text());
    if (known == pushed_flags_.end()) return false;
    flags_ = known->second;
    return true;
  }
  return o.size() == 1 && write(o[0], value);
}

bool StraightCode::move(std::string_view name, const std::vector<std::string_view> &o) {
  if (o.size() != 2) return false;
  if (name == "leaq" || name == "leal") {
    auto at = address(o[0]);
    if (!at) return false;
    return write(o[1], name == "leal" ? unknown("half(" + at->text() + ")") : *at);
  }
  auto value = read(o[0]);
  if (!value) return false;
  if (name == "movl" && whole_name(o[1]).empty()) {
    const Sum half = unknown("half " + value->text());
    if (o[1] == kWordOfMarks) return store(plus(unknown("fs"), unknown("marks")), half);
    // Half a word, by a pointer: told as other stores are.
    auto at = address(o[1]);
    return at && !at->terms.contains("rsp") && !at->terms.contains("fs") && at->terms.size() == 1 && store(*at, half);
  }
  if (name == "movl" && o[0].starts_with('$')) value = number(static_cast<int64_t>(static_cast<uint32_t>(value->number)));
  return write(o[1], *value);
}

// Changes nothing but its last operand.
bool StraightCode::vectors(std::string_view name, const std::vector<std::string_view> &o) {
  std::string made(name);
  for (std::string_view operand : o) {
    std::string reg = whole_name(operand);
    auto at = reg.empty() && !operand.starts_with('$') ? address(operand) : std::nullopt;
    made += " " + (!reg.empty() ? get(reg).text() : at ? load(*at).text() : std::string(operand));
  }
  std::string into = o.empty() ? "" : whole_name(o.back());
  if (into.empty()) return false;
  set(into, unknown(made));
  return true;
}

std::map<std::string, std::string> StraightCode::changed_registers() const {
  std::map<std::string, std::string> out;
  for (const auto &[reg, value] : registers_) {
    if (reg != "rsp" && !(value == unknown(reg))) out[reg] = value.text();
  }
  return out;
}

std::string StraightCode::all_but_registers() const {
  std::string out;
  if (parts_) out += "parts " + parts_->al + (parts_->ah ? parts_->ah->carry + parts_->ah->others : "") + parts_->rest.text();
  out += flags_.carry + flags_.others + flags_.overflow + ";";
  for (const auto &[at, amounts] : added_) {
    for (const std::string &amount : amounts) out += at + "+=" + amount + ";";
  }
  return out;
}

// Others look at everything here.
void StraightCode::barrier(std::string_view name, std::string_view operands) {
  // Routines of the runtime find what they are told on the stack, keep all registers but those named here, and look at counters.
  bool call = name == "call";
  std::string seen;
  for (const auto &[at, amounts] : added_) {
    for (const std::string &amount : amounts) seen += at + "+=" + amount + ";";
  }
  trace_.push_back({std::string(name) + " " + std::string(operands) + "{" + (call ? seen : all_but_registers()) + "}", get("rsp").text(), memory_, call ? "" : std::string(operands),
                    call ? std::map<std::string, std::string>() : changed_registers()});
  if (!call) return;
  const std::string result = "call " + std::to_string(trace_.size());
  if (operands == "__chord_trace_enter") {
    set("r10", unknown(result + " r10"));
    set("r11", unknown(result + " r11"));
  }
  if (operands == "__chord_enter" || operands == "__chord_find_path") {
    std::string top = plus(get("rsp"), number(operands == "__chord_enter" ? 0 : 8)).text();
    if (auto word = memory_.find(top); word != memory_.end()) word->second.second = unknown(result + " of " + word->second.second.text());
  }
  // Some take what they are told off the stack.
  static constexpr std::array<std::pair<std::string_view, int64_t>, 6> kTaken = {
      {{"__chord_meter_enter", 8}, {"__chord_meter_path", 16}, {"__chord_meter_tally", 24}, {"__chord_leap", 8}, {"__chord_open", 8}, {"__chord_close", 8}}};
  for (const auto &[routine, bytes] : kTaken) {
    if (operands.starts_with(routine)) set("rsp", plus(get("rsp"), number(bytes)));
  }
  ++stores_elsewhere_;
  if (!operands.ends_with("_flags")) set_flags(result);
}

bool StraightCode::step(std::string_view name, const std::vector<std::string_view> &o, bool locked) {
  static constexpr std::array<std::string_view, 4> kAdds = {"addq", "subq", "incq", "decq"};
  static constexpr std::array<std::string_view, 5> kMoves = {"movq", "movl", "movabsq", "leaq", "leal"};
  if (name == "addb") {  // addb $127,%al
    if (o.size() != 2 || o[0] != "$127" || o[1] != "%al") return false;
    std::string al = parts_ && !parts_->al.empty() ? parts_->al : "al of " + get("rax").text();
    bool known = parts_ && !parts_->al.empty();
    set_flags("addb " + al);
    if (known) flags_.overflow = al;
    if (!parts_) parts_ = Parts{get("rax"), {}, {}};
    parts_->al = "addb " + al;
    return true;
  }
  if (std::find(kAdds.begin(), kAdds.end(), name) != kAdds.end()) return arithmetic(name, o, locked);
  if (std::find(kMoves.begin(), kMoves.end(), name) != kMoves.end()) return move(name, o);
  if (name == "xorl" && o.size() == 2 && o[0] == o[1]) {
    set_flags("zero");
    set(whole_name(o[1]), number(0));
    return true;
  }
  if (name == "lahf" || name == "sahf" || (name == "seto" && o.size() == 1 && o[0] == "%al")) return flags_in_rax(name);
  if (name == "pushq" || name == "popq" || name == "pushfq" || name == "popfq") return stack(name, o);
  // Of these nothing is known but what they are made of.
  static constexpr std::array<std::string_view, 15> kOthers = {"imulq", "shrq", "cmpq", "cmpl", "cmpb", "testq", "testl", "shlq", "shrl", "shll", "andl", "andq", "subl", "xorl", "orl"};
  if (std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end() && !o.empty() && o.size() <= 2) {
    auto a = read_part(o[0]), b = read_part(o.back());
    if (!a || !b || locked) return false;
    std::string made = std::string(name) + " " + a->text() + " " + b->text();
    set_flags(made);
    return name.starts_with("cmp") || name.starts_with("test") || write(o.back(), unknown(made));
  }
  if (((name == "movzbl" || name == "movslq") && o.size() == 2) || (name.starts_with("set") && o.size() == 1)) {
    bool sets = name.starts_with("set");
    auto a = sets ? std::optional(unknown(flags_.carry + flags_.others + flags_.overflow)) : read_part(o[0]);
    std::string into = part_of(o.back());
    if (!a || into.empty() || (into == "rax" && parts_)) return false;
    set(into, unknown(std::string(name) + " " + a->text() + (sets ? " in " + get(into).text() : "")));
    return true;
  }
  bool vector = std::any_of(o.begin(), o.end(), is_vector);
  return vector && vectors(name, o);
}

bool StraightCode::run(const assembly::Statement &s) {
  std::string_view name = s.name, rest = s.operands;
  bool locked = name == "lock";
  if (locked) {
    size_t end = rest.find_first_of(" \t");
    if (end == std::string_view::npos) return false;
    name = rest.substr(0, end);
    rest = assembly::trim(rest.substr(end));
  }
  if (name == "nopl" || name == "endbr64") return true;
  if (name == "call" || name.starts_with('j')) {
    barrier(name, rest);
    return true;
  }
  return step(name, assembly::split_operands(rest), locked);
}

std::set<std::string> StraightCode::different_words(const Memory &a, const Memory &b, int64_t free_below) {
  std::set<std::string> out;
  auto compare = [&](const Memory &one, const Memory &other) {
    for (const auto &[text, word] : one) {
      bool on_stack = word.first.terms == unknown("rsp").terms;
      if (on_stack && word.first.number < -free_below) continue;
      auto there = other.find(text);
      if (there != other.end() && there->second.second == word.second) continue;
      out.insert(on_stack ? std::to_string(word.first.number) + "(%rsp)" : "memory");
    }
  };
  compare(a, b);
  compare(b, a);
  return out;
}

std::set<std::string> StraightCode::differences(const StraightCode &other, int64_t free_below) const {
  std::set<std::string> out;
  auto a = *this, b = other;
  std::set<std::string> names;
  for (const auto &[reg, value] : registers_) names.insert(reg);
  for (const auto &[reg, value] : other.registers_) names.insert(reg);
  names.insert("rax");
  for (const std::string &reg : names) {
    if (!(a.get(reg) == b.get(reg))) out.insert(reg);
  }
  if (flags_.carry != other.flags_.carry) out.insert("carry");
  if (flags_.others != other.flags_.others) out.insert("flags");
  if (flags_.overflow != other.flags_.overflow) out.insert("overflow");
  if (added_ != other.added_ || trace_.size() != other.trace_.size()) out.insert("memory");
  for (size_t k = 0; k < std::min(trace_.size(), other.trace_.size()); ++k) {
    // How deep the stack is nobody minds who has nothing below it.
    bool same = trace_[k].but_memory == other.trace_[k].but_memory && (free_below == 0 || trace_[k].depth == other.trace_[k].depth) &&
                different_words(trace_[k].memory, other.trace_[k].memory, free_below).empty();
    if (!same) out.insert("memory");
    auto differ = [&](const auto &one, const auto &two) {
      for (const auto &[reg, value] : one) {
        auto there = two.find(reg);
        if (there == two.end() || there->second != value) out.insert(reg + " at " + trace_[k].jumps_to);
      }
    };
    differ(trace_[k].registers, other.trace_[k].registers);
    differ(other.trace_[k].registers, trace_[k].registers);
  }
  out.merge(different_words(memory_, other.memory_, free_below));
  return out;
}

}  // namespace chord::mutation
