#include "assembly/liveness.h"

#include <map>

namespace chord::assembly {
namespace {

constexpr uint32_t kElsewhere = UINT32_MAX;

// The procedure of this unit that is called or jumped to.
uint32_t local_callee(const Unit &unit, const Instruction &in) {
  auto found = unit.entry_named.find(callee_of(*unit.source, in));
  return found == unit.entry_named.end() ? kElsewhere : found->second;
}

enum class Part : uint8_t { all, upper_halves };

class Solver {
 public:
  Solver(const Unit &unit, const Procedure &p, Part part, std::map<uint32_t, isa::Resources> *wanted = nullptr)
      : unit_(unit), p_(p), part_(part), wanted_(wanted) {}

  Liveness run() {
    find_owned();
    out_.before.assign(p_.instructions.size(), isa::all_registers() | isa::all_flags());
    out_.block_in.assign(p_.blocks.size(), 0);
    out_.block_in[1] = isa::return_reads() | ~owned_;
    successors();
    while (sweep()) {
    }
    return std::move(out_);
  }

 private:
  // Registers the procedure may destroy as far as its callers are concerned.
  void find_owned() {
    owned_ = isa::all_flags() | (isa::call_clobbers() & ~p_.wanted);
    for (const Instruction &in : p_.instructions) {
      owned_ |= in.decoded.writes;
      if (leaves_unit(in)) owned_ |= isa::call_clobbers();
    }
  }

  bool leaves_unit(const Instruction &in) const {
    bool call = in.decoded.flow == isa::Flow::call;
    bool jump = (in.decoded.traits & isa::kJump) && in.decoded.indirect;
    if (jump) return false;  // may be a switch; a tail call adds nothing we need
    return call && (in.decoded.indirect || local_callee(unit_, in) == kElsewhere);
  }

  void successors() {
    next_.assign(p_.blocks.size(), {});
    for (size_t e = 1; e < p_.edges.size(); ++e) {
      const Edge &x = p_.edges[e];
      if (x.from == 0) {
        if (p_.blocks[x.to].kind == BlockKind::landing) landings_.push_back(x.to);
      } else {
        next_[x.from].push_back(x.to);
      }
    }
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
      if (leaves_unit(in)) live &= ~isa::call_clobbers();
      live &= ~isa::all_flags();
      want_of_callee(in, live | landing);
      live |= isa::call_reads() | landing | reads_of(d);
      return live;
    }
    bool leaves = d.flow == isa::Flow::leave;
    for (uint32_t s : next) leaves = leaves || s == 1;
    if (leaves && d.flow != isa::Flow::next) {
      // A jump out of the procedure is a call and a return in one.
      if (d.flow != isa::Flow::leave) live |= isa::call_reads();
      if (d.flow == isa::Flow::leave) live |= out_.block_in[1];
      want_of_callee(in, out_.block_in[1]);
    }
    return (live & ~d.kills) | reads_of(d);
  }

  isa::Resources reads_of(const isa::Decoded &d) const { return part_ == Part::all ? d.reads : d.whole_reads; }

  // What is live behind a call only grows from sweep to sweep.
  void want_of_callee(const Instruction &in, isa::Resources live) {
    if (wanted_ == nullptr) return;
    if (uint32_t callee = local_callee(unit_, in); callee != kElsewhere) (*wanted_)[callee] |= live & isa::call_clobbers();
  }

  const Unit &unit_;
  const Procedure &p_;
  Part part_;
  std::map<uint32_t, isa::Resources> *wanted_;  // by callee
  isa::Resources owned_ = 0;
  std::vector<std::vector<uint32_t>> next_;
  std::vector<uint32_t> landings_;
  Liveness out_;
};

}  // namespace

Liveness compute_liveness(const Unit &unit, const Procedure &procedure) {
  return Solver(unit, procedure, Part::all).run();
}

Liveness compute_upper_liveness(const Unit &unit, const Procedure &procedure) {
  return Solver(unit, procedure, Part::upper_halves).run();
}

void find_wanted_registers(Unit &unit) {
  std::vector<uint32_t> waiting;
  for (uint32_t n = 0; n < unit.procedures.size(); ++n) {
    if (unit.procedures[n].skipped.empty()) waiting.push_back(n);
  }
  std::vector<bool> queued(unit.procedures.size(), true);
  while (!waiting.empty()) {
    uint32_t n = waiting.back();
    waiting.pop_back();
    queued[n] = false;
    std::map<uint32_t, isa::Resources> wanted;
    Solver(unit, unit.procedures[n], Part::all, &wanted).run();
    for (const auto &[callee, registers] : wanted) {
      Procedure &p = unit.procedures[callee];
      if ((registers & ~p.wanted) == 0) continue;
      p.wanted |= registers;
      if (queued[callee] || !p.skipped.empty()) continue;
      queued[callee] = true;
      waiting.push_back(callee);
    }
  }
}

}  // namespace chord::assembly
