// Values as the proof knows them while it executes inserted code: sums of unknowns ("atoms"), each
// times a constant, plus a constant. Arithmetic wraps as the machine's does.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace chord::verify {

using Atom = uint32_t;

// What registers hold where a probe begins: general, low and high halves of vector registers.
constexpr Atom low_half(unsigned vector) { return 16 + vector; }
constexpr Atom high_half(unsigned vector) { return 32 + vector; }
inline constexpr Atom kRegisterAtoms = 48;

struct Value {
  std::vector<std::pair<Atom, int64_t>> terms;  // atoms ascending, factors not zero
  int64_t number = 0;

  bool is_number() const { return terms.empty(); }
  // This atom, once, plus the number.
  bool is_atom_plus(Atom atom) const { return terms.size() == 1 && terms[0] == std::pair<Atom, int64_t>{atom, 1}; }
  bool is_atom(Atom atom) const { return is_atom_plus(atom) && number == 0; }
  int64_t factor(Atom atom) const;
  bool operator==(const Value &) const = default;
};

Value constant(int64_t number);
Value atom_value(Atom atom);
Value sum(const Value &a, const Value &b);
Value times(const Value &a, int64_t factor);
Value difference(const Value &a, const Value &b);
// With known atoms replaced by their numbers.
Value with_known(const Value &a, const std::map<Atom, int64_t> &known);

// What an atom stands for that is no register.
struct AtomMeaning {
  enum class Kind : uint8_t {
    fresh,         // anything
    stack_word,    // what a word of the stack held before: key
    thread_symbol, // offset of a thread-local symbol from the thread pointer
    symbol,        // address of a symbol
    offset_word,   // offset of a thread-local symbol, from the global offset table
    delta,         // this thread's distance to the shared counters; with a name: what its word of that home (chord_home) holds
    home,          // what is to be added to that
    low_half_of,   // the lower half of a value
    slot_of,       // where the counter of that number is
    likely_slot,   // where it should be
    loaded,        // what one of the weaver's own words holds: its address
    shifted,       // the lower half of a value, shifted right by the key
    masked,        // not below 0 and not above the key; of: what was shifted before, if that is known
    record,        // the record of the activation's calling context; name: of what procedure
    trace_word,    // bits of the trace that are not yet in the buffer
    distance,      // of a symbol from the label `of`, in 32 bits
    record_offset, // of a procedure's record (name) from the first of its section, in 32 bits
    relocated,     // what the linker makes of a name with @relocation
    code_word,     // what it has put into an instruction of the program, `key` bytes after the label
    condition,     // 1 if a condition holds of the flags, or the counting register, that the inserted code began with; else 0
    condition_byte,  // its lowest byte is that
    record_number, // that in words, as traces name it: fewer than CHORD_TRACE_ENTRY_BITS bits
  } kind = Kind::fresh;
  std::string_view name;
  int64_t key = 0;
  Value of;
};

class Atoms {
 public:
  Atom make(AtomMeaning meaning);
  Atom fresh() { return make({}); }
  const AtomMeaning *meaning(Atom atom) const;
  bool is(Atom atom, AtomMeaning::Kind kind, std::string_view name) const {
    const AtomMeaning *m = meaning(atom);
    return m != nullptr && m->kind == kind && m->name == name;
  }
  // The same atom for the same meaning.
  Atom find(AtomMeaning::Kind kind, std::string_view name, int64_t key = 0);
  Atom find_of(AtomMeaning::Kind kind, const Value &of, std::string_view name = {}, int64_t key = 0);

 private:
  using Name = std::pair<AtomMeaning::Kind, std::string_view>;

  std::deque<AtomMeaning> meanings_;  // what meaning() gives stays where it is
  std::map<Name, std::vector<Atom>> by_name_;
};

}  // namespace chord::verify
