#include "assembly/graph/fragments.h"

#include <fmt/core.h>

#include <algorithm>

namespace chord::assembly {
namespace {

bool is_prefix_byte(unsigned char b) {
  return b == 0xf0 || b == 0xf2 || b == 0xf3 || b == 0x66 || b == 0x67 || b == 0x2e || b == 0x36 || b == 0x3e ||
         b == 0x26 || b == 0x64 || b == 0x65 || (b >= 0x40 && b <= 0x4f);
}

bool is_only_prefixes(std::string_view bytes) {
  return !bytes.empty() &&
         std::all_of(bytes.begin(), bytes.end(), [](char c) { return is_prefix_byte(static_cast<unsigned char>(c)); });
}

// Finds where functions start and end, section by section.
std::vector<Fragment> find_fragments(const Source &source, const Layout &layout, const Symbols &symbols) {
  std::vector<Fragment> out;
  std::vector<uint32_t> open(source.sections.size(), UINT32_MAX);  // index in out
  auto close = [&](uint32_t section, uint32_t statement) {
    if (open[section] == UINT32_MAX) return;
    Fragment &f = out[open[section]];
    f.last_statement = statement;
    f.end = layout.places[statement].begin;
    open[section] = UINT32_MAX;
  };
  for (uint32_t i = 0; i < source.statements.size(); ++i) {
    const Statement &s = source.statements[i];
    if (s.kind == StatementKind::directive && s.name == ".size") {
      std::vector<std::string_view> parts = split_operands(s.operands);
      uint32_t k = open[s.section];
      if (k != UINT32_MAX && !parts.empty() && out[k].name == parts[0]) close(s.section, i);
      continue;
    }
    if (s.kind != StatementKind::label || !source.sections[s.section].executable) continue;
    bool starts = symbols.functions.contains(s.name) ||
                  (open[s.section] == UINT32_MAX && symbols.globals.contains(s.name));
    if (!starts) continue;
    if (open[s.section] != UINT32_MAX && out[open[s.section]].begin == layout.places[i].begin) continue;  // alias
    close(s.section, i);
    open[s.section] = static_cast<uint32_t>(out.size());
    out.push_back({s.name, s.section, i, i, layout.places[i].begin, layout.places[i].begin});
  }
  for (uint32_t k = 0; k < open.size(); ++k) {
    if (open[k] == UINT32_MAX) continue;
    Fragment &f = out[open[k]];
    f.last_statement = static_cast<uint32_t>(source.statements.size());
    f.end = static_cast<uint32_t>(layout.contents[k].size());
  }
  return out;
}

// Follows .loc through the whole text, then decodes statement by statement.
class Decoder {
 public:
  Decoder(const Source &source, const Layout &layout, uint32_t fragment, DecodedFragment &out)
      : source_(source), layout_(layout), fragment_(fragment), out_(out) {}

  void run() {
    for (uint32_t i = out_.place.first_statement; i < out_.place.last_statement && out_.problem.empty(); ++i) {
      const Statement &s = source_.statements[i];
      if (s.kind == StatementKind::directive && s.name == ".loc") follow_line(s);
      if (s.section != out_.place.section) continue;
      const Layout::Place &place = layout_.places[i];
      if (place.begin == place.end) continue;
      if (s.kind == StatementKind::instruction) {
        statement(i);
      } else if (is_alignment(s)) {
        padding(i);
      } else {
        data(i);
      }
    }
    if (!prefix_.empty()) out_.problem = "a prefix without its instruction";
  }

 private:
  void follow_line(const Statement &s) {
    SourceLine at = line_of_loc(s);
    file_ = at.file;
    line_ = at.line;
  }

  void statement(uint32_t i) {
    std::string_view bytes = layout_.bytes(source_, i);
    if (prefix_.empty()) first_ = i;
    if (is_only_prefixes(bytes)) {
      prefix_ += bytes;
      return;
    }
    std::string whole = prefix_ + std::string(bytes);
    uint32_t offset = layout_.places[i].begin - static_cast<uint32_t>(prefix_.size());
    prefix_.clear();
    decode_all(whole, offset, i, false);
  }

  void decode_all(std::string_view bytes, uint32_t offset, uint32_t last, bool is_padding) {
    bool several = false;
    while (!bytes.empty()) {
      auto d = isa::decode(bytes);
      if (!d) {
        out_.problem = fmt::format("line {}: bytes that are no instruction", source_.statements[last].line);
        return;
      }
      bool branches = d->flow != isa::Flow::next && d->flow != isa::Flow::call;
      if (!is_padding && several && branches) {
        out_.problem = fmt::format("line {}: a statement of several instructions that branches",
                                   source_.statements[last].line);
        return;
      }
      several = true;
      if (is_padding) d->traits |= isa::kPadding;
      out_.instructions.push_back({first_, last, offset, fragment_, file_, line_, *d, is_padding});
      // The assembler jumps over long padding: what it jumps over is not executed.
      if (is_padding && d->flow == isa::Flow::jump) return;
      if (!is_padding && branches && bytes.size() != d->size) {
        out_.problem = fmt::format("line {}: a statement of several instructions that branches",
                                   source_.statements[last].line);
        return;
      }
      offset += d->size;
      bytes.remove_prefix(d->size);
    }
  }

  void padding(uint32_t i) {
    first_ = i;
    if (!prefix_.empty()) {
      out_.problem = "a prefix without its instruction";
      return;
    }
    decode_all(layout_.bytes(source_, i), layout_.places[i].begin, i, true);
  }

  // Data inside code: instructions written as bytes if control runs into it,
  // otherwise something to step over.
  void data(uint32_t i) {
    std::string_view bytes = layout_.bytes(source_, i);
    if (is_only_prefixes(bytes)) {  // as in the code sequences for thread-local storage
      if (prefix_.empty()) first_ = i;
      prefix_ += bytes;
      return;
    }
    bool reached = !out_.instructions.empty() && prefix_.empty() && falls_through(out_.instructions.back());
    if (!prefix_.empty() || (reached && !source_.statements[i].inline_asm)) {
      out_.problem = fmt::format("line {}: data inside code", source_.statements[i].line);
      return;
    }
    first_ = i;
    if (reached) decode_all(bytes, layout_.places[i].begin, i, false);
  }

  static bool falls_through(const Instruction &in) {
    return in.decoded.flow != isa::Flow::jump && in.decoded.flow != isa::Flow::leave;
  }

  const Source &source_;
  const Layout &layout_;
  uint32_t fragment_;
  DecodedFragment &out_;
  std::string prefix_;  // bytes of lone prefixes waiting for their instruction
  uint32_t first_ = 0;
  uint32_t file_ = 0;
  uint32_t line_ = 0;
};

}  // namespace

std::vector<DecodedFragment> decode_fragments(const Source &source, const Layout &layout, const Symbols &symbols) {
  std::vector<DecodedFragment> out;
  for (const Fragment &f : find_fragments(source, layout, symbols)) {
    DecodedFragment d;
    d.place = f;
    Decoder(source, layout, 0, d).run();
    out.push_back(std::move(d));
  }
  return out;
}

}  // namespace chord::assembly
