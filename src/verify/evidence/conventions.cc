#include "verify/evidence/conventions.h"

#include <algorithm>
#include <array>

#include "verify/evidence/liveness.h"
#include "verify/evidence/returning.h"

namespace chord::verify {

using assembly::Statement;
using assembly::StatementKind;

namespace {

constexpr Set kRegisters = kGenerals | kVectors;

constexpr Set vectors(unsigned from, unsigned to) {
  Set set = 0;
  for (unsigned n = from; n <= to; ++n) set |= vector(n);
  return set;
}

// ---- who wrote the text ----

enum class Writer : uint8_t { unknown, gcc, other_compiler };

bool is_assembly_name(std::string_view file) {
  static constexpr std::array<std::string_view, 4> kEnds = {".s", ".S", ".asm", ".sx"};
  return std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) { return file.ends_with(end); });
}

Writer writer_of(const assembly::Source &source) {
  std::string_view file;
  for (const Statement &s : source.statements) {
    if (s.kind != StatementKind::directive) continue;
    if (s.name == ".ident" && s.operands.starts_with("\"GCC:")) return Writer::gcc;
    if (s.name == ".ident" && s.operands.find("clang version") != std::string_view::npos) return Writer::other_compiler;
    if (s.name == ".file" && file.empty()) file = s.operands;
  }
  size_t open = file.find('"'), close = file.rfind('"');
  if (open == std::string_view::npos || close == open) return Writer::unknown;
  file = file.substr(open + 1, close - open - 1);
  bool named = file.find('.') != std::string_view::npos && !is_assembly_name(file);
  return named ? Writer::other_compiler : Writer::unknown;
}

// ---- what a function does with registers ----

struct Seen {
  bool reached = false;
  Set destroyed = 0;  // on some way here, and not put back since
  Set untouched = 0;  // on all paths here as it was at the entry
  Set unwritten = 0;  // on some way here nobody has written it, calls apart
  bool operator==(const Seen &) const = default;
};

struct Shown {
  Set destroyed = 0, arguments = 0, odd = 0;
  bool operator==(const Shown &) const = default;
};

// In no convention a compiler follows by itself do these hold arguments or results.
constexpr Set kNeverPassed = general(11) | vectors(8, 15);
// Nor do these, but for the frame pointer, which is set in functions that have no use for it, too.
constexpr Set kSeldomPassed = kNeverPassed | (kPreserved & kGenerals & ~kFrameRegisters) | general(10);

class Walk {
 public:
  Walk(const Program &p, const Jumps &jumps, uint32_t function, const std::vector<Shown> &others, const std::vector<bool> &returning)
      : p_(p), jumps_(jumps), f_(p.functions()[function]), function_(function), others_(others), returning_(returning) {}

  Shown run() {
    if (f_.entry == kNone || f_.instructions.empty()) return {};
    base_ = *std::min_element(f_.instructions.begin(), f_.instructions.end());
    seen_.resize(*std::max_element(f_.instructions.begin(), f_.instructions.end()) - base_ + 1);
    reach(f_.entry, {true, 0, kRegisters, kRegisters});
    for (uint32_t i : f_.landings) reach(i, {true, 0, 0, kNeverPassed});
    while (changed_) {
      changed_ = false;
      for (uint32_t i : f_.instructions) {
        if (seen_[i - base_].reached) follow(i);
      }
    }
    for (uint32_t i : f_.instructions) {
      if (seen_[i - base_].reached) collect(i);
    }
    return out_;
  }

 private:
  void reach(uint32_t i, const Seen &state) {
    if (i == kNone || p_.instrs()[i].function != function_) return;
    Seen &at = seen_[i - base_];
    Seen merged = state;
    if (at.reached) merged = {true, at.destroyed | state.destroyed, at.untouched & state.untouched, at.unwritten | state.unwritten};
    if (merged == at) return;
    at = merged;
    changed_ = true;
  }

  bool is_inline(const Instr &in) const { return p_.source().statements[in.last].inline_asm; }

  Seen behind(uint32_t i) const {
    const Instr &in = p_.instrs()[i];
    const Facts &x = in.facts;
    Seen state = seen_[i - base_];
    Set writes = x.writes & kRegisters;
    state.untouched &= ~writes;
    state.unwritten &= ~writes;
    if (x.flow == Flow::call) {
      state.untouched &= kPreserved;
      if (uint32_t g = callee(in); g != kNone) state.destroyed |= others_[g].destroyed;
    } else if (x.restores) {
      state.destroyed &= ~writes;
    } else if (!is_inline(in)) {
      state.destroyed |= writes & ~general(kRsp);
    }
    return state;
  }

  uint32_t callee(const Instr &in) const {
    uint32_t g = in.target == kNone ? kNone : p_.instrs()[in.target].function;
    return g != kNone && p_.functions()[g].entry == in.target ? g : kNone;
  }

  void follow(uint32_t i) {
    const Instr &in = p_.instrs()[i];
    const Facts &x = in.facts;
    Seen state = behind(i);
    if (x.flow == Flow::call && !comes_back(p_, returning_, in)) state.unwritten = 0;  // nothing is read after it
    if (x.flow == Flow::next || x.flow == Flow::conditional || x.flow == Flow::call) reach(in.next, state);
    if (x.flow == Flow::jump || x.flow == Flow::conditional) reach(in.target, state);
    if (x.flow == Flow::jump && x.indirect && !jumps_.leaves(i)) {
      for (uint32_t to : jumps_.targets(i)) reach(to, state);
    }
  }

  void collect(uint32_t i) {
    const Instr &in = p_.instrs()[i];
    const Facts &x = in.facts;
    const Seen &state = seen_[i - base_];
    if (!x.unknown && x.flow != Flow::call && !is_inline(in)) {
      Set uses = x.uses & ~x.keeps & kGenerals;
      out_.arguments |= uses & state.untouched;
      out_.odd |= uses & state.unwritten & kSeldomPassed;
    }
    bool jumps_out = x.flow == Flow::jump && (x.indirect ? jumps_.leaves(i) : in.target == kNone || p_.instrs()[in.target].function != function_);
    bool conditional_out = x.flow == Flow::conditional && (in.target == kNone || p_.instrs()[in.target].function != function_);
    if (x.flow == Flow::leave) out_.destroyed |= state.destroyed;
    if (!jumps_out && !conditional_out) return;
    if (in.callee.starts_with("__res")) return;  // a routine that puts back what gcc's prologue has kept
    out_.destroyed |= state.destroyed;
    if (uint32_t g = callee(in); g != kNone) out_.destroyed |= others_[g].destroyed;
  }

  const Program &p_;
  const Jumps &jumps_;
  const Function &f_;
  uint32_t function_, base_ = 0;
  const std::vector<Shown> &others_;
  const std::vector<bool> &returning_;  // by function
  std::vector<Seen> seen_;
  bool changed_ = false;
  Shown out_;
};

// ---- which conventions remain ----

struct Known {
  Set keeps;          // for the caller, beyond what the usual one keeps
  Set no_results;     // of those, what cannot be a result there: destroying it refutes the convention
  Set no_arguments;   // using it as an argument refutes it
};

constexpr Set kMost = general(kRcx) | general(kRsi) | general(kRdi) | general(8) | general(9) | general(10);
constexpr std::array<Known, 4> kOthers = {{
    // ms_abi
    {general(kRsi) | general(kRdi) | vectors(6, 15), general(kRsi) | general(kRdi) | vectors(6, 15), general(kRsi) | general(kRdi)},
    // preserve_most
    {kMost, kMost, 0},
    // preserve_all
    {kMost | kVectors, kMost | vectors(4, 15), 0},
    // no_caller_saved_registers
    {kMost | general(11) | kVectors, kMost | general(11) | vectors(4, 15), 0},
}};

Set free_on_return(const Shown &shown, Writer writer) {
  Set free = kRegisters & ~kPreserved & ~kResults;
  // LLVM knows conventions with more results.
  if (writer != Writer::gcc) free &= ~(general(kRcx) | general(8) | vectors(2, 3));
  for (const Known &c : kOthers) {
    bool refuted = (shown.destroyed & c.no_results) || (shown.arguments & c.no_arguments);
    if (!refuted) free &= ~c.keeps;
  }
  return free;
}

class Finder {
 public:
  Finder(const Program &p, const Jumps &jumps)
      : p_(p), jumps_(jumps), writer_(writer_of(p.source())), returning_(find_returning(p, jumps)), shown_(p.functions().size()), out_(p.functions().size()) {}

  std::vector<Convention> run() {
    if (writer_ == Writer::unknown) return std::move(out_);
    for (uint32_t f = 0; f < out_.size(); ++f) out_[f].compiled = is_compiled(f);
    look();
    judge();
    return std::move(out_);
  }

 private:
  // What a callee destroys its caller destroys, too.
  void look() {
    std::vector<bool> due(out_.size(), true);
    for (bool more = true; more;) {
      more = false;
      for (uint32_t f = 0; f < out_.size(); ++f) {
        if (!out_[f].compiled || !due[f]) continue;
        due[f] = false;
        Shown now = Walk(p_, jumps_, f, shown_, returning_).run();
        if (now == shown_[f]) continue;
        shown_[f] = now;
        for (uint32_t caller : p_.functions()[f].callers) {
          if (uint32_t g = p_.instrs()[caller].function; g != kNone) due[g] = more = true;
        }
      }
    }
  }

  // Inline assembly can be a whole function, or end one.
  bool is_compiled(uint32_t f) const {
    const Function &function = p_.functions()[f];
    if (function.entry == kNone) return false;
    uint32_t label = p_.label(function.name, 0);
    if (label == kNone || p_.source().statements[label].inline_asm) return false;
    return std::none_of(function.instructions.begin(), function.instructions.end(), [&](uint32_t i) {
      const Instr &in = p_.instrs()[i];
      bool leaves = in.facts.flow == Flow::leave || (in.facts.flow == Flow::jump && (in.target == kNone || p_.instrs()[in.target].function != f));
      return leaves && p_.source().statements[in.last].inline_asm;
    });
  }

  // Set although, by the usual convention, nobody reads it.
  Set set_for_nothing(uint32_t f, const Liveness &usual) const {
    Set odd = 0;
    for (uint32_t i : p_.functions()[f].instructions) {
      const Facts &x = p_.instrs()[i].facts;
      bool for_flags = x.writes & kFlags & usual.behind[i];
      if (for_flags || p_.source().statements[p_.instrs()[i].last].inline_asm) continue;
      odd |= x.sets & ~usual.behind[i];
    }
    return odd & kSeldomPassed;
  }

  void judge() {
    Liveness usual = compute_usual_liveness(p_, jumps_);
    Set destroyed = 0, odd = 0;
    std::vector<bool> for_callers(out_.size(), false);  // it may set something for those who call it: what it puts back it does not
    for (uint32_t f = 0; f < out_.size(); ++f) {
      if (!out_[f].compiled) continue;
      Set nobodys = set_for_nothing(f, usual);
      out_[f].unusual = nobodys != 0;
      for_callers[f] = (nobodys & shown_[f].destroyed) != 0;
      odd |= nobodys | shown_[f].odd;
      destroyed |= shown_[f].destroyed;
    }
    for (uint32_t f = 0; f < out_.size(); ++f) {
      Convention &c = out_[f];
      if (!c.compiled) continue;
      if (!for_callers[f] && !names_regcall(p_.functions()[f].name)) c.free = free_on_return(shown_[f], writer_) & destroyed & ~odd;
      c.free |= (c.free & kGenerals) << 32;  // upper halves
      c.free |= kFlags;
    }
  }

  const Program &p_;
  const Jumps &jumps_;
  Writer writer_;
  std::vector<bool> returning_;  // by function
  std::vector<Shown> shown_;
  std::vector<Convention> out_;
};

}  // namespace

bool names_regcall(std::string_view text) { return text.find("__regcall") != std::string_view::npos; }

std::vector<Convention> find_conventions(const Program &program, const Jumps &jumps) { return Finder(program, jumps).run(); }

}  // namespace chord::verify
