// Executes inserted instructions on symbolic values: what a probe leaves in registers, flags, its
// own words of the stack and counters, in terms of what was there before it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/claims/x86_64_probe.h"
#include "verify/flow/symbolic.h"

namespace chord::verify {

struct ContextProcs;

// What a probe does besides moving values about.
struct Effect {
  enum class Kind : uint8_t {
    count, opens, closes, leaps, asks_budget,
    looks_up,  // a calling context: the runtime is asked for its record; amount: where in the stack, from the return address; index: where what will be put back is
    names,     // likewise: the word that tells a callee where it is called becomes `index`
    keeps,     // likewise: a slot of the record, at `index` bytes, is told what to put back: `amount`
    asks_target,  // likewise: a word says whether what a jump leads to keeps a record, too; `amount`: 1 on the way on which it does
    rounds,    // paths in contexts: the record is found again from `index` bytes after it
    token,     // a trace: `index` bits, `amount`; no bits: it is added to those that are there. `whole`: in one word
    begins,    // likewise: the procedure is entered; `index`: because this mark was left; `symbol`: by this record
    leaves_mark,  // likewise: `index` is left for who is called next
    address,   // a trace: `amount` goes to the stream of addresses
    measures,  // a metric: the runtime is told where its sums are, and `place`, the routine, says what of it
    looks_at,  // a model: the set of an address, which was shifted by `amount` and masked with `index`
  } kind = Kind::count;
  // Where a counter lies: an offset from the thread pointer, memory of all threads, or the same
  // as seen by this thread; or in the record of a calling context.
  enum class Where : uint8_t { thread, shared, delta, record } where = Where::thread;
  std::string_view symbol;
  Value index;            // in words
  bool ahead = false;     // keeps, rounds: and as many words as the path register says
  Value amount;           // count
  bool locked = false;
  bool whole = false;      // token; begins: once no mark is left
  bool sets = false;       // count: a flag, which becomes 1 whatever it was
  std::string_view place;  // asks_budget: label that tells where the activation stands; measures: the routine
  uint32_t statement = 0;
};

// What is known where the inserted code begins.
struct StackFacts {
  std::optional<int64_t> stack_at, frame_at;  // stack and frame pointer, from the stack pointer at the entry
  bool red_zone_dead = false;
  bool own_words = false;  // the two words below the return address are the weaver's
  // Calling contexts: the procedures that keep records; and where the activation's record is, if it has one: in a register, or in the
  // lower one of the weaver's own words.
  const ContextProcs *contexts = nullptr;
  std::string_view record_of;
  unsigned record_in = kNoRegister;
};

class Machine {
 public:
  static constexpr int64_t kRedZone = 128;
  // Where code on its way out leaves a calling context's record, from the stack pointer at the entry (abi/chord_activations.h).
  static constexpr int64_t kLeftBelow = -112;
  Machine(Atoms &atoms, const StackFacts &around) : atoms_(&atoms), around_(around) {
    for (unsigned f = 0; f < kFlagCount; ++f) flags_[f] = static_cast<int>(f);
  }

  // Empty, or why the instruction cannot be proved harmless. Jumps change nothing.
  std::string execute(const ProbeInstruction &p, uint32_t statement);

  // What the last instruction wrote below the stack pointer that the inserted code began with: one word, by its distance
  // from there, or, if it was a call, everything below.
  struct Spoiled {
    int64_t at = 0;
    bool all_below = false;
    unsigned holds = kNoRegister;  // the word is what this general register was
  };
  const std::optional<Spoiled> &spoiled() const { return spoiled_; }

  // The way on which a conditional jump is taken, or not. Empty, or why that cannot be.
  std::string branch(Op jump, bool taken);
  // Empty, or what the inserted code should have done before it ends.
  std::string unfinished() const;

  Value general(unsigned reg) const { return value(reg); }
  Value value(Atom reg) const;
  const std::map<Atom, Value> &changed() const { return registers_; }
  // Each time that a register became something: by which instruction, counted from 1.
  struct Change {
    size_t step = 0;
    Atom reg = 0;
    Value value;
  };
  const std::vector<Change> &changes() const { return changes_; }
  // The flag is what it was.
  bool keeps_flag(unsigned f) const { return flags_[f] == static_cast<int>(f); }
  // The lower half is what it was.
  bool keeps_lower_half(unsigned reg) const;
  // Bytes that the stack pointer is higher than before; nothing if that is not known.
  std::optional<int64_t> stack_moved() const;
  // A word of the frame, by its distance from the stack pointer at the entry.
  Value frame_word(int64_t at);
  // What was put there, if anything was.
  std::optional<Value> stored(int64_t at) const;
  // What a model was asked, in line, and what the runtime was told if the answer was not there.
  struct Look {
    enum class Of : uint8_t { data, strings, code, branch } of = Of::data;
    uint32_t statement = 0;  // that asks: the same on the ways on which it is answered and on which it is not
    bool missed = false;     // the runtime was to be told
    // data: bytes from `at` on, as many as a line has less `limit`
    // strings: what `at` (source, target, count) and `limit` say
    // branch: `at[0]`: the number of its counter; `at[1]`: whether it will be taken
    std::array<Value, 3> at;
    int64_t limit = 0;
    std::vector<std::pair<int64_t, int64_t>> lines;  // code: the line, and where it was looked for
    bool remembered = false;                         // branch: in the history
    // data: nothing is told if this byte, so many after the label, is another one.
    struct Unless {
      std::string_view label;
      int64_t at = 0, byte = 0;
      bool operator==(const Unless &) const = default;
    };
    std::optional<Unless> unless;
    bool other_code = false;  // it is
    struct Request {
      Value at, what, sum;  // address or outcome; bytes or number of the counter; index of the word that counts it
      bool operator==(const Request &) const = default;
    };
    std::vector<Request> requests;
  };
  const std::vector<Look> &looks() const { return looks_; }
  // The address of what an operand names, with what registers hold now; nothing if the same text means something else elsewhere.
  std::optional<Value> effective_address(const Operand &memory);
  // What the word that names a call holds, if it was changed.
  const std::optional<Value> &named() const { return named_; }
  // The value is the address of the activation's record plus this, and 8 times the path register if it is counted there: what holds the
  // record is ahead of it by so much.
  struct InRecord {
    int64_t offset = 0;
    bool ahead = false;
    bool operator==(const InRecord &) const = default;
  };
  std::optional<InRecord> in_record(const Value &value) const;
  // What the path register is if the value is what holds the record: a number, or in terms of what it was (the holder's atom).
  std::optional<Value> path_in_record(const Value &value) const;
  // What was left below the stack pointer, by its distance from the stack pointer at the entry.
  std::optional<Value> left_below(int64_t at) const;
  const std::vector<Effect> &effects() const { return effects_; }
  const std::vector<uint32_t> &executed() const { return executed_; }  // statements, in order
  const std::map<Atom, int64_t> &known() const { return known_; }
  const Atoms &atoms() const { return *atoms_; }

 private:
  static constexpr unsigned kMostTokenBits = 24;
  // Where the stack pointer is not known, words below it have keys of their own.
  static constexpr int64_t kSomewhere = -(int64_t{1} << 40);
  static bool same_space(int64_t a, int64_t b) { return (a < kSomewhere / 2) == (b < kSomewhere / 2); }

  struct Address {
    enum class Kind : uint8_t {
      stack, counter, record,
      names_call,  // the word that tells a callee where it is called
      trace,       // the word that bits are shifted into
      expected,    // likewise: the word that marks are left in
      own,         // another word of the weaver's, which is only read
      other,
    } kind = Kind::other;
    int64_t key = 0;  // stack, record, trace: in bytes
    Value value;
    bool thread = false;
    bool ahead = false;  // record: InRecord::ahead
  };

  void set(Atom reg, Value value);
  void set_fresh(Atom reg) { set(reg, atom_value(atoms_->fresh())); }
  void spoil_flags(bool carry = true);
  Value address_value(const Operand &memory);
  Address resolve(const Operand &memory);
  bool is_own(const Operand &memory, const Value &address, std::string_view name) const;
  Address::Kind kind_of(const Operand &memory, const Value &address) const;
  std::string_view own_word(const Operand &memory, const Value &address) const;
  std::string_view thread_word(const Value &address) const;
  std::string_view symbol_of(const Value &value) const;
  std::string_view record_name(const Value &value) const;
  std::optional<int64_t> mask_of(const Value &address) const;
  bool is_of_model(const Value &address) const;
  std::string can_load(const Operand &memory);
  Value load(const Operand &memory);
  std::string store(const Operand &memory, const Value &value, unsigned bytes);
  std::string store_word(int64_t key, const Value &value);
  std::string store_in_record(const InRecord &at, const Value &value);
  std::string round_down(const ProbeInstruction &p);
  uint32_t span_of(const Value &value) const;
  std::string write_trace(const Value &value, uint32_t statement);
  // What the number of a record is made of (--trace), step by step; nothing if `v` is no such thing.
  std::optional<Value> distance_of(const Expression &e);
  std::string subtract_start(const ProbeInstruction &p);
  std::optional<Value> number_of_record(const Value &v);
  // The record whose number is added to `one` in `v`; empty: none.
  std::string_view entered_record(const Value &v, int64_t one) const;
  std::string arithmetic(const ProbeInstruction &p, uint32_t statement);
  std::string count(const Operand &memory, const Value &amount, bool locked, uint32_t statement);
  std::string move(const ProbeInstruction &p);
  std::string push(const Value &value);
  std::string pop(Value &out);
  std::string pop_into(const Operand &operand);
  std::string shift_left(const ProbeInstruction &p, uint32_t statement);
  std::string call(std::string_view routine, uint32_t statement);
  std::string call_trace(std::string_view routine, Effect effect);
  std::string announce(Effect effect);
  std::string tell(std::string_view routine, int64_t key, const Value &sum);
  std::string set_outcome(const ProbeInstruction &p);
  std::string remember(unsigned reg);
  Value history();
  std::string compare_with_model(const ProbeInstruction &p, const Value &address);
  std::string branch_on_model(Op jump, bool taken);
  const AtomMeaning *lone(const Value &value) const;
  const AtomMeaning *shift_of_set(const Value &address) const;
  std::string call_metric(std::string_view routine, Effect effect);
  std::string call_enter(Effect effect);
  std::string argument_of_sums(int64_t key, std::string_view routine, Effect &effect);
  std::string argument_along_record(int64_t offset, int64_t holder, Effect &effect);
  std::string call_bracket(std::string_view routine, Effect effect);
  std::string call_budget(Effect effect);
  std::string call_find_path();
  std::string move_stack(int64_t by);
  std::string vectors(const ProbeInstruction &p);
  std::string compare(const ProbeInstruction &p);
  std::string take_place(const ProbeInstruction &p);
  bool is_address_word(const Operand &memory, int64_t at);
  std::string compare_record(const ProbeInstruction &p, const Value &address);
  void suppose_equal();
  void replace(Atom atom, const Value &value);
  std::string hash(const ProbeInstruction &p);
  Value source(const Operand &operand);
  std::optional<Value> lower_half(const Value &value) const;
  std::optional<int64_t> stack_key() const;
  Value word(int64_t key);
  int64_t start_key() const;
  void forget_below(int64_t key);
  std::string store_half(int64_t key, int64_t number);
  std::string flags(const ProbeInstruction &p);

  Atoms *atoms_;
  StackFacts around_;
  std::map<Atom, Value> registers_;  // those that changed
  std::vector<Change> changes_;
  std::array<int, kFlagCount> flags_{};
  int next_flag_ = kFlagCount;
  std::optional<int> al_;                          // %al is this flag
  std::optional<std::array<int, kFlagCount>> ah_;  // %ah are these flags
  std::map<int64_t, Value> stack_;
  std::map<int64_t, std::array<int, kFlagCount>> saved_flags_;  // words of the stack
  std::map<int64_t, Expression> pushed_;                        // likewise: constants with symbols
  std::map<int64_t, uint32_t> lower_halves_;                    // likewise: written so far
  std::vector<uint32_t> executed_;
  size_t pushed_at_ = 0;
  std::optional<Spoiled> spoiled_;
  struct Comparison {
    Value a, b;
    Atom likely = 0;  // b is the number of this likely_slot
    std::string_view numbers;
    Atom candidate = 0;  // if equal, this is the record of
    std::string_view procedure;
    std::string_view asked;  // if other than zero, what this word is asked about is so
    std::optional<Value> line;  // if above, what is accessed there is not in the line last used: `limit` is what is compared with
    int64_t limit = 0;
    std::optional<Look::Unless> unless;  // if other, the instruction has become another one
    std::optional<std::pair<int64_t, int64_t>> code_line;  // if other, this line is not there
    bool prediction = false;                               // if other, the branch is not what its counter is sure of
    bool addresses = false;  // if not below, there is no more room for addresses
    unsigned room = 0;   // if below, so many bits fit into the word of the trace
    std::optional<int64_t> mark;  // if other, another mark was left than this
    int zero = -1, carry = -1;
  } comparison_;
  // Of what the sign flag tells: a counter that may come to its limit, or whether the trace's word is full.
  enum class Sign : uint8_t { nothing, counter, trace } sign_ = Sign::nothing;
  int sign_flag_ = -1;
  // What the way that was taken is for.
  enum class Owed : uint8_t { nothing, budget, flush, split, reference, fetch, prediction, addresses, announce } owed_ = Owed::nothing;
  // A model: the address whose set was looked at, and not yet compared, and what is there.
  std::optional<Value> looked_at_;
  Value looked_line_;
  std::vector<Look> looks_;
  std::optional<std::string_view> counted_down_;  // the zero flag tells of the counting register: "rcxz" or "ecxz"
  int counted_flag_ = -1;
  std::optional<Value> history_;
  Value trace_;               // the word of the trace
  bool trace_known_ = false;  // it was read or written
  bool trace_unchecked_ = false;
  unsigned trace_room_ = 0;
  bool expects_nobody_ = false;  // no mark is left
  // A word of the stream of addresses: where it is, and what has been done about it.
  std::optional<Value> place_;
  bool place_written_ = false, place_compared_ = false;
  std::optional<Value> named_;
  std::map<std::pair<bool, int64_t>, Value> record_words_;  // by InRecord
  std::map<int64_t, Value> below_;
  std::map<Atom, int64_t> known_;
  std::vector<Effect> effects_;
};

}  // namespace chord::verify
