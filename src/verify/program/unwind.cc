#include "verify/program/unwind.h"

#include <charconv>
#include <cstdlib>

#include "verify/program/x86_64_facts.h"

namespace chord::verify {

using assembly::Statement;
using assembly::StatementKind;

namespace {

// Compilers write registers by number or by name.
std::string plain_register(std::string_view text) {
  text = assembly::trim(text);
  if (text.starts_with('%')) text.remove_prefix(1);
  unsigned r = register_number(text);
  return r == kNoRegister ? std::string(text) : std::to_string(dwarf_number(r));
}

int64_t number(std::string_view text) { return std::strtoll(std::string(assembly::trim(text)).c_str(), nullptr, 0); }

// First bytes of instructions that compilers write as numbers.
constexpr int64_t kExpression = 0x10, kArgumentsSize = 0x2e;

// The rules of one section while its directives are read.
struct Reader {
  Rules now;
  std::vector<Rules> remembered;
  bool unmatched = false;  // rules were restored that nobody remembered
  std::map<std::string, int64_t> first_saved;

  // False if the directive changes no rule.
  bool read(const Statement &s) {
    if (s.kind != StatementKind::directive || !s.name.starts_with(".cfi_")) return false;
    std::vector<std::string_view> o = assembly::split_operands(s.operands);
    std::string_view name = s.name.substr(5);
    if (name == "startproc") {
      now = {true, "7", 8, {}, {}, {}};
      remembered.clear();
    } else if (name == "endproc") {
      now = {};
    } else if (name == "remember_state") {
      remembered.push_back(now);
    } else if (name == "restore_state") {
      unmatched = unmatched || remembered.empty();
      if (!remembered.empty()) {
        now = remembered.back();
        remembered.pop_back();
      }
    } else if (name == "def_cfa" && o.size() == 2) {
      now.base = plain_register(o[0]);
      now.offset = number(o[1]);
    } else if (name == "def_cfa_register" && o.size() == 1) {
      now.base = plain_register(o[0]);
    } else if (name == "def_cfa_offset" && o.size() == 1) {
      now.offset = number(o[0]);
    } else if (name == "adjust_cfa_offset" && o.size() == 1) {
      now.offset += number(o[0]);
    } else if (name == "offset" && o.size() == 2) {
      forget(o[0]);
      now.saved[plain_register(o[0])] = number(o[1]);
    } else if (name == "rel_offset" && o.size() == 2) {
      forget(o[0]);
      now.saved[plain_register(o[0])] = number(o[1]) - now.offset;
    } else if ((name == "restore" || name == "same_value") && !o.empty()) {
      for (std::string_view reg : o) forget(reg);
    } else if (name == "personality" && o.size() == 2) {
      now.personality = std::string(o[1]);
      for (Rules &r : remembered) r.personality = now.personality;
    } else if (name == "personality" || name == "lsda" || name == "sections" || name == "signal_frame" || name == "return_column") {
      return false;
    } else if (name == "escape" && !o.empty() && number(o[0]) == kArgumentsSize) {
      return false;  // how many bytes of arguments are on the stack
    } else if (name == "escape" && o.size() > 1 && number(o[0]) == kExpression) {
      forget(std::to_string(number(o[1])));
      now.others[std::to_string(number(o[1]))] = "escape " + std::string(s.operands);
    } else if (name == "escape") {
      now.base = "escape " + std::string(s.operands);
      now.offset = 0;
    } else {
      std::string reg = o.empty() ? "" : plain_register(o[0]);
      if (!reg.empty()) forget(o[0]);
      now.others[reg] = std::string(name) + " " + std::string(s.operands);
    }
    return true;
  }

  void forget(std::string_view reg) {
    now.saved.erase(plain_register(reg));
    now.others.erase(plain_register(reg));
  }
};

}  // namespace

UnwindTable::UnwindTable(const assembly::Source &source) {
  std::vector<Reader> readers(source.sections.size());
  std::vector<uint32_t> current(source.sections.size(), 0);
  states_.emplace_back();
  for (const Statement &s : source.statements) {
    state_.push_back(current[s.section]);
    if (!readers[s.section].read(s)) continue;
    current[s.section] = static_cast<uint32_t>(states_.size());
    states_.push_back(readers[s.section].now);
  }
  for (const Reader &r : readers) {
    if (r.unmatched) fault_ = "unwind rules are restored that nobody remembered";
  }
}

}  // namespace chord::verify
