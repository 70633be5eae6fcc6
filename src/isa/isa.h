// What a machine instruction does to control flow, registers and flags, and how
// to write the few instructions a probe is made of. The only folder in which
// registers have names; everything else handles sets of resources.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/traits.h"

namespace chord::isa {

// A set of things an instruction may read or write: general registers, vector
// registers (as a whole) and the arithmetic flags, one bit each.
using Resources = uint64_t;

enum class Flow : uint8_t {
  next,         // goes on with the next instruction
  jump,
  conditional,
  call,
  leave,        // return, and what ends a thread of control (hlt, ud2)
};

// What an instruction does to the stack pointer.
enum class StackMove : uint8_t {
  none,        // nothing, or undone when it returns (call)
  by,          // grows the stack by stack_bytes
  from_frame,  // puts it stack_bytes below the frame pointer
  makes_frame, // the frame pointer becomes the stack pointer
  deeper,      // grows it by an unknown amount (alignment, variable-length arrays)
  unknown,
};

// Register `into` becomes register `from` plus a constant, and no other changes.
struct Copy {
  enum class Kind : uint8_t {
    none,
    whole,
    half,      // in the lower half, and the upper one is cleared
    extended,  // likewise, and the upper one follows from it
  } kind = Kind::none;
  uint8_t into = 0, from = 0;
  int32_t plus = 0;
};

struct Decoded {
  uint8_t size = 0;
  Flow flow = Flow::next;
  bool indirect = false;      // jump or call through a register or memory
  bool short_only = false;    // branch with a range of one byte (jrcxz, loop)
  bool marks_entry = false;   // endbr64: must stay first where it stands first
  bool unknown_effects = false;  // system call and the like: assume everything read
  bool traps = false;         // ud2, hlt: does not go on
  StackMove stack = StackMove::none;
  int32_t stack_bytes = 0;
  int64_t displacement = 0;   // direct branches: target minus end of instruction
  Resources reads = 0;
  Resources writes = 0;       // may change
  Resources kills = 0;        // changes for certain and entirely
  // The address in memory, as far as registers make it up (lea included).
  Resources address_base = 0;
  Resources address_index = 0;
  uint8_t address_scale = 0;  // of the index; 0 if there is no address
  Resources whole_reads = 0;  // general registers of which it may read the upper half
  // The instruction adds the constant `step` to the register `stepped`, or to its lower half,
  // which clears the upper one, and changes nothing else but flags.
  Resources stepped = 0;
  int32_t step = 0;
  bool narrow_step = false;
  bool step_by_copy = false;  // of a register that is so much more there (assembly/graph/copied_steps.h)
  Copy copy;
  Traits traits = 0;
  std::string_view mnemonic;
};

// Nothing if the bytes do not start with an instruction.
std::optional<Decoded> decode(std::string_view bytes);

// Does the instruction load from the procedure's own stack frame?
bool is_stack_slot(const Decoded &decoded);

// What an instruction does with addresses, as far as it concerns the stack. Registers
// by number; kNoRegister for none.
inline constexpr unsigned kNoRegister = 16;
inline constexpr unsigned kStackPointer = 4, kFramePointer = 5, kStringSource = 6, kStringTarget = 7;
struct StackUse {
  // The explicit memory operand, lea's included.
  unsigned base = kNoRegister;
  bool indexed = false;
  bool computes_address = false;  // lea: nothing is accessed
  int64_t displacement = 0;
  uint32_t bytes = 0;             // accessed
  // The stack pointer goes up by this; `pops` if a word is read on the way.
  int64_t moves = 0;
  bool pops = false;
  // target = source + amount: mov, lea, add, sub, leave (before it moves).
  unsigned target = kNoRegister;
  unsigned source = kNoRegister;
  int64_t amount = 0;
};
StackUse stack_use(std::string_view bytes);

Resources register_numbered(unsigned number);

// Sets that the calling convention gives a meaning.
Resources call_reads();       // argument registers
Resources call_clobbers();    // what a callee may destroy, flags included
Resources return_reads();     // results and callee-saved registers
Resources all_flags();
Resources all_registers();    // general and vector
Resources callee_saved();     // general; the stack pointer is not among them

// Name to resource, for operands written in assembly: "%rax", "eax", "r11d".
std::optional<Resources> register_named(std::string_view name);

// Where a counter lies.
struct CounterPlace {
  enum class Kind : uint8_t {
    thread_local_exec,
    thread_delta,
    shared,
    atomic,
    thread_home,  // what the thread keeps in the module beside counters (chord_home), for shared objects
  } kind = Kind::thread_local_exec;
  std::string label;    // label of the counters
  int64_t index = 0;
  // Register that holds a number to be added to the index.
  unsigned index_register = kNoRegister;
  // Registers that are not lent to anything, even if they are put back: whoever is interrupted meanwhile looks for counters in them.
  Resources pinned = 0;
};

// A probe: instructions, one per line, AT&T syntax, with the price of running it
// in instructions.
struct Snippet {
  std::string text;
  unsigned price = 0;
  // The text moves the stack pointer. It then carries a .cfi_adjust_cfa_offset
  // line after each move, to be left out where the frame is not found through
  // the stack pointer.
  bool moves_stack = false;
  // Bytes of the text after the instruction that does what the probe is for (changes
  // the counter): whoever is interrupted in them has been counted.
  size_t tail = 0;
  // Bytes that the stack pointer is lower where a check (add_checked) leaves the text.
  int depth_at_check = 0;

  std::string_view lead() const { return std::string_view(text).substr(0, text.size() - tail); }
  std::string_view rest() const { return std::string_view(text).substr(text.size() - tail); }
};

// counter += 1, changing nothing that is in `live`.
Snippet increment(const CounterPlace &place, Resources live);
// counter += amount, likewise. The amount must fit an instruction: see fits_constant.
Snippet add_constant(const CounterPlace &place, int64_t amount, Resources live);
bool fits_constant(int64_t amount);
// The counter's first byte becomes 1, whatever it was; nothing else changes. Shared places only.
Snippet set_flag(const CounterPlace &place);

// A probe that also looks whether its counter has come to 2^63: the addition itself
// sets the sign flag, so it costs one branch that is not taken.
struct Check {
  std::string out;    // label of the code outside the way (ask_runtime)
  std::string back;   // label after the branch, where that code returns to
  std::string place;  // label where unwinding is to find the procedure meanwhile
  // The counter lacks so many events at the probe.
  int64_t lacking = 0;
  // The probe adds them for the moment: the check would come too late without.
  bool makes_good = false;
};
Snippet add_checked(const CounterPlace &place, int64_t amount, Resources live, const Check &check);
// The code at `check.out`: calls `routine` with the number of events the counter lacks and
// the counter's index, which changes no register, and goes back.
Snippet ask_runtime(const CounterPlace &place, const Check &check, const std::string &routine);

// ---- Counters in registers ----

// A register that holds a counter for a while. A vector register is counted up by
// taking away from it a register of all ones: that changes no flags. Or each of its halves
// holds a counter, and a constant in memory is taken away (half_constants). The low half may
// come and go while the high one counts, not the other way round.
struct Holder {
  enum class Part : uint8_t { whole, low, high };
  Resources reg = 0;
  Resources ones = 0;  // whole vector registers only
  bool wide = false;   // write vector instructions in their VEX encoding
  Part part = Part::whole;

  bool is_vector() const;
  Resources resources() const { return reg | ones; }
};

// Registers fit to hold a counter, out of `free`, best first.
std::vector<Resources> general_holders(Resources free);
std::vector<Resources> vector_holders(Resources free);

Snippet clear(const Holder &holder, Resources live);
Snippet fill_ones(const Holder &holder);
// What increments of halves refer to, once in a unit.
std::string half_constants();
Snippet increment(const Holder &holder, Resources live);
// counter += register, and counter -= register.
Snippet add_register(const CounterPlace &place, const Holder &holder, Resources live);
Snippet subtract_register(const CounterPlace &place, const Holder &holder, Resources live);

// The step on the whole register as an instruction of its own, which changes no flags.
std::string whole_step(Resources reg, int32_t step, bool intel_syntax);
// Gives a register whose lower half is about to be counted down to zero the number of rounds
// that takes, 2^32 if the half is zero; the lower half itself stays as it is, and so do flags.
Snippet widen_countdown(const Holder &holder);

// The register's number in the runtime's records (chord_abi.h).
uint8_t recorded_number(const Holder &holder);
// And back, as far as a number tells: a vector register may be a whole one where it says low.
Holder holder_recorded(uint8_t number);
// Written in the encoding that must not be mixed with the older one, or in the older
// one, or neither.
enum class VectorUse : uint8_t { none, legacy, wide };
VectorUse vector_use(const Decoded &decoded);

// Opens or closes a bracket for the total at `place` (weave/events/brackets.h). No register is
// changed; flags and the red zone must be dead.
Snippet ask_bracket(const CounterPlace &place, bool opens);

// Tells the runtime that control is about to leave for a frame whose stack pointer is read from
// memory `operand`. All registers but flags are kept.
Snippet note_leap(std::string_view operand);

// ---- Path registers (x86_64_paths.cc) ----

// Where a procedure keeps the number of the path it is on.
struct PathHolder {
  enum class Kind : uint8_t {
    none,        // nowhere: it is the same everywhere
    free,        // a register that nobody wants
    saved,       // a register that the widened frame keeps for the caller
    slot,        // a word of the widened frame
  } kind = Kind::none;
  unsigned reg = kNoRegister;
  // slot: where it is, seen from the probe: base register and displacement.
  unsigned base = kNoRegister;
  int64_t displacement = 0;

  bool widens_frame() const { return kind == Kind::saved || kind == Kind::slot; }
};

// Bytes that a widened frame has more than the original, at its top.
inline constexpr int kWidening = 16;

// holder = value; holder += amount; counter[holder + place.index] += 1.
Snippet set_path(const PathHolder &holder, int64_t value, Resources live);
Snippet add_to_path(const PathHolder &holder, int64_t amount, Resources live);
Snippet count_path(const PathHolder &holder, const CounterPlace &place, Resources live);
// The same if the holder is `expected`, without loading it; goes on at the label `otherwise` if
// it is another. Nothing where that gains nothing.
Snippet count_expected_path(const PathHolder &holder, int64_t expected, const CounterPlace &place,
                            const std::string &otherwise, Resources live);

// Where the counter of number holder + place.index is found by hashing (chord_abi.h, paths
// by number).
struct NumberedCounters {
  std::string numbers;  // label of what the counters stand for
  std::string found;    // label of the probe's own
};
Snippet count_path_by_number(const PathHolder &holder, const CounterPlace &place, const NumberedCounters &counters,
                             Resources live);

// Makes the frame wider, and narrow again. `unwinding`: with the lines that unwinders
// need; narrow_frame's leave the rules as they are after the way out.
std::string widen_frame(const PathHolder &holder, bool unwinding);
std::string narrow_frame(const PathHolder &holder, bool unwinding);
// The rule for the caller's register in a widened frame, or nothing: ".cfi_offset 3, -16".
std::string saved_register_rule(const PathHolder &holder);
// DWARF number of a register, as unwind rules and the runtime know it.
unsigned dwarf_number(unsigned reg);

// An operand text with its displacement moved by `amount`; empty if it cannot be told.
std::string move_displacement(std::string_view operand, bool intel_syntax, int64_t amount);

}  // namespace chord::isa
