#include "weave/weave.h"

#include <chord_abi.h>
#include <fmt/core.h>
#include <fnmatch.h>

#include <map>
#include <set>

#include "assembly/liveness.h"
#include "assembly/stack_frame.h"
#include "base/hash.h"
#include "weave/describe.h"
#include "weave/emit_records.h"
#include "weave/brackets.h"
#include "weave/contexts.h"
#include "weave/counter_place.h"
#include "weave/events.h"
#include "weave/implied_entries.h"
#include "weave/leaps.h"
#include "weave/paths.h"
#include "weave/plan_procedure.h"
#include "weave/sites.h"
#include "weave/weave_procedure.h"
#include "weave/wrapped_names.h"

namespace chord::weave {
namespace {

bool matches_any(const std::vector<std::string> &globs, const std::string &function, const std::string &file) {
  for (const std::string &glob : globs) {
    if (fnmatch(glob.c_str(), function.c_str(), 0) == 0 || fnmatch(glob.c_str(), file.c_str(), 0) == 0) return true;
  }
  return false;
}

// Branches that reach one byte far only: what is put between them and their target
// must not push it out of reach. Sizes are estimated high: a probe by its price, and
// every jump on the way as if it grew.
bool short_branch_breaks(const assembly::Unit &unit, const assembly::Procedure &p, const core::Plan &plan,
                         const Sites &sites, const std::vector<Probe> &probes, const Options &options) {
  constexpr int64_t kReach = 127, kBytesPerInstruction = 10, kJumpGrowth = 4;
  for (const assembly::Instruction &in : p.instructions) {
    if (!in.decoded.short_only) continue;
    std::string_view name = assembly::first_symbol(unit.source->statements[in.last_statement].operands);
    uint32_t label = unit.symbols.find_label(*unit.source, name, in.last_statement);
    uint32_t low = std::min(in.last_statement, label), high = std::max(in.last_statement, label);
    int64_t distance = std::abs(in.decoded.displacement) + in.decoded.size;
    for (const assembly::Instruction &other : p.instructions) {
      bool jumps = other.decoded.flow == isa::Flow::jump || other.decoded.flow == isa::Flow::conditional;
      if (jumps && other.first_statement >= low && other.first_statement <= high) distance += kJumpGrowth;
    }
    auto add = [&](const Site &site, unsigned price) {
      uint32_t at = site.is_stub() ? site.gap : site.statement;
      bool between = at >= low && at <= high;
      if (between) distance += kBytesPerInstruction * price;
    };
    for (const core::Counter &c : plan.counters) {
      if (c.site == core::Site::sum) continue;
      const Site &site = c.site == core::Site::edge ? sites.edge[c.id] : sites.block[c.id];
      add(site, isa::increment(counter_place(options, site), site.live).price);
    }
    for (const Probe &probe : probes) add(probe.site, probe.snippet.price);
    if (distance > kReach) return true;
  }
  return false;
}

// For short_branch_breaks. The way around that a count by number has is about as long again.
std::vector<Probe> sizes_of(const std::vector<PathProbe> &probes) {
  std::vector<Probe> sizes;
  for (const PathProbe &p : probes) {
    Probe &size = sizes.emplace_back();
    size.site = p.site;
    size.snippet.price = p.role == PathProbe::Role::inside ? 0 : 3;
    for (const PathProbe::Part &part : p.parts) size.snippet.price += part.snippet.price * (part.snippet.moves_stack ? 2 : 1);
  }
  return sizes;
}

// Likewise. Bytes of the frame's moves, and of the code out of the way, are few.
std::vector<Probe> sizes_of(const ContextWeaving &contexts) {
  std::vector<Probe> sizes;
  for (const ContextProbe &p : contexts.probes) {
    Probe &size = sizes.emplace_back();
    size.site = p.site;
    size.snippet.price = p.role == ContextProbe::Role::enters ? isa::kEnterPrice : 4;
  }
  return sizes;
}

constexpr const char *kNothingChosen = "no path of it is chosen";

// Placements other than the default are for study, event counters have a live value at
// every instruction, and registers do not survive SIGKILL: all that stays in memory.
bool holds_loop_counters(const Options &options) {
  return options.loop_counters != Options::LoopCounters::memory && options.place == core::Placement::optimal &&
         options.events == 0 && !options.durable;
}

// Likewise; and calls counted by their callers are not known one by one when paths are
// counted, nor after SIGKILL.
bool relies_on_callers(const Options &options) {
  return options.entries == Options::Entries::implied && options.place == core::Placement::optimal &&
         options.events == 0 && !options.callsites && !options.paths && !options.durable && !options.context;
}

class UnitWeaver {
 public:
  // `implied` as find_implied_entries has it.
  UnitWeaver(const assembly::Unit &unit, const Options &options, const Surroundings &around, std::vector<bool> implied)
      : unit_(unit), options_(options), around_(around), describer_(unit, out_.map), jumped_(jumped_labels(unit)),
        implied_(std::move(implied)), is_woven_(unit.procedures.size()), keeps_record_(unit.procedures.size()) {}

  // Valid after run().
  const std::vector<bool> &woven() const { return is_woven_; }

  Woven run() {
    for (uint32_t n = 0; n < unit_.procedures.size(); ++n) procedure(n);
    if (out_.map.procedures.empty()) {
      out_.text = unit_.source->text;
    } else {
      if (out_.woven != 0) {
        name_stand_ins(unit_, edits_);
        keep_rules_in_memory();
      }
      out_.text = edits_.apply(unit_.source->text, out_.inserted);
      uint32_t end = static_cast<uint32_t>(out_.text.size());
      out_.text += tail();
      out_.inserted.push_back({end, static_cast<uint32_t>(out_.text.size())});
    }
    return std::move(out_);
  }

 private:
  // Unwind information for debuggers alone (-g -fno-asynchronous-unwind-tables) is not there at
  // run time. An assembler has one choice for a whole file, which the runtime's is part of.
  void keep_rules_in_memory() {
    const assembly::Source &source = *unit_.source;
    for (const assembly::Statement &s : source.statements) {
      if (s.kind != assembly::StatementKind::directive || s.name != ".cfi_sections" || s.operands.find(".eh_frame") != s.operands.npos) continue;
      edits_.insert(static_cast<uint32_t>(s.operands.data() - source.text.data()), ".eh_frame, ");
    }
  }

  void procedure(uint32_t n) {
    const assembly::Procedure &p = unit_.procedures[n];
    std::string file = describer_.file_of(p);
    if (!is_selected(options_, std::string(p.name), file)) return;
    format::Procedure map = describer_.describe(p);
    map.key = base::Hash().add(out_.map.id).add(uint64_t{n}).value();
    jump_words_.clear();
    if (map.skipped.empty()) map.skipped = weave(n, p, map);
    if (map.skipped.empty()) {
      uint32_t owner = section_owner_.try_emplace(p.fragments[0].section, n).first->second;
      records_ += emit_records(unit_, p, map, n, owner, {spots_, context_sites_, context_frame_}, options_);
      is_woven_[n] = true;
      keeps_record_[n] = context_sites_.has_value();
      records_ += jump_words_;
      ++out_.woven;
    } else {
      map.instructions.clear();
      map.blocks.clear();
      map.edges.clear();
      map.marks.clear();
      map.plan = {};
      map.held.clear();
      map.spots.clear();
      ++out_.skipped;
    }
    out_.map.procedures.push_back(std::move(map));
  }

  // Empty, or why the procedure is left alone.
  std::string weave(uint32_t n, const assembly::Procedure &p, format::Procedure &map) {
    assembly::Liveness liveness = assembly::compute_liveness(unit_, p);
    Sites sites = find_sites(unit_, p, liveness, jumped_, options_.stubs);
    std::string why_not = p.graph().defect();
    if (!why_not.empty()) return why_not;
    bool unmatched = false;
    std::vector<double> weights = edge_weights(p, map, out_.map.mnemonics, options_);
    std::optional<PathWeaving> paths;
    if (options_.chosen != nullptr && options_.chosen->find(map.name).empty()) return kNothingChosen;
    if (options_.paths) paths = weave_paths(n, p, map, liveness, sites, weights);
    if (paths && paths->plan.placement == core::Placement::none) return kNothingChosen;
    std::optional<ContextWeaving> contexts;
    if (options_.context) contexts = weave_contexts(n, p, map, liveness, sites);
    std::optional<LoopPlanner> loops;
    if (!paths && holds_loop_counters(options_)) loops.emplace(unit_, p, liveness, sites, weights, options_);
    std::optional<core::Plan> plan =
        paths ? std::optional(paths->plan)
              : plan_procedure(p, map, out_.map.mnemonics, sites,
                               loops ? loops->offers() : std::vector<LoopPlanner::Offer>{}, implied_[n], options_, unmatched,
                               why_not);
    if (!plan) return why_not;
    LoopCounters held;
    if (loops) held = loops->choose(*plan, n, sites);
    shares_registers_ = shares_registers_ || std::any_of(held.counters.begin(), held.counters.end(), [](const HeldCounter &h) {
                          return h.holder.part != isa::Holder::Part::whole;
                        });
    std::optional<std::vector<Probe>> probes = std::vector<Probe>{};
    if (options_.events != 0 && !paths) {
      std::vector<int64_t> costs;
      if (!options_.costs.empty()) costs = instruction_costs(options_.costs, map, out_.map);
      probes = plan_events(unit_, p, liveness, sites, weights, costs, options_, n, why_not);
      if (!probes) return why_not;
    }
    std::optional<Brackets> brackets = Brackets{};
    if (options_.callsites) brackets = plan_brackets(unit_, p, map, liveness, sites, options_, n, why_not);
    if (!brackets) return why_not;
    for (Probe &leap : plan_leaps(unit_, p, liveness)) brackets->outer.push_back(std::move(leap));
    std::vector<Probe> all = *probes;
    all.insert(all.end(), brackets->outer.begin(), brackets->outer.end());
    all.insert(all.end(), brackets->inner.begin(), brackets->inner.end());
    if (contexts) {
      std::vector<Probe> sizes = sizes_of(*contexts);
      all.insert(all.end(), sizes.begin(), sizes.end());
    }
    if (short_branch_breaks(unit_, p, *plan, sites, all, options_)) return "a one-byte branch over too much code";
    WovenProcedure woven =
        weave_procedure(unit_, p, n, *plan, sites, weights, jumped_, held, *probes, *brackets, paths ? &*paths : nullptr,
                        contexts ? &*contexts : nullptr, options_);
    edits_.append(woven.edits);
    lacks_rules_ = lacks_rules_ || woven.lacks_rules;
    personalities_.insert(woven.personalities.begin(), woven.personalities.end());
    out_.unmatched += unmatched;
    context_sites_ = contexts ? std::optional(contexts->sites) : std::nullopt;
    context_frame_ = contexts ? contexts->argument_distance : 0;
    if (contexts) jump_words_ = emit_jump_words(*contexts, n);
    map.plan = std::move(*plan);
    map.marks = std::move(woven.marks);
    map.held = std::move(held.held);
    spots_.clear();
    for (SpotWriter::Placed &spot : woven.spots) {
      spots_.push_back(std::move(spot.label));
      map.spots.push_back(std::move(spot.spot));
    }
    return {};
  }

  // Nothing, and the reason in the map, if edges must be counted instead.
  std::optional<PathWeaving> weave_paths(uint32_t n, const assembly::Procedure &p, format::Procedure &map,
                                         const assembly::Liveness &liveness, const Sites &sites,
                                         const std::vector<double> &weights) {
    if (context_.unit == nullptr) context_ = {&unit_, &out_.map, assembly::follows_other_convention(unit_)};
    std::string why_not;
    std::optional<PathWeaving> paths = plan_paths(context_, p, map, n, liveness, sites, weights, options_, why_not);
    if (paths && short_branch_breaks(unit_, p, paths->plan, sites, sizes_of(paths->probes), options_)) {
      why_not = "a one-byte branch over too much code";
      paths.reset();
    }
    if (paths && paths->plan.placement != core::Placement::none) {
      out_.paths[n] = {isa::register_numbered(paths->holder.reg), paths->holder.widens_frame(), paths->above};
    } else if (!paths) {
      map.no_paths = why_not;
      if (options_.chosen != nullptr) out_.unchosen.push_back({map.name, why_not});
    }
    return paths;
  }

  // Nothing, and the reason in the map, if the procedure counts as without contexts.
  std::optional<ContextWeaving> weave_contexts(uint32_t n, const assembly::Procedure &p, format::Procedure &map,
                                               assembly::Liveness &liveness, Sites &sites) {
    if (context_unit_.unit == nullptr) context_unit_ = context_unit(unit_);
    assembly::Liveness live = liveness;
    Sites changed = sites;
    std::optional<ContextWeaving> contexts = plan_contexts(context_unit_, p, map, live, changed, map.no_paths);
    if (contexts && short_branch_breaks(unit_, p, {}, changed, sizes_of(*contexts), options_)) {
      map.no_paths = "a one-byte branch over too much code";
      contexts.reset();
    }
    if (!contexts) return contexts;
    liveness = std::move(live);
    sites = std::move(changed);
    out_.paths[n] = {isa::register_numbered(contexts->holder.reg), contexts->holder.widens_frame(), contexts->above};
    return contexts;
  }

  // The unwinder calls the stand-in; it adds the real routine as one more argument.
  std::string personality_routines() const {
    std::string out;
    for (const std::string &p : personalities_) {
      out += fmt::format(
          "\t.section .text.{0},\"axG\",@progbits,{0},comdat\n\t.weak {0}\n\t.hidden {0}\n\t.type {0},@function\n"
          "{0}:\n\tendbr64\n\tmovq {1}@GOTPCREL(%rip),%r9\n\tjmp __chord_personality_with\n\t.size {0},.-{0}\n",
          personality_label(p), p);
    }
    return out;
  }

  // What the runtime shows to other modules (runtime/visible.cc), and functions that it stands in for and does not
  // have linked in by itself.
  std::string ask_for_visible_names() const {
    const assembly::Symbols &symbols = unit_.symbols;
    std::string_view text = unit_.source->text;
    bool starts_threads = symbols.labels.contains("pthread_create") || symbols.labels.contains("thrd_create");
    std::string out;
    if (!options_.position_independent && !starts_threads) out += "\t.set .Lchordrt_program,1\n";
    if (!options_.position_independent || text.find("__chord_api_") != std::string_view::npos) out += "\t.set .Lchordrt_api,1\n";
    for (std::string_view name : {"dlsym", "dlvsym", "timer_create", "clone", "syscall"}) {
      if (text.find(name) != std::string_view::npos && !symbols.labels.contains(name)) out += fmt::format("\t.globl {}\n", name);
    }
    return out;
  }

  // With nothing woven only the map is left: it says why.
  std::string tail() const {
    std::string out = "\n\t.att_syntax prefix\n";
    if (out_.woven != 0) out += records_ + emit_event_records(options_) + personality_routines();
    if (out_.woven != 0 && options_.context) out += emit_context_words(options_);
    for (uint32_t n = 0; options_.context && n < unit_.procedures.size(); ++n) out += emit_record_mark(unit_, n, keeps_record_[n]);
    if (out_.woven != 0 && shares_registers_) out += isa::half_constants();
    if (out_.woven != 0 && lacks_rules_) out += emit_flag(CHORD_NO_RULES_SYMBOL);
    out += fmt::format("\t.section {},\"\",@progbits\n\t.incbin \"{}\"\n", CHORD_MAP_SECTION, around_.map_file);
    if (out_.woven != 0) out += ask_for_visible_names() + fmt::format("\t.include \"{}\"\n", around_.runtime_file);
    return out;
  }

  const assembly::Unit &unit_;
  const Options &options_;
  const Surroundings &around_;
  Woven out_;
  Describer describer_;
  JumpedLabels jumped_;
  Edits edits_;
  std::string records_;
  std::vector<std::string> spots_;  // labels of the spots of the procedure just woven
  std::set<std::string> personalities_;
  bool lacks_rules_ = false;  // some woven procedure has no unwind information
  bool shares_registers_ = false;
  std::map<uint32_t, uint32_t> section_owner_;
  PathContext context_;
  ContextUnit context_unit_;
  std::optional<uint32_t> context_sites_;  // of the procedure just woven
  int context_frame_ = 0;
  std::vector<bool> implied_;   // by procedure
  std::vector<bool> is_woven_;  // likewise
  std::vector<bool> keeps_record_;  // likewise: of its calling context
  std::string jump_words_;          // of the procedure just woven
};

}  // namespace

bool is_selected(const Options &options, const std::string &function, const std::string &file) {
  if (!options.only.empty() && !matches_any(options.only, function, file)) return false;
  return !matches_any(options.except, function, file);
}

Woven weave_unit(const assembly::Unit &unit, const Options &options, const Surroundings &surroundings) {
  std::vector<bool> woven;
  for (const assembly::Procedure &p : unit.procedures) woven.push_back(p.skipped.empty());
  for (;;) {
    std::vector<bool> implied(unit.procedures.size());
    if (relies_on_callers(options)) implied = find_implied_entries(unit, woven);
    UnitWeaver weaver(unit, options, surroundings, implied);
    Woven out = weaver.run();
    // Only weaving shows which procedures it leaves alone; those count no calls.
    bool as_expected = true;
    for (uint32_t n = 0; n < woven.size(); ++n) {
      as_expected = as_expected && (weaver.woven()[n] || !woven[n]);
      woven[n] = woven[n] && weaver.woven()[n];
    }
    if (as_expected || implied == std::vector<bool>(implied.size())) return out;
  }
}

}  // namespace chord::weave
