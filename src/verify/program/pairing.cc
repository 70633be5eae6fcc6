#include "verify/program/pairing.h"

#include <cctype>

namespace chord::verify {

using assembly::Statement;
using assembly::StatementKind;

Pairing::Pairing(const assembly::Source &original, std::string woven, const std::vector<TextRange> &inserted) {
  read_source(std::move(woven), woven_);
  pair(original, inserted);
  link();
}

void Pairing::pair(const assembly::Source &original, const std::vector<TextRange> &inserted) {
  size_t range = 0;
  original_of_.assign(woven_.statements.size(), kNone);
  for (uint32_t s = 0; s < woven_.statements.size(); ++s) {
    uint32_t at = woven_.statements[s].begin;
    while (range < inserted.size() && inserted[range].end <= at) ++range;
    if (range < inserted.size() && inserted[range].begin <= at) continue;
    original_of_[s] = static_cast<uint32_t>(woven_of_.size());
    woven_of_.push_back(s);
  }
  first_record_ = woven_of_.empty() ? 0 : woven_of_.back() + 1;
  // Inserted code may follow the last statement of a text that has nothing after its code.
  while (first_record_ < woven_.statements.size() && woven_.statements[first_record_].name != ".att_syntax") ++first_record_;
  if (woven_of_.size() != original.statements.size()) fault_ = "a statement was lost or is there twice";
}

void Pairing::link() {
  next_.assign(woven_.statements.size(), kNone);
  std::vector<uint32_t> behind(woven_.sections.size(), kNone);
  for (uint32_t s = static_cast<uint32_t>(woven_.statements.size()); s-- > 0;) {
    const Statement &x = woven_.statements[s];
    next_[s] = behind[x.section];
    behind[x.section] = s;
  }
  for (uint32_t s = 0; s < woven_.statements.size(); ++s) {
    const Statement &x = woven_.statements[s];
    if (x.kind != StatementKind::label) continue;
    if (std::isdigit(static_cast<unsigned char>(x.name[0]))) {
      numeric_[x.name].push_back(s);
    } else if (!labels_.emplace(x.name, s).second && fault_.empty()) {
      fault_ = "a label is there twice: " + std::string(x.name);
    }
  }
}

uint32_t Pairing::label(std::string_view name, uint32_t from) const {
  if (is_numeric_label(name)) {
    auto places = numeric_.find(name.substr(0, name.size() - 1));
    return places == numeric_.end() ? kNone : numeric_target(places->second, name.back() == 'f', from);
  }
  auto found = labels_.find(name);
  return found == labels_.end() ? kNone : found->second;
}

}  // namespace chord::verify
