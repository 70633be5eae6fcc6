#include "assembly/unit/liveness.h"

#include <map>

#include "isa/conventions.h"

namespace chord::assembly {
namespace {

// Stands for whoever is called through a register.
constexpr uint32_t kAnybody = kElsewhere - 1;

enum class Mode : uint8_t { all, upper_halves, usual };

class Solver {
 public:
  Solver(const Unit &unit, const Procedure &p, Mode mode, std::map<uint32_t, isa::Resources> *wanted = nullptr)
      : unit_(unit), p_(p), mode_(mode), wanted_(wanted) {}

  Liveness run() {
    out_.before.assign(p_.instructions.size(), isa::all_registers() | isa::all_flags());
    out_.block_in.assign(p_.blocks.size(), 0);
    out_.block_in[1] = wanted_on_return();
    out_.tail_call = out_.block_in[1] | reads_of_call(false);
    successors();
    while (sweep()) {
    }
    return std::move(out_);
  }

 private:
  isa::Resources wanted_on_return() const {
    isa::Resources always = isa::return_reads();
    if (mode_ == Mode::usual) return always | ~(isa::call_clobbers() | written());
    const Convention &c = p_.convention;
    // Of what the procedure itself writes, those who know it by heart (-fipa-ra) expect nothing.
    isa::Resources nobodys = c.given_up & (written() | ~p_.wanted);
    if (c.callers_known) nobodys |= isa::call_clobbers() & ~p_.wanted;
    if (c.compiled) nobodys |= isa::all_flags();  // no compiler returns anything in them
    return always | ~nobodys;
  }

  isa::Resources written() const {
    isa::Resources set = 0;
    for (const Instruction &in : p_.instructions) set |= in.decoded.writes;
    return set;
  }

  // By the usual convention a function of another file destroys whatever it may.
  bool destroys(const Instruction &in) const {
    return mode_ == Mode::usual && (in.decoded.indirect || local_callee(unit_, in) == kElsewhere);
  }

  isa::Resources reads_of_call(bool in_inline_assembly) const {
    if (mode_ == Mode::usual) return isa::call_reads();
    if (!p_.convention.compiled || in_inline_assembly) return isa::all_registers() | isa::all_flags();
    return p_.convention.unusual ? isa::all_registers() : isa::usual_call_reads();
  }

  isa::Resources reads_of_call(const Instruction &in) const {
    const Statement &s = unit_.source->statements[in.last_statement];
    if (mode_ != Mode::usual && isa::names_regcall(s.operands)) return isa::all_registers();
    return reads_of_call(s.inline_asm);
  }

  void successors() {
    next_.assign(p_.blocks.size(), {});
    std::vector<bool> returns_again(p_.blocks.size());
    for (size_t e = 1; e < p_.edges.size(); ++e) {
      const Edge &x = p_.edges[e];
      if (x.from == 0) {
        if (p_.blocks[x.to].kind == BlockKind::landing) landings_.push_back(x.to);
      } else {
        next_[x.from].push_back(x.to);
        returns_again[x.to] = p_.blocks[x.to].kind == BlockKind::landing;
      }
    }
    // Where a call returns again, registers hold what they did the first time: nothing that was set since.
    if (mode_ == Mode::usual) std::erase_if(landings_, [&](uint32_t v) { return returns_again[v]; });
  }

  bool sweep() {
    bool changed = false;
    isa::Resources landing = 0;
    for (uint32_t v : landings_) landing |= out_.block_in[v];
    for (uint32_t b = static_cast<uint32_t>(p_.blocks.size()); b-- > 2;) {
      isa::Resources live = 0;
      for (uint32_t s : next_[b]) live |= out_.block_in[s];
      const Block &block = p_.blocks[b];
      for (uint32_t k = block.count; k-- > 0;) {
        uint32_t i = block.first + k;
        live = transfer(p_.instructions[i], live, landing, next_[b]);
        out_.before[i] = live;
      }
      if (live != out_.block_in[b]) {
        out_.block_in[b] = live;
        changed = true;
      }
    }
    return changed;
  }

  isa::Resources transfer(const Instruction &in, isa::Resources live, isa::Resources landing,
                          const std::vector<uint32_t> &next) {
    const isa::Decoded &d = in.decoded;
    if (in.padding) return live;
    if (d.flow == isa::Flow::call) {
      if (destroys(in)) live &= ~isa::call_clobbers();
      want_of_callee(in, live | landing);
      isa::Resources reads = reads_of_call(in);
      if (!(reads & isa::all_flags())) live &= ~isa::all_flags();
      return live | reads | landing | reads_of(d);
    }
    bool leaves = d.flow == isa::Flow::leave;
    for (uint32_t s : next) leaves = leaves || s == 1;
    if (leaves && d.flow != isa::Flow::next) {
      // A jump out of the procedure is a call and a return in one.
      if (d.flow != isa::Flow::leave) live |= reads_of_call(in);
      if (d.flow == isa::Flow::leave) live |= out_.block_in[1];
      want_of_callee(in, out_.block_in[1]);
    }
    return (live & ~d.kills) | reads_of(d);
  }

  isa::Resources reads_of(const isa::Decoded &d) const { return mode_ == Mode::upper_halves ? d.whole_reads : d.reads; }

  // What is live after a call only grows from sweep to sweep.
  void want_of_callee(const Instruction &in, isa::Resources live) {
    if (wanted_ == nullptr || in.decoded.flow == isa::Flow::leave) return;
    uint32_t callee = in.decoded.indirect ? kAnybody : local_callee(unit_, in);
    if (callee != kElsewhere) (*wanted_)[callee] |= live & isa::call_clobbers();
  }

  const Unit &unit_;
  const Procedure &p_;
  Mode mode_;
  std::map<uint32_t, isa::Resources> *wanted_;  // by callee
  std::vector<std::vector<uint32_t>> next_;
  std::vector<uint32_t> landings_;
  Liveness out_;
};

// What callers want depends on what their own callers do: the least solution, from below.
class WantedSolver {
 public:
  explicit WantedSolver(Unit &unit) : unit_(unit), queued_(unit.procedures.size()) {}

  void run() {
    for (uint32_t n = 0; n < unit_.procedures.size(); ++n) queue(n);
    while (!waiting_.empty()) {
      uint32_t n = waiting_.back();
      waiting_.pop_back();
      queued_[n] = false;
      std::map<uint32_t, isa::Resources> wanted;
      Solver(unit_, unit_.procedures[n], Mode::all, &wanted).run();
      for (const auto &[callee, registers] : wanted) want(callee, registers);
    }
  }

 private:
  void queue(uint32_t n) {
    if (queued_[n] || !unit_.procedures[n].skipped.empty()) return;
    queued_[n] = true;
    waiting_.push_back(n);
  }

  void want(uint32_t callee, isa::Resources registers) {
    if (callee != kAnybody) return want_of(callee, registers);
    if ((registers & ~of_anybody_) == 0) return;
    of_anybody_ |= registers;
    for (uint32_t n : unit_.materialised) want_of(n, registers);
  }

  void want_of(uint32_t n, isa::Resources registers) {
    Procedure &p = unit_.procedures[n];
    if ((registers & ~p.wanted) == 0) return;
    p.wanted |= registers;
    queue(n);
  }

  Unit &unit_;
  std::vector<uint32_t> waiting_;
  std::vector<bool> queued_;
  isa::Resources of_anybody_ = 0;  // wanted after calls through a register
};

}  // namespace

Liveness compute_liveness(const Unit &unit, const Procedure &procedure) {
  return Solver(unit, procedure, Mode::all).run();
}

Liveness compute_usual_liveness(const Unit &unit, const Procedure &procedure) {
  return Solver(unit, procedure, Mode::usual).run();
}

Liveness compute_upper_liveness(const Unit &unit, const Procedure &procedure) {
  return Solver(unit, procedure, Mode::upper_halves).run();
}

void find_wanted_registers(Unit &unit) { WantedSolver(unit).run(); }

}  // namespace chord::assembly
