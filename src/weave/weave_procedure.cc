#include "weave/weave_procedure.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "assembly/unwind_info.h"
#include "weave/chunks.h"
#include "weave/contexts.h"
#include "weave/counter_place.h"
#include "weave/early_ends.h"
#include "weave/paths.h"
#include "weave/stubs.h"
#include "weave/wrapped_names.h"

namespace chord::weave {

using assembly::Edge;
using assembly::Fragment;
using assembly::Instruction;
using assembly::Procedure;
using assembly::Source;
using assembly::Statement;
using assembly::UnwindInfo;
using assembly::UnwindRules;

std::string start_label(uint32_t n, size_t fragment) { return fmt::format(".Lchord_f{}_{}", n, fragment); }
std::string end_label(uint32_t n, size_t fragment) { return fmt::format(".Lchord_e{}_{}", n, fragment); }
std::string mark_label(uint32_t n, uint32_t instruction) { return fmt::format(".Lchord_m{}_{}", n, instruction); }
std::string counters_label(uint32_t n) { return fmt::format(".Lchord_c{}", n); }
std::string record_label(uint32_t n) { return fmt::format(".Lchord_p{}", n); }
std::string numbers_label(uint32_t n) { return fmt::format(".Lchord_u{}", n); }
std::string spot_label(uint32_t n, uint32_t spot) { return fmt::format(".Lchord_w{}_{}", n, spot); }
std::string totals_record_label(uint32_t n) { return fmt::format(".Lchord_q{}", n); }
std::string personality_label(const std::string &personality) { return "__chord_personality." + personality; }

namespace {

class Weaver {
 public:
  Weaver(const assembly::Unit &unit, const Procedure &p, uint32_t n, const core::Plan &plan, const Sites &sites,
         const std::vector<double> &weights, const JumpedLabels &jumped, const LoopCounters &loops, const PathWeaving *paths,
         const ContextWeaving *contexts, const Options &options)
      : unit_(unit), source_(*unit.source), symbols_(unit.symbols), p_(p), n_(n), plan_(plan), sites_(sites), weights_(weights),
        jumped_(jumped), loops_(loops), paths_(paths), contexts_(contexts), options_(options), spots_(p, n, loops.held, chunks_.before, chunks_.after) {
    rules_.resize(p.fragments.size());
    stubs_.resize(p.fragments.size());
  }

  WovenProcedure run(const std::vector<Probe> &probes, const Brackets &brackets) {
    if (contexts_ != nullptr) enter_contexts();
    for (const Probe &p : brackets.outer) chunks_.put({p.site, p.edge, p.snippet}, Turn::first);
    for (const Piece &piece : loops_.pieces) chunks_.put(piece);
    for (uint32_t k = 0; k < plan_.counters.size(); ++k) probe(k);
    for (const Probe &p : probes) {
      chunks_.put({p.site, p.edge, p.snippet}, p.outside_label.empty() ? Turn::leaving : Turn::checking);
      if (!p.outside_label.empty()) put_outside(p);
    }
    if (paths_ != nullptr) count_paths();
    for (const Probe &p : brackets.inner) chunks_.put({p.site, p.edge, p.snippet}, Turn::last);
    if (contexts_ != nullptr) leave_contexts();
    std::set<uint32_t> falling;
    if (options_.stubs == Options::Stubs::needed) falling = falling_stubs(chunks_.stubs, weights_);
    for (const auto &[edge, chunk] : chunks_.stubs) stub(chunk, edge, falling.contains(edge));
    choose_marks();
    flush();
    widen_steps();
    for (size_t f = 0; f < p_.fragments.size(); ++f) frame_fragment(f);
    report_early_ends(unit_, p_, retargeted_, out_);
    return std::move(out_);
  }

 private:
  const Statement &statement(uint32_t i) const { return source_.statements[i]; }

  const UnwindRules &rules_before(uint32_t fragment, uint32_t s) {
    if (!rules_[fragment]) rules_[fragment].emplace(source_, p_.fragments[fragment]);
    return rules_[fragment]->before(s);
  }

  // The statement behind which code put behind statement s stands: unwind rules that take effect
  // with an instruction are written behind it, and must hold in a probe as well. Behind a way out
  // they are those of what comes next.
  uint32_t last_with_rules(uint32_t s) const {
    uint32_t last = s;
    std::optional<isa::Decoded> d = isa::decode(unit_.layout.bytes(source_, s));
    if (d && (d->flow == isa::Flow::leave || d->flow == isa::Flow::jump)) return s;
    for (uint32_t next = s + 1; next < source_.statements.size() && statement(next).section == statement(s).section; ++next) {
      if (assembly::follows_instruction(statement(next))) {
        last = next;
      } else if (!is_passive(statement(next))) {
        break;
      }
    }
    return last;
  }

  // Debug information may come between an instruction and its rules.
  bool is_passive(const Statement &s) const {
    if (s.kind != assembly::StatementKind::label) return s.name == ".loc";
    return !is_jumped_to(jumped_, s.name);
  }

  const UnwindRules &rules_at(const Site &site) {
    return rules_before(site.fragment, site.kind == Site::Kind::after ? last_with_rules(site.statement) + 1 : site.statement);
  }

  void probe(uint32_t k) {
    const core::Counter &counter = plan_.counters[k];
    if (counter.site == core::Site::sum) return;  // the program itself counts it
    const Site &site = counter.site == core::Site::edge ? sites_.edge[counter.id] : sites_.block[counter.id];
    uint32_t edge = counter.site == core::Site::edge ? counter.id : core::kNone;
    if (const HeldCounter *held = loops_.find(k)) {
      if (held->by_program == StepKind::none) chunks_.put({site, edge, isa::increment(held->holder, site.live), Effect::count, k});
      return;
    }
    isa::AnyPlace place = counter_place(options_, site, counters_label(n_), k);
    Turn turn = edge != core::kNone && leaves_block(site, p_.edges[edge]) ? Turn::leaving : Turn::entering;
    chunks_.put({site, edge, isa::increment(place, site.live), Effect::count, k}, turn);
  }

  // The counter of an edge stands in front of its source's last instruction, or behind.
  bool leaves_block(const Site &site, const Edge &edge) const {
    const assembly::Block &from = p_.blocks[edge.from];
    if (from.kind != assembly::BlockKind::code) return false;
    const Instruction &last = p_.instructions[from.first + from.count - 1];
    return site.kind == Site::Kind::after ? site.statement == last.last_statement
                                          : site.statement == last.first_statement;
  }

  // Code that a probe jumps to, now and then.
  void put_outside(const Probe &p) {
    UnwindRules rules = rules_at(p.site);
    std::string body = rules.frame_follows_stack_pointer() ? p.outside.text : without_unwind_lines(p.outside.text);
    if (rules.frame_follows_stack_pointer()) rules.frame_offset += p.snippet.depth_at_check;
    if (p.site.kind == Site::Kind::slot_stub) {
      places_[p.edge].push_back(p.place_label);
    } else if (!p.place_label.empty()) {
      name_inside(p.site.statement, p.place_label);
    }
    stubs_[p.site.fragment].push_back({p.outside_label, std::move(body), std::move(rules)});
  }

  // Where a way ends that has run an instruction and counted nothing behind it yet: at the
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

  // ---- paths ----

  // Of the path's number or the context's record.
  isa::PathHolder holder() const { return paths_ != nullptr ? paths_->holder : contexts_ != nullptr ? contexts_->holder : isa::PathHolder{}; }
  bool is_widened() const { return holder().widens_frame(); }

  void count_paths() {
    for (const PathProbe &p : paths_->probes) put_path_probe(p);
    if (!is_widened()) return;
    for (const Replacement &r : paths_->moved) out_.edits.replace(r.at, r.length, r.text);
    widen_rules(source_, p_, paths_->holder, out_.edits);
  }

  // In and out of the procedure: the probe, and the frame that it needs.
  void put_path_probe(const PathProbe &p) {
    const Site &site = p.site;
    auto put = [&](isa::Snippet snippet, Effect effect, int64_t amount, Detour detour = {}) {
      chunks_.put({site, p.edge, std::move(snippet), effect, 0, Turn::leaving, amount, std::move(detour)}, Turn::leaving);
    };
    bool inside = p.role == PathProbe::Role::inside;
    const UnwindRules &rules = rules_at(site);
    if (p.role == PathProbe::Role::enters) put({isa::widen_frame(paths_->holder, rules.active)}, Effect::none, 0);
    for (PathProbe::Part part : p.parts) {
      // Where the frame itself is made, unwind lines are no longer all or nothing.
      if (!inside && part.snippet.moves_stack) {
        if (!rules.frame_follows_stack_pointer()) strip_unwind_lines(part.snippet);
        part.snippet.moves_stack = false;
      }
      put(std::move(part.snippet), part.effect, part.amount, std::move(part.detour));
    }
    if (p.role == PathProbe::Role::leaves) {
      bool unwinding = rules_at_way_out(rules);
      put(narrow(site, p.edge, isa::narrow_frame(paths_->holder, unwinding), unwinding), Effect::none, 0);
    }
  }

  // `text` takes the frame down on a way out; the rules behind it are as they were.
  isa::Snippet narrow(const Site &site, uint32_t edge, const std::string &text, bool unwinding) {
    isa::Snippet s;
    if (unwinding) s.text = "\t.cfi_remember_state\n";
    s.text += text;
    const assembly::Block &from = p_.blocks[p_.edges[edge].from];
    Site behind = site;
    behind.kind = Site::Kind::after;
    behind.statement = p_.instructions[from.first + from.count - 1].last_statement;
    if (unwinding && !site.is_stub()) chunks_.put({behind, core::kNone, {"\t.cfi_restore_state\n"}}, Turn::leaving);
    if (unwinding && site.is_stub()) restores_.insert(edge);
    return s;
  }

  // ---- calling contexts ----

  void enter_contexts() {
    isa::ContextLabels labels{context_id_label(n_), context_proc_label(n_), fmt::format(".Lchord_y{}", n_)};
    for (const ContextProbe &p : contexts_->probes) {
      if (p.role != ContextProbe::Role::enters) continue;
      bool unwinding = rules_at(p.site).active;
      chunks_.put({p.site, p.edge, {isa::enter_context(contexts_->holder, labels, p.scratch, unwinding), isa::kEnterPrice}}, Turn::first);
    }
    for (const Replacement &r : contexts_->moved) out_.edits.replace(r.at, r.length, r.text);
    if (is_widened()) widen_rules(source_, p_, contexts_->holder, out_.edits);
  }

  void leave_contexts() {
    for (const ContextProbe &p : contexts_->probes) {
      int64_t slot = slot_offset(plan_.words(), p.call);
      if (p.role == ContextProbe::Role::calls)
        chunks_.put({p.site, core::kNone, isa::name_call(p.site.record, slot, p.site.live)}, Turn::last);
      if (p.role == ContextProbe::Role::calls || p.role == ContextProbe::Role::enters) continue;
      bool unwinding = is_widened() && rules_at_way_out(rules_at(p.site));
      std::string text = p.role == ContextProbe::Role::jumps
                             ? isa::leave_context_for(contexts_->holder, {slot, p.scratch, jump_word_label(n_, p.call), fmt::format(".Lchord_x{}_{}", n_, p.edge)}, unwinding)
                             : isa::leave_context(contexts_->holder, contexts_->puts_back, unwinding);
      chunks_.put({p.site, p.edge, narrow(p.site, p.edge, text, unwinding)}, Turn::last);
    }
  }

  // By which the runtime finds the record of an activation.
  std::string context_note() const {
    bool in_frame = contexts_->holder.kind == isa::PathHolder::Kind::slot;
    return fmt::format("\tnopl\t{}@tpoff(%rax)\n\tnopl\t{:#x}(%rax)\n", context_id_label(n_),
                       CHORD_CONTEXT_NOTE + (is_widened() ? 0 : CHORD_CONTEXT_UNKEPT) +
                           (in_frame ? CHORD_PATH_IN_FRAME : isa::dwarf_number(contexts_->holder.reg)));
  }

  // By which the runtime finds the number of an activation's path.
  std::string path_note() const {
    if (contexts_ != nullptr) return context_note();
    if (paths_ == nullptr || paths_->holder.kind == isa::PathHolder::Kind::none) return {};
    if (plan_.placement == core::Placement::chosen_paths) return {};  // partial paths are none of them
    bool in_frame = paths_->holder.kind == isa::PathHolder::Kind::slot;
    return fmt::format("\tnopl\t{:#x}(%rax)\n",
                       CHORD_PATH_NOTE + (in_frame ? CHORD_PATH_IN_FRAME : isa::dwarf_number(paths_->holder.reg)));
  }

  // Unwind lines are right only where the frame is found through the stack pointer.
  bool keeps_unwind_lines(const Chunk &chunk, uint32_t s) {
    bool moves = std::any_of(chunk.begin(), chunk.end(), [](const Piece &p) { return p.snippet.moves_stack; });
    return !moves || rules_before(chunk.front().site.fragment, s).frame_follows_stack_pointer();
  }

  // A bracket in front of a way out pushes over the places of registers that were popped: from there on, up to
  // the way out itself, their unwind rules are taken back. (All other probes that push stay clear of them.)
  std::string recall_popped(const UnwindRules &rules, const Chunk &chunk) const {
    bool pushes = std::any_of(chunk.begin(), chunk.end(), [](const Piece &p) { return p.turn == Turn::last && p.snippet.moves_stack; });
    return pushes ? rules.recall_popped() : "";
  }

  // ---- stubs ----

  // A way has one stub, whatever number of pieces stands on it.
  void stub(const Chunk &chunk, uint32_t number, bool falls) {
    const Edge &edge = p_.edges[number];
    const Site &site = chunk.front().site;
    Stub s;
    s.label = fmt::format(".Lchord_s{}_{}", n_, stub_count_++);
    s.rules = rules_before(site.fragment, site.statement);
    bool follows = s.rules.frame_follows_stack_pointer();
    if (is_widened()) s.rules = widened(s.rules, holder());
    std::string target = lasting_name(site, edge), jump = fmt::format("\tjmp\t{}\n", target);
    if (restores_.contains(number)) jump += "\t.cfi_restore_state\n";
    UnwindRules here = falls ? rules_in_gap(site) : UnwindRules{};
    falls = falls && assembly::can_change_rules(here, s.rules) && assembly::can_change_rules(s.rules, here);
    s.body = falls ? spots_.text_of_stub(chunk, follows, places_[number], target, "", site.gap)
                   : spots_.text_of_stub(chunk, follows, places_[number], target, jump);
    const UnwindRules &rules = rules_before(site.fragment, site.statement);
    if (std::string recall = recall_popped(rules, chunk); !recall.empty()) s.body = rules.forget_popped() + s.body + recall;
    if (site.marks_entry) s.body = "\tendbr64\n" + s.body;
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

  UnwindRules rules_in_gap(const Site &site) {
    const UnwindRules &rules = rules_before(site.fragment, site.gap);
    return is_widened() ? widened(rules, holder()) : rules;
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
        bool displaced = chunks_.before.contains(p_.instructions[i].first_statement) ||
                         (i > b.first && chunks_.after.contains(p_.instructions[i - 1].last_statement));
        if (displaced) marked.insert(i);
      }
    }
    // What comes behind a step that has become longer.
    for (uint32_t i : loops_.widened) {
      if (i + 1 < p_.instructions.size() && !p_.instructions[i + 1].padding) marked.insert(i + 1);
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
    for (auto &[s, chunk] : chunks_.after) {
      uint32_t last = last_with_rules(s);
      out_.edits.insert(statement(last).end, "\n" + in_att_syntax(s, spots_.text_after(s, keeps_unwind_lines(chunk, last + 1))));
    }
    std::set<uint32_t> starts;
    for (auto &[s, chunk] : chunks_.before) starts.insert(s);
    for (auto &[s, i] : mark_at_) starts.insert(s);
    for (auto &[s, text] : inside_) starts.insert(s);
    for (uint32_t s : starts) {
      std::string text = "\n";
      if (auto it = chunks_.before.find(s); it != chunks_.before.end()) {
        const UnwindRules &rules = rules_before(it->second.front().site.fragment, s);
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
    for (uint32_t i : loops_.widened) {
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
    if (f == 0 && options_.callsites) start += fmt::format("\t.reloc .,BFD_RELOC_NONE,{}\n", totals_record_label(n_));
    const uint32_t push = lone_push(source_, p_);
    if (push != assembly::kNoStatement) start += "\t.cfi_startproc\n";
    out_.edits.insert(statement(fragment.first_statement).end, start);
    if (push != assembly::kNoStatement) out_.edits.insert(statement(push).end, "\n\t.cfi_def_cfa_offset 16\n");

    // Directly behind the last instruction: inside whatever the program's own end
    // labels, sizes and unwind rules enclose.
    uint32_t end = last_statement_of(p_, f);
    std::string text = "\n";
    UnwindRules now = rules_before(static_cast<uint32_t>(f), end + 1);
    if (is_widened()) now = widened(now, holder());
    std::string stubs;
    for (const Stub &s : stubs_[f]) {
      stubs += change_rules(now, s.rules) + s.label + ":\n" + s.body;
      if (s.rules.active) now = s.rules;
    }
    text += in_att_syntax(end, stubs + path_note()) + end_label(n_, f) + ":\n";
    if (push != assembly::kNoStatement) text += "\t.cfi_endproc\n";
    out_.edits.insert(statement(end).end, text);
  }

  const assembly::Unit &unit_;
  const Source &source_;
  const assembly::Symbols &symbols_;
  const Procedure &p_;
  uint32_t n_;
  const core::Plan &plan_;
  const Sites &sites_;
  const std::vector<double> &weights_;  // by edge
  const JumpedLabels &jumped_;
  const LoopCounters &loops_;
  const PathWeaving *paths_;
  const ContextWeaving *contexts_;
  const Options &options_;
  std::set<uint32_t> restores_;                   // ways out whose stub must put the rules back
  std::vector<std::optional<UnwindInfo>> rules_;  // by fragment, made when first asked for
  std::vector<std::vector<Stub>> stubs_;          // by fragment
  std::map<uint32_t, std::vector<std::string>> places_;  // by edge: labels that mean what the stub goes on to
  uint32_t stub_count_ = 0;
  Chunks chunks_;
  SpotWriter spots_;
  std::map<uint32_t, uint32_t> mark_at_;            // statement -> instruction
  std::set<uint32_t> retargeted_;                   // branches that go to a stub
  std::map<uint32_t, std::string> inside_;          // labels directly in front of a statement
  std::set<uint32_t> named_;                        // numeric labels given a lasting name
  WovenProcedure out_;
};

}  // namespace

WovenProcedure weave_procedure(const assembly::Unit &unit, const Procedure &procedure, uint32_t n,
                               const core::Plan &plan, const Sites &sites, const std::vector<double> &weights,
                               const JumpedLabels &jumped, const LoopCounters &loops, const std::vector<Probe> &probes,
                               const Brackets &brackets, const PathWeaving *paths, const ContextWeaving *contexts,
                               const Options &options) {
  return Weaver(unit, procedure, n, plan, sites, weights, jumped, loops, paths, contexts, options).run(probes, brackets);
}

}  // namespace chord::weave
