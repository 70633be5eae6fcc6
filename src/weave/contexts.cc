#include "weave/contexts.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>

#include "format/context_sites.h"
#include "weave/early_ends.h"
#include "weave/path_registers.h"

namespace chord::weave {

using assembly::BlockKind;
using assembly::Edge;
using assembly::EdgeKind;
using assembly::Procedure;
using isa::PathHolder;
using Role = ContextProbe::Role;

namespace {

std::string global_mark(std::string_view name) { return fmt::format("__chord_keeps_{}", name); }
std::string local_mark(uint32_t n) { return fmt::format(".Lchord_w{}", n); }

class ContextPlanner {
 public:
  ContextPlanner(const ContextUnit &unit, const Procedure &p, const format::Procedure &map, assembly::Liveness &live, Sites &sites)
      : unit_(unit), p_(p), live_(live), sites_(sites), graph_(p.graph()), frame_(assembly::analyse_stack(*unit.unit, p)),
        calls_(format::context_sites(map)) {}

  std::optional<ContextWeaving> run(std::string &why_not) {
    if (!record_fits(p_.edges.size(), calls_.size())) why_not = "its calls and counters are too many for a record";
    if (why_not.empty() && !plan_with_free_register()) why_not = plan_with_frame();
    if (why_not.empty()) why_not = plan_calls();
    if (why_not.empty()) why_not = find_records();
    if (!why_not.empty()) return std::nullopt;
    keep_holder();
    out_.sites = static_cast<uint32_t>(calls_.size());
    return std::move(out_);
  }

 private:
  bool is_code(uint32_t b) const { return p_.blocks[b].kind == BlockKind::code; }
  uint32_t last_of(uint32_t b) const { return p_.blocks[b].first + p_.blocks[b].count - 1; }
  bool is_silent(const Edge &e) const {
    return e.kind == EdgeKind::never || (e.from == 0 && p_.blocks[e.to].kind == BlockKind::landing);
  }

  bool plan_with_free_register() {
    out_.holder.reg = free_register(p_, live_, sites_.edge);
    out_.holder.kind = PathHolder::Kind::free;
    out_.puts_back = unit_.jumped_to[&p_ - unit_.unit->procedures.data()];
    if (out_.holder.reg != isa::kNoRegister && plan_ends().empty()) return true;
    out_ = {};
    return false;
  }

  std::string plan_with_frame() {
    PathHolder &h = out_.holder;
    if (unit_.other_convention) return "its unit does not follow the conventions of C";
    if (!frame_.why_not.empty()) return frame_.why_not;
    if (lone_push(*unit_.unit->source, p_) != assembly::kNoStatement) return "its unwind information is made up";
    for (uint32_t i : frame_.above) {
      std::optional<Replacement> moved = moved_operand(*unit_.unit->source, p_.instructions[i]);
      if (!moved) return "an operand on the stack is written in an unusual way";
      out_.moved.push_back(std::move(*moved));
    }
    h.reg = unused_saved_register(*unit_.unit, p_);
    h.kind = h.reg != isa::kNoRegister ? PathHolder::Kind::saved : PathHolder::Kind::slot;
    out_.above = frame_.above;
    return plan_ends();
  }

  // Ways in and out.
  std::string plan_ends() {
    for (uint32_t e = 1; e < p_.edges.size(); ++e) {
      const Edge &x = p_.edges[e];
      bool enters = x.kind == EdgeKind::enter;
      if (is_silent(x) || !(enters || x.to == 1)) continue;
      ContextProbe probe{enters ? Role::enters : Role::leaves, sites_.edge[e], e, 0, isa::kNoRegister, {}};
      if (x.kind == EdgeKind::tail_call && !(probe.site.live & isa::all_flags())) probe.target = mark_of_target(p_.instructions[last_of(x.from)]);
      const bool jumps = !probe.target.empty();
      if (jumps) probe.role = Role::jumps;
      if (probe.role == Role::leaves && !out_.holder.widens_frame() && !out_.puts_back) continue;
      if (!probe.site.exists()) return enters ? "it starts where no probe can stand" : "it ends where no probe can stand";
      if (enters && (probe.site.live & isa::all_flags())) return "flags are wanted where it starts";
      bool in_memory = out_.holder.kind == PathHolder::Kind::slot;
      probe.scratch = isa::scratch_register(probe.site.live | isa::register_numbered(in_memory ? isa::kNoRegister : out_.holder.reg));
      bool needs_scratch = jumps && out_.holder.kind == PathHolder::Kind::free;
      if (needs_scratch && probe.scratch == isa::kNoRegister) return "no register is free where it ends";
      if (enters) out_.argument_distance = isa::record_argument_distance(out_.holder, probe.scratch);
      if (jumps) probe.call = index_of(last_of(x.from));
      out_.probes.push_back(probe);
    }
    return {};
  }

  // Jumps through pointers, and under unusual names, are taken to lead to where no record is kept.
  std::string mark_of_target(const assembly::Instruction &jump) const {
    std::string_view name = assembly::callee_of(*unit_.unit->source, jump);
    if (name.empty() || name.starts_with('"')) return {};
    uint32_t local = assembly::local_callee(*unit_.unit, jump);
    bool global = local == assembly::kElsewhere || unit_.unit->symbols.globals.contains(name);
    return global ? global_mark(name) : local_mark(local);
  }

  uint32_t index_of(uint32_t instruction) const {
    return static_cast<uint32_t>(std::lower_bound(calls_.begin(), calls_.end(), instruction) - calls_.begin());
  }

  // Linkers rewrite a call for an address in thread-local storage together with the instruction
  // before it, and no woven code runs in it.
  bool asks_for_storage(const assembly::Instruction &call) const {
    std::string_view operands = unit_.unit->source->statements[call.last_statement].operands;
    for (std::string_view mark : {"__tls_get_addr", "@tlscall", "@TLSCALL"}) {
      if (operands.find(mark) != std::string_view::npos) return true;
    }
    return false;
  }

  std::string plan_calls() {
    for (uint32_t k = 0; k < calls_.size(); ++k) {
      const assembly::Instruction &call = p_.instructions[calls_[k]];
      if (call.decoded.flow != isa::Flow::call || asks_for_storage(call)) continue;
      ContextProbe probe;
      probe.call = k;
      probe.site.kind = Site::Kind::before;
      probe.site.statement = call.first_statement;
      probe.site.fragment = call.fragment;
      probe.site.live = live_.before[calls_[k]];
      probe.site.record = holder_in(frame_.before[calls_[k]]);
      if (!is_found(probe.site.record)) return "its frame is not found at a call";
      out_.probes.push_back(probe);
    }
    return {};
  }

  // ---- where the record is ----

  static bool is_found(const PathHolder &h) { return h.kind != PathHolder::Kind::slot || h.base != isa::kNoRegister; }

  PathHolder holder_in(const assembly::StackState &state) const {
    PathHolder h = out_.holder;
    if (h.kind != PathHolder::Kind::slot) return h;
    for (unsigned base : {isa::kStackPointer, isa::kFramePointer}) {
      if (state.offset[base] == assembly::StackState::kUnknown) continue;
      h.base = base;
      h.displacement = -state.offset[base];
      return h;
    }
    return h;
  }

  // Vertices without code have one way on, or several to which the same applies.
  const assembly::StackState &state_into(uint32_t b) const {
    while (!is_code(b) && b != 1) b = graph_.edge(graph_.out(b).front()).to;
    return frame_.block_in[b];
  }

  std::string find_records() {
    for (uint32_t e = 1; e < p_.edges.size(); ++e) {
      const Edge &x = p_.edges[e];
      Site &site = sites_.edge[e];
      if (!site.exists()) continue;
      bool at_end = x.to == 1 || (p_.blocks[x.to].kind == BlockKind::landing && is_code(x.from));
      site.record = holder_in(at_end && is_code(x.from) ? frame_.before[last_of(x.from)] : state_into(x.to));
      if (!is_found(site.record)) return "its frame is not found at a probe";
    }
    for (uint32_t b = 2; b < p_.blocks.size(); ++b) {
      if (!sites_.block[b].exists()) continue;
      sites_.block[b].record = holder_in(state_into(b));
      if (!is_found(sites_.block[b].record)) return "its frame is not found at a probe";
    }
    return {};
  }

  // From now on the holder's register is nobody else's.
  void keep_holder() {
    if (out_.holder.kind == PathHolder::Kind::slot) return;
    isa::Resources taken = isa::register_numbered(out_.holder.reg);
    for (isa::Resources &at : live_.before) at |= taken;
    for (isa::Resources &at : live_.block_in) at |= taken;
    for (Site &site : sites_.edge) site.live |= taken;
    for (Site &site : sites_.block) site.live |= taken;
  }

  const ContextUnit &unit_;
  const Procedure &p_;
  assembly::Liveness &live_;
  Sites &sites_;
  core::Graph graph_;
  assembly::StackFrame frame_;
  std::vector<uint32_t> calls_;
  ContextWeaving out_;
};

}  // namespace

std::optional<ContextWeaving> plan_contexts(const ContextUnit &unit, const Procedure &procedure, const format::Procedure &map,
                                            assembly::Liveness &liveness, Sites &sites, std::string &why_not) {
  return ContextPlanner(unit, procedure, map, liveness, sites).run(why_not);
}

ContextUnit context_unit(const assembly::Unit &unit) {
  ContextUnit out{&unit, assembly::follows_other_convention(unit), std::vector<bool>(unit.procedures.size())};
  for (uint32_t n = 0; n < unit.procedures.size(); ++n) {
    const Procedure &p = unit.procedures[n];
    for (const assembly::Fragment &f : p.fragments) out.jumped_to[n] = out.jumped_to[n] || unit.symbols.globals.contains(f.name);
    for (const Edge &e : p.edges) {
      if (e.kind != EdgeKind::tail_call || p.blocks[e.from].count == 0) continue;
      uint32_t target = assembly::local_callee(unit, p.instructions[p.blocks[e.from].first + p.blocks[e.from].count - 1]);
      if (target != assembly::kElsewhere) out.jumped_to[target] = true;
    }
  }
  return out;
}

std::string emit_record_mark(const assembly::Unit &unit, uint32_t n, bool keeps_record) {
  std::string out = fmt::format("\t.set {}, {}\n", local_mark(n), keeps_record ? 1 : 0);
  std::string_view name = unit.procedures[n].fragments[0].name;
  // Weak: inline functions are in many units, and one of the copies is taken.
  if (keeps_record && unit.symbols.globals.contains(name) && !name.starts_with('"'))
    out += fmt::format("\t.weak {0}\n\t.hidden {0}\n\t.set {0}, 1\n", global_mark(name));
  return out;
}

std::string jump_word_label(uint32_t n, uint32_t call) { return fmt::format(".Lchord_j{}_{}", n, call); }

std::string emit_jump_words(const ContextWeaving &contexts, uint32_t n) {
  std::string out;
  for (const ContextProbe &p : contexts.probes) {
    if (p.target.empty()) continue;
    if (!p.target.starts_with(".L")) out += fmt::format("\t.weak {0}\n\t.hidden {0}\n", p.target);
    out += fmt::format("{}:\n\t.quad {}\n", jump_word_label(n, p.call), p.target);
  }
  return out.empty() ? out : "\t.section .data.chord_jumps,\"aw\",@progbits\n\t.balign 8\n" + out;
}

int64_t slot_offset(size_t counters, uint32_t call) {
  return CHORD_CONTEXT_COUNTERS + 8 * static_cast<int64_t>(counters) + CHORD_CONTEXT_SLOT * static_cast<int64_t>(call);
}

bool record_fits(size_t counters, size_t sites) {
  return slot_offset(counters, static_cast<uint32_t>(sites)) <= CHORD_CONTEXT_LARGEST;
}

std::string context_id_label(uint32_t n) { return fmt::format(".Lchord_c{}", n); }
std::string context_proc_label(uint32_t n) { return fmt::format(".Lchord_k{}", n); }
std::string spare_record_label(uint32_t n) { return fmt::format(".Lchord_z{}", n); }

std::string emit_context_words(const Options &options) {
  uint32_t mode = options.context_depth | (options.context_functions ? CHORD_CONTEXT_FUNCTIONS : 0);
  auto section = [](const char *prefix, const char *flags, const char *symbol) {
    return fmt::format("\t.section {0}.{2},\"{1}G\",@progbits,{3},comdat\n\t.balign 8\n\t.weak {2}\n\t.hidden {2}\n{2}:\n", prefix, flags,
                       symbol, CHORD_SITE_SYMBOL);
  };
  return section(".tdata", "awT", CHORD_SITE_SYMBOL) + fmt::format("\t.quad {}, 0\n", CHORD_ROOT_SLOT_SYMBOL) +
         section(".data", "aw", CHORD_ROOT_SLOT_SYMBOL) +
         fmt::format("\t.quad {0}+16, {0}\n\t.zero {1}\n", CHORD_ROOT_SLOT_SYMBOL, CHORD_CONTEXT_COUNTERS) +
         section(".rodata", "a", CHORD_CONTEXT_MODE_SYMBOL) + fmt::format("\t.quad {:#x}\n", mode) +
         section(".text", "ax", CHORD_SITE_PLACE_SYMBOL) +
         fmt::format("\tendbr64\n\tmovq {}@gottpoff(%rip),%rax\n\tret\n", CHORD_SITE_SYMBOL);
}

}  // namespace chord::weave
