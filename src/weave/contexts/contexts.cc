#include "weave/contexts/contexts.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>

#include "format/facts/context_sites.h"
#include "isa/code_text.h"
#include "isa/contexts.h"
#include "weave/contexts/record_paths.h"
#include "weave/contexts/record_shape.h"
#include "weave/exits/early_exits.h"
#include "weave/metrics/metric_sums.h"
#include "weave/paths/path_registers.h"
#include "weave/plan/labels.h"

namespace chord::weave {

// How a procedure keeps the record it counts in.
struct ContextWeaving {
  struct Probe {
    enum class Role : uint8_t { enters, leaves, jumps, calls } role = Role::calls;
    Site site;
    core::EdgeId edge = core::kNone;
    uint32_t call = 0;                      // jumps and calls: index among format::context_sites
    unsigned scratch = isa::kNoRegister;    // dead there; calls need none
    unsigned other = isa::kNoRegister;      // likewise (isa::ContextEntry)
    std::string target;                     // jumps: the symbol that says whether the target keeps a record
  };
  isa::PathHolder holder;
  std::vector<Probe> probes;
  std::vector<uint32_t> above;     // instructions whose operands move with a widened frame
  std::vector<Replacement> moved;  // and these operands
  uint32_t sites = 0;              // slots of the record
  bool puts_back = false;          // what is in force when it returns, where it begins (isa::ContextEntry)
  int argument_distance = 0;       // chord_context_proc::frame
  int kept_distance = 0;           // chord_context_proc::kept
};

using assembly::BlockKind;
using assembly::Edge;
using assembly::EdgeKind;
using assembly::Procedure;
using isa::PathHolder;

namespace {

using ContextProbe = ContextWeaving::Probe;
using Role = ContextProbe::Role;

std::string global_mark(std::string_view name) { return fmt::format("__chord_keeps_{}", name); }
std::string local_mark(uint32_t n) { return fmt::format(".Lchord_w{}", n); }

class ContextPlanner {
 public:
  // If it succeeds, `sites` and `liveness` are brought up to date: where counters are found, and that the holder's
  // register is taken; otherwise they are spoilt.
  ContextPlanner(const ProcedureFacts &facts, assembly::Liveness &liveness, Sites &sites)
      : facts_(facts), p_(facts.p), live_(liveness), sites_(sites), graph_(facts.graph), frame_(facts.frame()),
        calls_(format::context_sites(facts.map)) {}

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
  bool is_shared() const { return facts_.options().position_independent; }
  bool is_code(uint32_t b) const { return facts_.is_code(b); }
  uint32_t last_of(uint32_t b) const { return facts_.last_of(b); }
  bool is_silent(const Edge &e) const {
    return e.kind == EdgeKind::never || (e.from == 0 && p_.blocks[e.to].kind == BlockKind::landing);
  }

  bool plan_with_free_register() {
    out_.holder.reg = free_register(p_, live_, sites_.edge);
    out_.holder.kind = PathHolder::Kind::free;
    out_.puts_back = facts_.in.jumped_to[facts_.n] && !is_shared();
    if (out_.holder.reg != isa::kNoRegister && plan_ends().empty()) return true;
    out_ = {};
    return false;
  }

  std::string plan_with_frame() {
    PathHolder &h = out_.holder;
    if (facts_.in.other_convention) return "its unit does not follow the conventions of C";
    if (!frame_.why_not.empty()) return frame_.why_not;
    if (lone_push(facts_.source(), p_) != assembly::kNoStatement) return "its unwind information is made up";
    for (uint32_t i : frame_.above) {
      std::optional<Replacement> moved = moved_operand(facts_.source(), p_.instructions[i]);
      if (!moved) return "an operand on the stack is written in an unusual way";
      out_.moved.push_back(std::move(*moved));
    }
    h.reg = unused_saved_register(facts_.unit(), p_);
    h.kind = h.reg != isa::kNoRegister ? PathHolder::Kind::saved : PathHolder::Kind::slot;
    out_.above = frame_.above;
    return plan_ends();
  }

  // Ways in and out.
  std::string plan_ends() {
    for (core::EdgeId e = 1; e < p_.edges.size(); ++e) {
      const Edge &x = p_.edges[e];
      bool enters = x.kind == EdgeKind::enter;
      if (is_silent(x) || !(enters || x.to == 1)) continue;
      ContextProbe probe{enters ? Role::enters : Role::leaves, sites_.edge[e], e, 0, isa::kNoRegister, isa::kNoRegister, {}};
      if (x.kind == EdgeKind::tail_call && !(probe.site.live & isa::all_flags())) probe.target = mark_of_target(p_.instructions[last_of(x.from)]);
      const bool jumps = !probe.target.empty();
      if (jumps) probe.role = Role::jumps;
      if (probe.role == Role::leaves && !out_.holder.widens_frame()) continue;
      if (!probe.site.exists()) return enters ? "it starts where no probe can stand" : "it ends where no probe can stand";
      if (enters && (probe.site.live & isa::all_flags())) return "flags are wanted where it starts";
      bool in_memory = out_.holder.kind == PathHolder::Kind::slot;
      probe.scratch = isa::scratch_register(probe.site.live | isa::register_numbered(in_memory ? isa::kNoRegister : out_.holder.reg));
      bool needs_scratch = out_.holder.kind == PathHolder::Kind::free && (jumps || (enters && out_.puts_back));
      if (needs_scratch && probe.scratch == isa::kNoRegister) return "no register is free where it starts or ends";
      probe.other = in_memory ? isa::scratch_register(probe.site.live | isa::register_numbered(probe.scratch)) : probe.scratch;
      if (enters) out_.argument_distance = isa::record_argument_distance(out_.holder, probe.scratch);
      if (enters) out_.kept_distance = isa::kept_slot_distance(out_.holder, probe.scratch);
      if (jumps) probe.call = index_of(last_of(x.from));
      out_.probes.push_back(probe);
    }
    return {};
  }

  // Jumps through pointers, and under unusual names, and those of shared objects, which others may take over, are taken to lead to where no record is kept.
  std::string mark_of_target(const assembly::Instruction &jump) const {
    std::string_view name = assembly::callee_of(facts_.source(), jump);
    if (is_shared() || name.empty() || name.starts_with('"')) return {};
    uint32_t local = assembly::local_callee(facts_.unit(), jump);
    bool global = local == assembly::kElsewhere || facts_.unit().symbols.globals.contains(name);
    return global ? global_mark(name) : local_mark(local);
  }

  uint32_t index_of(uint32_t instruction) const {
    return static_cast<uint32_t>(std::lower_bound(calls_.begin(), calls_.end(), instruction) - calls_.begin());
  }

  // Linkers rewrite a call for an address in thread-local storage together with the instruction
  // before it, and no woven code runs in it.
  bool asks_for_storage(const assembly::Instruction &call) const {
    std::string_view operands = facts_.source().statements[call.last_statement].operands;
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
  const assembly::StackState &state_into(core::Vertex b) const {
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
    for (core::Vertex b = 2; b < p_.blocks.size(); ++b) {
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

  const ProcedureFacts &facts_;
  const Procedure &p_;
  assembly::Liveness &live_;
  Sites &sites_;
  const core::Graph &graph_;
  const assembly::StackFrame &frame_;
  std::vector<uint32_t> calls_;
  ContextWeaving out_;
};

std::string context_id_label(uint32_t n) { return fmt::format(".Lchord_c{}", n); }
std::string context_proc_label(uint32_t n) { return fmt::format(".Lchord_k{}", n); }
std::string spare_record_label(uint32_t n) { return fmt::format(".Lchord_z{}", n); }
std::string jump_word_label(uint32_t n, uint32_t call) { return fmt::format(".Lchord_j{}_{}", n, call); }

// By which the runtime finds the record of an activation.
std::string context_note(const ContextWeaving &contexts, uint32_t n, bool shared) {
  const PathHolder &h = contexts.holder;
  return (shared ? isa::note_distance(context_proc_label(n)) : isa::note_thread_offset(context_id_label(n))) +
         isa::note(CHORD_CONTEXT_NOTE + (shared ? CHORD_CONTEXT_SHARED : 0) + (h.widens_frame() ? 0 : CHORD_CONTEXT_UNKEPT) +
                   (h.kind == PathHolder::Kind::slot ? CHORD_PATH_IN_FRAME : isa::dwarf_number(h.reg)));
}

// The words that jumps of procedure n ask.
std::string jump_words_text(const ContextWeaving &contexts, uint32_t n) {
  std::string out;
  for (const ContextProbe &p : contexts.probes) {
    if (p.target.empty()) continue;
    if (!p.target.starts_with(".L")) out += fmt::format("\t.weak {0}\n\t.hidden {0}\n", p.target);
    out += fmt::format("{}:\n\t.quad {}\n", jump_word_label(n, p.call), p.target);
  }
  return out.empty() ? out : "\t.section .data.chord_jumps,\"aw\",@progbits\n\t.balign 8\n" + out;
}

// Estimates, for branches that do not reach far.
constexpr unsigned kLeavePrice = 4;

std::vector<Insertion> sizes_of(const ContextWeaving &contexts) {
  std::vector<Insertion> sizes;
  for (const ContextProbe &p : contexts.probes) {
    sizes.push_back({p.site, p.edge, {"", p.role == Role::enters ? isa::kEnterPrice : kLeavePrice}});
  }
  return sizes;
}

// At an instruction that calls.
isa::RecordDistance distance_at(const ProcedureFacts &facts, const ProcedurePlan &plan, uint32_t instruction) {
  if (!plan.record_paths) return {};
  const std::vector<assembly::Block> &blocks = facts.p.blocks;
  auto holds = [&](const assembly::Block &b) { return instruction - b.first < b.count; };
  size_t block = static_cast<size_t>(std::find_if(blocks.begin(), blocks.end(), holds) - blocks.begin());
  const int64_t ahead = block < blocks.size() ? plan.record_paths->ahead[block] : RecordPaths::kDiffers;
  return ahead == RecordPaths::kDiffers ? isa::RecordDistance{0, plan.record_paths->span} : isa::RecordDistance{8 * ahead, 0};
}

// Defines what jumps of this unit, or others, ask for: does procedure n keep a record?
std::string record_mark_text(const assembly::Unit &unit, uint32_t n, bool keeps_record) {
  std::string out = fmt::format("\t.set {}, {}\n", local_mark(n), keeps_record ? 1 : 0);
  std::string_view name = unit.procedures[n].fragments[0].name;
  // Weak: inline functions are in many units, and one of the copies is taken.
  if (keeps_record && unit.symbols.globals.contains(name) && !name.starts_with('"'))
    out += fmt::format("\t.weak {0}\n\t.hidden {0}\n\t.set {0}, 1\n", global_mark(name));
  return out;
}

}  // namespace

std::string plan_context_records(const ProcedureFacts &facts, ProcedurePlan &plan) {
  assembly::Liveness liveness = plan.liveness;
  Sites sites = plan.sites;
  std::optional<ContextWeaving> found = ContextPlanner(facts, liveness, sites).run(plan.no_paths);
  if (found && short_branch_breaks(facts, sizes_of(*found))) plan.no_paths = "a one-byte branch over too much code";
  if (!plan.no_paths.empty()) return {};
  plan.liveness = std::move(liveness);
  plan.sites = std::move(sites);
  plan.holder = found->holder;
  plan.above = found->above;
  plan.moved = found->moved;
  const bool shared = facts.options().position_independent;
  plan.note = context_note(*found, facts.n, shared);
  isa::ContextLabels labels{context_id_label(facts.n), context_proc_label(facts.n), fmt::format(".Lchord_y{}", facts.n)};
  for (const ContextProbe &p : found->probes) {
    if (p.role != Role::enters) continue;
    bool unwinding = facts.rules_at(p.site).active;
    plan.insertions.push_back({p.site, p.edge, {isa::enter_context(found->holder, labels, {p.scratch, p.other, found->puts_back, unwinding, shared}), isa::kEnterPrice}, Effect::none, 0, Phase::first});
  }
  plan.contexts = std::make_shared<ContextWeaving>(*std::move(found));
  return {};
}

std::string plan_context_calls(const ProcedureFacts &facts, ProcedurePlan &plan) {
  if (!plan.contexts) return {};
  const ContextWeaving &contexts = *plan.contexts;
  if (!record_fits(record_words(plan), contexts.sites)) return "what is measured in it is too much for the record of a context";
  const std::vector<uint32_t> calls = format::context_sites(facts.map);
  for (const ContextProbe &p : contexts.probes) {
    if (p.role == Role::enters) continue;
    int64_t slot = slot_offset(record_words(plan), p.call);
    isa::RecordDistance ahead = p.role == Role::leaves ? isa::RecordDistance{} : distance_at(facts, plan, calls[p.call]);
    if (p.role == Role::calls) {
      const bool inline_asm = facts.source().statements[facts.p.instructions[calls[p.call]].last_statement].inline_asm;
      isa::Snippet names = isa::name_call(p.site.record, {slot, ahead, facts.options().position_independent, inline_asm, !plan.record_paths}, p.site.live);
      plan.insertions.push_back({p.site, core::kNone, std::move(names), Effect::none, 0, Phase::last});
      continue;
    }
    bool unwinding = contexts.holder.widens_frame() && rules_at_way_out(facts.rules_at(p.site));
    std::string text = p.role == Role::jumps
                           ? isa::leave_context_for(contexts.holder,
                                                    {slot, ahead, p.scratch, jump_word_label(facts.n, p.call), fmt::format(".Lchord_x{}_{}", facts.n, p.edge)},
                                                    unwinding)
                           : isa::leave_context(contexts.holder, {p.scratch, unwinding, facts.options().position_independent});
    // Of a function that keeps very many registers, the place of one that was popped may be written over.
    if (unwinding && contexts.holder.kind == isa::PathHolder::Kind::saved) text = facts.rules_at(p.site).forget_popped_in(isa::place_left_by_context()) + text;
    put_frame_end(facts, {p.site, p.edge, {text, kLeavePrice}, Effect::none, 0, Phase::last}, unwinding, plan);
  }
  return {};
}

// Also a record for when there is no memory, and a thread-local word whose offset is the procedure's id.
std::string context_record_text(const RecordPlacer &placer, const ProcedureFacts &facts, const ProcedurePlan &plan) {
  if (!plan.contexts) return {};
  const uint32_t n = facts.n, slots = plan.contexts->sites;
  size_t count = record_words(plan);
  const bool shared = facts.options().position_independent;
  const unsigned span = plan.record_paths ? plan.record_paths->span : 0;
  std::string out = shared ? "" : counters_text(placer, context_id_label(n), 1, isa::CounterPlace::Kind::thread_local_exec);
  std::string id = shared ? "0, 0" : context_id_label(n) + "@tpoff, -1";
  out += placer.loaded(".bss.chord", "aw", "nobits") +
         fmt::format("\t.balign {}\n{}:\n\t.zero {}\n", 1 << std::clamp(span, 6u, unsigned{CHORD_CONTEXT_PAGE_BITS}), spare_record_label(n),
                     static_cast<uint64_t>(slot_offset(count, slots)) + CHORD_CONTEXT_SPARE_ROOM(span));
  out += placer.loaded(".data.chord", "aw", "progbits") +
         fmt::format("\t.balign 8\n{}:\n\t.quad {}-.\n\t.quad {}-.\n\t.long {}\n\t.long {}, {}, 0, {}\n\t.quad 0\n",
                     context_proc_label(n), record_label(n), spare_record_label(n), id, slots | span << 16,
                     plan.contexts->argument_distance, plan.contexts->kept_distance);
  out += jump_words_text(*plan.contexts, n);
  out += placer.loaded(CHORD_PROCS_SECTION, "a", "progbits") +
         fmt::format("\t.balign 8\n{}:\n\t.quad {}-.\n\t.quad {:#x}\n\t.long {}, {}\n", record_label(n), context_proc_label(n), facts.map.key,
                     count, static_cast<int>(CHORD_COUNTERS_RECORD));
  return out;
}

std::string context_unit_text(const UnitFacts &unit, const std::vector<ProcedurePlan> &plans) {
  const Options &options = unit.options;
  uint32_t mode = options.context_depth | (options.context_functions ? CHORD_CONTEXT_FUNCTIONS : 0);
  auto section = [](const char *prefix, const char *flags, const char *symbol) {
    return fmt::format("\t.section {0}.{2},\"{1}G\",@progbits,{3},comdat\n\t.balign 8\n\t.weak {2}\n\t.hidden {2}\n{2}:\n", prefix, flags,
                       symbol, CHORD_SITE_SYMBOL);
  };
  std::string marks;
  // A procedure of a shared object that makes no calls does not put back what a jump to it has named.
  auto may_be_named = [&](const ProcedurePlan &plan) {
    return plan.contexts && (plan.contexts->holder.widens_frame() || !options.position_independent);
  };
  for (uint32_t n = 0; n < plans.size(); ++n) marks += record_mark_text(unit.unit, n, may_be_named(plans[n]));
  return marks + section(".tdata", "awT", CHORD_SITE_SYMBOL) + fmt::format("\t.quad {}, 0\n", CHORD_ROOT_SLOT_SYMBOL) +
         section(".tdata", "awT", CHORD_LINK_SYMBOL) + fmt::format("\t.quad {}\n", CHORD_SITE_FALLBACK_SYMBOL) +
         section(".data", "aw", CHORD_SITE_FALLBACK_SYMBOL) + fmt::format("\t.quad {}, 0\n", CHORD_ROOT_SLOT_SYMBOL) +
         section(".data", "aw", CHORD_ROOT_SLOT_SYMBOL) +
         fmt::format("\t.quad {0}+16, {0}\n\t.zero {1}\n", CHORD_ROOT_SLOT_SYMBOL, CHORD_CONTEXT_COUNTERS) +
         section(".rodata", "a", CHORD_CONTEXT_MODE_SYMBOL) + fmt::format("\t.quad {:#x}\n", mode) +
         section(".text", "ax", CHORD_SITE_PLACE_SYMBOL) +
         "\t.cfi_startproc\n" + isa::return_thread_offsets(CHORD_SITE_SYMBOL, CHORD_LINK_SYMBOL) + "\t.cfi_endproc\n";
}

}  // namespace chord::weave
