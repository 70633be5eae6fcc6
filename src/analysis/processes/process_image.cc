#include "analysis/processes/process_image.h"

#include <elf.h>

#include <algorithm>

namespace chord::analysis {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMostNotes = 1 << 20;

template <class T>
const T *at(uint64_t address) {
  return reinterpret_cast<const T *>(address);
}

bool is_elf(const Elf64_Ehdr &header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_phentsize == sizeof(Elf64_Phdr);
}

std::vector<Elf64_Phdr> headers_of(const ImageMemory &memory, uint64_t address) {
  Elf64_Ehdr header;
  if (!memory.read(address, &header, sizeof header) || !is_elf(header)) return {};
  std::vector<Elf64_Phdr> parts(header.e_phnum);
  if (!memory.read(address + header.e_phoff, parts.data(), parts.size() * sizeof(Elf64_Phdr))) return {};
  return parts;
}

uint64_t bias_from(const std::vector<Elf64_Phdr> &parts, uint64_t address) {
  for (const Elf64_Phdr &part : parts)
    if (part.p_type == PT_LOAD) return address - (part.p_vaddr & ~(kPage - 1));
  return address;
}

}  // namespace

void ImageMemory::add(uint64_t address, std::string_view bytes, std::shared_ptr<const base::MappedFile> file) {
  if (!bytes.empty()) ranges_.push_back({address, bytes, std::move(file)});
}

bool ImageMemory::read(uint64_t address, void *into, size_t size) const {
  auto *to = static_cast<char *>(into);
  while (size != 0) {
    auto holds = [&](const Range &range) { return address - range.address < range.bytes.size(); };
    auto range = std::find_if(ranges_.begin(), ranges_.end(), holds);
    if (range == ranges_.end()) return false;
    uint64_t offset = address - range->address;
    size_t n = std::min<size_t>(size, range->bytes.size() - offset);
    std::memcpy(to, range->bytes.data() + offset, n);
    address += n;
    to += n;
    size -= n;
  }
  return true;
}

void ImageMemory::need(uint64_t address, void *into, size_t size) const {
  if (!read(address, into, size))
    throw base::Error(fmt::format("{} bytes at address {:#x} of the process are missing", size, address),
                      "is the file cut short (ulimit -c), or was memory left out of it (coredump_filter)?");
}

void add_object_file(ImageMemory &memory, const LoadedObject &object) {
  auto file = std::make_shared<base::MappedFile>(object.path);
  ImageMemory alone;
  alone.add(object.address, file->bytes(), file);
  std::vector<Elf64_Phdr> parts = headers_of(alone, object.address);
  uint64_t bias = bias_from(parts, object.address);
  for (const Elf64_Phdr &part : parts) {
    if (part.p_type != PT_LOAD || part.p_offset > file->bytes().size()) continue;
    memory.add(bias + part.p_vaddr, file->bytes().substr(part.p_offset, part.p_filesz), file);
  }
}

uint64_t bias_of(const ImageMemory &memory, const LoadedObject &object) {
  return bias_from(headers_of(memory, object.address), object.address);
}

void visit_notes(const ImageMemory &memory, const LoadedObject &object, const NoteVisitor &visit) {
  std::vector<Elf64_Phdr> parts = headers_of(memory, object.address);
  uint64_t bias = bias_from(parts, object.address);
  for (const Elf64_Phdr &part : parts) {
    if (part.p_type != PT_NOTE || part.p_memsz > kMostNotes) continue;
    uint64_t alignment = part.p_align == 8 ? 8 : 4, next = bias + part.p_vaddr, end = next + part.p_memsz;
    auto round = [&](uint64_t n) { return (n + alignment - 1) & ~(alignment - 1); };
    Elf64_Nhdr note;
    while (next + sizeof note <= end && memory.read(next, &note, sizeof note)) {
      uint64_t name = next + sizeof note, content = name + round(note.n_namesz);
      if (content + note.n_descsz > end) break;
      std::string text(note.n_namesz, 0);
      if (!memory.read(name, text.data(), text.size())) break;
      visit(text, note.n_type, content, note.n_descsz);
      next = content + round(note.n_descsz);
    }
  }
}

std::string build_id_of(const ImageMemory &memory, const LoadedObject &object) {
  std::string id;
  visit_notes(memory, object, [&](std::string_view name, uint32_t type, uint64_t content, uint64_t size) {
    if (type != NT_GNU_BUILD_ID || name != std::string_view("GNU", 4)) return;
    id.resize(size);
    if (!memory.read(content, id.data(), size)) id.clear();
  });
  return id;
}

}  // namespace chord::analysis
