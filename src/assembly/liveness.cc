#include "assembly/liveness.h"

namespace chord::assembly {
namespace {

class Solver {
 public:
  Solver(const Unit &unit, const Procedure &p) : unit_(unit), p_(p) {}

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
  // Registers the procedure may destroy as far as any caller can know.
  void find_owned() {
    owned_ = isa::all_flags();
    bool calls_out = false;
    for (const Instruction &in : p_.instructions) {
      owned_ |= in.decoded.writes;
      calls_out = calls_out || leaves_unit(in);
    }
    if (calls_out || !p_.called_locally) owned_ |= isa::call_clobbers();
  }

  bool leaves_unit(const Instruction &in) const {
    bool call = in.decoded.flow == isa::Flow::call;
    bool jump = (in.decoded.traits & isa::kJump) && in.decoded.indirect;
    if (jump) return false;  // may be a switch; a tail call adds nothing we need
    return call && (in.decoded.indirect || !unit_.local.contains(callee_of(*unit_.source, in)));
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
                          const std::vector<uint32_t> &next) const {
    const isa::Decoded &d = in.decoded;
    if (in.padding) return live;
    if (d.flow == isa::Flow::call) {
      if (leaves_unit(in)) live &= ~isa::call_clobbers();
      live &= ~isa::all_flags();
      live |= isa::call_reads() | landing | d.reads;
      return live;
    }
    bool leaves = d.flow == isa::Flow::leave;
    for (uint32_t s : next) leaves = leaves || s == 1;
    if (leaves && d.flow != isa::Flow::next) {
      // A jump out of the procedure is a call and a return in one.
      if (d.flow != isa::Flow::leave) live |= isa::call_reads();
      if (d.flow == isa::Flow::leave) live |= out_.block_in[1];
    }
    return (live & ~d.kills) | d.reads;
  }

  const Unit &unit_;
  const Procedure &p_;
  isa::Resources owned_ = 0;
  std::vector<std::vector<uint32_t>> next_;
  std::vector<uint32_t> landings_;
  Liveness out_;
};

}  // namespace

Liveness compute_liveness(const Unit &unit, const Procedure &procedure) { return Solver(unit, procedure).run(); }

}  // namespace chord::assembly
