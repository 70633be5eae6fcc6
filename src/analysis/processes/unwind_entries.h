// Which code one entry of an object's unwind information is about.
//
// Libraries that apply the rules of an entry keep its bounds to themselves, and at the end
// of a procedure's code stands where it keeps the number of its path (CHORD_PATH_NOTE).
#pragma once

#include <gelf.h>

#include <cstdint>
#include <map>
#include <optional>

namespace chord::analysis {

class UnwindEntries {
 public:
  // Those of .eh_frame and .debug_frame. Entries written in a form that no assembler for
  // this machine writes are left out.
  explicit UnwindEntries(Elf *elf);

  // The end of the code around a link-time address; nothing if no entry is about it.
  std::optional<uint64_t> end_of(uint64_t place) const;

 private:
  void read_section(Elf *elf, Elf_Scn *section, bool loaded);

  std::map<uint64_t, uint64_t> end_;  // by begin
};

}  // namespace chord::analysis
