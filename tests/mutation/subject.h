// One woven text, with its statements sorted by what can be broken about them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assembly/unit/liveness.h"
#include "mutation/woven_case.h"

namespace chord::mutation {

constexpr const char *kWhole[16] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};
constexpr const char *kHalf[16] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"};
constexpr unsigned kDwarf[16] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr uint32_t kNowhere = UINT32_MAX;

class Subject {
 public:
  explicit Subject(const WovenCase &c);

  const WovenCase &woven_case() const { return c_; }
  const assembly::Statement &at(uint32_t s) const { return text_.statements[s]; }
  const assembly::Source &source() const { return text_; }
  const std::string &text() const { return text_.text; }
  std::string words(uint32_t s) const { return text_.text.substr(at(s).begin, at(s).end - at(s).begin); }
  bool is_inserted(uint32_t s) const { return inserted_[s]; }
  bool is_code(uint32_t s) const { return at(s).kind == assembly::StatementKind::instruction; }
  uint32_t tail() const { return tail_; }
  size_t size() const { return text_.statements.size(); }

  // Procedure and instruction that a statement of the original begins, if that is woven.
  std::optional<std::pair<uint32_t, uint32_t>> instruction(uint32_t s) const;
  const isa::Decoded &decoded(uint32_t s) const;
  // It ends a call of the original, perhaps one that is written in several statements.
  bool is_call(uint32_t s) const { return calls_.contains(original_[s]); }
  // The next, or the previous, statement that is an instruction, in the same section.
  uint32_t next_code(uint32_t s) const;
  uint32_t previous_code(uint32_t s) const;
  // The instruction of the original that inserted code at `s` leads to, by its own jumps as well.
  uint32_t leads_to(uint32_t s) const;
  uint32_t label(std::string_view name) const;
  // The program's own jumps or tables lead there.
  bool is_jumped_to(std::string_view label) const { return jumped_to_.contains(label); }
  const assembly::Liveness &liveness(uint32_t procedure) const;
  // Registers in which the weaver keeps something for longer than one probe, where an instruction begins.
  std::set<unsigned> kept(uint32_t procedure, uint32_t instruction) const;

  // Statements by what can be broken about them.
  std::vector<uint32_t> probes, counts, pops, pop_pairs, ends, originals, jumps, data, rules, personalities, lowered, stack_words, stack_moves, records,
      conditions, labels, marks, locks;

 private:
  void classify();
  void probe(uint32_t s, const assembly::Statement &x);

  const WovenCase &c_;
  assembly::Source text_;
  std::vector<bool> inserted_;
  std::vector<uint32_t> original_;
  uint32_t tail_ = 0;
  std::map<std::string_view, uint32_t> label_;
  std::set<std::string_view> jumped_to_;
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> starts_;
  std::set<uint32_t> calls_;  // statements of the original
  mutable std::map<uint32_t, assembly::Liveness> liveness_;
};

}  // namespace chord::mutation
