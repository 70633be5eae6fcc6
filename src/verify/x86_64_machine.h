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

#include "verify/symbolic.h"
#include "verify/x86_64_probe.h"

namespace chord::verify {

// What a probe does besides moving values about.
struct Effect {
  enum class Kind : uint8_t { count, opens, closes, leaps, asks_budget } kind = Kind::count;
  // Where a counter lies: an offset from the thread pointer, memory of all threads, or the same
  // as seen by this thread.
  enum class Where : uint8_t { thread, shared, delta } where = Where::thread;
  std::string_view symbol;
  Value index;            // in words
  Value amount;           // count
  bool locked = false;
  bool sets = false;       // count: a flag, which becomes 1 whatever it was
  std::string_view place;  // asks_budget: label that tells where the activation stands
  uint32_t statement = 0;
};

// What is known where the inserted code begins.
struct Surroundings {
  std::optional<int64_t> stack_at, frame_at;  // stack and frame pointer, from the stack pointer at the entry
  bool red_zone_dead = false;
  bool own_words = false;  // the two words below the return address are the weaver's
};

class Machine {
 public:
  Machine(Atoms &atoms, const Surroundings &around) : atoms_(&atoms), around_(around) {
    for (unsigned f = 0; f < kFlagCount; ++f) flags_[f] = static_cast<int>(f);
  }

  // Empty, or why the instruction cannot be proved harmless. Jumps change nothing.
  std::string execute(const ProbeInstruction &p, uint32_t statement);

  // What the last instruction wrote below the stack pointer that the inserted code began with: one word, by its distance
  // from there, or, if it was a call, everything below.
  struct Spoiled {
    int64_t at = 0;
    bool all_below = false;
  };
  const std::optional<Spoiled> &spoiled() const { return spoiled_; }

  // The way on which the last comparison was equal. Nothing is known of the other.
  void suppose_equal();

  Value general(unsigned reg) const { return value(reg); }
  Value value(Atom reg) const;
  const std::map<Atom, Value> &changed() const { return registers_; }
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
  const std::vector<Effect> &effects() const { return effects_; }
  const std::vector<uint32_t> &executed() const { return executed_; }  // statements, in order
  const std::map<Atom, int64_t> &known() const { return known_; }
  const Atoms &atoms() const { return *atoms_; }

 private:
  struct Address {
    enum class Kind : uint8_t { stack, counter, other } kind = Kind::other;
    int64_t key = 0;  // stack
    Value value;
    bool thread = false;
  };

  void set(Atom reg, Value value);
  void set_fresh(Atom reg) { set(reg, atom_value(atoms_->fresh())); }
  void spoil_flags(bool carry = true);
  Value address_value(const Operand &memory);
  Address resolve(const Operand &memory);
  Value load(const Operand &memory);
  std::string store(const Operand &memory, const Value &value, unsigned bytes);
  std::string store_word(int64_t key, const Value &value);
  std::string arithmetic(const ProbeInstruction &p, uint32_t statement);
  std::string count(const Operand &memory, const Value &amount, bool locked, uint32_t statement);
  std::string move(const ProbeInstruction &p);
  std::string push(const Value &value);
  std::string pop(Value &out);
  std::string call(std::string_view routine, uint32_t statement);
  std::string call_bracket(std::string_view routine, Effect effect);
  std::string call_budget(Effect effect);
  std::string call_find_path();
  std::string move_stack(int64_t by);
  std::string vectors(const ProbeInstruction &p);
  std::string compare(const ProbeInstruction &p);
  std::string hash(const ProbeInstruction &p);
  Value source(const Operand &operand);
  std::optional<int64_t> stack_key() const;
  Value word(int64_t key);
  int64_t start_key() const;
  void forget_below(int64_t key);
  std::string store_half(int64_t key, int64_t number);
  std::string flags(const ProbeInstruction &p);

  Atoms *atoms_;
  Surroundings around_;
  std::map<Atom, Value> registers_;  // those that changed
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
    int zero = -1;
  } comparison_;
  std::map<Atom, int64_t> known_;
  std::vector<Effect> effects_;
};

}  // namespace chord::verify
