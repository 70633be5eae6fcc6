#include "analysis/objects/stored_object.h"

#include <elf.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include "analysis/objects/object.h"
#include "base/diagnostics.h"
#include "base/mapped_file.h"
#include "chord_abi.h"

namespace chord::analysis {
namespace {

constexpr std::array<std::string_view, 4> kWanted = {CHORD_MAP_SECTION, CHORD_ANCHOR_SECTION, CHORD_PROCS_SECTION,
                                                     ".note.gnu.build-id"};

class Extraction {
 public:
  explicit Extraction(const std::string &path) : path_(path), file_(path) {
    header_ = at<Elf64_Ehdr>(0);
    if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 || header_.e_ident[EI_CLASS] != ELFCLASS64 ||
        header_.e_shentsize != sizeof(Elf64_Shdr)) {
      throw base::Error(fmt::format("{}: not an ELF file of 64 bits", path));
    }
    for (size_t i = 0; i < header_.e_shnum; ++i) sections_.push_back(at<Elf64_Shdr>(header_.e_shoff + i * sizeof(Elf64_Shdr)));
    if (header_.e_shstrndx >= sections_.size()) fail();
  }

  std::string run() {
    out_.resize(sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr));
    const Elf64_Shdr names = sections_[header_.e_shstrndx];
    Elf64_Phdr note{};
    for (size_t i = 0; i < sections_.size(); ++i) {
      Elf64_Shdr &section = sections_[i];
      std::string_view name = name_of(names, section);
      bool wanted = i == header_.e_shstrndx || std::find(kWanted.begin(), kWanted.end(), name) != kWanted.end();
      if (!wanted || section.sh_type == SHT_NOBITS) {
        if (section.sh_type != SHT_NULL) section.sh_type = SHT_NOBITS;
        section.sh_offset = 0;
        continue;
      }
      std::string_view content = bytes(section);
      out_.resize((out_.size() + 7) & ~size_t{7});
      section.sh_offset = out_.size();
      out_ += content;
      if (section.sh_type == SHT_NOTE) note = {PT_NOTE, PF_R, section.sh_offset, section.sh_addr, section.sh_addr, section.sh_size, section.sh_size, 4};
    }
    return finish(note);
  }

 private:
  [[noreturn]] void fail() const { throw base::Error(fmt::format("{}: its sections are damaged", path_)); }

  template <class T>
  T at(uint64_t offset) const {
    T value;
    std::string_view all = file_.bytes();
    if (offset > all.size() || all.size() - offset < sizeof value) fail();
    std::memcpy(&value, all.data() + offset, sizeof value);
    return value;
  }

  std::string_view bytes(const Elf64_Shdr &section) const {
    std::string_view all = file_.bytes();
    if (section.sh_type == SHT_NOBITS) return {};
    if (section.sh_offset > all.size() || all.size() - section.sh_offset < section.sh_size) fail();
    return all.substr(section.sh_offset, section.sh_size);
  }

  std::string_view name_of(const Elf64_Shdr &names, const Elf64_Shdr &section) const {
    std::string_view all = bytes(names);
    if (section.sh_name >= all.size()) fail();
    all.remove_prefix(section.sh_name);
    return all.substr(0, all.find('\0'));
  }

  std::string finish(const Elf64_Phdr &note) {
    out_.resize((out_.size() + 7) & ~size_t{7});
    header_.e_shoff = out_.size();
    header_.e_phoff = sizeof header_;
    header_.e_phnum = 1;
    header_.e_phentsize = sizeof note;
    header_.e_entry = 0;
    out_.append(reinterpret_cast<const char *>(sections_.data()), sections_.size() * sizeof sections_[0]);
    std::memcpy(out_.data(), &header_, sizeof header_);
    std::memcpy(out_.data() + sizeof header_, &note, sizeof note);
    return std::move(out_);
  }

  std::string path_;
  base::MappedFile file_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
  std::string out_;
};

}  // namespace

std::string extract_maps(const std::string &path, std::string &build_id) {
  build_id = build_id_of_file(path);
  return Extraction(path).run();
}

}  // namespace chord::analysis
