// A woven library in a program that is not woven: the program's threads are started
// by libc's pthread_create, past the definition in the library. So that they
// count for themselves, the program's and its libraries' references to
// pthread_create are led to us: each is one word of a table that the dynamic
// linker has filled in.
//
// Not needed, and not done, where the program itself is woven: its definition is
// then the one everybody finds.
#include <link.h>

#include "runtime.h"

namespace chord::runtime {
namespace {

struct Redirection {
  void *from, *to;  // from null: whatever it is
};

struct Tables {
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  const ElfW(Rela) * relocations[2] = {};
  size_t sizes[2] = {};
};

Tables read_tables(const dl_phdr_info &object, const ElfW(Dyn) * dynamic) {
  Tables tables;
  auto address = [&](const ElfW(Dyn) * entry) {
    // libc leaves absolute addresses here; the kernel's own object has offsets.
    return entry->d_un.d_ptr < object.dlpi_addr ? entry->d_un.d_ptr + object.dlpi_addr : entry->d_un.d_ptr;
  };
  for (; dynamic->d_tag != DT_NULL; ++dynamic) switch (dynamic->d_tag) {
      case DT_SYMTAB:
        tables.symbols = reinterpret_cast<const ElfW(Sym) *>(address(dynamic));
        break;
      case DT_STRTAB:
        tables.names = reinterpret_cast<const char *>(address(dynamic));
        break;
      case DT_JMPREL:
        tables.relocations[0] = reinterpret_cast<const ElfW(Rela) *>(address(dynamic));
        break;
      case DT_PLTRELSZ:
        tables.sizes[0] = dynamic->d_un.d_val / sizeof(ElfW(Rela));
        break;
      case DT_RELA:
        tables.relocations[1] = reinterpret_cast<const ElfW(Rela) *>(address(dynamic));
        break;
      case DT_RELASZ:
        tables.sizes[1] = dynamic->d_un.d_val / sizeof(ElfW(Rela));
        break;
    }
  return tables;
}

// The tables may have been made read-only once they were filled.
void store(const dl_phdr_info &object, void **slot, void *value) {
  constexpr uint64_t page = 4096;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = object.dlpi_phdr[i];
    uint64_t offset = reinterpret_cast<uint64_t>(slot) - object.dlpi_addr - part.p_vaddr;
    if (part.p_type != PT_GNU_RELRO || offset >= part.p_memsz) continue;
    auto start = static_cast<long>(reinterpret_cast<uint64_t>(slot) & ~(page - 1));
    if (kernel(SYS_mprotect, start, page, PROT_READ | PROT_WRITE) < 0) return;
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    kernel(SYS_mprotect, start, page, PROT_READ);
    return;
  }
  __atomic_store_n(slot, value, __ATOMIC_RELEASE);
}

int redirect_object(dl_phdr_info *object, size_t, void *data) {
  const Redirection &what = *static_cast<const Redirection *>(data);
  const ElfW(Dyn) *dynamic = nullptr;
  for (int i = 0; i < object->dlpi_phnum; ++i)
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn) *>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  if (dynamic == nullptr) return 0;
  Tables tables = read_tables(*object, dynamic);
  if (tables.symbols == nullptr || tables.names == nullptr) return 0;
  for (int table = 0; table < 2; ++table)
    for (size_t i = 0; tables.relocations[table] != nullptr && i < tables.sizes[table]; ++i) {
      const ElfW(Rela) &relocation = tables.relocations[table][i];
      auto type = ELF64_R_TYPE(relocation.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      const char *name = tables.names + tables.symbols[ELF64_R_SYM(relocation.r_info)].st_name;
      if (!same_bytes(name, "pthread_create", 15)) continue;
      auto *slot = reinterpret_cast<void **>(object->dlpi_addr + relocation.r_offset);
      if (what.from == nullptr || *slot == what.from) store(*object, slot, what.to);
    }
  return 0;
}

void redirect_thread_starts(void *from, void *to) {
  Redirection what{from, to};
  dl_iterate_phdr(redirect_object, &what);
}

}  // namespace

}  // namespace chord::runtime
