#include "analysis/processes/unwind_entries.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <libelf.h>
#include <unistd.h>

#include <vector>

namespace chord::analysis {
namespace {

struct Code {
  uint64_t begin, end;
};

// The functions that the symbols of a file name.
std::vector<Code> functions_of(Elf *elf) {
  std::vector<Code> all;
  for (Elf_Scn *s = elf_nextscn(elf, nullptr); s != nullptr; s = elf_nextscn(elf, s)) {
    GElf_Shdr header;
    if (gelf_getshdr(s, &header) == nullptr || header.sh_type != SHT_SYMTAB) continue;
    Elf_Data *data = elf_getdata(s, nullptr);
    GElf_Sym symbol;
    for (int i = 0; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
      if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size != 0) all.push_back({symbol.st_value, symbol.st_value + symbol.st_size});
    }
  }
  return all;
}

// This test is a program itself: what compilers made ends where its symbols say.
TEST(UnwindEntries, EndWhereFunctionsEnd) {
  elf_version(EV_CURRENT);
  int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  Elf *elf = elf_begin(file, ELF_C_READ_MMAP, nullptr);
  ASSERT_NE(elf, nullptr);
  UnwindEntries entries(elf);
  size_t same = 0, other = 0;
  for (const Code &code : functions_of(elf)) {
    for (uint64_t place : {code.begin, code.end - 1}) ++(entries.end_of(place) == code.end ? same : other);
  }
  EXPECT_GT(same, 1000u);
  EXPECT_LT(other, same / 100);  // start-up code has none
  EXPECT_FALSE(entries.end_of(0));
  EXPECT_FALSE(entries.end_of(UINT64_MAX));
  elf_end(elf);
  ::close(file);
}

TEST(UnwindEntries, NoFile) { EXPECT_FALSE(UnwindEntries(nullptr).end_of(1)); }

}  // namespace
}  // namespace chord::analysis
