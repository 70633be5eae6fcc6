#include "assembly/unit/evidence.h"

#include <algorithm>

#include "assembly/unit/liveness.h"
#include "isa/conventions.h"

namespace chord::assembly {
namespace {

// ---- who wrote it ----

enum class Writer : uint8_t { unknown, gcc, compiler };

bool has_source_of_compilers(std::string_view file) {
  static constexpr std::string_view kAssembly[] = {".s", ".S", ".asm", ".sx"};
  size_t dot = file.rfind('.');
  if (dot == std::string_view::npos) return false;
  return std::find(std::begin(kAssembly), std::end(kAssembly), file.substr(dot)) == std::end(kAssembly);
}

// Compilers sign their text, or at least name its source.
Writer writer_of(const Unit &unit) {
  for (const Statement &s : unit.source->statements) {
    if (s.kind != StatementKind::directive || s.name != ".ident") continue;
    if (s.operands.starts_with("\"GCC:")) return Writer::gcc;
    if (s.operands.find("clang version") != std::string_view::npos) return Writer::compiler;
  }
  return has_source_of_compilers(unit.symbols.unit) ? Writer::compiler : Writer::unknown;
}

bool leaves_by(const Procedure &p, const Edge &e) {
  return e.to == kExit && e.from != kEntry && p.blocks[e.from].kind == BlockKind::code;
}
const Instruction &last_of(const Procedure &p, uint32_t block) {
  return p.instructions[p.blocks[block].first + p.blocks[block].count - 1];
}

// Inline assembly may be a whole function, with the label before it or without.
bool is_compiled(const Unit &unit, const Procedure &p) {
  const std::vector<Statement> &statements = unit.source->statements;
  if (statements[p.fragments[0].first_statement].inline_asm) return false;
  return std::none_of(p.edges.begin() + 1, p.edges.end(), [&](const Edge &e) {
    return leaves_by(p, e) && e.kind != EdgeKind::never && statements[last_of(p, e.from).last_statement].inline_asm;
  });
}

// ---- what a procedure does with registers ----

struct Seen {
  isa::Resources destroyed = 0;  // somewhere on the way here, and not put back since
  isa::Resources untouched = 0;  // on every path as the caller left it
  isa::Resources exposed = 0;    // on some path likewise, calls apart
  bool reached = false;
  bool operator==(const Seen &) const = default;
};

struct Shown {
  isa::Resources destroyed = 0, arguments = 0;
  isa::Resources odd = 0;  // read where nobody has written it
};

// Nobody keeps a variable in a register of the usual arguments and results. Frame pointers are made whether or
// not anybody uses them.
isa::Resources seldom_passed() {
  return (isa::never_passed() | isa::callee_saved() | isa::static_chain()) & ~isa::register_numbered(isa::kFramePointer);
}

class Forward {
 public:
  Forward(const Unit &unit, const Procedure &p, const std::vector<Shown> &others)
      : unit_(unit), p_(p), others_(others), in_(p.blocks.size()), next_(p.blocks.size()), returns_(p.blocks.size()) {}

  Shown run() {
    for (size_t e = 1; e < p_.edges.size(); ++e) {
      const Edge &x = p_.edges[e];
      next_[x.from].push_back(x.to);
      // Before a call that does not return nothing is put back, whatever the convention.
      if (x.to == kExit && x.kind != EdgeKind::never) returns_[x.from] = true;
    }
    for (size_t e = 1; e < p_.edges.size(); ++e) {
      if (p_.edges[e].from == kEntry) join(p_.edges[e].to, at_entry(p_.edges[e]));
    }
    while (!work_.empty()) {
      uint32_t b = work_.back();
      work_.pop_back();
      Seen state = in_[b];
      for (uint32_t i = first(b); i < end(b); ++i) step(p_.instructions[i], state);
      for (uint32_t w : next_[b]) join(w, state);
    }
    for (uint32_t b = 2; b < p_.blocks.size(); ++b) collect(b);
    return out_;
  }

 private:
  uint32_t first(uint32_t b) const { return p_.blocks[b].first; }
  uint32_t end(uint32_t b) const { return p_.blocks[b].first + p_.blocks[b].count; }

  static Seen at_entry(const Edge &e) {
    if (e.kind == EdgeKind::enter) return {0, isa::all_registers(), isa::all_registers(), true};
    return {0, 0, isa::never_passed(), true};  // an exception, a second return
  }

  void join(uint32_t b, const Seen &state) {
    Seen merged = state;
    if (in_[b].reached) {
      merged.destroyed |= in_[b].destroyed;
      merged.untouched &= in_[b].untouched;
      merged.exposed |= in_[b].exposed;
    }
    if (merged == in_[b]) return;
    in_[b] = merged;
    work_.push_back(b);
  }

  bool is_inline(const Instruction &in) const { return unit_.source->statements[in.last_statement].inline_asm; }

  void step(const Instruction &in, Seen &state) const {
    if (in.padding) return;
    const isa::Decoded &d = in.decoded;
    isa::Resources writes = d.writes & isa::all_registers();
    state.untouched &= ~writes;
    state.exposed &= ~writes;
    if (d.flow == isa::Flow::call) {
      state.untouched &= ~isa::call_clobbers();
      if (uint32_t callee = local_callee(unit_, in); callee != kElsewhere) state.destroyed |= others_[callee].destroyed;
    } else if (isa::may_restore(d)) {
      state.destroyed &= ~writes;
    } else if (!is_inline(in)) {
      state.destroyed |= writes & ~isa::register_numbered(isa::kStackPointer);
    }
  }

  void collect(uint32_t b) {
    if (!in_[b].reached) return;
    Seen state = in_[b];
    for (uint32_t i = first(b); i < end(b); ++i) {
      look_at_reads(p_.instructions[i], state);
      step(p_.instructions[i], state);
    }
    if (returns_[b] && p_.blocks[b].count != 0) leave(p_.instructions[end(b) - 1], state);
  }

  void look_at_reads(const Instruction &in, const Seen &state) {
    const isa::Decoded &d = in.decoded;
    if (in.padding || d.unknown_effects || d.flow == isa::Flow::call || is_inline(in)) return;
    // What is written in part seems to be read as well.
    bool sets_part = (d.mnemonic.starts_with("set") || d.mnemonic.starts_with("mov")) && !d.kills;
    isa::Resources reads = d.reads & ~isa::kept_by(d) & isa::general_registers();
    if (sets_part) reads &= ~d.writes;
    out_.arguments |= reads & state.untouched;
    out_.odd |= reads & state.exposed & seldom_passed();
  }

  void leave(const Instruction &last, const Seen &state) {
    if (last.decoded.traps) return;
    if (last.decoded.traits & isa::kReturn) out_.destroyed |= state.destroyed;
    if (last.decoded.traits & isa::kReturn) return;
    // gcc leaves some functions by a routine that puts back what they have kept.
    if (callee_of(*unit_.source, last).starts_with("__res")) return;
    out_.destroyed |= state.destroyed;
    if (uint32_t callee = local_callee(unit_, last); callee != kElsewhere) out_.destroyed |= others_[callee].destroyed;
  }

  const Unit &unit_;
  const Procedure &p_;
  const std::vector<Shown> &others_;  // by procedure
  std::vector<Seen> in_;              // by block
  std::vector<std::vector<uint32_t>> next_;
  std::vector<bool> returns_;         // by block
  std::vector<uint32_t> work_;
  Shown out_;
};

// Registers that are written although, as far as the usual convention goes, nobody will read them.
isa::Resources written_for_nothing(const Unit &unit, const Procedure &p) {
  Liveness live = compute_usual_liveness(unit, p);
  std::vector<std::vector<uint32_t>> next(p.blocks.size());
  for (size_t e = 1; e < p.edges.size(); ++e) next[p.edges[e].from].push_back(p.edges[e].to);
  isa::Resources odd = 0;
  for (uint32_t b = 2; b < p.blocks.size(); ++b) {
    isa::Resources after = 0;
    for (uint32_t w : next[b]) after |= live.block_in[w];
    for (uint32_t k = p.blocks[b].count; k-- > 0;) {
      const Instruction &in = p.instructions[p.blocks[b].first + k];
      if (!in.padding && !unit.source->statements[in.last_statement].inline_asm) {
        // Some are there for the flags alone.
        bool for_flags = (in.decoded.writes & after & isa::all_flags()) != 0;
        if (!for_flags) odd |= isa::set_on_purpose(in.decoded) & ~after;
      }
      after = live.before[p.blocks[b].first + k];
    }
  }
  return odd & seldom_passed();
}

// Registers that the compiler's unwind rules say it saves in its frame. In such a one nobody keeps a variable of the whole program: a compiler that
// was told of that saves it nowhere. If the procedure seems to read it before it has written it, or writes it for nothing, that is a path that is never
// taken: after a call of something that does not return, say, of which its text does not tell.
isa::Resources saved_by_rules(const Unit &unit, const Procedure &p) {
  isa::Resources saved = 0;
  for (const Fragment &f : p.fragments) {
    for (uint32_t i = f.first_statement; i < f.last_statement; ++i) {
      const Statement &s = unit.source->statements[i];
      if (s.section != f.section || s.kind != StatementKind::directive || (s.name != ".cfi_offset" && s.name != ".cfi_rel_offset")) continue;
      const std::vector<std::string_view> operands = split_operands(s.operands);
      if (s.inline_asm || operands.empty()) continue;
      std::string_view name = trim(operands[0]);
      for (unsigned r = 0; r < isa::kNoRegister; ++r) {
        if (name == std::to_string(isa::dwarf_number(r))) saved |= isa::register_numbered(r);
      }
      saved |= isa::register_named(name).value_or(0);
    }
  }
  return saved & isa::callee_saved();
}

class ConventionFinder {
 public:
  explicit ConventionFinder(Unit &unit) : unit_(unit), writer_(writer_of(unit)), shown_(unit.procedures.size()) {}

  void run() {
    if (writer_ == Writer::unknown) return;
    for (Procedure &p : unit_.procedures) p.convention.compiled = p.skipped.empty() && is_compiled(unit_, p);
    // Callees mostly come first in the text; what is left unknown is merely not given up.
    for (int round = 0; round < 2; ++round) {
      for (uint32_t n = 0; n < shown_.size(); ++n) {
        if (unit_.procedures[n].convention.compiled) shown_[n] = Forward(unit_, unit_.procedures[n], shown_).run();
      }
    }
    for (uint32_t n = 0; n < shown_.size(); ++n) {
      Procedure &p = unit_.procedures[n];
      if (!p.convention.compiled) continue;
      isa::Resources odd = written_for_nothing(unit_, p);
      p.convention.unusual = odd != 0;
      unit_.odd |= (odd | shown_[n].odd) & ~saved_by_rules(unit_, p);
      destroyed_ |= shown_[n].destroyed;
      for (const Instruction &in : p.instructions) unit_.saved |= isa::kept_by(in.decoded) & isa::callee_saved();
    }
    unit_.saved &= ~unit_.odd;
    for (uint32_t n = 0; n < shown_.size(); ++n) judge(n);
  }

 private:
  void judge(uint32_t n) {
    Procedure &p = unit_.procedures[n];
    Convention &c = p.convention;
    if (!c.compiled) return;
    isa::Evidence evidence{shown_[n].destroyed, shown_[n].arguments, writer_ != Writer::gcc, isa::names_regcall(p.name)};
    isa::Resources kept = isa::kept_on_demand() & (unit_.odd | ~destroyed_);
    c.given_up = isa::given_up(evidence) & ~kept;
    if (c.unusual) c.given_up &= isa::all_flags();
  }

  Unit &unit_;
  Writer writer_;
  std::vector<Shown> shown_;  // by procedure
  isa::Resources destroyed_ = 0;  // by some procedure of the unit
};

}  // namespace

bool is_written_by_compiler(const Unit &unit) { return writer_of(unit) != Writer::unknown; }

void find_conventions(Unit &unit) { ConventionFinder(unit).run(); }

}  // namespace chord::assembly
