// Which functions can come back to whoever calls them.
//
// Compilers know it of a function of the same file that ends in a call of something like abort, and so nothing need hold after a
// call of it: what follows belongs to other paths. That a function never comes back is said here only if control cannot leave it by a return, a jump or
// by running into others' code, and no linker may take another definition: it is not weak, and the call names it directly.
#pragma once

#include <vector>

#include "verify/evidence/jumps.h"
#include "verify/program/program.h"

namespace chord::verify {

// By function.
std::vector<bool> find_returning(const Program &program, const Jumps &jumps);

// Control may go on after the call, or come back to the caller after the jump.
bool comes_back(const Program &program, const std::vector<bool> &returning, const Instr &call);

}  // namespace chord::verify
