// Registers that inserted code keeps in words of the frame, to put them back when it is done with
// them: what --verify has to know of them.
#pragma once

#include <map>
#include <string>

#include "assembly/source.h"
#include "isa/isa.h"

namespace chord::weave {

class KeptRegisters {
 public:
  // Notes what a move to the stack leaves there, if that is what the program had in a register:
  // not one of those that were touched. `moved`: bytes that the stack pointer is higher than in the program.
  void note(const assembly::Statement &statement, int64_t moved, isa::Resources touched);
  // The statement loads a register from where it is kept.
  bool puts_back(const assembly::Statement &statement, int64_t moved) const;

 private:
  std::map<std::string, std::string, std::less<>> at_;  // word -> register; nothing if it is not the program's
};

}  // namespace chord::weave
