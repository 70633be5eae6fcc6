// By which stated rule a mutant does what the correct weaving does. Mechanical, and with nothing of src/verify:
//
//   same       the inserted code leaves the same in all registers, flags and words (mutation/same_effect.h)
//   dead       it leaves something else only where nobody looks: the planner's data flow calls it dead at the next
//              instruction of the program, or no way from there comes to a read, a call that may read it, or a return that anybody can
//              wait for, before a write; and no counter or path number is kept in it. Nobody waits for a register on return that the
//              procedure has itself given another value on every way from its entry, and in which nothing is returned. Words of the frame
//              that inserted code only reads where it has just written them are nobody's either, nor those of chosen paths where no
//              inserted code follows that does more than write them
//   below      it leaves something else only in words below the stack pointer, next to the entry, a call or a return, where there
//              is no red zone
//   nowhere    unwind rules that are replaced, or end, before the next instruction
//   popped     an unwind rule of a register that was popped before, in the same block, and not written since
//   between    a counter of events goes up somewhat later, with no call, return or check in between, which is where it is exact
//   unread     counts in words that belong to no chosen path
//   unreached  instructions that no edge leads to, from the entry on, and inserted code next to them; the map's edges and counters there
//   round      the address of a record is not rounded down where nothing has been added to it since the entry; or sooner, where the
//              runtime is told it, which rounds it itself
//   alongside  the map has a counter on an edge or vertex that control always passes together with the right one
//   unchanged  the text is the same, or a jump leads to the same instruction
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mutation/subject.h"

namespace chord::mutation {

struct Edit {
  uint32_t begin = 0, end = 0;
  std::string text;
  bool inserted = true;  // part of what is claimed to be new
};

struct Mutant {
  std::string what;
  std::vector<Edit> edits;
  std::string equivalent;                       // by which rule, if its maker knows
  std::function<void(format::UnitMap &)> remap;  // what is changed about the map
};

// Empty: by none.
std::string equivalence(const Subject &subject, const Mutant &mutant);

// The text with the edits, and what of it is claimed to be new.
std::string apply(const std::string &text, std::vector<Edit> edits, std::vector<verify::TextRange> &ranges);

}  // namespace chord::mutation
