#include "weave/sim/code_addresses.h"

#include "base/hash.h"
#include "isa/models.h"

namespace chord::weave {
namespace {

constexpr uint64_t kPage = 4096, kFirstPage = 1024, kPages = 1u << 18;
constexpr uint64_t kSectionAlignment = 64;

uint64_t made_up_address(const UnitFacts &unit, const assembly::Fragment &fragment) {
  uint64_t page = kFirstPage + base::Hash().add(unit.map.unit).value() % kPages;
  uint64_t at = page * kPage;
  for (uint32_t section = 0; section < fragment.section; ++section) {
    at += (unit.unit.layout.contents[section].size() + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
  }
  return at + fragment.begin;
}

}  // namespace

std::optional<uint64_t> plain_address(const UnitFacts &unit, const assembly::Fragment &fragment) {
  if (unit.options.layout == nullptr) return std::nullopt;
  return unit.options.layout->find(fragment.name, unit.map.unit, fragment.end - fragment.begin);
}

CodeAddresses::CodeAddresses(const ProcedureFacts &facts) : facts_(facts) {
  for (const assembly::Fragment &f : facts.p.fragments) {
    std::optional<uint64_t> plain = plain_address(facts.in, f);
    starts_.push_back(plain ? *plain : made_up_address(facts.in, f));
  }
}

bool CodeAddresses::are_small() const {
  for (size_t k = 0; k < starts_.size(); ++k) {
    const assembly::Fragment &f = facts_.p.fragments[k];
    if (starts_[k] + (f.end - f.begin) >= isa::kMostCodeAddress) return false;
  }
  return true;
}

}  // namespace chord::weave
