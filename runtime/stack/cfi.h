// Call frame information (DWARF 5, section 6.4, as laid out in .eh_frame): from a
// program counter to the rule by which the caller's registers are found.
#pragma once

#include "runtime.h"

namespace chord::runtime {

enum class How : uint8_t {
  same,
  at_offset,
  value_offset,
  in_register,
  at_expression,
  value_expression,
  undefined
};

// One row of the table. `cfa_expression` null: CFA = register + offset.
struct Row {
  const uint8_t *cfa_expression;
  int64_t cfa_offset;
  uint8_t cfa_register;
  bool signal_frame;
  How how[17];
  int64_t value[17];  // offset from the CFA, register number, or address of an expression
};

// The frame description entry for pc in [begin, end) of an .eh_frame section,
// or null. Linear in the section.
const uint8_t *scan_frames(const uint8_t *begin, const uint8_t *end, uint64_t pc);
// The same by the sorted table of .eh_frame_hdr. Logarithmic.
const uint8_t *look_up_frame(const uint8_t *header, uint64_t pc);

// The addresses an entry covers; zeros if it cannot be read.
struct Range {
  uint64_t begin, end;
};
Range range_of(const uint8_t *entry);

// False if the entry does not cover pc or says something we cannot follow.
bool find_row(const uint8_t *entry, uint64_t pc, Row &row);

// Expressions are length-prefixed blocks. `read` returns memory or fails.
class Memory {
 public:
  explicit Memory(bool safe) : safe_(safe) {}
  // A frame may lie on a damaged stack: with `safe`, a bad address is an answer,
  // not a crash.
  bool read(uint64_t address, uint64_t &value) const;

 private:
  bool safe_;
};
bool evaluate(const uint8_t *expression, const Registers &registers, const Memory &memory,
              const uint64_t *cfa, uint64_t &result);

}  // namespace chord::runtime
