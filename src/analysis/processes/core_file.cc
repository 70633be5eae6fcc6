#include "analysis/processes/core_file.h"

#include <elf.h>
#include <fmt/core.h>
#include <gelf.h>
#include <libelf.h>
#include <signal.h>
#include <sys/procfs.h>
#include <sys/user.h>

#include <set>

#include "base/bytes.h"

namespace chord::analysis {
namespace {

class ElfImage {
 public:
  explicit ElfImage(const base::MappedFile &file) {
    elf_version(EV_CURRENT);
    // libelf does not write to it.
    elf_ = elf_memory(const_cast<char *>(file.bytes().data()), file.bytes().size());
  }
  ~ElfImage() { elf_end(elf_); }
  ElfImage(const ElfImage &) = delete;
  ElfImage &operator=(const ElfImage &) = delete;

  bool is_core() const {
    GElf_Ehdr header;
    return elf_ != nullptr && gelf_getehdr(elf_, &header) != nullptr && header.e_type == ET_CORE &&
           header.e_machine == EM_X86_64;
  }
  std::vector<GElf_Phdr> parts() const {
    size_t count = 0;
    if (elf_getphdrnum(elf_, &count) != 0) return {};
    std::vector<GElf_Phdr> all;
    for (size_t i = 0; i < count; ++i) {
      GElf_Phdr header;
      if (gelf_getphdr(elf_, static_cast<int>(i), &header) != nullptr) all.push_back(header);
    }
    return all;
  }
  Elf *get() const { return elf_; }

 private:
  Elf *elf_ = nullptr;
};

// Signals whose default action writes a core file.
bool dumps_core(int signal) {
  for (int one : {SIGQUIT, SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGXCPU, SIGXFSZ, SIGSYS})
    if (signal == one) return true;
  return false;
}

void read_thread(std::string_view content, CoreFile &core) {
  prstatus_t status;
  if (content.size() < sizeof status) return;
  std::memcpy(&status, content.data(), sizeof status);
  user_regs_struct r;
  static_assert(sizeof r == sizeof status.pr_reg);
  std::memcpy(&r, &status.pr_reg, sizeof r);
  CoreThread thread;
  thread.id = static_cast<uint32_t>(status.pr_pid);
  thread.pointer = r.fs_base;
  thread.registers = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
                      r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip};
  // The thread that died comes first.
  if (core.threads.empty() && dumps_core(status.pr_cursig)) core.signal = static_cast<uint32_t>(status.pr_cursig);
  core.threads.push_back(thread);
}

// Follows the thread's other registers.
void read_vectors(std::string_view content, CoreFile &core) {
  user_fpregs_struct saved;
  if (content.size() < sizeof saved || core.threads.empty()) return;
  std::memcpy(&saved, content.data(), sizeof saved);
  static_assert(sizeof saved.xmm_space == sizeof core.threads.back().vectors);
  std::memcpy(core.threads.back().vectors.data(), saved.xmm_space, sizeof saved.xmm_space);
}

void read_auxiliary(std::string_view content, CoreFile &core) {
  base::ByteReader in(content);
  while (in.remaining() >= 16) {
    uint64_t type = in.u64(), value = in.u64();
    if (type == AT_SYSINFO_EHDR) core.vdso = value;
  }
}

// NT_FILE: which files were mapped where.
void read_mappings(std::string_view content, CoreFile &core) {
  base::ByteReader in(content);
  uint64_t count = in.u64();
  in.u64();  // size of a page
  std::vector<LoadedObject> starts(std::min<uint64_t>(count, content.size()));
  std::vector<bool> first(starts.size());
  for (size_t i = 0; i < starts.size(); ++i) {
    starts[i].address = in.u64();
    in.u64();
    first[i] = in.u64() == 0;
  }
  for (size_t i = 0; i < starts.size() && in.ok(); ++i) {
    starts[i].path = in.c_string();
    if (first[i]) core.objects.push_back(starts[i]);
  }
}

void read_notes(const ElfImage &elf, const GElf_Phdr &part, CoreFile &core) {
  Elf_Data *data = elf_getdata_rawchunk(elf.get(), static_cast<int64_t>(part.p_offset), part.p_filesz, ELF_T_NHDR);
  if (data == nullptr) return;
  GElf_Nhdr note;
  size_t name = 0, content = 0;
  for (size_t at = 0; (at = gelf_getnote(data, at, &note, &name, &content)) != 0;) {
    std::string_view bytes(static_cast<const char *>(data->d_buf) + content, note.n_descsz);
    if (note.n_type == NT_PRSTATUS) read_thread(bytes, core);
    if (note.n_type == NT_FPREGSET) read_vectors(bytes, core);
    if (note.n_type == NT_AUXV) read_auxiliary(bytes, core);
    if (note.n_type == NT_FILE) read_mappings(bytes, core);
  }
}

bool begins_like_elf(const ImageMemory &memory, const LoadedObject &object) {
  char magic[SELFMAG];
  return memory.read(object.address, magic, sizeof magic) && std::memcmp(magic, ELFMAG, SELFMAG) == 0;
}

// The code and constants of the objects, which cores leave out. A file that is no
// longer what was loaded must not be mistaken for it.
void add_objects(CoreFile &core) {
  std::vector<LoadedObject> kept;
  for (LoadedObject &object : core.objects) {
    ImageMemory file;
    try {
      add_object_file(file, object);
    } catch (const base::Error &) {
      if (begins_like_elf(core.memory, object)) kept.push_back(object);  // a deleted one may be whole in the core
      continue;
    }
    if (!begins_like_elf(file, object)) continue;
    std::string had = build_id_of(core.memory, object);
    if (!had.empty() && had != build_id_of(file, object))
      throw base::Error(fmt::format("{}: is another build than the one that ran", object.path),
                        "put the file that ran back in its place");
    add_object_file(core.memory, object);
    kept.push_back(object);
  }
  core.objects = std::move(kept);
}

}  // namespace

bool is_core_file(const std::string &path) { return ElfImage(base::MappedFile(path)).is_core(); }

CoreFile read_core_file(const std::string &path) {
  auto file = std::make_shared<base::MappedFile>(path);
  ElfImage elf(*file);
  if (!elf.is_core()) throw base::Error(fmt::format("{}: not a core file of this kind of machine", path));
  CoreFile core;
  core.time_ns = file->time_ns();
  for (const GElf_Phdr &part : elf.parts()) {
    if (part.p_type == PT_NOTE) read_notes(elf, part, core);
    if (part.p_type == PT_LOAD && part.p_offset < file->bytes().size())
      core.memory.add(part.p_vaddr, file->bytes().substr(part.p_offset, part.p_filesz), file);
  }
  if (core.threads.empty()) throw base::Error(fmt::format("{}: has no threads", path));
  if (core.objects.empty()) throw base::Error(fmt::format("{}: does not name the loaded files (no NT_FILE note)", path));
  add_objects(core);
  return core;
}

}  // namespace chord::analysis
