#include "verify/counting/contexts.h"

#include <chord_abi.h>

#include <algorithm>

#include "format/facts/context_sites.h"
#include "verify/claims/x86_64_probe.h"

namespace chord::verify {
namespace {

constexpr int64_t kUpperWord = -8, kLowerWord = -16;  // that a wider frame has


// By how many words what holds the record may be ahead of it.
struct Distance {
  int64_t low = 0, high = 0;
  bool operator==(const Distance &) const = default;
};

class ContextVisitor {
 public:
  ContextVisitor(const ProcedureFacts &f, const Record &record, const ContextProc &proc)
      : f_(f), record_(record), proc_(proc), kept_word_(f.flow.record_in() == kNoRegister ? kUpperWord : kLowerWord) {
    std::vector<uint32_t> sites = format::context_sites(f.graph.map());
    for (uint32_t k = 0; k < sites.size(); ++k) site_[f.graph.instruction(sites[k])] = k;
    if (proc.sites != sites.size()) fail(kNone, "its records have another number of slots than it has calls");
  }

  // Whoever lands may have been anywhere.
  Distance start(uint32_t vertex) const { return vertex == 0 ? Distance{} : any(); }
  void execute(uint32_t, Distance &) const {}
  void arrive(Node, Distance &) const {}
  void leave(const Transition &, const Distance &) const {}
  std::string difference(const Distance &, const Distance &) const { return {}; }

  static bool agree(Distance &a, const Distance &b) {
    a = {std::min(a.low, b.low), std::max(a.high, b.high)};
    return true;
  }

  void take(const Transition &t, const EdgeChain *, const Machine *m, Distance &state) {
    taken_.insert(&t);
    if (m == nullptr) return plain(t);
    for (const Effect &e : m->effects()) {
      if (e.kind == Effect::Kind::rounds) round_down(t, e, state);
    }
    transition(t, *m, state);
    if (t.to == kNone || f_.flow.leaves(t.to) || f_.flow.record_of().empty()) return;
    state = moved(t, *m, state);
  }

  // What no edge of the map leads along.
  void check_rest() {
    for (const Transition &t : f_.flow.transitions()) {
      if (taken_.contains(&t)) continue;
      Distance state = any();
      if (t.ends.empty()) plain(t);
      for (const Machine &m : t.ends) take(t, nullptr, &m, state = any());
    }
  }

 private:
  int64_t bytes_of_span() const { return int64_t{1} << proc_.span; }
  Distance any() const { return proc_.span == 0 ? Distance{} : Distance{0, bytes_of_span() / 8 - 1}; }
  bool fits(const Distance &d) const { return d.low >= 0 && d.high <= any().high; }

  void round_down(const Transition &t, const Effect &e, const Distance &d) const {
    int64_t low = e.index.number + (e.ahead ? 8 * d.low : 0), high = e.index.number + (e.ahead ? 8 * d.high : 0);
    if (e.symbol != record_.counters || low < 0 || high >= bytes_of_span()) fail(about(t), "a record is looked for elsewhere");
  }

  // By how much the holder is ahead at the end of what was inserted.
  Distance moved(const Transition &t, const Machine &m, Distance d) const {
    unsigned reg = f_.flow.record_in();
    std::optional<Value> holds = reg == kNoRegister ? m.stored(kLowerWord) : m.value(reg);
    if (!holds) return d;
    std::optional<Value> number = m.path_in_record(*holds);
    if (!number) fail(about(t), "the record of its context is lost");
    d = number->is_number() ? Distance{number->number, number->number} : Distance{d.low + number->number, d.high + number->number};
    if (!fits(d)) fail(about(t), "the number of a path is larger than its record has room for");
    return d;
  }

  // Bytes from the record, if they are known.
  static std::optional<int64_t> offset(const Machine::InRecord &at, const Distance &d) {
    if (at.ahead && d.low != d.high) return std::nullopt;
    return at.offset + (at.ahead ? 8 * d.low : 0);
  }

  bool is_slot(const Machine &m, const Value &v, uint32_t site, const Distance &d) const {
    std::optional<Machine::InRecord> at = m.in_record(v);
    return at && offset(*at, d) == slot(site);
  }

  [[noreturn]] void fail(uint32_t i, std::string what) const {
    if (i == kNone) i = f_.program.functions()[f_.function].entry;
    throw Unproved{f_.program.instrs()[i].last, std::move(what)};
  }

  static uint32_t about(const Transition &t) { return t.to != kNone ? t.to : t.from; }

  int64_t slot(uint32_t k) const { return CHORD_CONTEXT_COUNTERS + 8 * int64_t{record_.count} + CHORD_CONTEXT_SLOT * int64_t{k}; }

  // Linkers rewrite calls for addresses in thread-local storage, and no woven code runs in them.
  bool is_named(uint32_t i) const {
    if (i == kNone || f_.program.instrs()[i].facts.flow != Flow::call || !site_.contains(i)) return false;
    std::string_view operands = f_.program.source().statements[f_.program.instrs()[i].last].operands;
    return operands.find("__tls_get_addr") == operands.npos && operands.find("tlscall") == operands.npos && operands.find("TLSCALL") == operands.npos;
  }

  void plain(const Transition &t) const {
    if (is_named(t.to)) fail(t.to, "a call is not told from others");
  }

  void transition(const Transition &t, const Machine &m, const Distance &d) const {
    // Nothing is inserted in front of a mark at the entry, and nothing is found there.
    if (f_.flow.is_entering(t) && m.executed().empty()) return plain(t);
    int64_t moved = m.stack_moved().value_or(0);
    if (f_.flow.is_entering(t)) return enter(t, m, moved, d);
    if (has(m, Effect::Kind::looks_up)) fail(about(t), "a record is looked up where no activation begins");
    bool leaves = t.to == kNone || f_.flow.leaves(t.to);
    if (leaves) return go_out(t, m, moved != 0, d);
    for (int64_t word : {kUpperWord, kLowerWord}) {
      if (word == kLowerWord && kept_word_ == kUpperWord) continue;  // the record itself
      if (!is_word(m, m.stored(word).value_or(Value{}), word) && m.stored(word)) fail(about(t), "what is to be put back is lost");
    }
    if (has(m, Effect::Kind::keeps)) fail(about(t), "a slot is changed where nothing is left");
    if (!is_named(t.to)) {
      if (m.named()) fail(about(t), "a call is named where there is none");
      return;
    }
    call(t, m, d);
  }

  void call(const Transition &t, const Machine &m, const Distance &d) const {
    if (!m.named() || !is_slot(m, *m.named(), site_.at(t.to), d)) fail(t.to, "a call is told to be another one");
  }

  void enter(const Transition &t, const Machine &m, int64_t moved, const Distance &d) const {
    bool leaves = t.to == kNone || f_.flow.leaves(t.to);
    for (const Effect &e : m.effects()) {
      if (e.kind == Effect::Kind::keeps && !leaves) fail(about(t), "a slot is changed where nothing is left");
      if (e.kind != Effect::Kind::looks_up) continue;
      if (e.symbol != record_.counters) fail(about(t), "the record of another procedure is looked up");
      int64_t frame = e.amount.number, kept = e.index.number == 0 ? 0 : e.index.number + frame;
      if (proc_.frame != frame || proc_.kept != kept) fail(about(t), "the runtime is not told where its frame is");
    }
    if (moved != 0 && !is_loaded(m, m.stored(kept_word_).value_or(Value{}), "site.kept")) fail(about(t), "what is to be put back is not kept");
    if (is_named(t.to)) return call(t, m, d);
    if (leaves && has(m, Effect::Kind::names)) return go_out(t, m, false, d);
    // Without a frame nothing is put back later. What was entered by a call has the slot of that in force, and leaves it so.
    if (moved == 0 && !m.named() && may_be_jumped_to()) fail(about(t), "what was in force at the entry is not put back");
    if (m.named() && (moved != 0 || !is_loaded(m, *m.named(), "site.kept"))) fail(about(t), "a call is named where there is none");
  }

  // By a jump that is taken for a call. Those of shared objects never are.
  bool may_be_jumped_to() const {
    if (proc_.id.empty()) return false;
    const Function &own = f_.program.functions()[f_.function];
    auto jumps = [&](uint32_t i) { return f_.program.instrs()[i].facts.flow != Flow::call; };
    return own.global || std::any_of(own.callers.begin(), own.callers.end(), jumps);
  }

  // What was in force at the entry is put back; a jump that is a call hands it on in its own slot.
  void go_out(const Transition &t, const Machine &m, bool takes_frame_down, const Distance &d) const {
    uint32_t i = t.to != kNone ? t.to : t.from;
    auto site = site_.find(i);
    bool told = false;
    for (const Effect &e : m.effects()) {
      if (e.kind != Effect::Kind::keeps) continue;
      told = site != site_.end() && offset({e.index.number, e.ahead}, d) == slot(site->second) + 8 && is_kept(m, e.amount, takes_frame_down);
      if (!told) fail(i, "a slot is told to put back something else");
    }
    if (!m.named()) {
      if (takes_frame_down) fail(i, "what was in force at the entry is not put back");
      return;
    }
    if (takes_frame_down && f_.flow.record_in() != kNoRegister) left_below(i, m, d);
    bool as_call = told && is_slot(m, *m.named(), site->second, d);
    if (told) asked(i, m, as_call);
    if (!as_call && !is_kept(m, *m.named(), takes_frame_down)) fail(i, "what was in force at the entry is not put back");
  }

  // A slot is handed on if what the jump leads to keeps a record; if not, what was in force is so again.
  void asked(uint32_t i, const Machine &m, bool as_call) const {
    bool right = false;
    for (const Effect &e : m.effects()) {
      if (e.kind == Effect::Kind::asks_target) right = is_about(i, e.symbol) && (e.amount.number == 1) == as_call;
    }
    if (!right) fail(i, "a jump is taken for a call where it is none, or the other way round");
  }

  // The word holds the mark of the procedure that the jump leads to; a local one is a number of the unit's.
  bool is_about(uint32_t i, std::string_view word) const {
    uint32_t label = f_.pairing.label(word, 0), s = label == kNone ? kNone : f_.pairing.next(label);
    if (s == kNone || label < f_.pairing.first_record() || f_.pairing.woven().statements[s].name != ".quad") return false;
    std::string_view mark = assembly::trim(f_.pairing.woven().statements[s].operands);
    constexpr std::string_view kGlobal = "__chord_keeps_", kLocal = ".Lchord_w";
    return mark.starts_with(kLocal) || (mark.starts_with(kGlobal) && mark.substr(kGlobal.size()) == f_.program.instrs()[i].callee);
  }

  // Whoever is interrupted between here and the return has its record there.
  void left_below(uint32_t i, const Machine &m, const Distance &d) const {
    std::optional<Value> left = m.left_below(Machine::kLeftBelow);
    std::optional<Value> number = left ? m.path_in_record(*left) : std::nullopt;
    bool right = number && (number->is_number() ? fits({number->number, number->number}) : fits({d.low + number->number, d.high + number->number}));
    if (!right) fail(i, "the record is not left where the runtime looks for it");
  }

  bool is_kept(const Machine &m, const Value &v, bool in_frame) const { return in_frame ? is_word(m, v, kept_word_) : is_loaded(m, v, "site.kept"); }

  static bool has(const Machine &m, Effect::Kind kind) {
    for (const Effect &e : m.effects()) {
      if (e.kind == kind) return true;
    }
    return false;
  }

  static bool is_loaded(const Machine &m, const Value &v, std::string_view name) {
    return v.number == 0 && v.terms.size() == 1 && v.terms[0].second == 1 && m.atoms().is(v.terms[0].first, AtomMeaning::Kind::loaded, name);
  }

  // What the word held where the inserted code began.
  static bool is_word(const Machine &m, const Value &v, int64_t key) {
    const AtomMeaning *meaning = v.number == 0 && v.terms.size() == 1 && v.terms[0].second == 1 ? m.atoms().meaning(v.terms[0].first) : nullptr;
    return meaning != nullptr && meaning->kind == AtomMeaning::Kind::stack_word && meaning->key == key;
  }

  const ProcedureFacts &f_;
  const Record &record_;
  const ContextProc &proc_;
  int64_t kept_word_;  // where the slot is that was in force at the entry
  std::map<uint32_t, uint32_t> site_;  // instruction -> number of its slot
  std::set<const Transition *> taken_;
};

// The runtime is told by a note after the code where the record is, and of what procedure.
void check_note(const ProcedureFacts &f, std::string_view proc_label, const ContextProc &proc) {
  const assembly::Source &woven = f.pairing.woven();
  const uint32_t in = f.flow.record_in();
  std::optional<Expression> before;
  bool found = false, right = true;
  uint32_t label = f.pairing.label(f.graph.map().fragments[0].name, 0);
  for (uint32_t s = label; s != kNone; s = f.pairing.next(s)) {
    const assembly::Statement &x = woven.statements[s];
    if (x.name == ".cfi_endproc" || (x.name == ".size" && s != label)) break;
    if (!f.pairing.is_inserted(s) || x.name != "nopl") continue;
    auto value = read_expression(x.operands.substr(0, x.operands.find('(')));
    int64_t where = value && value->symbol.empty() ? value->number - CHORD_CONTEXT_NOTE : -1;
    if (where >= 0 && where < 2 * CHORD_CONTEXT_SHARED) {
      bool shared = proc.id.empty();
      int64_t expected = (in == kNoRegister ? CHORD_PATH_IN_FRAME : static_cast<int64_t>(dwarf_number(in))) + (shared ? CHORD_CONTEXT_SHARED : 0) + (f.flow.widened() ? 0 : CHORD_CONTEXT_UNKEPT);
      bool named = before && before->number == 0 && (shared ? before->symbol == proc_label && before->minus == "." : before->symbol == proc.id && before->relocation == "tpoff");
      found = true;
      right = right && named && where == expected;
    }
    before = value;
  }
  uint32_t entry = f.program.functions()[f.function].entry;
  if (!found || !right) throw Unproved{f.program.instrs()[entry].last, "the runtime is not told where the record of its context is"};
}

// It is left where it begins, so that its record is nowhere in between.
bool only_passes(const ProcedureFacts &f) {
  for (const Transition &t : f.flow.transitions()) {
    bool passes = f.flow.is_entering(t) && (t.to == kNone || f.flow.leaves(t.to));
    if (!t.ends.empty() && !passes) return false;
  }
  return true;
}

}  // namespace

void prove_contexts(const ProcedureFacts &f, const ContextProcs &procs) {
  auto record = f.records.by_key.find(f.graph.map().key);
  bool keeps = record != f.records.by_key.end() && record->second.kind == CHORD_COUNTERS_RECORD;
  uint32_t entry = f.program.functions()[f.function].entry;
  if (!keeps) {
    if (f.graph.map().plan.paths.in_records) throw Unproved{f.program.instrs()[entry].last, "its paths are in records that it does not keep"};
    if (!f.flow.record_of().empty()) throw Unproved{f.program.instrs()[entry].last, "it keeps a record that it does not count in"};
    return;
  }
  auto proc = procs.by_label.find(record->second.counters);
  bool found = proc != procs.by_label.end() && (f.flow.record_of() == record->second.counters || (f.flow.record_of().empty() && only_passes(f)));
  if (!found) throw Unproved{f.program.instrs()[entry].last, "the record of its context is not its own"};
  const core::Plan &plan = f.graph.map().plan;
  bool counts_paths = plan.placement == core::Placement::paths;
  if (counts_paths != plan.paths.in_records || counts_paths != (proc->second.span != 0) || plan.placement == core::Placement::chosen_paths)
    throw Unproved{f.program.instrs()[entry].last, "its records are not said to count paths as it counts them"};
  if (!f.flow.record_of().empty() && !only_passes(f)) check_note(f, record->second.counters, proc->second);
  ContextVisitor visitor(f, record->second, proc->second);
  Propagation<Distance, ContextVisitor>(f, visitor).run();
  visitor.check_rest();
}

}  // namespace chord::verify
