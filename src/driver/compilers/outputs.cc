#include "driver/compilers/outputs.h"

#include <chord_abi.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "analysis/objects/plain_code.h"
#include "base/diagnostics.h"

namespace chord::driver {
namespace {

namespace fs = std::filesystem;

bool is_source(const std::string &word) {
  static constexpr std::array<std::string_view, 22> kEndings = {".c",   ".cc",  ".cp",  ".cxx", ".cpp", ".CPP", ".c++", ".C",   ".i",   ".ii",  ".s",
                                                                ".S",   ".sx",  ".f",   ".for", ".f90", ".f95", ".F",   ".F90", ".adb", ".m",   ".mm"};
  std::string ending = fs::path(word).extension().string();
  return !word.starts_with('-') && std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

bool is_regular(const std::string &file) {
  std::error_code failed;
  return fs::is_regular_file(file, failed);
}

// Has the object a map; has it code?
Made look_into(Elf *elf) {
  size_t names = 0;
  if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0) return Made::nothing;
  Made made = Made::nothing;
  for (Elf_Scn *s = elf_nextscn(elf, nullptr); s != nullptr; s = elf_nextscn(elf, s)) {
    GElf_Shdr header;
    if (gelf_getshdr(s, &header) == nullptr) continue;
    const char *name = elf_strptr(elf, names, header.sh_name);
    if (name != nullptr && std::string_view(name) == CHORD_MAP_SECTION) return Made::woven;
    if ((header.sh_flags & SHF_EXECINSTR) != 0 && header.sh_size != 0) made = Made::plain;
  }
  return made;
}

bool has_functions(const std::string &file) {
  try {
    return !analysis::plain_code(file, {}).empty();
  } catch (const base::Error &) {
    return false;
  }
}

}  // namespace

Outputs outputs_of(const std::vector<std::string> &args) {
  Outputs out;
  std::string named;
  bool objects = false;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "-c") objects = true;
    if (args[i] == "-o" && i + 1 < args.size()) named = args[i + 1];
    if (args[i].starts_with("-o") && args[i].size() > 2) named = args[i].substr(2);
  }
  out.linked = !objects;
  if (!named.empty() || !objects) {
    out.files.push_back(named.empty() ? "a.out" : named);
    return out;
  }
  for (const std::string &a : args) {
    if (is_source(a)) out.files.push_back(fs::path(a).stem().string() + ".o");
  }
  return out;
}

Made what_was_made(const std::string &file, bool linked) {
  int descriptor = is_regular(file) ? ::open(file.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor < 0) return Made::nothing;
  char magic[4] = {};
  bool bitcode = ::pread(descriptor, magic, sizeof magic, 0) == sizeof magic && std::string_view(magic, 4) == "BC\xC0\xDE";
  elf_version(EV_CURRENT);
  Elf *elf = bitcode ? nullptr : elf_begin(descriptor, ELF_C_READ_MMAP, nullptr);
  Made made = bitcode ? Made::bitcode : elf == nullptr ? Made::nothing : look_into(elf);
  if (elf != nullptr) elf_end(elf);
  ::close(descriptor);
  // Every executable has start-up code.
  if (made == Made::plain && linked && !has_functions(file)) made = Made::nothing;
  return made;
}

}  // namespace chord::driver
