#include "verify/program/code_places.h"

#include "base/hash.h"

namespace chord::verify {

CodePlaces::CodePlaces(const Program &program, const format::UnitMap &map, PlainAddress plain) : p_(program), map_(map), plain_(std::move(plain)) {}

uint64_t CodePlaces::made_up(uint32_t section) const {
  constexpr uint64_t kFirst = uint64_t{1} << 22, kPage = 4096, kMany = uint64_t{1} << 18, kAligned = 64;
  uint64_t at = kFirst + kPage * (base::Hash().add(map_.unit).value() % kMany);
  for (uint32_t s = 0; s < section; ++s) at += (p_.section_size(s) + kAligned - 1) & ~(kAligned - 1);
  return at;
}

std::optional<uint64_t> CodePlaces::address(const format::Procedure &procedure, uint32_t instruction) const {
  const Instr &in = p_.instrs()[instruction];
  const uint32_t section = p_.source().statements[in.first].section;
  for (const format::Fragment &fragment : procedure.fragments) {
    uint32_t label = p_.label(fragment.name, 0);
    if (label == kNone || p_.source().statements[label].section != section) continue;
    uint32_t begin = p_.offset_of(label);
    if (in.offset < begin || in.offset - begin >= fragment.size) continue;
    std::optional<uint64_t> plain = plain_ ? plain_(fragment.name, map_.unit, fragment.size) : std::nullopt;
    return plain ? *plain + (in.offset - begin) : made_up(section) + in.offset;
  }
  return std::nullopt;
}

}  // namespace chord::verify
