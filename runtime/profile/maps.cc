// What reading a profile needs is kept beside it, once for each build: FOLDER/.chord-maps/BUILDID.
//
// The program may be gone before anybody reads its profile (`make clean`, a test in a temporary folder), so the running
// program itself is what writes it: a small ELF file with the map, the anchors, the records of procedures and the build
// id; of all other sections nothing but name and address (src/analysis/objects/stored_object.h reads and writes the same). It
// appears under its name when it is whole. If it cannot be written, nothing is said: as a rule the program is still there.
#include <elf.h>
#include <sys/sendfile.h>

#include "runtime.h"

namespace chord::runtime {
namespace {

constexpr uint64_t most_names = 1 << 20;

bool is_kept(const char *name) {
  const char *wanted[] = {CHORD_MAP_SECTION, CHORD_ANCHOR_SECTION, CHORD_PROCS_SECTION, ".note.gnu.build-id"};
  for (const char *one : wanted)
    if (same_bytes(name, one, length(one) + 1)) return true;
  return false;
}

bool read_fully(long file, void *into, uint64_t size, uint64_t offset) {
  return kernel(SYS_pread64, file, arg(into), static_cast<long>(size), static_cast<long>(offset)) == static_cast<long>(size);
}

bool write_fully(long file, const void *from, uint64_t size, uint64_t offset) {
  return kernel(SYS_pwrite64, file, reinterpret_cast<long>(from), static_cast<long>(size), static_cast<long>(offset)) ==
         static_cast<long>(size);
}

class MapCopy {
 public:
  MapCopy(const Module &module, long from, long to) : module_(module), from_(from), to_(to) {}
  ~MapCopy() {
    if (sections_ != nullptr) unmap_pages(sections_, sections_size());
    if (names_ != nullptr) unmap_pages(names_, names_size_);
  }

  bool run() {
    if (!read_headers()) return false;
    for (unsigned i = 0; i < header_.e_shnum; ++i)
      if (!section(i)) return false;
    if (!right_build_) return false;
    header_.e_shoff = end_;
    header_.e_phoff = sizeof header_;
    header_.e_phnum = 1;
    header_.e_phentsize = sizeof note_;
    header_.e_entry = 0;
    return write_fully(to_, sections_, sections_size(), end_) && write_fully(to_, &note_, sizeof note_, sizeof header_) &&
           write_fully(to_, &header_, sizeof header_, 0);
  }

 private:
  size_t sections_size() const { return header_.e_shnum * sizeof(Elf64_Shdr); }

  bool read_headers() {
    if (!read_fully(from_, &header_, sizeof header_, 0) || header_.e_shentsize != sizeof(Elf64_Shdr) ||
        header_.e_shstrndx >= header_.e_shnum)
      return false;
    sections_ = static_cast<Elf64_Shdr *>(map_pages(sections_size()));
    if (sections_ == nullptr || !read_fully(from_, sections_, sections_size(), header_.e_shoff)) return false;
    const Elf64_Shdr &names = sections_[header_.e_shstrndx];
    if (names.sh_size == 0 || names.sh_size > most_names) return false;
    names_size_ = names.sh_size + 32;  // zeros after them
    names_ = static_cast<char *>(map_pages(names_size_));
    return names_ != nullptr && read_fully(from_, names_, names.sh_size, names.sh_offset);
  }

  bool section(unsigned i) {
    Elf64_Shdr &section = sections_[i];
    if (section.sh_name >= names_size_ - 32) return false;
    bool kept = (i == header_.e_shstrndx || is_kept(names_ + section.sh_name)) && section.sh_type != SHT_NOBITS;
    if (!kept) {
      if (section.sh_type != SHT_NULL) section.sh_type = SHT_NOBITS;
      section.sh_offset = 0;
      return true;
    }
    if (section.sh_type == SHT_NOTE && !note(section)) return false;
    uint64_t offset = section.sh_offset;
    if (kernel(SYS_lseek, to_, static_cast<long>(end_), SEEK_SET) < 0) return false;
    for (uint64_t left = section.sh_size; left != 0;) {
      long n = kernel(SYS_sendfile, to_, from_, arg(&offset), static_cast<long>(left));
      if (n <= 0) return false;
      left -= static_cast<uint64_t>(n);
    }
    section.sh_offset = end_;
    if (section.sh_type == SHT_NOTE) note_.p_offset = end_;
    end_ = (end_ + section.sh_size + 7) & ~uint64_t{7};
    return true;
  }

  // A library may have been replaced since it was loaded.
  bool note(const Elf64_Shdr &section) {
    char content[96];
    constexpr size_t front = sizeof(Elf64_Nhdr) + 4;  // "GNU"
    if (section.sh_size > sizeof content || section.sh_size != front + module_.build_id_size ||
        !read_fully(from_, content, section.sh_size, section.sh_offset))
      return false;
    right_build_ = same_bytes(content + front, module_.build_id, module_.build_id_size);
    note_ = {PT_NOTE, PF_R, 0, section.sh_addr, section.sh_addr, section.sh_size, section.sh_size, 4};
    return true;
  }

  const Module &module_;
  long from_, to_;
  Elf64_Ehdr header_{};
  Elf64_Phdr note_{};
  Elf64_Shdr *sections_ = nullptr;
  char *names_ = nullptr;
  uint64_t names_size_ = 0;
  uint64_t end_ = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
  bool right_build_ = false;
};

void add_hex(Text &path, const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) path.add("0123456789abcdef"[bytes[i] >> 4]).add("0123456789abcdef"[bytes[i] & 15]);
}

void keep_map(Instance &instance, const Module &module, size_t folder) {
  // The profile is written: the buffer is free.
  constexpr size_t half = most_path + 128;
  static_assert(2 * half <= write_buffer_size);
  auto *room = reinterpret_cast<char *>(instance.buffer);
  Text path(room, half);
  for (size_t i = 0; i < folder; ++i) path.add(instance.path()[i]);
  path.add(".chord-maps");
  size_t name = path.size();
  path.add('/');
  add_hex(path, module.build_id, module.build_id_size);
  long done = reinterpret_cast<long>(path.data());
  if (kernel(SYS_access, done, F_OK) == 0) return;
  Text scratch(room + half, half);
  if (path.size() + 32 > half) return;
  for (size_t i = 0; i < name; ++i) scratch.add(path.data()[i]);
  kernel(SYS_mkdir, reinterpret_cast<long>(scratch.data()), 0777);
  scratch.add("/.").add_number(instance.pid).add('-').add_number(module.number);
  bool program = same_bytes(module.path, instance.executable, length(module.path) + 1);
  const char *source = program || module.path[0] == 0 ? "/proc/self/exe" : module.path;
  long from = open_above_standard(source, O_RDONLY | O_CLOEXEC, 0);
  if (from < 0) return;
  long to = open_above_standard(scratch.data(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (to >= 0) {
    bool whole = MapCopy(module, from, to).run();
    kernel(SYS_close, to);
    if (!whole || kernel(SYS_rename, reinterpret_cast<long>(scratch.data()), done) != 0)
      kernel(SYS_unlink, reinterpret_cast<long>(scratch.data()));
  }
  kernel(SYS_close, from);
}

}  // namespace

void keep_maps(Instance &instance) {
  if (!instance.keeps_maps) return;
  size_t folder = 0;
  for (size_t i = 0; instance.path()[i] != 0; ++i)
    if (instance.path()[i] == '/') folder = i + 1;
  for (const Module *module = instance.modules; module != nullptr; module = module->next)
    if (module->live && module->build_id_size != 0) keep_map(instance, *module, folder);
}

}  // namespace chord::runtime
