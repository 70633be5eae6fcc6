#include "analysis/objects/plain_code.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <string_view>

#include "analysis/objects/function_symbols.h"
#include "analysis/objects/woven_code.h"
#include "base/diagnostics.h"
#include "chord_abi.h"
#include "format/map/map.h"

namespace chord::analysis {
namespace {

struct Range {
  uint64_t begin = 0, end = 0;
};

class File {
 public:
  explicit File(const std::string &path) {
    elf_version(EV_CURRENT);
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw base::Error(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
    elf_ = elf_begin(descriptor_, ELF_C_READ_MMAP, nullptr);
  }
  ~File() {
    if (dwarf_ != nullptr) dwarf_end(dwarf_);
    if (elf_ != nullptr) elf_end(elf_);
    ::close(descriptor_);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  // Code that anchors speak of, ascending.
  std::vector<Range> woven() const {
    std::vector<Range> ranges;
    each_section([&](Elf_Scn *section, const GElf_Shdr &, std::string_view name) {
      if (name != CHORD_ANCHOR_SECTION) return;
      Elf_Data *data = elf_rawdata(section, nullptr);
      if (data == nullptr || data->d_buf == nullptr) return;
      for (const format::Anchor &anchor : format::decode_anchors({static_cast<const char *>(data->d_buf), data->d_size}).anchors) {
        for (const format::Anchor::Part &part : anchor.parts) {
          if (is_address(part.address)) ranges.push_back({part.address, part.address + part.size});
        }
      }
    });
    std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) { return a.begin < b.begin; });
    return ranges;
  }

  // visit(name, address) for each function in the file.
  template <class Visit>
  void each_function(Visit visit) const {
    each_section([&](Elf_Scn *section, const GElf_Shdr &header, std::string_view) {
      if (header.sh_type != SHT_SYMTAB || header.sh_entsize == 0) return;
      Elf_Data *data = elf_getdata(section, nullptr);
      for (int i = 0; data != nullptr && i < static_cast<int>(header.sh_size / header.sh_entsize); ++i) {
        GElf_Sym symbol;
        if (gelf_getsym(data, i, &symbol) == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
        const char *name = elf_strptr(elf_, header.sh_link, symbol.st_name);
        if (name != nullptr) visit(std::string_view(name), symbol.st_value);
      }
    });
  }

  // The source file of the code at an address, if debug information tells.
  std::string unit_at(uint64_t address) {
    if (dwarf_ == nullptr && !asked_) dwarf_ = dwarf_begin_elf(elf_, DWARF_C_READ, nullptr);
    if (!asked_) list_units();
    asked_ = true;
    auto after = units_.upper_bound(address);
    if (after == units_.begin()) return {};
    const auto &[end, name] = std::prev(after)->second;
    return address < end ? name : "";
  }

 private:
  template <class Visit>
  void each_section(Visit visit) const {
    size_t names = 0;
    if (elf_ == nullptr || elf_getshdrstrndx(elf_, &names) != 0) return;
    for (Elf_Scn *s = elf_nextscn(elf_, nullptr); s != nullptr; s = elf_nextscn(elf_, s)) {
      GElf_Shdr header;
      if (gelf_getshdr(s, &header) == nullptr) continue;
      const char *name = elf_strptr(elf_, names, header.sh_name);
      visit(s, header, name != nullptr ? std::string_view(name) : std::string_view());
    }
  }

  void list_units() {
    Dwarf_CU *unit = nullptr;
    Dwarf_Die die;
    while (dwarf_ != nullptr && dwarf_get_units(dwarf_, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
      const char *name = dwarf_diename(&die);
      Dwarf_Addr base, begin, end;
      for (ptrdiff_t at = 0; name != nullptr && (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;) {
        if (begin < end) units_[begin] = {end, name};
      }
    }
  }

  int descriptor_ = -1;
  Elf *elf_ = nullptr;
  Dwarf *dwarf_ = nullptr;
  bool asked_ = false;
  std::map<uint64_t, std::pair<uint64_t, std::string>> units_;  // begin -> end, name
};

bool is_within(const std::vector<Range> &ranges, uint64_t address) {
  auto after = std::upper_bound(ranges.begin(), ranges.end(), address, [](uint64_t value, const Range &r) { return value < r.begin; });
  return after != ranges.begin() && address < std::prev(after)->end;
}

}  // namespace

std::vector<PlainUnit> plain_code(const std::string &path, const std::set<std::string> &known) {
  File file(path);
  std::vector<Range> woven = file.woven();
  std::map<uint64_t, std::string> functions;  // aliases are one
  file.each_function([&](std::string_view name, uint64_t address) {
    if (is_start_up(name) || is_runtime(name) || known.contains(std::string(name)) || is_within(woven, address)) return;
    functions.try_emplace(address, name);
  });
  std::map<std::string, PlainUnit> units;
  for (auto &[address, name] : functions) units[file.unit_at(address)].functions.push_back(std::move(name));
  std::vector<PlainUnit> out;
  for (auto &[name, unit] : units) {
    unit.name = name;
    out.push_back(std::move(unit));
  }
  return out;
}

}  // namespace chord::analysis
