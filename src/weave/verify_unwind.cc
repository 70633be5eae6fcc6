#include "weave/verify_unwind.h"

#include <fmt/core.h>

#include <charconv>
#include <map>

namespace chord::weave {

using assembly::Fragment;
using assembly::Source;
using assembly::UnwindInfo;
using assembly::UnwindRules;

namespace {

constexpr int64_t kReturnAddress = 8;           // on the stack when a procedure starts
constexpr int64_t kKept = -kReturnAddress - 8;  // from the frame's end: the first word below it

std::optional<unsigned> dwarf_number_of(isa::Resources one) {
  for (unsigned r = 0; r < isa::kNoRegister; ++r) {
    if (r != isa::kStackPointer && isa::register_numbered(r) == one) return isa::dwarf_number(r);
  }
  return std::nullopt;
}

// gcc writes numbers, clang names.
std::string plain_name(std::string_view name) {
  if (!name.starts_with('%')) return std::string(name);
  name.remove_prefix(1);
  if (name == "rsp") return "7";
  std::optional<isa::Resources> found = isa::register_named(name);
  std::optional<unsigned> number = found ? dwarf_number_of(*found) : std::nullopt;
  return number ? std::to_string(*number) : std::string(name);
}

// Rules in one spelling: offsets of saved registers as numbers, all else as it stands.
struct PlainRules {
  std::string frame;
  int64_t offset = 0;
  std::map<std::string, int64_t> saved;
  std::map<std::string, std::string> other;
  bool operator==(const PlainRules &) const = default;
};

PlainRules plain(const UnwindRules &rules) {
  constexpr std::string_view kSaved = ".cfi_offset ";
  PlainRules out{rules.frame_escape.empty() ? plain_name(rules.frame_register) : rules.frame_escape, rules.frame_offset, {}, {}};
  for (const auto &[reg, directive] : rules.registers) {
    if (!directive.starts_with(kSaved)) {
      out.other[plain_name(reg)] = directive;
      continue;
    }
    std::string_view number = assembly::trim(std::string_view(directive).substr(directive.find(',') + 1));
    std::from_chars(number.data(), number.data() + number.size(), out.saved[plain_name(reg)]);
  }
  return out;
}

// Where the rules of a fragment end in the woven text: stubs stand behind its last statement.
uint32_t end_of_rules(const Source &woven, uint32_t section, uint32_t from) {
  for (uint32_t s = from; s < woven.statements.size(); ++s) {
    if (woven.statements[s].section == section && woven.statements[s].name == ".cfi_endproc") return s;
  }
  return from;
}

}  // namespace

WidenedRules::WidenedRules(const Source &original, const Source &woven, const assembly::Procedure &p,
                           const std::vector<uint32_t> &woven_of, isa::Resources holder)
    : woven_(woven), woven_of_(woven_of), kept_(dwarf_number_of(holder)) {
  for (const Fragment &fragment : p.fragments) {
    Fragment there = fragment;
    there.section = woven.statements[woven_of[fragment.first_statement]].section;
    there.first_statement = woven_of[fragment.first_statement];
    there.last_statement = end_of_rules(woven, there.section, woven_of[fragment.last_statement - 1]);
    parts_.push_back({there.section, there.first_statement, there.last_statement, UnwindInfo(original, fragment), UnwindInfo(woven, there)});
  }
}

std::string WidenedRules::instruction_fault(uint32_t fragment, uint32_t statement, bool outside) const {
  const UnwindRules &before = parts_[fragment].original.before(statement);
  const UnwindRules &after = parts_[fragment].woven.before(woven_of_[statement]);
  if (before.active != after.active) return "its unwind rules begin or end elsewhere";
  PlainRules expected = plain(before), found = plain(after);
  // Without rules that follow the stack pointer those of the frame stay until the end.
  bool made = !outside || !(before.frame_follows_stack_pointer() && before.frame_offset == kReturnAddress);
  // What was popped before the end keeps its rule: it is still there, below the stack pointer.
  for (auto &[reg, at] : expected.saved) at -= isa::kWidening;
  if (before.active && made) {
    expected.offset += isa::kWidening;
    if (kept_) expected.saved[std::to_string(*kept_)] = kKept;
  }
  return expected == found ? "" : "its unwind rules are not those of the original in the wider frame";
}

const WidenedRules::Part *WidenedRules::part_of(uint32_t statement) const {
  for (const Part &part : parts_) {
    if (woven_.statements[statement].section == part.section && part.begin <= statement && statement < part.end) return &part;
  }
  return nullptr;
}

std::string WidenedRules::probe_fault(uint32_t statement, const assembly::Instruction &target, int64_t distance) const {
  const Part *part = part_of(statement);
  if (part == nullptr) return "";
  const UnwindRules &here = part->woven.before(statement);
  const UnwindRules &there = parts_[target.fragment].woven.before(woven_of_[target.first_statement]);
  if (!here.frame_follows_stack_pointer() || !there.frame_follows_stack_pointer()) return "";
  if (here.frame_offset != there.frame_offset + distance) {
    return fmt::format("unwind rules of a probe have the frame's end {} bytes away, which is {}", here.frame_offset,
                       there.frame_offset + distance);
  }
  PlainRules rules = plain(here);
  auto found = kept_ ? rules.saved.find(std::to_string(*kept_)) : rules.saved.end();
  bool pushed = kept_ && here.frame_offset > kReturnAddress;
  bool right = pushed ? found != rules.saved.end() && found->second == kKept : found == rules.saved.end();
  return right ? "" : "unwind rules of a probe do not tell where the caller's register is";
}

}  // namespace chord::weave
