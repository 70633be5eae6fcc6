#include "analysis/source/inlined.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "core/graph/graph.h"

namespace chord::analysis {

using core::kNone;

// Walks the debug information of one file.
class InlineReader {
 public:
  explicit InlineReader(InlineTable &table) : table_(table) {}

  void read(Dwarf *dwarf) {
    Dwarf_CU *unit = nullptr;
    Dwarf_Die head, split;
    while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &head, &split) == 0) {
      Dwarf_Die *die = split.addr != nullptr ? &split : &head;
      files_ = nullptr;
      size_t count = 0;
      if (dwarf_getsrcfiles(&head, &files_, &count) != 0) files_ = nullptr;
      walk(die, kNone, 0);
    }
    paint();
  }

 private:
  struct Range {
    uint64_t begin = 0, end = 0;
    uint32_t call = 0, depth = 0;
  };

  void walk(Dwarf_Die *die, uint32_t parent, uint32_t depth) {
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0) return;
    do {
      int tag = dwarf_tag(&child);
      if (tag == DW_TAG_inlined_subroutine) {
        walk(&child, add(&child, parent, depth), depth + 1);
      } else {
        // A function of its own within another's scope is not part of it.
        walk(&child, tag == DW_TAG_subprogram ? kNone : parent, tag == DW_TAG_subprogram ? 0 : depth);
      }
    } while (dwarf_siblingof(&child, &child) == 0);
  }

  uint32_t add(Dwarf_Die *die, uint32_t parent, uint32_t depth) {
    auto number = static_cast<uint32_t>(table_.calls_.size());
    InlinedCall &call = table_.calls_.emplace_back();
    call.parent = parent;
    call.function = name_of(die);
    call.line = static_cast<uint32_t>(number_of(die, DW_AT_call_line));
    Dwarf_Word file = number_of(die, DW_AT_call_file);
    const char *name = files_ != nullptr ? dwarf_filesrc(files_, file, nullptr, nullptr) : nullptr;
    if (name != nullptr) call.file = name;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (std::ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0;) {
      if (begin < end) ranges_.push_back({begin, end, number, depth});
    }
    return number;
  }

  static Dwarf_Word number_of(Dwarf_Die *die, unsigned int name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (dwarf_attr(die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0) return 0;
    return value;
  }

  static std::string name_of(Dwarf_Die *die) {
    Dwarf_Attribute attribute;
    for (unsigned int name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
      if (dwarf_attr_integrate(die, name, &attribute) == nullptr) continue;
      if (const char *text = dwarf_formstring(&attribute)) return text;
    }
    return "(unnamed)";
  }

  // Outer calls first, then what lies in them over it.
  void paint() {
    std::stable_sort(ranges_.begin(), ranges_.end(), [](const Range &a, const Range &b) { return a.depth < b.depth; });
    std::map<uint64_t, uint32_t> starts{{0, kNone}};
    auto at = [&](uint64_t address) { return std::prev(starts.upper_bound(address))->second; };
    for (const Range &range : ranges_) {
      uint32_t after = at(range.end);
      starts.erase(starts.lower_bound(range.begin), starts.lower_bound(range.end));
      starts[range.begin] = range.call;
      starts.try_emplace(range.end, after);
    }
    for (auto [address, call] : starts) table_.starts_.push_back({address, call});
  }

  InlineTable &table_;
  Dwarf_Files *files_ = nullptr;
  std::vector<Range> ranges_;
};

InlineTable::InlineTable(const std::string &file) {
  int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  Dwarf *dwarf = descriptor < 0 ? nullptr : dwarf_begin(descriptor, DWARF_C_READ);
  if (dwarf == nullptr) {
    problem_ = fmt::format("{}: no debug information; build with -g", file);
  } else {
    InlineReader(*this).read(dwarf);
    dwarf_end(dwarf);
    if (calls_.empty()) problem_ = fmt::format("{}: nothing was inlined, or it was built without -g", file);
  }
  if (descriptor >= 0) ::close(descriptor);
}

uint32_t InlineTable::find(uint64_t address) const {
  auto after = std::upper_bound(starts_.begin(), starts_.end(), address, [](uint64_t value, const Start &start) { return value < start.address; });
  return after == starts_.begin() ? kNone : std::prev(after)->call;
}

// The innermost call that both lie in.
uint32_t InlineTable::common(uint32_t a, uint32_t b) const {
  for (; a != kNone; a = calls_[a].parent) {
    for (uint32_t c = b; c != kNone; c = calls_[c].parent) {
      if (a == c) return a;
    }
  }
  return kNone;
}

std::vector<uint32_t> InlineTable::of_instructions(const CountedProcedure &procedure, const std::vector<uint64_t> &addresses) const {
  const std::vector<format::Instruction> &all = procedure.map->instructions;
  std::vector<uint32_t> calls(all.size(), kNone);
  std::vector<uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return all[a].fragment != all[b].fragment ? all[a].fragment < all[b].fragment : all[a].offset < all[b].offset;
  });
  for (uint32_t i : order) {
    if (addresses[i] != 0) calls[i] = find(addresses[i]);
  }
  for (size_t n = 0; n < order.size(); ++n) {
    if (addresses[order[n]] != 0 || n == 0) continue;
    size_t next = n + 1;
    while (next < order.size() && addresses[order[next]] == 0) ++next;
    if (next < order.size() && all[order[next]].fragment == all[order[n - 1]].fragment) {
      calls[order[n]] = common(calls[order[n - 1]], calls[order[next]]);
    }
  }
  return calls;
}

}  // namespace chord::analysis
