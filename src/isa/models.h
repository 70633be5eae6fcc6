// Writing what feeds the models of caches (abi/chord_models.h).
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
#pragma once

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
};

struct ProbeWithOutside {
  Snippet inside, outside;
};
ProbeWithOutside look_for_line(const LineProbe &probe, Resources live);

// A repeated string instruction is about to run: asks the runtime, which finds addresses and number in registers.
struct StringProbe {
  uint32_t bytes = 0;  // each time
  bool source = false, target = false;  // which of them it accesses
  uint32_t second = 0;
  AnyPlace counter;
};
Snippet tell_strings(const StringProbe &probe, Resources live);

}  // namespace chord::isa
