#include "weave/compose/weave_procedure.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "isa/code_text.h"
#include "weave/compose/sequences.h"
#include "weave/plan/labels.h"
#include "weave/compose/stubs.h"
#include "weave/exits/wrapped_names.h"

namespace chord::weave {

using assembly::Edge;
using assembly::Fragment;
using assembly::Instruction;
using assembly::Procedure;
using assembly::Source;
using assembly::Statement;
using assembly::UnwindRules;

namespace {

class Weaver {
 public:
  Weaver(const ProcedureFacts &facts, const ProcedurePlan &plan)
      : facts_(facts), plan_(plan), source_(facts.source()), symbols_(facts.unit().symbols), p_(facts.p), n_(facts.n), stubs_(facts.p.fragments.size()),
        spots_(facts.p, facts.n, plan.held, sequences_.before, sequences_.after) {}

  WovenProcedure run() {
    put_pieces();
    for (const OutsideCode &code : plan_.outside) put_outside(code);
    for (const Replacement &r : plan_.moved) out_.edits.replace(r.at, r.length, r.text);
    if (is_widened()) widen_rules(source_, p_, plan_.holder, out_.edits);
    std::set<uint32_t> falling;
    if (facts_.options().stubs == Options::Stubs::needed) falling = falling_stubs(sequences_.stubs, facts_.weights);
    for (const auto &[edge, sequence] : sequences_.stubs) stub(sequence, edge, falling.contains(edge));
    choose_marks();
    flush();
    widen_steps();
    for (size_t f = 0; f < p_.fragments.size(); ++f) frame_fragment(f);
    EarlyEndEdits ends = report_early_ends(facts_.unit(), p_, retargeted_);
    out_.edits.append(ends.edits);
    out_.personalities = std::move(ends.personalities);
    out_.lacks_rules = ends.lacks_rules;
    return std::move(out_);
  }

 private:
  const Statement &statement(uint32_t i) const { return source_.statements[i]; }

  const UnwindRules &rules_before(uint32_t fragment, uint32_t s) const { return facts_.rules_before(fragment, s); }
  bool is_widened() const { return plan_.holder.widens_frame(); }

  // Modes contribute in the order of their table; insertions run in their turn.
  void put_pieces() {
    std::vector<const Insertion *> order;
    for (const Insertion &insertion : plan_.insertions) order.push_back(&insertion);
    std::stable_sort(order.begin(), order.end(), [](const Insertion *a, const Insertion *b) { return a->phase < b->phase; });
    for (const Insertion *insertion : order) sequences_.put(*insertion);
  }

  // Code that a probe jumps to, now and then.
  void put_outside(const OutsideCode &code) {
    UnwindRules rules = facts_.rules_at(code.site);
    bool follows = rules.frame_follows_stack_pointer();
    if (is_widened()) rules = widened(std::move(rules), plan_.holder);
    if (follows) rules.frame_offset += code.depth;
    if (!code.place.empty()) {
      if (code.site.kind == Site::Kind::slot_stub)
        places_[code.edge].push_back(code.place);
      else
        name_inside(code.site.statement, code.place);
    }
    if (code.counts == core::kNone && code.place.empty()) spots_.follow_outside(code.label);
    std::string text = code.counts == core::kNone ? (follows ? code.code.text : without_unwind_lines(code.code.text))
                                                  : spots_.text_outside(code.site, code.counts, code.code, follows);
    stubs_[code.site.fragment].push_back({code.label, std::move(text), std::move(rules)});
  }

  // Where a way ends that has run an instruction and counted nothing after it yet: at the
  // last byte the instruction has in the original (CHORD_EXIT_AT_PC). Woven it may be longer.
  void name_inside(uint32_t s, const std::string &place) {
    for (const Instruction &in : p_.instructions) {
      if (in.padding || in.last_statement != s) continue;
      std::string &text = inside_[in.first_statement];
      std::string start = fmt::format(".Lchord_j{}_{}", n_, in.first_statement);
      if (text.empty()) text = start + ":\n";
      text += fmt::format("\t.set\t{},{}+{}\n", place, start, in.decoded.size - 1);
      return;
    }
  }

  // Unwind lines are right only where the frame is found through the stack pointer.
  bool keeps_unwind_lines(const Sequence &sequence, uint32_t s) {
    bool moves = std::any_of(sequence.begin(), sequence.end(), [](const Insertion &p) { return p.snippet.moves_stack; });
    return !moves || rules_before(sequence.front().site.fragment, s).frame_follows_stack_pointer();
  }

  // A bracket in front of a way out pushes over the places of registers that were popped: from there on, up to
  // the way out itself, their unwind rules are taken back. All other probes that push stay clear of them, and of registers that
  // leaf functions keep in the red zone.
  std::string recall_popped(const UnwindRules &rules, const Sequence &sequence) const {
    bool pushes = std::any_of(sequence.begin(), sequence.end(), [](const Insertion &p) { return p.over_red_zone && p.snippet.moves_stack; });
    return pushes ? rules.recall_popped() : "";
  }

  // ---- stubs ----

  // A way has one stub, whatever number of insertions stands on it.
  void stub(const Sequence &sequence, uint32_t number, bool falls) {
    const Edge &edge = p_.edges[number];
    const Site &site = sequence.front().site;
    Stub s;
    s.label = fmt::format(".Lchord_s{}_{}", n_, stub_count_++);
    s.rules = rules_before(site.fragment, site.statement);
    bool follows = s.rules.frame_follows_stack_pointer();
    if (is_widened()) s.rules = widened(s.rules, plan_.holder);
    std::string target = lasting_name(site, edge), jump = isa::jump_to(target);
    if (plan_.restores.contains(number)) jump += "\t.cfi_restore_state\n";
    UnwindRules here = falls ? woven_rules(site.fragment, site.gap) : UnwindRules{};
    falls = falls && assembly::can_change_rules(here, s.rules) && assembly::can_change_rules(s.rules, here);
    s.body = falls ? spots_.text_of_stub(sequence, follows, places_[number], target, "", site.gap)
                   : spots_.text_of_stub(sequence, follows, places_[number], target, jump);
    // After the body's first label, from which on it is known where control stands.
    if (site.marks_entry) s.body.insert(s.body.find(":\n") + 2, isa::entry_mark());
    const UnwindRules rules = woven_rules(site.fragment, site.statement);
    if (std::string recall = recall_popped(rules, sequence); !recall.empty()) s.body = rules.forget_popped() + s.body + recall;
    if (site.kind == Site::Kind::jump_stub) {
      retargeted_.insert(site.statement);
      rename_operand(site.statement, s.label);
    } else {
      for (const assembly::Mention &m : edge.slots) rename_in_slot(m, s.label);
    }
    if (falls)
      out_.edits.insert(statement(site.gap).begin, "\n" + in_att_syntax(site.gap, text_in_gap(source_, site.gap, s, here)));
    else
      stubs_[site.fragment].push_back(std::move(s));
  }

  // As they are in the frame that was made wider.
  UnwindRules woven_rules(uint32_t fragment, uint32_t s) {
    const UnwindRules &rules = rules_before(fragment, s);
    return is_widened() ? widened(rules, plan_.holder) : rules;
  }

  // A numeric label means something else at the end of the function, and a function that
  // is wrapped has another name.
  std::string lasting_name(const Site &site, const Edge &edge) {
    if (std::string other = stand_in(symbols_, assembly::first_symbol(site.target)); !other.empty()) return other;
    if (!std::isdigit(static_cast<unsigned char>(site.target[0]))) return std::string(site.target);
    uint32_t label = symbols_.find_label(source_, assembly::first_symbol(site.target), site.statement);
    if (label == assembly::kNoStatement) return std::string(site.target);  // an address
    std::string name = fmt::format(".Lchord_t{}_{}", n_, edge.to);
    if (named_.insert(label).second) out_.edits.insert(statement(label).begin, name + ": ");
    return name;
  }

  void rename_operand(uint32_t s, const std::string &label) {
    std::string_view operands = statement(s).operands;
    uint32_t at = static_cast<uint32_t>(operands.data() - source_.text.data());
    out_.edits.replace(at, static_cast<uint32_t>(operands.size()), label);
  }

  void rename_in_slot(const assembly::Mention &m, const std::string &label) {
    std::string_view operand = assembly::split_operands(statement(m.statement).operands)[m.operand];
    std::string_view symbol = assembly::first_symbol(operand);
    uint32_t at = static_cast<uint32_t>(symbol.data() - source_.text.data());
    out_.edits.replace(at, static_cast<uint32_t>(symbol.size()), label);
  }

  // ---- marks ----

  void choose_marks() {
    std::set<uint32_t> marked;
    for (const assembly::Block &b : p_.blocks) {
      if (b.count == 0) continue;
      marked.insert(b.first);
      for (uint32_t i = b.first; i < b.first + b.count; ++i) {
        bool displaced = sequences_.before.contains(p_.instructions[i].first_statement) ||
                         (i > b.first && sequences_.after.contains(p_.instructions[i - 1].last_statement));
        if (displaced) marked.insert(i);
      }
    }
    // What comes after a step, or an operand in a wider frame, that has become longer.
    auto mark_behind = [&](uint32_t i) {
      if (i + 1 < p_.instructions.size() && !p_.instructions[i + 1].padding) marked.insert(i + 1);
    };
    for (uint32_t i : plan_.widened_steps) mark_behind(i);
    if (is_widened()) {
      for (uint32_t i : plan_.above) mark_behind(i);
    }
    // Instructions lie fragment by fragment, each in text order.
    out_.marks.assign(marked.begin(), marked.end());
    for (uint32_t i : out_.marks) mark_at_[p_.instructions[i].first_statement] = i;
  }

  // ---- text ----

  std::string in_att_syntax(uint32_t s, const std::string &text) const {
    if (!statement(s).intel_syntax) return text;
    return "\t.att_syntax prefix\n" + text + "\t.intel_syntax noprefix\n";
  }

  void flush() {
    for (auto &[s, sequence] : sequences_.after) {
      uint32_t last = facts_.last_with_rules(s);
      out_.edits.insert(statement(last).end, "\n" + in_att_syntax(s, spots_.text_after(s, keeps_unwind_lines(sequence, last + 1))));
    }
    std::set<uint32_t> starts;
    for (auto &[s, sequence] : sequences_.before) starts.insert(s);
    for (auto &[s, i] : mark_at_) starts.insert(s);
    for (auto &[s, text] : inside_) starts.insert(s);
    for (uint32_t s : starts) {
      std::string text = "\n";
      if (auto it = sequences_.before.find(s); it != sequences_.before.end()) {
        const UnwindRules rules = woven_rules(it->second.front().site.fragment, s);
        if (std::string recall = recall_popped(rules, it->second); !recall.empty()) {
          text += rules.forget_popped();
          out_.edits.insert(statement(s).end, "\n" + recall);
        }
        text += in_att_syntax(s, spots_.text_before(s, keeps_unwind_lines(it->second, s)));
      }
      if (auto it = mark_at_.find(s); it != mark_at_.end()) text += mark_label(n_, it->second) + ":\n";
      if (auto it = inside_.find(s); it != inside_.end()) text += it->second;
      out_.edits.insert(statement(s).begin, text);
    }
    out_.spots = spots_.take();
  }

  void widen_steps() {
    for (uint32_t i : plan_.widened_steps) {
      const Statement &s = statement(p_.instructions[i].first_statement);
      const isa::Decoded &d = p_.instructions[i].decoded;
      out_.edits.replace(s.begin, s.end - s.begin, isa::whole_step(d.stepped, d.step, s.intel_syntax));
    }
  }

  // Start and end labels, the tie that keeps the record alive, and the stubs.
  void frame_fragment(size_t f) {
    const Fragment &fragment = p_.fragments[f];
    std::string start = "\n" + start_label(n_, f) + ":\n";
    if (f == 0) start += fmt::format("\t.reloc .,BFD_RELOC_NONE,{}\n", record_label(n_));
    for (const std::string &tie : plan_.ties) {
      if (f == 0) start += fmt::format("\t.reloc .,BFD_RELOC_NONE,{}\n", tie);
    }
    const uint32_t push = lone_push(source_, p_);
    if (push != assembly::kNoStatement) start += "\t.cfi_startproc\n";
    out_.edits.insert(statement(fragment.first_statement).end, start);
    if (push != assembly::kNoStatement) out_.edits.insert(statement(push).end, "\n\t.cfi_def_cfa_offset 16\n");

    // Directly after the last instruction: inside whatever the program's own end
    // labels, sizes and unwind rules enclose.
    uint32_t end = last_statement_of(p_, f);
    std::string text = "\n";
    UnwindRules now = woven_rules(static_cast<uint32_t>(f), end + 1);
    std::string stubs;
    for (const Stub &s : stubs_[f]) {
      stubs += change_rules(now, s.rules) + s.label + ":\n" + s.body;
      if (s.rules.active) now = s.rules;
    }
    text += in_att_syntax(end, stubs + plan_.note) + end_label(n_, f) + ":\n";
    if (push != assembly::kNoStatement) text += "\t.cfi_endproc\n";
    out_.edits.insert(statement(end).end, text);
  }

  const ProcedureFacts &facts_;
  const ProcedurePlan &plan_;
  const Source &source_;
  const assembly::Symbols &symbols_;
  const Procedure &p_;
  uint32_t n_;
  std::vector<std::vector<Stub>> stubs_;          // by fragment
  std::map<uint32_t, std::vector<std::string>> places_;  // by edge: labels that mean what the stub goes on to
  uint32_t stub_count_ = 0;
  Sequences sequences_;
  SpotWriter spots_;
  std::map<uint32_t, uint32_t> mark_at_;            // statement -> instruction
  std::set<uint32_t> retargeted_;                   // branches that go to a stub
  std::map<uint32_t, std::string> inside_;          // labels directly in front of a statement
  std::set<uint32_t> named_;                        // numeric labels given a lasting name
  WovenProcedure out_;
};

}  // namespace

WovenProcedure weave_procedure(const ProcedureFacts &facts, const ProcedurePlan &plan) { return Weaver(facts, plan).run(); }

}  // namespace chord::weave
