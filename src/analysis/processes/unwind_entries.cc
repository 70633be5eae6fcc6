#include "analysis/processes/unwind_entries.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstring>
#include <string_view>

namespace chord::analysis {
namespace {

constexpr uint8_t kPointer = DW_EH_PE_absptr;  // how .debug_frame writes addresses

// How the entries of a CIE write addresses: its augmentation's R. Whoever handles exceptions
// (P) comes with a pointer in front of it.
uint8_t encoding_of(const Dwarf_CIE &cie) {
  const uint8_t *at = cie.augmentation_data, *end = at + cie.augmentation_data_size;
  for (const char *c = cie.augmentation; at != nullptr && *c != 0 && at < end; ++c) {
    if (*c == 'R') return *at;
    if (*c == 'L') ++at;
    if (*c == 'P') at += 1 + ((*at & 0x0f) == DW_EH_PE_absptr || (*at & 0x07) == DW_EH_PE_udata8 ? 8 : 4);
  }
  return kPointer;
}

template <class T>
uint64_t load(const uint8_t *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<uint64_t>(static_cast<int64_t>(value));
}

}  // namespace

UnwindEntries::UnwindEntries(Elf *elf) {
  size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return;
  for (Elf_Scn *s = elf_nextscn(elf, nullptr); s != nullptr; s = elf_nextscn(elf, s)) {
    GElf_Shdr header;
    const char *name = gelf_getshdr(s, &header) == nullptr ? nullptr : elf_strptr(elf, names, header.sh_name);
    if (name == nullptr || header.sh_type == SHT_NOBITS || (header.sh_flags & SHF_COMPRESSED) != 0) continue;
    if (std::string_view(name) == ".eh_frame") read_section(elf, s, true);
    if (std::string_view(name) == ".debug_frame") read_section(elf, s, false);
  }
}

void UnwindEntries::read_section(Elf *elf, Elf_Scn *section, bool loaded) {
  GElf_Shdr header;
  gelf_getshdr(section, &header);
  Elf_Data *data = elf_rawdata(section, nullptr);
  const auto *identity = reinterpret_cast<const unsigned char *>(elf_getident(elf, nullptr));
  if (data == nullptr || data->d_buf == nullptr || identity == nullptr) return;
  const auto *bytes = static_cast<const uint8_t *>(data->d_buf);
  std::map<Dwarf_Off, uint8_t> encodings;  // by place of the CIE
  Dwarf_CFI_Entry entry;
  for (Dwarf_Off at = 0, next = 0; dwarf_next_cfi(identity, data, loaded, at, &next, &entry) == 0; at = next) {
    if (dwarf_cfi_cie_p(&entry)) {
      encodings[at] = loaded ? encoding_of(entry.cie) : kPointer;
      continue;
    }
    uint8_t encoding = encodings[entry.fde.CIE_pointer];
    bool wide = (encoding & 0x0f) == DW_EH_PE_absptr, narrow = (encoding & 0x0f) == DW_EH_PE_sdata4;
    const uint8_t *field = entry.fde.start;
    if ((encoding & 0xe0) != 0 || !(wide || narrow) || entry.fde.end - field < (wide ? 16 : 8)) continue;
    uint64_t begin = wide ? load<int64_t>(field) : load<int32_t>(field);
    uint64_t size = wide ? load<int64_t>(field + 8) : load<uint32_t>(field + 4);
    if ((encoding & 0x70) == DW_EH_PE_pcrel) begin += header.sh_addr + static_cast<uint64_t>(field - bytes);
    end_[begin] = begin + size;
  }
}

std::optional<uint64_t> UnwindEntries::end_of(uint64_t place) const {
  auto after = end_.upper_bound(place);
  if (after == end_.begin() || std::prev(after)->second <= place) return std::nullopt;
  return std::prev(after)->second;
}

}  // namespace chord::analysis
