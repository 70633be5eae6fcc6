#include "weave/exits/early_exits.h"

#include <algorithm>

#include "assembly/graph/unwind_info.h"
#include "weave/exits/wrapped_names.h"
#include "weave/plan/labels.h"

namespace chord::weave {

using assembly::Fragment;
using assembly::Instruction;
using assembly::Procedure;
using assembly::Source;
using assembly::Statement;
using assembly::StatementKind;
using assembly::UnwindInfo;

namespace {

class EarlyEnds {
 public:
  EarlyEnds(const assembly::Unit &unit, const Procedure &p, const std::set<uint32_t> &retargeted)
      : source_(*unit.source), symbols_(unit.symbols), p_(p), retargeted_(retargeted) {}

  EarlyEndEdits run() {
    for (const Fragment &fragment : p_.fragments) take_unwinding(fragment);
    for (const Instruction &in : p_.instructions) wrap_call(in);
    return std::move(out_);
  }

 private:
  // The unwinder tells a frame's personality routine that it is about to go; ours
  // notes where the frame stood and passes on to the program's, if it has one.
  void take_unwinding(const Fragment &fragment) {
    uint32_t opened = assembly::kNoStatement;
    bool has_rules = lone_push(source_, p_) != assembly::kNoStatement;
    for (uint32_t i = start_of_rules(source_, fragment); i < fragment.last_statement; ++i) {
      const Statement &s = source_.statements[i];
      if (s.section != fragment.section) continue;
      bool ends = s.kind == StatementKind::instruction || s.name == ".cfi_endproc";
      if (s.name == ".cfi_startproc") {
        opened = i;
        has_rules = true;
      } else if (opened != assembly::kNoStatement && s.name == ".cfi_personality" && pass_on(s)) {
        opened = assembly::kNoStatement;
      } else if (opened != assembly::kNoStatement && ends) {
        out_.edits.insert(source_.statements[opened].end, "\n\t.cfi_personality 0x1b,__chord_personality");
        opened = assembly::kNoStatement;
      }
    }
    out_.lacks_rules = out_.lacks_rules || !has_rules;
  }

  bool pass_on(const Statement &s) {
    std::vector<std::string_view> parts = assembly::split_operands(s.operands);
    if (parts.size() < 2) return false;  // 0xff: none
    std::string name(parts[1]);
    if (name.starts_with("DW.ref.")) name = name.substr(7);
    out_.personalities.push_back(name);
    uint32_t at = static_cast<uint32_t>(s.operands.data() - source_.text.data());
    out_.edits.replace(at, static_cast<uint32_t>(s.operands.size()), "0x1b," + personality_label(name));
    return true;
  }

  void wrap_call(const Instruction &in) {
    const isa::Flow flow = in.decoded.flow;
    if (in.padding || retargeted_.contains(in.last_statement)) return;
    if (flow != isa::Flow::call && flow != isa::Flow::jump && flow != isa::Flow::conditional) return;
    std::string_view operands = source_.statements[in.last_statement].operands;
    if (in.decoded.indirect && operands.find("@GOTPCREL") == std::string_view::npos) return;
    std::string_view name = assembly::first_symbol(operands);
    std::string other = stand_in(symbols_, name);
    if (other.empty()) return;
    uint32_t at = static_cast<uint32_t>(name.data() - source_.text.data());
    out_.edits.replace(at, static_cast<uint32_t>(name.size()), other);
  }

  const Source &source_;
  const assembly::Symbols &symbols_;
  const Procedure &p_;
  const std::set<uint32_t> &retargeted_;
  EarlyEndEdits out_;
};

}  // namespace

EarlyEndEdits report_early_ends(const assembly::Unit &unit, const Procedure &procedure, const std::set<uint32_t> &retargeted) {
  return EarlyEnds(unit, procedure, retargeted).run();
}

uint32_t lone_push(const Source &source, const Procedure &p) {
  if (p.name != "__clang_call_terminate" || UnwindInfo(source, p.fragments[0]).before(last_statement_of(p, 0)).active) return assembly::kNoStatement;
  for (const Instruction &in : p.instructions) {
    if (in.decoded.mnemonic == "push") return in.last_statement;
  }
  return assembly::kNoStatement;
}

uint32_t last_statement_of(const Procedure &p, size_t f) {
  uint32_t last = p.fragments[f].first_statement;
  for (const Instruction &in : p.instructions) {
    if (in.fragment == f && !in.padding) last = std::max(last, in.last_statement);
  }
  return last;
}

}  // namespace chord::weave
