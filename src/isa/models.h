// Writing what feeds the models of caches and branch predictors (abi/chord_models.h).
//
// In line stands only the question whether the bytes that are about to be accessed lie in the line that was used last in
// its set. If so the model has nothing to do. If not, code out of the way asks the runtime, for each access in turn:
//
//     leaq   ADDRESS,a
//     movl   a,s                     the set: its place among those of the thread's cache
//     shrl   $line_bits-3,s
//     andl   $8*(sets-1),s
//     addq   %fs:__chord_l1d@tpoff,s
//     subq   (s),a                   from the start of the line used last
//     cmpq   $line-bytes,a
//     ja     out                     before it, after it, or across its end
//   back:
//
// Several accesses to neighbouring bytes, with no other in between, are one question.
//
// Where code lies and which counter predicts a branch is known when it is woven, so these questions are shorter: a comparison of a number
// for each line, and of the saturated counter with what the branch is about to do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/accesses.h"
#include "isa/contexts.h"
#include "isa/isa.h"

namespace chord::isa {

// Where bytes are, before the instruction that accesses them.
struct DataAddress {
  std::string operand;  // text, of Access::Place::operand
  bool intel_syntax = false;
  bool thread_segment = false;
  bool on_stack = false;  // relative to the stack pointer
  unsigned base = kNoRegister;  // else: base + plus
  int64_t plus = 0;             // added to either
};

// Memory operand of an instruction, as lea takes it; nothing if there is none that is understood.
std::string operand_for_address(std::string_view operands, bool intel_syntax, bool thread_segment);

struct LineProbe {
  DataAddress at;
  uint32_t bytes = 0;  // from there, all accesses together
  uint32_t line_bits = 0, sets = 0;
  bool shared_object = false;
  uint32_t second = 0;    // words from a counter to that of the second level; 0: there is none
  std::string out, back;  // labels

  struct Request {
    int64_t plus = 0;  // from the start of the bytes
    uint32_t bytes = 0;
    AnyPlace counter;
  };
  std::vector<Request> requests;
  // The linker may make the instruction another, which accesses nothing: its byte at `code` is `opcode` if it has not.
  std::string code;
  uint8_t opcode = 0;
  // Linkers let no other instruction have the operand: what they have put into this one is read.
  bool displacement_in_code = false;
};

struct ProbeWithOutside {
  Snippet inside, outside;
};
ProbeWithOutside look_for_line(const LineProbe &probe, Resources live);

// Instructions that run one after the other, and where they are in the plain program.
struct FetchProbe {
  struct Request {
    uint64_t address = 0;
    uint32_t bytes = 0;
    AnyPlace counter;
  };
  std::vector<Request> requests;  // of those that come to another line than the one before them
  std::vector<uint64_t> lines;    // that they come to, in order, as addresses
  uint32_t line_bits = 0, sets = 0;
  bool shared_object = false;
  std::string out, back;  // labels
};
ProbeWithOutside look_for_code(const FetchProbe &probe, Resources live);
// Larger addresses are not modelled.
inline constexpr uint64_t kMostCodeAddress = UINT64_C(1) << 31;

// How a conditional branch decides.
struct BranchTest {
  unsigned condition = 0;  // of flags, as encoded
  bool count_is_zero = false, count_has_32_bits = false;  // else: whether the counting register is 0
};
std::optional<BranchTest> branch_test(std::string_view bytes);  // nothing: by changing a register

// In front of a conditional branch.
struct PredictionProbe {
  BranchTest test;
  uint32_t number = 0;         // of the predicting counter, if the history is 0
  uint32_t history_mask = 0;
  AnyPlace counter;            // of mispredictions
  bool shared_object = false;
  std::string out, back;
};
ProbeWithOutside predict_branch(const PredictionProbe &probe, Resources live);

// A repeated string instruction is about to run: asks the runtime, which finds addresses and number in registers.
struct StringProbe {
  uint32_t bytes = 0;  // each time
  bool source = false, target = false;  // which of them it accesses
  uint32_t second = 0;
  AnyPlace counter;
};
Snippet tell_strings(const StringProbe &probe, Resources live);

}  // namespace chord::isa
