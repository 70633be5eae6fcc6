#include "weave/weave.h"

#include <chord_abi.h>
#include <chord_traces.h>
#include <fmt/core.h>

#include <map>
#include <set>

#include "isa/code_text.h"
#include "weave/plan/labels.h"
#include "weave/modes.h"
#include "weave/plan_unit.h"
#include "weave/compose/long_jumps.h"
#include "weave/compose/weave_procedure.h"
#include "weave/exits/wrapped_names.h"
#include "weave/sim/code_addresses.h"

namespace chord::weave {
namespace {

// Writes what has been planned; nothing is decided here.
class UnitWriter {
 public:
  UnitWriter(UnitPlan plan, const UnitFiles &around)
      : unit_(plan.facts->unit), options_(plan.facts->options), around_(around), plan_(std::move(plan)) {
    out_.map = std::move(*plan_.map);
  }

  Woven run() {
    for (uint32_t n = 0; n < plan_.procedures.size(); ++n) {
      if (plan_.procedures[n] != nullptr) procedure(n);
    }
    if (out_.map.procedures.empty()) {
      out_.text = unit_.source->text;
      return std::move(out_);
    }
    if (out_.woven != 0) {
      name_stand_ins(unit_, edits_);
      keep_rules_in_memory();
    }
    std::vector<Edits::Change> changes;
    out_.text = edits_.apply(unit_.source->text, changes);
    for (const Edits::Change &change : changes) {
      if (change.length == 0) out_.inserted.push_back(change.now);
    }
    out_.long_jumps = find_long_jumps(*unit_.source, unit_.layout, out_.text, changes);
    if (out_.woven != 0) out_.runtime = runtime();
    uint32_t end = static_cast<uint32_t>(out_.text.size());
    out_.text += tail();
    out_.inserted.push_back({end, static_cast<uint32_t>(out_.text.size())});
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
    const ProcedurePlan &plan = plan_.plans[n];
    format::Procedure map = plan_.procedures[n]->map;
    map.skipped = plan_.skipped[n];
    map.no_paths = plan.no_paths;
    if (options_.chosen != nullptr && !map.no_paths.empty()) out_.unchosen.push_back({map.name, map.no_paths});
    if (map.skipped.empty()) {
      if (options_.layout != nullptr) note_unplaced(*plan_.procedures[n]);
      write(n, map);
    } else {
      leave_alone(map);
    }
    out_.map.procedures.push_back(std::move(map));
  }

  void note_unplaced(const ProcedureFacts &facts) {
    for (const assembly::Fragment &f : facts.p.fragments) {
      if (!plain_address(facts.in, f)) out_.unplaced.emplace_back(f.name);
    }
  }

  void leave_alone(format::Procedure &map) {
    map.instructions.clear();
    map.blocks.clear();
    map.edges.clear();
    ++out_.skipped;
  }

  void write(uint32_t n, format::Procedure &map) {
    const ProcedureFacts &facts = *plan_.procedures[n];
    const ProcedurePlan &plan = plan_.plans[n];
    WovenProcedure woven = weave_procedure(facts, plan);
    edits_.append(woven.edits);
    lacks_rules_ = lacks_rules_ || woven.lacks_rules;
    personalities_.insert(woven.personalities.begin(), woven.personalities.end());
    map.plan = plan.counters;
    map.held = plan.held;
    map.metrics = plan.metrics;
    map.metrics_in_records = !plan.metrics.empty() && plan.contexts != nullptr;
    map.marks = std::move(woven.marks);
    std::vector<std::string> spots;
    for (SpotWriter::Placed &spot : woven.spots) {
      spots.push_back(std::move(spot.label));
      map.spots.push_back(std::move(spot.spot));
    }
    uint32_t owner = section_owner_.try_emplace(facts.p.fragments[0].section, n).first->second;
    RecordPlacer placer(unit_, n, owner);
    for (const Mode &mode : modes()) {
      if (mode.is_on(options_) && mode.record_text != nullptr) records_ += mode.record_text(placer, facts, plan);
    }
    records_ += anchor_text(placer, map, n, spots);
    out_.unmatched += facts.unmatched;
    ++out_.woven;
  }

  // The unwinder calls the stand-in; it adds the real routine as one more argument.
  std::string personality_routines() const {
    std::string out;
    for (const std::string &p : personalities_) {
      out += fmt::format(
          "\t.section .text.{0},\"axG\",@progbits,{0},comdat\n\t.weak {0}\n\t.hidden {0}\n\t.type {0},@function\n"
          "{0}:\n{1}\t.size {0},.-{0}\n",
          personality_label(p), isa::jump_with_address(p, "__chord_personality_with"));
    }
    return out;
  }

  // What the runtime shows to other modules (runtime/process/visible.s), and functions that it stands in for and does not
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
    const std::string map = fmt::format("\t.section {},\"\",@progbits\n\t.incbin \"{}\"\n", CHORD_MAP_SECTION, around_.map_file);
    std::string out = "\n\t.att_syntax prefix\n";
    if (out_.woven == 0) return out + map;
    out += records_;
    for (const Mode &mode : modes()) {
      if (mode.is_on(options_) && mode.unit_text != nullptr) out += mode.unit_text(*plan_.facts, plan_.plans);
    }
    out += personality_routines();
    if (lacks_rules_) out += flag_text(CHORD_NO_RULES_SYMBOL);
    if (!options_.out.empty()) out += name_text(CHORD_PLACE_SYMBOL, CHORD_PLACE_SECTION, options_.out);
    if (options_.trace_time) out += flag_text(CHORD_TRACE_TIMED_SYMBOL);
    if (options_.trace_addresses) out += flag_text(CHORD_ADDRESSES_WANTED_SYMBOL);
    if (options_.trace && !around_.tool.empty()) out += name_text(CHORD_TRACE_TOOL_SYMBOL, CHORD_TRACE_TOOL_SECTION, around_.tool);
    return out + map + ask_for_visible_names() + fmt::format("\t.include \"{}/chord_visible.s\"\n", around_.runtime_folder);
  }

  std::vector<std::string> runtime() const {
    std::vector<std::string> out = {"chord_runtime"};
    for (const RuntimeGroup &group : runtime_groups()) {
      if (group.is_needed(options_)) out.push_back(std::string("chord_runtime_") + group.name);
    }
    return out;
  }

  const assembly::Unit &unit_;
  const Options &options_;
  const UnitFiles &around_;
  UnitPlan plan_;
  Woven out_;
  Edits edits_;
  std::string records_;
  std::set<std::string> personalities_;
  bool lacks_rules_ = false;  // some woven procedure has no unwind information
  std::map<uint32_t, uint32_t> section_owner_;
};

}  // namespace

Woven weave_unit(const assembly::Unit &unit, const Options &options, const UnitFiles &surroundings) {
  return UnitWriter(plan_unit(unit, options), surroundings).run();
}

}  // namespace chord::weave
