// Divides chosen paths among several builds of a program, so that each instance pays for
// a part of them and the profiles together have all (`chord paths split`; the software
// tomography of Bowring, Orso and Harrold, 2002).
//
// Paths of one function share probes, those that begin alike the most, so they stay
// together: numbers of paths follow the order of their first differences, and a piece is a
// range of them. A function that costs more than an instance's share is cut, the dearest
// piece first and where neighbours have the least in common, if that makes all pieces
// cheaper than the whole. Then the dearest piece goes to the instance that has least, and
// so on: no instance gets more than its even share and one piece.
//
// Cost is what the profile says: how often the probes for the piece would have run.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/program.h"
#include "format/path_selection.h"

namespace chord::analysis {

struct PathGroup {
  std::vector<format::PathChoice> choices;
  uint64_t paths = 0;
  double cost = 0;  // probes executed in the run of the profile
};

// `wanted`: the paths to divide; nothing: all that can be taken. Throws Error if a choice
// does not fit the program.
std::vector<PathGroup> split_paths(const Program &program, const format::PathSelection *wanted, size_t groups);

// Moves the procedures of `other` into `program`: counts of the same paths of functions of
// one name and shape are added.
void add_paths(Program &program, Program other);

}  // namespace chord::analysis
