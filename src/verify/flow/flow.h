// Control flow of one woven procedure: from every instruction of the original to each that can
// follow it, the woven code leads by path of inserted code alone, and that leaves everything that is
// live as it was: registers, flags, the stack, and all memory but counters and its own words.
//
// Gives what was inserted on each path, for whoever proves what it counts.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "verify/evidence/evidence.h"
#include "verify/evidence/frame.h"
#include "verify/evidence/liveness.h"
#include "verify/fault.h"
#include "verify/flow/x86_64_machine.h"
#include "verify/program/pairing.h"
#include "verify/program/program.h"
#include "verify/program/unwind.h"

namespace chord::verify {

// A path from one instruction to the next.
struct Transition {
  enum class Kind : uint8_t {
    falls,
    jumps,
    enters,  // from outside, to the function's first instruction
    named,   // by path of data or an address that names the instruction
    lands,   // from an exception table
  } kind = Kind::falls;
  uint32_t from = kNone;  // instruction; kNone: from outside, or by an indirect jump
  uint32_t to = kNone;    // kNone: out of the function
  // What inserted code does, on each path through it; empty if there is none.
  std::vector<Machine> ends;
  uint32_t table = kNone;  // named: the table in which it is
  uint32_t padding = 0;    // instructions of an alignment, executed on the path in the original
};

// What proving needs of the unit.
struct UnitFacts {
  const Program &program;
  const Pairing &pairing;
  const Evidence &evidence;
  const Liveness &liveness;
  const UnwindTable &rules, &woven_rules;
  const std::set<uint32_t> &moved;
  const ContextProcs &contexts;
};

class ProcedureFlow {
 public:
  ProcedureFlow(const UnitFacts &unit, uint32_t function, bool may_widen);

  // Throws Unproved.
  void run();

  const std::vector<Transition> &transitions() const { return transitions_; }
  const std::set<uint32_t> &visited() const { return visited_; }  // inserted statements
  bool reaches(uint32_t instruction) const { return levels_.contains(instruction); }
  // Bytes that the woven frame is wider where an instruction begins.
  int64_t level(uint32_t instruction) const { return levels_.at(instruction); }
  bool widened() const { return inside_ != 0; }
  // The register that the widened frame keeps for the caller.
  unsigned kept() const { return kept_; }
  std::optional<int64_t> woven_stack(uint32_t instruction) const;
  // Calling contexts: whose record it keeps, if any, and in which register; none: in the frame.
  std::string_view record_of() const { return record_of_; }
  unsigned record_in() const { return record_in_; }
  bool is_entering(const Transition &t) const;
  // What values of its machines are made of.
  Atoms &atoms() const { return atoms_; }
  // It goes out of the function.
  bool leaves(uint32_t instruction) const;

 private:
  struct Step {
    uint32_t statement = 0;
    int64_t moved = 0;  // the stack pointer, since the start
    std::optional<Machine::Spoiled> spoils;
    bool given_back = false;  // the caller's register, where it begins
  };
  struct Path {
    Machine machine;
    std::vector<Step> steps;
  };

  void go_on(uint32_t from, Transition::Kind kind, uint32_t to, uint32_t start, uint32_t label = kNone, uint32_t table = kNone);
  void branch(uint32_t from);
  void leave(uint32_t from, uint32_t start, std::string_view target);
  uint32_t next_code(uint32_t statement) const;
  void check_comes_to(uint32_t to, uint32_t statement) const;
  void walk(uint32_t statement, uint32_t to, std::string_view out, Path path, std::vector<Path> &ends);
  void arrive(const Transition &t, Path &path);
  void check_live(uint32_t to, uint32_t from, const Machine &machine, int64_t level);
  void check_level(const Transition &t, Machine &machine, int64_t before, int64_t after);
  void check_rules(const Transition &t, const Path &path, int64_t after);
  bool gives_back(const Machine &machine) const;
  static std::optional<std::string> held_by(const Path &path, size_t steps, int64_t word);
  void check_kept_words(const Transition &t, const Path &path, size_t steps, const Rules &rules, int64_t moved) const;
  void check_own_rules(uint32_t instruction) const;
  bool is_callers(uint32_t instruction, const std::string &reg) const;
  bool is_untouched_from(uint32_t instruction, Set what) const;
  std::vector<uint32_t> after(uint32_t instruction) const;
  void find_before() const;
  std::unordered_set<uint32_t> leading_to(Set what) const;
  StackFacts around(uint32_t from, Transition::Kind kind, uint32_t to, int64_t level) const;
  void reach(uint32_t instruction, int64_t level);
  void drain();
  void mention(const Mention &m);
  bool begins_with_mark(uint32_t statement) const;
  void find_record(const Transition &t, const Machine &machine);
  void check_record(const Transition &t, const Machine &machine) const;
  void check_record_register() const;
  [[noreturn]] void fail(uint32_t instruction, std::string what) const;
  uint32_t anchor(const Transition &t) const;

  const UnitFacts &u_;
  const Program &p_;
  const assembly::Source &rewritten_;
  uint32_t function_;
  std::optional<Frame> frame_;
  mutable Atoms atoms_;
  std::map<uint32_t, int64_t> levels_;
  std::vector<uint32_t> waiting_;
  std::vector<Transition> transitions_;
  std::set<uint32_t> visited_;
  int64_t inside_ = 0;
  unsigned kept_ = kNoRegister;
  bool touches_kept_ = false;
  bool found_record_ = false;
  std::string_view record_of_;
  unsigned record_in_ = kNoRegister;
  // Made when first asked for: the instructions that run directly before each, and those from which control comes to a use of a set.
  mutable std::unordered_map<uint32_t, std::vector<uint32_t>> before_;
  mutable std::map<Set, std::unordered_set<uint32_t>> touching_;
};

}  // namespace chord::verify
