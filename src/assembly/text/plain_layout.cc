#include "assembly/text/plain_layout.h"

#include <fmt/core.h>
#include <gelf.h>

#include <filesystem>

#include "base/diagnostics.h"
#include "base/file.h"

namespace chord::assembly {
namespace {

class Elf64 {
 public:
  explicit Elf64(const std::string &path) : bytes_(base::read_file(path)) {
    elf_version(EV_CURRENT);
    elf_ = elf_memory(bytes_.data(), bytes_.size());
    if (elf_ == nullptr || elf_kind(elf_) != ELF_K_ELF) {
      elf_end(elf_);
      throw base::Error(fmt::format("{}: no ELF file", path), "give the program, built without chord");
    }
  }
  ~Elf64() { elf_end(elf_); }
  Elf64(const Elf64 &) = delete;
  Elf64 &operator=(const Elf64 &) = delete;

  template <class Visit>
  void each_symbol(Visit visit) {
    for (Elf_Scn *s = nullptr; (s = elf_nextscn(elf_, s)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(s, &header) == nullptr || header.sh_type != SHT_SYMTAB || header.sh_entsize == 0) continue;
      Elf_Data *data = elf_getdata(s, nullptr);
      for (size_t i = 0; data != nullptr && i < header.sh_size / header.sh_entsize; ++i) {
        GElf_Sym symbol;
        if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
        const char *name = elf_strptr(elf_, header.sh_link, symbol.st_name);
        if (name != nullptr) visit(symbol, std::string(name));
      }
    }
  }

 private:
  std::string bytes_;
  Elf *elf_ = nullptr;
};

std::string last_part(std::string_view path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

PlainLayout::PlainLayout(const std::string &path) {
  std::string unit;
  Elf64(path).each_symbol([&](const GElf_Sym &symbol, std::string name) {
    unsigned type = GELF_ST_TYPE(symbol.st_info);
    if (type == STT_FILE) unit = last_part(name);
    if ((type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE) return;
    bool local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
    places_[std::move(name)].push_back({symbol.st_value, symbol.st_size, local ? unit : ""});
  });
  if (places_.empty()) throw base::Error(fmt::format("{}: has no symbols", path), "give the program as the linker made it, not stripped");
}

std::optional<uint64_t> PlainLayout::find(std::string_view name, std::string_view unit, uint64_t size) const {
  auto found = places_.find(std::string(name));
  if (found == places_.end()) return std::nullopt;
  std::optional<uint64_t> address;
  for (bool same_unit : {true, false}) {
    unsigned fitting = 0;
    for (const Place &p : found->second) {
      if ((p.size != 0 && p.size != size) || (same_unit && !p.unit.empty() && p.unit != last_part(unit))) continue;
      ++fitting;
      address = p.address;
    }
    if (fitting == 1) return address;
    if (fitting > 1) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace chord::assembly
