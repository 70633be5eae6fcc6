#include "assembly/text/layout.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <unordered_set>

#include "base/diagnostics.h"
#include "base/file.h"
#include "base/process.h"
#include "base/scratch_files.h"

namespace chord::assembly {
namespace {

constexpr const char *kTable = ".chord.layout";

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Directives that emit nothing and need no mark. Everything else gets one.
bool emits_nothing(std::string_view name) {
  static constexpr std::array<std::string_view, 24> kNames = {
      ".size",   ".type",       ".globl",       ".global",   ".weak",         ".hidden",  ".local", ".protected",
      ".internal", ".section",  ".pushsection", ".popsection", ".previous",   ".text",    ".data",  ".bss",
      ".set",    ".ident",      ".file",        ".symver",   ".intel_syntax", ".att_syntax", ".addrsig",
      ".addrsig_sym"};
  return is_one_of(name, kNames) || name.starts_with(".cfi_") || name == ".loc";
}

// What has no part in the layout of code: debug information, but not what is said there of
// sections and of names of code.
class LeftOut {
 public:
  explicit LeftOut(const Source &source) : source_(source) {
    for (const Statement &s : source.statements) {
      if (s.kind == StatementKind::label && !source.sections[s.section].debug) outside_.insert(s.name);
    }
  }

  bool operator()(const Statement &s) {
    if (s.kind == StatementKind::directive && is_ignored(s.name)) return true;
    if (!source_.sections[s.section].debug) return false;
    if (s.kind == StatementKind::directive && is_needed(s.name)) return false;
    std::optional<Alias> alias = alias_in(s);
    return !alias || !outside_.contains(alias->of) || !outside_.insert(alias->name).second;
  }

 private:
  static bool is_ignored(std::string_view name) {
    static constexpr std::array<std::string_view, 4> kNames = {".loc", ".file", ".addrsig", ".addrsig_sym"};
    return is_one_of(name, kNames) || name.starts_with(".cfi_");
  }
  static bool is_needed(std::string_view name) {
    static constexpr std::array<std::string_view, 15> kNames = {
        ".section", ".text",   ".data",  ".bss",    ".pushsection", ".popsection", ".previous", ".intel_syntax",
        ".att_syntax", ".globl", ".global", ".weak", ".hidden",     ".protected",  ".internal"};
    return is_one_of(name, kNames);
  }

  const Source &source_;
  std::unordered_set<std::string_view> outside_;  // names of places that are not in debug information
};

bool is_marked(const Source &source, const Statement &s) {
  if (!source.sections[s.section].executable) return false;
  switch (s.kind) {
    case StatementKind::instruction:
    case StatementKind::label: return true;
    case StatementKind::assignment: return false;
    case StatementKind::directive: return !emits_nothing(s.name);
  }
  return false;
}

struct Marks {
  std::vector<uint32_t> statements;        // marked statements, in table order
  std::vector<uint32_t> sections;          // executable sections, in table order
};

std::string scratch_text(const Source &source, Marks &marks) {
  std::string out;
  out.reserve(source.text.size() * 2);
  std::vector<bool> seen(source.sections.size());
  LeftOut is_left_out(source);
  auto text = std::back_inserter(out);
  for (uint32_t i = 0; i < source.statements.size(); ++i) {
    const Statement &s = source.statements[i];
    if (is_left_out(s)) continue;
    if (is_marked(source, s)) {
      if (!seen[s.section]) {
        seen[s.section] = true;
        marks.sections.push_back(s.section);
        fmt::format_to(text, ".LchordS{}:\n", s.section);
      }
      fmt::format_to(text, ".LchordM{}:\n", i);
      marks.statements.push_back(i);
    }
    out.append(source.text, s.begin, s.end - s.begin);
    out += '\n';
  }
  fmt::format_to(text, "\t.section {},\"\",@progbits\n", kTable);
  for (uint32_t k : marks.sections) fmt::format_to(text, "\t.quad .LchordS{}\n", k);
  for (uint32_t i : marks.statements) {
    fmt::format_to(text, "\t.long .LchordM{}-.LchordS{}\n", i, source.statements[i].section);
  }
  return out;
}

// The sections of the scratch object that we want, by name and by relocation.
class ScratchObject {
 public:
  explicit ScratchObject(const std::string &path) : bytes_(base::read_file(path)) {
    elf_version(EV_CURRENT);
    elf_ = elf_memory(bytes_.data(), bytes_.size());
    if (elf_ == nullptr) throw base::Error(fmt::format("{}: {}", path, elf_errmsg(-1)));
  }
  ~ScratchObject() { elf_end(elf_); }
  ScratchObject(const ScratchObject &) = delete;
  ScratchObject &operator=(const ScratchObject &) = delete;

  void read(const Source &source, const Marks &marks, Layout &out) {
    find_sections();
    std::string_view table = content(table_);
    size_t size = 8 * marks.sections.size() + 4 * marks.statements.size();
    if (table.size() != size) throw base::Error("the assembler's layout table has an unexpected size");
    out.contents.resize(source.sections.size());
    for (size_t k = 0; k < marks.sections.size(); ++k) {
      out.contents[marks.sections[k]] = std::string(content(section_of_entry(k)));
    }
    std::vector<uint32_t> positions(marks.statements.size());
    std::memcpy(positions.data(), table.data() + 8 * marks.sections.size(), 4 * positions.size());
    place(source, marks, positions, out);
  }

 private:
  void find_sections() {
    size_t names = 0;
    elf_getshdrstrndx(elf_, &names);
    for (Elf_Scn *s = nullptr; (s = elf_nextscn(elf_, s)) != nullptr;) {
      GElf_Shdr header;
      gelf_getshdr(s, &header);
      const char *name = elf_strptr(elf_, names, header.sh_name);
      if (name != nullptr && std::string_view(name) == kTable) table_ = s;
      if (header.sh_type == SHT_SYMTAB) symbols_ = s;
    }
    if (table_ == nullptr) throw base::Error("the assembler left out the layout table");
    for (Elf_Scn *s = nullptr; (s = elf_nextscn(elf_, s)) != nullptr;) {
      GElf_Shdr header;
      gelf_getshdr(s, &header);
      if (header.sh_type == SHT_RELA && header.sh_info == elf_ndxscn(table_)) relocations_ = s;
    }
  }

  static std::string_view content(Elf_Scn *s) {
    Elf_Data *data = elf_rawdata(s, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return {};
    return {static_cast<const char *>(data->d_buf), data->d_size};
  }

  // Entry k of the table is the address of a section's start, hence a relocation.
  Elf_Scn *section_of_entry(size_t k) {
    if (relocations_ == nullptr || symbols_ == nullptr) throw base::Error("the layout table has no relocations");
    Elf_Data *relocations = elf_getdata(relocations_, nullptr);
    GElf_Rela entry;
    if (gelf_getrela(relocations, static_cast<int>(k), &entry) == nullptr || entry.r_offset != 8 * k) {
      throw base::Error("the layout table's relocations are out of order");
    }
    GElf_Sym symbol;
    Elf_Data *symbols = elf_getdata(symbols_, nullptr);
    if (gelf_getsym(symbols, static_cast<int>(GELF_R_SYM(entry.r_info)), &symbol) == nullptr) {
      throw base::Error("the layout table refers to an unknown symbol");
    }
    return elf_getscn(elf_, symbol.st_shndx);
  }

  // A statement ends where the next marked one of its section begins.
  static void place(const Source &source, const Marks &marks, const std::vector<uint32_t> &positions, Layout &out) {
    out.places.assign(source.statements.size(), {});
    std::vector<uint32_t> next(source.sections.size());
    for (uint32_t k : marks.sections) next[k] = static_cast<uint32_t>(out.contents[k].size());
    size_t mark = marks.statements.size();
    for (size_t i = source.statements.size(); i-- > 0;) {
      uint32_t section = source.statements[i].section;
      if (mark > 0 && marks.statements[mark - 1] == i) {
        --mark;
        uint32_t begin = positions[mark];
        if (begin > next[section]) throw base::Error("the assembler's layout runs backward");
        out.places[i] = {begin, next[section]};
        next[section] = begin;
      } else {
        out.places[i] = {next[section], next[section]};
      }
    }
  }

  std::string bytes_;
  Elf *elf_ = nullptr;
  Elf_Scn *table_ = nullptr;
  Elf_Scn *symbols_ = nullptr;
  Elf_Scn *relocations_ = nullptr;
};

}  // namespace

bool lay_out(const Source &source, const Assembler &assembler, Layout &out, std::string &errors) {
  Marks marks;
  base::ScratchFiles files;
  std::string text = files.file("layout.s");
  std::string object = files.file("layout.o");
  base::write_file(text, scratch_text(source, marks));
  std::vector<std::string> command = {assembler.path};
  command.insert(command.end(), assembler.options.begin(), assembler.options.end());
  command.insert(command.end(), {"-o", object, text});
  base::Outcome outcome = base::run(command, nullptr, true);
  if (outcome.status != 0) {
    errors = outcome.errors;
    return false;
  }
  ScratchObject(object).read(source, marks, out);
  return true;
}

}  // namespace chord::assembly
