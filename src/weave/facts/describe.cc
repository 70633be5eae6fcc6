#include "weave/facts/describe.h"

#include <charconv>

#include "base/hash.h"

namespace chord::weave {

using assembly::Statement;
using assembly::StatementKind;

namespace {

std::string one_line(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

format::EdgeKind convert(assembly::EdgeKind k) { return static_cast<format::EdgeKind>(k); }
format::VertexKind convert(assembly::BlockKind k) { return static_cast<format::VertexKind>(k); }
static_assert(static_cast<int>(assembly::EdgeKind::never) == static_cast<int>(format::EdgeKind::never));
static_assert(static_cast<int>(assembly::EdgeKind::leave) == static_cast<int>(format::EdgeKind::leave));
static_assert(static_cast<int>(assembly::BlockKind::join) == static_cast<int>(format::VertexKind::join));
static_assert(static_cast<int>(assembly::BlockKind::dispatch) == static_cast<int>(format::VertexKind::dispatch));

}  // namespace

uint64_t key_of_procedure(const format::UnitMap &map, uint32_t n) { return base::Hash().add(map.id).add(uint64_t{n}).value(); }

MapBuilder::MapBuilder(const assembly::Unit &unit, format::UnitMap &map) : unit_(unit), map_(map) {
  map.unit = unit.symbols.unit;
  map.id = base::Hash().add(unit.source->text).value();
  for (const Statement &s : unit.source->statements) {
    if (s.kind != StatementKind::directive || s.name != ".file") continue;
    uint32_t number = 0;
    std::string_view operands = s.operands;
    auto [end, failed] = std::from_chars(operands.data(), operands.data() + operands.size(), number);
    if (failed != std::errc{}) continue;
    std::vector<std::string> parts = assembly::quoted_strings(operands);
    if (parts.empty()) continue;
    bool has_folder = parts.size() >= 2 && operands.find("md5") > operands.rfind('"');
    std::string name = has_folder ? parts[1] : parts[0];
    if (number == 0 && has_folder) {
      map.folder = parts[0];
    } else if (has_folder && !name.starts_with('/')) {
      name = parts[0] + "/" + name;
    }
    if (file_numbers_.emplace(number, static_cast<uint32_t>(map.files.size())).second) map.files.push_back(name);
  }
}

uint32_t MapBuilder::mnemonic_number(std::string_view name) {
  auto [it, fresh] = mnemonics_.try_emplace(name, static_cast<uint32_t>(map_.mnemonics.size()));
  if (fresh) map_.mnemonics.emplace_back(name);
  return it->second;
}

format::Instruction MapBuilder::describe(const assembly::Procedure &p, const assembly::Instruction &in) {
  format::Instruction out;
  out.fragment = in.fragment;
  out.offset = in.offset - p.fragments[in.fragment].begin;
  out.size = in.decoded.size;
  out.traits = in.decoded.traits;
  auto file = file_numbers_.find(in.file);
  if (in.line != 0 && file != file_numbers_.end()) {
    out.file = file->second;
    out.line = in.line;
  }
  out.mnemonic = mnemonic_number(in.decoded.mnemonic);
  if (in.padding) {
    out.text = in.decoded.mnemonic;
  } else {
    const std::string &text = unit_.source->text;
    uint32_t begin = unit_.source->statements[in.first_statement].begin;
    uint32_t end = unit_.source->statements[in.last_statement].end;
    out.text = one_line(std::string_view(text).substr(begin, end - begin));
  }
  if (in.decoded.flow == isa::Flow::call) out.callee = assembly::callee_of(*unit_.source, in);
  return out;
}

// Compilers state the line of the function itself first, whatever its first instruction was inlined from.
void MapBuilder::find_beginning(const assembly::Procedure &p, format::Procedure &out) const {
  const std::vector<Statement> &statements = unit_.source->statements;
  for (uint32_t s = p.fragments[0].first_statement; s < p.fragments[0].last_statement; ++s) {
    if (statements[s].kind == StatementKind::instruction) return;
    if (statements[s].kind != StatementKind::directive || statements[s].name != ".loc") continue;
    assembly::SourceLine at = assembly::line_of_loc(statements[s]);
    auto file = file_numbers_.find(at.file);
    if (file == file_numbers_.end() || at.line == 0) return;
    out.file = file->second;
    out.line = at.line;
    return;
  }
}

format::Procedure MapBuilder::describe(const assembly::Procedure &p) {
  format::Procedure out;
  out.name = p.name;
  out.global = p.global;
  out.skipped = p.skipped;
  find_beginning(p, out);
  for (const assembly::Fragment &f : p.fragments) out.fragments.push_back({std::string(f.name), f.end - f.begin});
  if (!p.skipped.empty()) return out;
  for (const assembly::Instruction &in : p.instructions) out.instructions.push_back(describe(p, in));
  for (const assembly::Block &b : p.blocks) out.blocks.push_back({convert(b.kind), b.first, b.count});
  for (const assembly::Edge &e : p.edges) {
    out.edges.push_back({e.from, e.to, convert(e.kind), e.padding_first, e.padding_count});
    if (e.kind != assembly::EdgeKind::tail_call) continue;
    const assembly::Block &b = p.blocks[e.from];
    format::Instruction &last = out.instructions[b.first + b.count - 1];
    last.traits |= isa::kTailCall;
    last.callee = assembly::callee_of(*unit_.source, p.instructions[b.first + b.count - 1]);
  }
  return out;
}

std::string MapBuilder::file_of(const assembly::Procedure &p) const {
  format::Procedure beginning;
  find_beginning(p, beginning);
  if (beginning.line != 0) return map_.files[beginning.file];
  for (const assembly::Instruction &in : p.instructions) {
    auto it = file_numbers_.find(in.file);
    if (in.line != 0 && it != file_numbers_.end()) return map_.files[it->second];
  }
  return unit_.symbols.unit;
}

}  // namespace chord::weave
