#include "verify/claims/x86_64_probe.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <unordered_map>

namespace chord::verify {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::optional<int64_t> read_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return static_cast<int64_t>(value);
}

// One term with its sign.
bool add_term(std::string_view term, bool negative, Expression &out) {
  if (term.empty()) return false;
  if (is_digit(term[0])) {
    std::optional<int64_t> number = read_number(term);
    if (!number) return false;
    uint64_t value = static_cast<uint64_t>(*number);
    out.number = static_cast<int64_t>(static_cast<uint64_t>(out.number) + (negative ? 0 - value : value));
    return true;
  }
  if (negative) {
    if (!out.minus.empty()) return false;
    out.minus = term;
    return true;
  }
  if (!out.symbol.empty()) return false;
  size_t at = term.find('@');
  out.symbol = term.substr(0, at);
  if (at != std::string_view::npos) out.relocation = term.substr(at + 1);
  return true;
}

unsigned vector_register(std::string_view name) {
  if (!name.starts_with("xmm")) return kNoRegister;
  std::optional<int64_t> number = read_number(name.substr(3));
  return number && *number < 16 ? static_cast<unsigned>(*number) : kNoRegister;
}

unsigned low_byte_of(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kNames = {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"};
  for (unsigned r = 0; r < kNames.size(); ++r) {
    if (name == kNames[r]) return r;
  }
  return name.starts_with('r') && name.ends_with('b') ? register_number(name.substr(0, name.size() - 1)) : kNoRegister;
}

std::optional<Operand> read_register(std::string_view name) {
  Operand out;
  if (unsigned byte = low_byte_of(name); byte != kNoRegister) {
    out.kind = Operand::Kind::byte;
    out.reg = byte;
    return out;
  }
  if (unsigned v = vector_register(name); v != kNoRegister) {
    out.kind = Operand::Kind::vector;
    out.reg = v;
    return out;
  }
  out.reg = register_number(name);
  if (out.reg == kNoRegister) return std::nullopt;
  bool half = name[0] == 'e' || name.back() == 'd';
  out.kind = half ? Operand::Kind::half : Operand::Kind::general;
  return out;
}

bool read_base(std::string_view inside, Operand &out) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= inside.size();) {
    size_t end = std::min(inside.find(',', at), inside.size());
    parts.push_back(assembly::trim(inside.substr(at, end - at)));
    at = end + 1;
  }
  if (parts.size() > 3) return false;
  auto reg = [](std::string_view text) { return text.starts_with("%r") && !text.ends_with('d') ? register_number(text.substr(1)) : kNoRegister; };
  if (parts[0] == "%rip") {
    out.code_relative = true;
  } else if (!parts[0].empty() && (out.base = reg(parts[0])) == kNoRegister) {
    return false;
  }
  if (parts.size() > 1 && (out.index = reg(parts[1])) == kNoRegister) return false;
  if (parts.size() > 2) {
    std::optional<int64_t> scale = read_number(parts[2]);
    if (!scale) return false;
    out.scale = static_cast<unsigned>(*scale);
  }
  return true;
}

std::optional<Operand> read_operand(std::string_view text) {
  text = assembly::trim(text);
  if (text.starts_with('$')) {
    std::optional<Expression> value = read_expression(text.substr(1));
    if (!value) return std::nullopt;
    Operand out;
    out.kind = Operand::Kind::constant;
    out.value = *value;
    return out;
  }
  if (text.starts_with('%') && !text.starts_with("%fs:")) return read_register(text.substr(1));
  Operand out;
  out.kind = Operand::Kind::memory;
  if (text.starts_with("%fs:")) {
    out.thread = true;
    text.remove_prefix(4);
  }
  size_t open = text.rfind('(');
  if (open != std::string_view::npos) {
    if (!text.ends_with(')') || !read_base(text.substr(open + 1, text.size() - open - 2), out)) return std::nullopt;
    text = text.substr(0, open);
  }
  if (text.empty()) return out;
  std::optional<Expression> value = read_expression(text);
  if (!value) return std::nullopt;
  out.value = *value;
  return out;
}

const std::unordered_map<std::string_view, Op> &names() {
  static const std::unordered_map<std::string_view, Op> kOps = {
      {"addq", Op::add}, {"addb", Op::add}, {"subq", Op::subtract}, {"subl", Op::subtract}, {"incq", Op::increment}, {"decq", Op::decrement},
      {"leaq", Op::address}, {"leal", Op::address}, {"movslq", Op::read_code}, {"movq", Op::move}, {"movl", Op::move}, {"movabsq", Op::move},
      {"vmovq", Op::move}, {"pushq", Op::push}, {"popq", Op::pop}, {"pushfq", Op::push_flags}, {"popfq", Op::pop_flags},
      {"lahf", Op::flags_to_ah}, {"sahf", Op::ah_to_flags}, {"seto", Op::set_overflow}, {"cmpq", Op::compare}, {"cmpl", Op::compare},
      {"cmpb", Op::compare}, {"testq", Op::test}, {"testl", Op::test}, {"shlq", Op::shift_left}, {"shrl", Op::shift_right}, {"andl", Op::mask}, {"andq", Op::round_down},
      {"imulq", Op::multiply}, {"shrq", Op::shift_right}, {"xorl", Op::clear}, {"je", Op::jump_zero},
      {"jne", Op::jump_other}, {"js", Op::jump_sign}, {"ja", Op::jump_above}, {"jae", Op::jump_not_below}, {"jmp", Op::jump}, {"call", Op::call}, {"nopl", Op::nothing},
      {"endbr64", Op::entry_mark}, {"pxor", Op::vector_clear}, {"vpxor", Op::vector_clear},
      {"pcmpeqd", Op::vector_ones}, {"vpcmpeqd", Op::vector_ones}, {"psubq", Op::vector_subtract},
      {"vpsubq", Op::vector_subtract}, {"movlps", Op::vector_low}, {"vmovlps", Op::vector_low},
      {"movhlps", Op::vector_high_down}, {"vpextrq", Op::vector_extract_high}, {"movb", Op::set_byte}, {"movzbl", Op::widen_byte}, {"xaddq", Op::take_place}};
  return kOps;
}

// Width and operands fit together: what is not written this way is not read.
bool well_formed(std::string_view name, const ProbeInstruction &p) {
  using Kind = Operand::Kind;
  auto kind = [&](size_t i) { return i < p.operands.size() ? p.operands[i].kind : Kind::none; };
  if (p.op == Op::set_condition) return p.operands.size() == 1 && kind(0) == Kind::byte;
  if (p.op == Op::widen_byte) return p.operands.size() == 2 && kind(0) == Kind::byte && kind(1) == Kind::half;
  if (name == "cmpb" && kind(0) == Kind::byte) return p.operands.size() == 2 && kind(1) == Kind::memory;
  bool byte = name == "addb" || name == "seto", half = name == "leal" || name == "subl" || name == "xorl" || name == "shrl" || name == "andl";
  for (size_t i = 0; i < p.operands.size(); ++i) {
    if ((kind(i) == Kind::byte) != (byte && i + 1 == p.operands.size())) return false;
    if (kind(i) == Kind::byte && p.operands[i].reg != kRax) return false;
    if (kind(i) == Kind::half && !half && name != "movl" && name != "testl") return false;
    if (kind(i) == Kind::vector && p.op < Op::vector_clear && name != "movq" && name != "vmovq") return false;
  }
  if (half && kind(1) != Kind::half) return false;
  return true;
}

}  // namespace

std::optional<Expression> read_expression(std::string_view text) {
  Expression out;
  bool negative = false;
  size_t at = 0;
  for (bool first = true; at < text.size(); first = false) {
    bool sign = text[at] == '+' || text[at] == '-';
    if (!sign && !first) return std::nullopt;
    for (negative = false; at < text.size() && (text[at] == '+' || text[at] == '-'); ++at) negative ^= text[at] == '-';  // also +-8
    size_t end = text.find_first_of("+-", at);
    if (end == std::string_view::npos) end = text.size();
    if (!add_term(text.substr(at, end - at), negative, out)) return std::nullopt;
    at = end;
  }
  return text.empty() ? std::nullopt : std::optional(out);
}

namespace {

// A register of 64 bits, perhaps times something.
bool add_register(std::string_view term, Operand &out) {
  size_t star = term.find('*');
  std::string_view name = term.substr(0, star), factor = star == std::string_view::npos ? "1" : term.substr(star + 1);
  if (!name.empty() && is_digit(name[0])) std::swap(name, factor);
  unsigned reg = name.starts_with('r') && !name.ends_with('d') ? register_number(name) : kNoRegister;
  std::optional<int64_t> scale = read_number(factor);
  if (reg == kNoRegister || !scale) return false;
  if (star == std::string_view::npos && out.base == kNoRegister) {
    out.base = reg;
    return true;
  }
  if (out.index != kNoRegister) return false;
  out.index = reg;
  out.scale = static_cast<unsigned>(*scale);
  return true;
}

// Without the size in front: QWORD PTR, as gcc writes it, or qword ptr, as clang does; also [QWORD PTR.
std::string_view without_size(std::string_view text) {
  std::string_view rest = assembly::trim(text);
  if (rest.starts_with('[')) rest = assembly::trim(rest.substr(1));
  size_t end = rest.find_first_of(" \t");
  if (end == std::string_view::npos) return assembly::trim(text);
  rest = assembly::trim(rest.substr(end));
  bool sized = (rest.starts_with("PTR") || rest.starts_with("ptr")) && rest.size() > 3 && (rest[3] == ' ' || rest[3] == '\t' || rest[3] == '[');
  return assembly::trim(sized ? rest.substr(3) : text);
}

// QWORD PTR name[base+index*scale+number]: terms, with brackets in between.
std::optional<Operand> read_intel_memory(std::string_view text) {
  Operand out;
  out.kind = Operand::Kind::memory;
  text = without_size(text);
  out.thread = text.starts_with("fs:");
  if (out.thread || text.starts_with("ds:")) text.remove_prefix(3);
  bool negative = false;
  for (size_t at = 0; at < text.size();) {
    if (std::string_view("[]+-").find(text[at]) != std::string_view::npos) {
      negative = text[at] == '-' ? !negative : text[at] == '[' ? false : negative;
      ++at;
      continue;
    }
    size_t end = std::min(text.find_first_of("[]+-", at), text.size());
    std::string_view term = assembly::trim(text.substr(at, end - at));
    at = end;
    const bool is_register = term == "rip" || register_number(term.substr(0, term.find('*'))) != kNoRegister;
    if (term.empty()) continue;
    if (is_register && negative) return std::nullopt;
    if (term == "rip") out.code_relative = true;
    else if (is_register ? !add_register(term, out) : !add_register(term, out) && !add_term(term, negative, out.value)) return std::nullopt;
    negative = false;
  }
  return out;
}

// Where the program's operands are in Intel syntax, so is what takes their address: lea REGISTER, OPERAND.
std::optional<ProbeInstruction> read_intel_address(const assembly::Statement &s) {
  size_t comma = s.operands.find(',');
  if (s.name != "lea" || comma == std::string_view::npos) return std::nullopt;
  std::optional<Operand> into = read_register(assembly::trim(s.operands.substr(0, comma)));
  if (!into || into->kind != Operand::Kind::general || into->reg == kRsp) return std::nullopt;
  ProbeInstruction out;
  out.op = Op::address;
  out.operands = {read_intel_memory(s.operands.substr(comma + 1)).value_or(Operand{}), *into};
  return out;
}

}  // namespace

std::optional<ProbeInstruction> read_probe(const assembly::Statement &s) {
  if (s.intel_syntax) return read_intel_address(s);
  ProbeInstruction out;
  std::string_view name = s.name, rest = s.operands;
  if (name == "lock") {
    out.locked = true;
    size_t end = rest.find_first_of(" \t");
    if (end == std::string_view::npos) return std::nullopt;
    name = rest.substr(0, end);
    rest = assembly::trim(rest.substr(end));
  }
  auto op = names().find(name);
  bool condition = op == names().end() && name.starts_with("set") && name.size() > 3;
  if (op == names().end() && !condition) return std::nullopt;
  if (name.starts_with("set")) out.condition = name.substr(3);
  out.op = condition ? Op::set_condition : op->second;
  out.narrow = name == "movl" || name == "leal" || name == "xorl" || name == "shrl" || name == "cmpl" || name == "cmpb";
  bool branches = out.op == Op::jump || out.op == Op::call || is_conditional(out.op);
  if (branches) {
    if (rest.empty() || rest[0] == '*') return std::nullopt;
    out.target = rest;
    return out;
  }
  if (out.op == Op::nothing) return out;
  for (std::string_view operand : assembly::split_operands(rest)) {
    std::optional<Operand> read = read_operand(operand);
    // A part of the program's own code, as the linker has made it.
    if (out.op == Op::read_code && out.operands.empty() && !(operand.starts_with(".Lchord_m") && operand.ends_with("(%rip)"))) read = std::nullopt;
    // Taking an address does no harm, whatever it is; nothing is known of it.
    if (!read && name == "leaq" && out.operands.empty()) read = Operand{};
    if (!read) return std::nullopt;
    out.operands.push_back(*read);
  }
  // Overflow goes to %al where flags are kept, elsewhere where the outcome of a branch is wanted.
  if (out.op == Op::set_overflow && out.operands.size() == 1 && out.operands[0].reg != kRax) out.op = Op::set_condition;
  return well_formed(name, out) ? std::optional(out) : std::nullopt;
}

std::optional<Operand> memory_operand(const assembly::Statement &s) {
  std::string_view name = s.name, rest = s.operands;
  // Of `lock addq $1,x` the name is that of the prefix.
  constexpr std::array<std::string_view, 10> kPrefixes = {"lock", "rep", "repz", "repe", "repnz", "notrack", "bnd", "xacquire", "xrelease", "data16"};
  while (std::find(kPrefixes.begin(), kPrefixes.end(), name) != kPrefixes.end()) {
    size_t end = rest.find_first_of(" \t");
    if (end == std::string_view::npos) return std::nullopt;
    name = rest.substr(0, end);
    rest = assembly::trim(rest.substr(end));
  }
  for (std::string_view operand : assembly::split_operands(rest)) {
    operand = assembly::trim(operand);
    if (s.intel_syntax) {
      if (operand.find('[') != std::string_view::npos || operand.find("PTR") != std::string_view::npos) return read_intel_memory(operand);
      continue;
    }
    if (operand.starts_with('*')) operand.remove_prefix(1);
    if (operand.starts_with('$') || (operand.starts_with('%') && operand.find(':') == std::string_view::npos)) continue;
    if (size_t mask = operand.rfind('{'); mask != std::string_view::npos) operand = operand.substr(0, mask);
    if (operand.starts_with('%') && !operand.starts_with("%fs:")) return std::nullopt;
    return read_operand(operand);
  }
  return std::nullopt;
}

}  // namespace chord::verify
