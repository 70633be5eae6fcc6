#include "analysis/objects/code_bytes.h"

#include <elf.h>

#include <cstring>

#include "base/diagnostics.h"

namespace chord::analysis {

CodeBytes::CodeBytes(const std::string &path) : file_(std::make_unique<base::MappedFile>(path)) {
  const std::string_view bytes = file_->bytes();
  Elf64_Ehdr head{};
  if (bytes.size() >= sizeof head) std::memcpy(&head, bytes.data(), sizeof head);
  const bool is_elf = std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_phentsize == sizeof(Elf64_Phdr);
  for (uint64_t n = 0; is_elf && n < head.e_phnum; ++n) {
    Elf64_Phdr segment{};
    const uint64_t at = head.e_phoff + n * sizeof segment;
    if (at > bytes.size() || bytes.size() - at < sizeof segment) break;
    std::memcpy(&segment, bytes.data() + at, sizeof segment);
    if (segment.p_type == PT_LOAD && segment.p_offset <= bytes.size()) segments_.push_back({segment.p_vaddr, bytes.substr(segment.p_offset, segment.p_filesz)});
  }
  if (segments_.empty()) throw base::Error(path + ": its code cannot be read", "addresses of loads and stores are found with the executable's code: name it with --program");
}

std::string_view CodeBytes::at(uint64_t address, uint64_t size) const {
  for (const Segment &s : segments_) {
    if (address >= s.address && address - s.address < s.bytes.size()) return s.bytes.substr(address - s.address, size);
  }
  return {};
}

}  // namespace chord::analysis
