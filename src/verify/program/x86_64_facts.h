// What the proof knows of an instruction of the program, read from its bytes.
//
// Made from the decoder's raw answers alone: the proof must not believe what the weaver
// believes. `reads` may be too large and `kills` too small, never the other way round.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace chord::verify {

// One bit each: general registers by number, vector registers 0 to 15, upper halves of
// general registers, flags. Vector registers above 15 are not in it: no probe touches them.
using Set = uint64_t;

inline constexpr unsigned kRax = 0, kRcx = 1, kRdx = 2, kRbx = 3, kRsp = 4, kRbp = 5, kRsi = 6, kRdi = 7;
inline constexpr unsigned kNoRegister = 255;
enum Flag : unsigned { kCarry, kParity, kAdjust, kZero, kSign, kOverflow, kFlagCount };

constexpr Set general(unsigned r) { return r < 16 ? Set{1} << r : 0; }
inline constexpr Set kFrameRegisters = general(kRsp) | general(kRbp);  // frames are found by these
constexpr Set vector(unsigned r) { return r < 16 ? Set{1} << (16 + r) : 0; }
constexpr Set upper(unsigned r) { return r < 16 ? Set{1} << (32 + r) : 0; }
constexpr Set flag(unsigned f) { return Set{1} << (48 + f); }
constexpr Set whole(unsigned r) { return general(r) | upper(r); }

inline constexpr Set kGenerals = 0xffff, kVectors = Set{0xffff} << 16, kUppers = Set{0xffff} << 32;
inline constexpr Set kFlags = Set{0x3f} << 48;
inline constexpr Set kEverything = kGenerals | kVectors | kUppers | kFlags;

enum class Flow : uint8_t { next, jump, conditional, call, leave, trap };

// The explicit memory operand; `size` in bytes, 0 if there is none.
struct MemoryOperand {
  bool present = false;
  bool only_address = false;  // lea
  unsigned base = kNoRegister, index = kNoRegister;
  bool code_relative = false;  // to the instruction pointer
  int64_t displacement = 0;
  uint32_t size = 0;
};

// What it makes of general registers, as far as stack addresses are concerned:
// `into` = `from` + plus.
struct Sum {
  unsigned into = kNoRegister, from = kNoRegister;
  int64_t plus = 0;
  bool half = false;  // in the lower half; the upper one is cleared, or the sign of the lower one
};

struct Facts {
  uint8_t size = 0;
  Flow flow = Flow::next;
  bool indirect = false;   // jump or call through a register or memory
  bool entry_mark = false;  // endbr64
  bool unknown = false;    // system calls and the like: may do anything
  bool loads = false, stores = false;
  bool on_zero = false, on_other = false;  // conditional: jumps if the zero flag is set (clear)
  Set reads = 0, writes = 0, kills = 0;
  Set source_reads = 0;    // what it reads other than to keep what it does not replace
  Set uses = 0;            // likewise, and the result depends on it: general registers
  Set keeps = 0;           // registers that it reads for nothing but to put them in the frame
  Set sets = 0;            // the one register that it is there to change
  bool restores = false;   // may put back what was kept in the frame
  Set narrow_kills = 0;    // vector registers of which it replaces the lower 128 bits
  bool wide = false;       // touches more of a vector register than those
  MemoryOperand memory;
  Sum sum;
  unsigned added = kNoRegister, added_to = kNoRegister;  // one whole register to another
  int stack_move = 0;      // push, pop: what the stack pointer goes up by
  unsigned pushed = kNoRegister, popped = kNoRegister;
  bool leaves_frame = false;  // leave
  bool loads_stack_pointer = false;
};

std::optional<Facts> facts_of(std::string_view bytes);

unsigned register_number(std::string_view name);  // "rax", "eax", "r11d"; kNoRegister if it is none
unsigned dwarf_number(unsigned general);
// The register that unwind rules name in text: the number of a general one, or a vector register by its name. 0: neither.
Set registers_of_rule(std::string_view name);

}  // namespace chord::verify
