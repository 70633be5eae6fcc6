// What the text of a function shows of the convention it is called by.
//
// No text says that it follows another convention than the usual one, or that a register is kept for
// a whole file; whoever relies on it may be in another file. So each known convention is held to be
// possible until the function refutes it: it destroys a register which that convention keeps (changes it, and
// does not put it back on the way to some return), or it uses one as an argument that is none there. What is free on
// return under all conventions that remain, is free. Besides, a register may be kept for a whole file
// by an option or a global variable: unless some function here destroys it, and none uses it oddly (reads it
// where nobody has written it, or writes what nobody reads). Text that no compiler wrote shows nothing.
#pragma once

#include <vector>

#include "verify/evidence/jumps.h"
#include "verify/program/program.h"

namespace chord::verify {

struct Convention {
  bool compiled = false;  // a compiler wrote it
  bool unusual = false;   // it sets registers for somebody whom the usual convention does not know: those it calls may want any
  Set free = 0;           // nobody wants it after the return, flags included
};

// By function.
std::vector<Convention> find_conventions(const Program &program, const Jumps &jumps);

// Functions of this convention have it in their name.
bool names_regcall(std::string_view text);

}  // namespace chord::verify
