#include "weave/plan/record_text.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <iterator>

#include "weave/plan/labels.h"

namespace chord::weave {

using PlaceKind = isa::CounterPlace::Kind;

RecordPlacer::RecordPlacer(const assembly::Unit &unit, uint32_t n, uint32_t section_owner)
    : code_(unit.source->sections[unit.procedures[n].fragments[0].section]), n_(n), section_owner_(section_owner) {}

std::string RecordPlacer::loaded(std::string_view name, std::string_view flags, std::string_view type) const {
  if (!code_.group.empty()) {
    return fmt::format("\t.section {},\"{}G\",@{},{},comdat\n", name, flags, type, code_.group);
  }
  bool own_section = code_.name != ".text" && !code_.name.starts_with(".text.unlikely") &&
                     !code_.name.starts_with(".text.startup") && !code_.name.starts_with(".text.hot");
  own_section = own_section || code_.name.find('.', 6) != std::string::npos;
  if (own_section) return fmt::format("\t.section {},\"{}\",@{},unique,{}\n", name, flags, type, n_ + 1);
  return fmt::format("\t.section {},\"{}\",@{}\n", name, flags, type);
}

std::string RecordPlacer::anchor() const {
  if (!code_.group.empty()) {
    return fmt::format("\t.section {},\"G\",@progbits,{},comdat\n", CHORD_ANCHOR_SECTION, code_.group);
  }
  return fmt::format("\t.section {},\"o\",@progbits,{}\n", CHORD_ANCHOR_SECTION, start_label(section_owner_, 0));
}

std::string counters_text(const RecordPlacer &placer, const std::string &label, size_t count, PlaceKind kind) {
  bool thread = kind == PlaceKind::thread_local_exec;
  std::string section = thread ? placer.loaded(".tbss.chord", "awT", "nobits") : placer.loaded(".bss.chord", "aw", "nobits");
  return fmt::format("{}\t.balign 8\n{}:\n\t.zero {}\n", section, label, 8 * count);
}

std::string record_text(const RecordPlacer &placer, const CounterRecord &r, PlaceKind kind) {
  bool thread = kind == PlaceKind::thread_local_exec;
  int where = thread ? CHORD_COUNTERS_THREAD : kind == PlaceKind::thread_delta ? CHORD_COUNTERS_DELTA : CHORD_COUNTERS_SHARED;
  // Offsets from the thread pointer are negative in an executable. Not every linker
  // knows the 64-bit relocation for them, so the upper half is written out.
  std::string address = thread ? ".long " + r.counters + "@tpoff, -1" : ".quad " + r.counters + "-.";
  return fmt::format("{}\t.balign 8\n{}:\n\t{}\n\t.quad {:#x}\n\t.long {}, {}\n",
                     placer.loaded(CHORD_PROCS_SECTION, "a", "progbits"), r.label, address, r.key, r.count, where);
}

namespace {

// Each as the difference to the one before.
std::string places_text(const std::vector<std::string> &labels, std::string previous) {
  std::string out;
  for (const std::string &label : labels) {
    out += fmt::format("\t.uleb128 {}-{}\n", label, previous);
    previous = label;
  }
  return out;
}

}  // namespace

std::string anchor_text(const RecordPlacer &placer, const format::Procedure &map, uint32_t n,
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
    out += places_text(marks, start_label(n, f));
    fmt::format_to(to, "\t.uleb128 {}\n", own_spots.size());
    out += places_text(own_spots, start_label(n, f));
  }
  out += "\t.balign 8\n";
  return out;
}

std::string flag_text(std::string_view symbol) {
  return fmt::format("\t.section .rodata.{0},\"aG\",@progbits,{0},comdat\n\t.weak {0}\n\t.hidden {0}\n{0}:\n\t.byte 1\n",
                     symbol);
}

// As numbers: a name may hold any character but NUL.
std::string name_text(std::string_view symbol, std::string_view section, const std::string &name) {
  std::string out = fmt::format("\t.section {1},\"aG\",@progbits,{0},comdat\n\t.weak {0}\n\t.hidden {0}\n{0}:\n", symbol, section);
  for (char c : name) out += fmt::format("\t.byte {}\n", static_cast<unsigned char>(c));
  return out + "\t.byte 0\n";
}

}  // namespace chord::weave
