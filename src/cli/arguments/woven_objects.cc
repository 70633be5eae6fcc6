#include "cli/arguments/woven_objects.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <sstream>
#include <string_view>

#include "cli/arguments/proc_files.h"

namespace chord::cli {
namespace {

bool has_note(Elf *elf, const GElf_Phdr &header) {
  Elf_Type type = header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
  Elf_Data *data = elf_getdata_rawchunk(elf, static_cast<int64_t>(header.p_offset), header.p_filesz, type);
  if (data == nullptr) return false;
  GElf_Nhdr note;
  size_t name = 0, content = 0;
  for (size_t at = 0; (at = gelf_getnote(data, at, &note, &name, &content)) != 0;) {
    const char *bytes = static_cast<const char *>(data->d_buf);
    if (std::string_view(bytes + name, note.n_namesz) == std::string_view("chord", 6)) return true;
  }
  return false;
}

// Every copy of the runtime comes with a note of that name, which stripping keeps.
}  // namespace

bool carries_runtime(const std::string &path) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  elf_version(EV_CURRENT);
  Elf *elf = elf_begin(file, ELF_C_READ_MMAP, nullptr);
  bool found = false;
  size_t count = 0;
  if (elf != nullptr && elf_getphdrnum(elf, &count) == 0) {
    for (size_t i = 0; i < count && !found; ++i) {
      GElf_Phdr header;
      found = gelf_getphdr(elf, static_cast<int>(i), &header) != nullptr && header.p_type == PT_NOTE &&
              has_note(elf, header);
    }
  }
  elf_end(elf);
  ::close(file);
  return found;
}

std::set<std::string> objects_of(pid_t pid) {
  std::set<std::string> objects{fmt::format("/proc/{}/exe", pid)};
  std::string root = root_of(pid);
  std::istringstream maps(read_proc(pid, "maps"));
  for (std::string line; std::getline(maps, line);) {
    size_t path = line.find('/');
    if (path != std::string::npos && line.find(" r-xp ") != std::string::npos)
      objects.insert(root + line.substr(path));
  }
  return objects;
}

}  // namespace chord::cli
