#include "driver/steps/left_out.h"

#include <chord_abi.h>
#include <fmt/format.h>

#include <iterator>
#include <set>
#include <string_view>

#include "base/hash.h"
#include "format/map/map.h"

namespace chord::driver {
namespace {

using assembly::Statement;
using assembly::StatementKind;

bool is_directive(const Statement &s, std::string_view name) { return s.kind == StatementKind::directive && s.name == name; }

std::set<std::string_view> globals_of(const assembly::Source &source) {
  std::set<std::string_view> names;
  for (const Statement &s : source.statements) {
    if (!is_directive(s, ".globl") && !is_directive(s, ".global") && !is_directive(s, ".weak")) continue;
    for (std::string_view name : assembly::split_operands(s.operands)) names.insert(name);
  }
  return names;
}

// Hand-written text may not say which labels are functions; then those that others can see are.
std::set<std::string_view> functions_of(const assembly::Source &source, const std::set<std::string_view> &globals) {
  std::set<std::string_view> names;
  for (const Statement &s : source.statements) {
    if (!is_directive(s, ".type")) continue;
    std::vector<std::string_view> parts = assembly::split_operands(s.operands);
    if (parts.size() == 2 && parts[1].find("func") != std::string_view::npos) names.insert(parts[0]);
  }
  if (!names.empty()) return names;
  for (const Statement &s : source.statements) {
    if (s.kind == StatementKind::label && source.sections[s.section].executable && globals.contains(s.name)) names.insert(s.name);
  }
  return names;
}

// The first error, without its place.
std::string first_complaint(const std::string &errors) {
  for (std::string_view kind : {"Fatal error: ", "Error: "}) {
    size_t at = errors.find(kind);
    if (at == std::string::npos) continue;
    at += kind.size();
    return errors.substr(at, errors.find('\n', at) - at);
  }
  return errors.substr(0, errors.find('\n'));
}

std::string as_bytes(std::string_view bytes) {
  std::string out;
  auto to = std::back_inserter(out);
  for (size_t i = 0; i < bytes.size(); ++i) {
    fmt::format_to(to, "{}{}", i % 32 == 0 ? "\n\t.byte " : ",", static_cast<unsigned>(static_cast<unsigned char>(bytes[i])));
  }
  return out + "\n";
}

}  // namespace

std::string unit_name(const assembly::Source &source) {
  for (const Statement &s : source.statements) {
    if (is_directive(s, ".file") && s.operands.starts_with('"')) return assembly::quoted_strings(s.operands)[0];
  }
  return {};
}

std::string map_of_left_out(const assembly::Source &source, const std::string &why) {
  format::UnitMap map;
  map.unit = unit_name(source);
  map.id = base::Hash().add(source.text).value();
  std::set<std::string_view> globals = globals_of(source);
  for (std::string_view name : functions_of(source, globals)) {
    format::Procedure &p = map.procedures.emplace_back();
    p.key = base::Hash().add(map.id).add(map.procedures.size()).value();
    p.name = name;
    p.global = globals.contains(name);
    p.skipped = why;
  }
  return fmt::format("\n\t.section {},\"\",@progbits{}", CHORD_MAP_SECTION, as_bytes(format::encode_map(map)));
}

std::string why_not_laid_out(const assembly::Source &source, const std::string &errors) {
  std::string complaint = first_complaint(errors);
  // About our own labels: they were repeated, or are not in a section.
  bool own = complaint.find(".Lchord") != std::string::npos;
  if (own && !source.preprocessing.empty()) return fmt::format("it uses {}", source.preprocessing);
  if (own) return "a directive in it moves or repeats code";
  return fmt::format("the assembler cannot lay it out: {}", complaint);
}

}  // namespace chord::driver
