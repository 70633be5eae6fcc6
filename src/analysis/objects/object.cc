#include "analysis/objects/object.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "analysis/objects/anchor_defects.h"
#include "base/diagnostics.h"
#include "chord_abi.h"

namespace chord::analysis {
namespace {

class ElfFile {
 public:
  explicit ElfFile(const std::string &path) : path_(path) {
    elf_version(EV_CURRENT);
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw base::Error(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
    elf_ = elf_begin(descriptor_, ELF_C_READ_MMAP, nullptr);
    if (elf_ == nullptr || elf_kind(elf_) != ELF_K_ELF) {
      close();
      throw base::Error(fmt::format("{}: not an ELF file", path));
    }
  }
  // From memory, which must outlive it.
  ElfFile(const std::string &path, std::string &bytes) : path_(path) {
    elf_version(EV_CURRENT);
    elf_ = elf_memory(bytes.data(), bytes.size());
    if (elf_ == nullptr || elf_kind(elf_) != ELF_K_ELF) {
      close();
      throw base::Error(fmt::format("{}: what is kept of it is damaged", path));
    }
  }
  ~ElfFile() { close(); }
  ElfFile(const ElfFile &) = delete;
  ElfFile &operator=(const ElfFile &) = delete;

  // All sections of that name: some linkers make one output section for each set of
  // flags their input sections have.
  std::vector<Elf_Scn *> sections(const char *name) const {
    std::vector<Elf_Scn *> all;
    size_t names = 0;
    if (elf_getshdrstrndx(elf_, &names) != 0) return all;
    for (Elf_Scn *s = elf_nextscn(elf_, nullptr); s != nullptr; s = elf_nextscn(elf_, s)) {
      GElf_Shdr header;
      if (gelf_getshdr(s, &header) == nullptr) continue;
      const char *found = elf_strptr(elf_, names, header.sh_name);
      if (found != nullptr && std::strcmp(found, name) == 0) all.push_back(s);
    }
    return all;
  }

  // The bytes of these sections, one after the other; empty if there are none.
  std::string contents(const char *name) const {
    std::string bytes;
    for (Elf_Scn *found : sections(name)) {
      GElf_Shdr header;
      if (gelf_getshdr(found, &header) != nullptr && (header.sh_flags & SHF_COMPRESSED) != 0 &&
          elf_compress(found, 0, 0) < 0) {
        throw base::Error(fmt::format("{}: cannot decompress section {}: {}", path_, name, elf_errmsg(-1)));
      }
      Elf_Data *data = elf_rawdata(found, nullptr);
      if (data != nullptr && data->d_buf != nullptr) bytes.append(static_cast<const char *>(data->d_buf), data->d_size);
    }
    return bytes;
  }

  // Where there is code; nothing if the file is not linked, and so has no addresses.
  AddressRanges code() const {
    AddressRanges ranges;
    GElf_Ehdr file;
    if (gelf_getehdr(elf_, &file) == nullptr || file.e_type == ET_REL) return ranges;
    for (Elf_Scn *s = elf_nextscn(elf_, nullptr); s != nullptr; s = elf_nextscn(elf_, s)) {
      GElf_Shdr header;
      if (gelf_getshdr(s, &header) == nullptr || (header.sh_flags & SHF_EXECINSTR) == 0) continue;
      ranges.emplace_back(header.sh_addr, header.sh_addr + header.sh_size);
    }
    return ranges;
  }

  std::string build_id() const {
    size_t count = 0;
    if (elf_getphdrnum(elf_, &count) != 0) return "";
    for (size_t i = 0; i < count; ++i) {
      GElf_Phdr header;
      if (gelf_getphdr(elf_, static_cast<int>(i), &header) == nullptr || header.p_type != PT_NOTE) continue;
      std::string found = build_id_in(header);
      if (!found.empty()) return found;
    }
    return "";
  }

 private:
  std::string build_id_in(const GElf_Phdr &header) const {
    // Notes of a segment aligned to 8 are laid out with that alignment.
    Elf_Type type = header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
    Elf_Data *data = elf_getdata_rawchunk(elf_, static_cast<int64_t>(header.p_offset), header.p_filesz, type);
    if (data == nullptr) return "";
    GElf_Nhdr note;
    size_t name = 0, descriptor = 0;
    for (size_t at = 0; (at = gelf_getnote(data, at, &note, &name, &descriptor)) != 0;) {
      const char *bytes = static_cast<const char *>(data->d_buf);
      if (note.n_type == NT_GNU_BUILD_ID &&
          std::string_view(bytes + name, note.n_namesz) == std::string_view("GNU", 4)) {
        return std::string(bytes + descriptor, note.n_descsz);
      }
    }
    return "";
  }

  void close() {
    if (elf_ != nullptr) elf_end(elf_);
    if (descriptor_ >= 0) ::close(descriptor_);
    elf_ = nullptr;
    descriptor_ = -1;
  }

  std::string path_;
  int descriptor_ = -1;
  Elf *elf_ = nullptr;
};

// What the records of chord_procs say of the counters; all but where they are is the same
// before and after relocation.
void decode_records(std::string_view section, Object &object) {
  chord_proc record;
  for (; section.size() >= sizeof record; section.remove_prefix(sizeof record)) {
    std::memcpy(&record, section.data(), sizeof record);
    uint64_t bytes = uint64_t{8} * record.count;
    object.records.push_back(record.key);
    CounterMemory &sum = object.memory[record.key];
    if (record.kind == CHORD_COUNTERS_THREAD || record.kind == CHORD_COUNTERS_DELTA) sum.thread += bytes;
    if (record.kind != CHORD_COUNTERS_THREAD && record.kind != CHORD_COUNTERS_EVENT) sum.shared += bytes;
  }
}

}  // namespace

namespace {

Object read_object(const ElfFile &file, const std::string &path, bool texts) {
  Object object;
  object.path = object.file = path;
  object.build_id = file.build_id();
  if (file.sections(CHORD_MAP_SECTION).empty()) {
    throw base::Error(fmt::format("{}: has no map: it was not built with chord", path),
                      "put `chord` in front of the compiler command, both to compile and to link");
  }
  format::MapSection maps = format::decode_maps(file.contents(CHORD_MAP_SECTION), texts);
  if (!maps.error.empty())
    throw base::Error(fmt::format("{}: {}", path, maps.error), "build the program again");
  format::AnchorSection anchors = format::decode_anchors(file.contents(CHORD_ANCHOR_SECTION));
  if (!anchors.error.empty())
    throw base::Error(fmt::format("{}: {}", path, anchors.error), "build the program again");
  if (std::string why = anchor_defect(maps.units, anchors.anchors, file.code()); !why.empty()) {
    throw base::Error(fmt::format("{}: {}", path, why), "build the program again");
  }
  decode_records(file.contents(CHORD_PROCS_SECTION), object);
  object.units = std::move(maps.units);
  object.anchors = std::move(anchors.anchors);
  return object;
}

}  // namespace

Object read_object(const std::string &path, bool texts) { return read_object(ElfFile(path), path, texts); }

Object read_object_bytes(const std::string &path, const std::string &bytes, bool texts) {
  std::string own = bytes;
  return read_object(ElfFile(path, own), path, texts);
}

std::string place_in_object(const std::string &path) {
  try {
    std::string bytes = ElfFile(path).contents(CHORD_PLACE_SECTION);
    return bytes.substr(0, bytes.find('\0'));
  } catch (const base::Error &) {
    return "";
  }
}

std::string build_id_of_file(const std::string &path) { return ElfFile(path).build_id(); }

std::string show_build_id(const std::string &build_id) {
  if (build_id.empty()) return "none";
  std::string out;
  for (unsigned char c : build_id) out += fmt::format("{:02x}", c);
  return out;
}

}  // namespace chord::analysis
