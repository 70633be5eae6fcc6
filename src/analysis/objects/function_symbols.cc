#include "analysis/objects/function_symbols.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/diagnostics.h"

namespace chord::analysis {
namespace {

struct CloseDescriptor {
  int descriptor;
  ~CloseDescriptor() { ::close(descriptor); }
};

uint64_t lowest_segment(Elf *elf) {
  size_t count = 0;
  elf_getphdrnum(elf, &count);
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) != nullptr && header.p_type == PT_LOAD) return header.p_vaddr - header.p_offset;
  }
  return 0;
}

void add_functions(Elf *elf, Elf_Scn *section, ExecutableSymbols &out) {
  GElf_Shdr header;
  if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB || header.sh_entsize == 0) return;
  Elf_Data *data = elf_getdata(section, nullptr);
  for (int i = 0; data != nullptr && i < static_cast<int>(header.sh_size / header.sh_entsize); ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0) continue;
    const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name != nullptr) out.functions.push_back({symbol.st_value, symbol.st_value + symbol.st_size, name});
  }
}

}  // namespace

ExecutableSymbols executable_symbols(const std::string &path) {
  elf_version(EV_CURRENT);
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw base::Error(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  CloseDescriptor close{descriptor};
  std::unique_ptr<Elf, int (*)(Elf *)> elf(elf_begin(descriptor, ELF_C_READ_MMAP, nullptr), elf_end);
  GElf_Ehdr header;
  if (elf == nullptr || gelf_getehdr(elf.get(), &header) == nullptr || (header.e_type != ET_EXEC && header.e_type != ET_DYN))
    throw base::Error(fmt::format("{}: not an executable", path));
  ExecutableSymbols out{header.e_entry, lowest_segment(elf.get()), {}};
  for (Elf_Scn *s = elf_nextscn(elf.get(), nullptr); s != nullptr; s = elf_nextscn(elf.get(), s)) add_functions(elf.get(), s, out);
  if (out.functions.empty()) throw base::Error(fmt::format("{}: it has no symbols of functions", path), "build it without -s, and do not strip it");
  return out;
}

bool is_start_up(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "_start", "_init", "_fini", "_dl_relocate_static_pie", "deregister_tm_clones", "register_tm_clones",
      "__do_global_dtors_aux", "frame_dummy", "__libc_csu_init", "__libc_csu_fini"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// The last two stand in front of the C library's.
bool is_runtime(std::string_view name) {
  return name.find("__chord_") != name.npos || name.find("5chord7runtime") != name.npos || name == "pthread_create" || name == "thrd_create";
}

}  // namespace chord::analysis
