#include "weave/emit_records.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <iterator>

#include "format/measured_calls.h"
#include "weave/brackets.h"
#include "weave/contexts.h"
#include "weave/events.h"
#include "weave/weave_procedure.h"

namespace chord::weave {
namespace {

using Kind = isa::CounterPlace::Kind;

// Records share the fate of the procedure's section: its COMDAT group, or, where
// it has a section to itself, a section of their own that --gc-sections can drop.
class Placer {
 public:
  Placer(const assembly::Section &code, uint32_t n, uint32_t section_owner)
      : code_(code), n_(n), section_owner_(section_owner) {}

  std::string loaded(std::string_view name, std::string_view flags, std::string_view type) const {
    if (!code_.group.empty()) {
      return fmt::format("\t.section {},\"{}G\",@{},{},comdat\n", name, flags, type, code_.group);
    }
    bool own_section = code_.name != ".text" && !code_.name.starts_with(".text.unlikely") &&
                       !code_.name.starts_with(".text.startup") && !code_.name.starts_with(".text.hot");
    own_section = own_section || code_.name.find('.', 6) != std::string::npos;
    if (own_section) return fmt::format("\t.section {},\"{}\",@{},unique,{}\n", name, flags, type, n_ + 1);
    return fmt::format("\t.section {},\"{}\",@{}\n", name, flags, type);
  }

  std::string anchor() const {
    if (!code_.group.empty()) {
      return fmt::format("\t.section {},\"G\",@progbits,{},comdat\n", CHORD_ANCHOR_SECTION, code_.group);
    }
    return fmt::format("\t.section {},\"o\",@progbits,{}\n", CHORD_ANCHOR_SECTION, start_label(section_owner_, 0));
  }

 private:
  const assembly::Section &code_;
  uint32_t n_;
  uint32_t section_owner_;
};

std::string emit_counters(const Placer &placer, const std::string &label, size_t count, Kind kind) {
  bool thread = kind == Kind::thread_local_exec;
  std::string section = thread ? placer.loaded(".tbss.chord", "awT", "nobits") : placer.loaded(".bss.chord", "aw", "nobits");
  return fmt::format("{}\t.balign 8\n{}:\n\t.zero {}\n", section, label, 8 * count);
}

std::string emit_record(const Placer &placer, const std::string &counters, const std::string &record, size_t count,
                        Kind kind, uint64_t key) {
  bool thread = kind == Kind::thread_local_exec;
  int where = thread ? CHORD_COUNTERS_THREAD : kind == Kind::thread_delta ? CHORD_COUNTERS_DELTA : CHORD_COUNTERS_SHARED;
  // Offsets from the thread pointer are negative in an executable. Not every linker
  // knows the 64-bit relocation for them, so the upper half is written out.
  std::string address = thread ? ".long " + counters + "@tpoff, -1" : ".quad " + counters + "-.";
  return fmt::format("{}\t.balign 8\n{}:\n\t{}\n\t.quad {:#x}\n\t.long {}, {}\n",
                     placer.loaded(CHORD_PROCS_SECTION, "a", "progbits"), record, address, key, count, where);
}

// What the counters stand for, in front of their own record.
std::string emit_numbers(const Placer &placer, const std::string &label, size_t count, uint64_t key) {
  return emit_counters(placer, label, count, Kind::shared) + placer.loaded(CHORD_PROCS_SECTION, "a", "progbits") +
         fmt::format("\t.balign 8\n\t.quad {}-.\n\t.quad {:#x}\n\t.long {}, {}\n", label, key, count,
                     static_cast<int>(CHORD_COUNTERS_NUMBERS));
}

// Each as the difference to the one before.
std::string emit_places(const std::vector<std::string> &labels, std::string previous) {
  std::string out;
  for (const std::string &label : labels) {
    out += fmt::format("\t.uleb128 {}-{}\n", label, previous);
    previous = label;
  }
  return out;
}

std::string emit_anchor(const Placer &placer, const format::Procedure &map, uint32_t n,
                        const std::vector<std::string> &spots) {
  std::string out = placer.anchor();
  auto to = std::back_inserter(out);
  fmt::format_to(to, "\t.balign 8\n\t.quad {:#x}\n\t.long {}, 0\n", map.key, map.fragments.size());
  size_t next = 0, next_spot = 0;
  for (uint32_t f = 0; f < map.fragments.size(); ++f) {
    size_t end = next;
    while (end < map.marks.size() && map.instructions[map.marks[end]].fragment == f) ++end;
    fmt::format_to(to, "\t.balign 8\n\t.quad {0}\n\t.long {1}-{0}, {2}\n", start_label(n, f), end_label(n, f), end - next);
    std::vector<std::string> marks, own_spots;
    for (; next < end; ++next) marks.push_back(mark_label(n, map.marks[next]));
    while (next_spot < spots.size() && map.spots[next_spot].fragment == f) own_spots.push_back(spots[next_spot++]);
    out += emit_places(marks, start_label(n, f));
    fmt::format_to(to, "\t.uleb128 {}\n", own_spots.size());
    out += emit_places(own_spots, start_label(n, f));
  }
  out += "\t.balign 8\n";
  return out;
}

// What the runtime must know to make records of calling contexts, a record for when there is no memory, and a
// thread-local word whose offset is the procedure's id.
std::string emit_context_proc(const Placer &placer, const format::Procedure &map, uint32_t n, const RecordFacts &facts) {
  size_t count = map.plan.words();
  std::string out = emit_counters(placer, context_id_label(n), 1, Kind::thread_local_exec);
  out += placer.loaded(".bss.chord", "aw", "nobits") +
         fmt::format("\t.balign 64\n{}:\n\t.zero {}\n", spare_record_label(n), slot_offset(count, *facts.context_sites));
  out += placer.loaded(".data.chord", "aw", "progbits") +
         fmt::format("\t.balign 8\n{}:\n\t.quad {}-.\n\t.quad {}-.\n\t.long {}@tpoff, -1\n\t.long {}, {}, 0, 0\n\t.quad 0\n",
                     context_proc_label(n),
                     record_label(n), spare_record_label(n), context_id_label(n), *facts.context_sites, facts.context_frame);
  out += placer.loaded(CHORD_PROCS_SECTION, "a", "progbits") +
         fmt::format("\t.balign 8\n{}:\n\t.quad {}-.\n\t.quad {:#x}\n\t.long {}, {}\n", record_label(n), context_proc_label(n), map.key,
                     count, static_cast<int>(CHORD_COUNTERS_RECORD));
  return out;
}

}  // namespace

std::string emit_flag(std::string_view symbol) {
  return fmt::format("\t.section .rodata.{0},\"aG\",@progbits,{0},comdat\n\t.weak {0}\n\t.hidden {0}\n{0}:\n\t.byte 1\n",
                     symbol);
}

std::string emit_records(const assembly::Unit &unit, const assembly::Procedure &p, const format::Procedure &map,
                         uint32_t n, uint32_t section_owner, const RecordFacts &facts, const Options &options) {
  Placer placer(unit.source->sections[p.fragments[0].section], n, section_owner);
  if (facts.context_sites)
    return emit_context_proc(placer, map, n, facts) + tie_event_records(options, record_label(n)) + emit_anchor(placer, map, n, facts.spots);
  bool by_number = map.plan.paths.by_number;
  size_t count = by_number ? CHORD_PATH_SLOTS + 1 : map.plan.words();
  std::string totals, numbers;
  if (by_number) numbers = emit_numbers(placer, numbers_label(n), count, map.key);
  if (options.callsites) {
    size_t calls = 1 + format::measured_calls(map).size();
    totals = emit_counters(placer, totals_label(n), calls, options.counters) +
             emit_record(placer, totals_label(n), totals_record_label(n), calls, options.counters, format::totals_key(map));
  }
  return totals + emit_counters(placer, counters_label(n), count, options.counters) + numbers +
         emit_record(placer, counters_label(n), record_label(n), count, options.counters, map.key) + tie_event_records(options, record_label(n)) +
         emit_anchor(placer, map, n, facts.spots);
}

}  // namespace chord::weave
