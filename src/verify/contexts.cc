#include "verify/contexts.h"

#include <chord_abi.h>

#include "format/context_sites.h"

namespace chord::verify {
namespace {

constexpr int64_t kUpperWord = -8, kLowerWord = -16;  // that a wider frame has

class Checker {
 public:
  Checker(const ProcedureFacts &f, const Record &record, const ContextProc &proc)
      : f_(f), record_(record), proc_(proc), kept_word_(f.flow.record_in() == kNoRegister ? kUpperWord : kLowerWord) {
    std::vector<uint32_t> sites = format::context_sites(f.graph.map());
    for (uint32_t k = 0; k < sites.size(); ++k) site_[f.graph.instruction(sites[k])] = k;
    if (proc.sites != sites.size()) fail(kNone, "its records have another number of slots than it has calls");
  }

  void run() {
    for (const Transition &t : f_.flow.transitions()) {
      if (t.ends.empty()) plain(t);
      for (const Machine &m : t.ends) transition(t, m);
    }
  }

 private:
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

  void transition(const Transition &t, const Machine &m) const {
    // Nothing is inserted in front of a mark at the entry, and nothing is found there.
    if (f_.flow.is_entering(t) && m.executed().empty()) return plain(t);
    int64_t moved = m.stack_moved().value_or(0);
    if (f_.flow.is_entering(t)) return enter(t, m, moved);
    if (has(m, Effect::Kind::looks_up)) fail(about(t), "a record is looked up where no activation begins");
    bool leaves = t.to == kNone || f_.flow.leaves(t.to);
    if (leaves) return leave(t, m, moved != 0);
    for (int64_t word : {kUpperWord, kLowerWord}) {
      if (!is_word(m, m.stored(word).value_or(Value{}), word) && m.stored(word)) fail(about(t), "what is to be put back is lost");
    }
    if (has(m, Effect::Kind::keeps)) fail(about(t), "a slot is changed where nothing is left");
    if (!is_named(t.to)) {
      if (m.named()) fail(about(t), "a call is named where there is none");
      return;
    }
    call(t, m);
  }

  void call(const Transition &t, const Machine &m) const {
    if (!m.named() || m.in_record(*m.named()) != slot(site_.at(t.to))) fail(t.to, "a call is told to be another one");
  }

  void enter(const Transition &t, const Machine &m, int64_t moved) const {
    bool leaves = t.to == kNone || f_.flow.leaves(t.to);
    for (const Effect &e : m.effects()) {
      if (e.kind == Effect::Kind::keeps && !leaves) fail(about(t), "a slot is changed where nothing is left");
      if (e.kind != Effect::Kind::looks_up) continue;
      if (e.symbol != record_.counters) fail(about(t), "the record of another procedure is looked up");
      int64_t frame = e.amount.number, kept = e.index.number == 0 ? 0 : e.index.number + frame;
      if (proc_.frame != frame || proc_.kept != kept) fail(about(t), "the runtime is not told where its frame is");
    }
    if (moved != 0 && !is_loaded(m, m.stored(kept_word_).value_or(Value{}), "site.kept")) fail(about(t), "what is to be put back is not kept");
    if (is_named(t.to)) return call(t, m);
    if (leaves && has(m, Effect::Kind::names)) return leave(t, m, false);
    if (m.named() && (moved != 0 || !is_loaded(m, *m.named(), "site.kept"))) fail(about(t), "a call is named where there is none");
  }

  // What was in force at the entry is put back; a jump that is a call hands it on in its own slot.
  void leave(const Transition &t, const Machine &m, bool takes_frame_down) const {
    uint32_t i = t.to != kNone ? t.to : t.from;
    auto site = site_.find(i);
    bool told = false;
    for (const Effect &e : m.effects()) {
      if (e.kind != Effect::Kind::keeps) continue;
      told = site != site_.end() && e.index.number == slot(site->second) + 8 && is_kept(m, e.amount, takes_frame_down);
      if (!told) fail(i, "a slot is told to put back something else");
    }
    if (!m.named()) {
      if (takes_frame_down) fail(i, "what was in force at the entry is not put back");
      return;
    }
    bool as_call = told && m.in_record(*m.named()) == slot(site->second);
    if (!as_call && !is_kept(m, *m.named(), takes_frame_down)) fail(i, "what was in force at the entry is not put back");
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
};

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
    if (!f.flow.record_of().empty()) throw Unproved{f.program.instrs()[entry].last, "it keeps a record that it does not count in"};
    return;
  }
  auto proc = procs.by_label.find(record->second.counters);
  bool found = proc != procs.by_label.end() && (f.flow.record_of() == record->second.counters || (f.flow.record_of().empty() && only_passes(f)));
  if (!found) throw Unproved{f.program.instrs()[entry].last, "the record of its context is not its own"};
  if (proc->second.span != 0) throw Unproved{f.program.instrs()[entry].last, std::string(kPathsInContexts)};
  Checker(f, record->second, proc->second).run();
}

}  // namespace chord::verify
