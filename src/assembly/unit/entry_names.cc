#include "assembly/unit/entry_names.h"

#include <vector>

namespace chord::assembly {
namespace {

uint64_t place(uint32_t section, uint32_t offset) { return uint64_t{section} << 32 | offset; }

}  // namespace

std::unordered_map<std::string_view, uint32_t> name_entries(const Unit &unit) {
  std::unordered_map<std::string_view, uint32_t> named;
  std::unordered_map<uint64_t, uint32_t> starts;
  for (uint32_t n = 0; n < unit.procedures.size(); ++n) {
    const Fragment &f = unit.procedures[n].fragments[0];
    starts.emplace(place(f.section, f.begin), n);
    named.emplace(unit.procedures[n].name, n);
  }
  for (const auto &[name, s] : unit.symbols.labels) {
    auto found = starts.find(place(unit.source->statements[s].section, unit.layout.places[s].begin));
    if (found != starts.end()) named.emplace(name, found->second);
  }
  std::vector<Alias> aliases;
  for (const Statement &s : unit.source->statements) {
    if (std::optional<Alias> a = alias_in(s)) aliases.push_back(*a);
  }
  for (bool more = true; more;) {
    more = false;
    for (const Alias &a : aliases) {
      auto found = named.find(a.of);
      if (found != named.end()) more = named.emplace(a.name, found->second).second || more;
    }
  }
  return named;
}

}  // namespace chord::assembly
