// What straight inserted code does, as expressions over what was there before it: two pieces of code with the same expressions do
// the same, whatever the values. Knows no more of arithmetic than that constants add up and that additions to one counter
// may be made in any order. Nothing of src/verify is used here: this judges what that accepts.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "assembly/text/source.h"

namespace chord::mutation {

// A sum of unknowns, each times a constant, plus a constant.
struct Sum {
  std::map<std::string, int64_t> terms;
  int64_t number = 0;
  std::string text() const;
  bool operator==(const Sum &) const = default;
};

class StraightCode {
 public:
  // `unread`: addresses of counters that nobody reads.
  explicit StraightCode(std::set<std::string> unread = {}) : unread_(std::move(unread)) {}

  // False if the statement is not understood.
  bool run(const assembly::Statement &statement);

  // Registers ("rax", "xmm3"), flags ("carry", "overflow", "flags": the others), words of the stack ("8(%rsp)", as seen from the
  // start) and "memory" in which two pieces of code differ; "rax at LABEL": a register, where they may jump to LABEL.
  // Words further than `free_below` bytes below the stack pointer at the start belong to nobody.
  std::set<std::string> differences(const StraightCode &other, int64_t free_below = 128) const;

 private:
  struct Flags {
    std::string carry = "carry", others = "flags", overflow = "overflow";
    bool operator==(const Flags &) const = default;
  };
  struct Parts {  // of %rax
    Sum rest;
    std::string al;
    std::optional<Flags> ah;
  };

  bool step(std::string_view name, const std::vector<std::string_view> &operands, bool locked);
  bool vectors(std::string_view name, const std::vector<std::string_view> &operands);
  bool arithmetic(std::string_view name, const std::vector<std::string_view> &operands, bool locked);
  bool move(std::string_view name, const std::vector<std::string_view> &operands);
  bool flags_in_rax(std::string_view name);
  bool stack(std::string_view name, const std::vector<std::string_view> &operands);
  std::optional<Sum> address(std::string_view operand) const;
  std::optional<Sum> read(std::string_view operand);
  static std::string part_of(std::string_view operand);
  std::optional<Sum> read_part(std::string_view operand);
  bool write(std::string_view operand, const Sum &value);
  bool store(const Sum &address, const Sum &value);
  Sum load(const Sum &address);
  Sum get(const std::string &reg);
  void set(const std::string &reg, const Sum &value);
  void set_flags(const std::string &by, bool carry = true);
  void barrier(std::string_view name, std::string_view operands);
  std::string all_but_registers() const;
  std::map<std::string, std::string> changed_registers() const;
  using Memory = std::map<std::string, std::pair<Sum, Sum>>;  // address, value
  static std::set<std::string> different_words(const Memory &a, const Memory &b, int64_t free_below);

  std::set<std::string> unread_;
  std::map<std::string, Sum> registers_;
  std::optional<Parts> parts_;  // if %rax was written in parts
  std::map<std::string, Parts> packed_;
  std::map<std::string, Flags> pushed_flags_;
  Flags flags_;
  Memory memory_;
  std::map<std::string, std::multiset<std::string>> added_;      // counters
  struct Seen {
    std::string but_memory, depth;
    Memory memory;
    std::string jumps_to;
    std::map<std::string, std::string> registers;  // jumps: those that have changed
  };
  unsigned stores_elsewhere_ = 0;
  std::vector<Seen> trace_;  // all there was at calls and branches
};

}  // namespace chord::mutation
