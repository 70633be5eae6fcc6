// Divides chosen paths among several builds of a program, so that each instance pays for
// a part of them and the profiles together have all (`chord paths split`; the software
// tomography of Bowring, Orso and Harrold, 2002).
//
// Paths of one function share probes: those that end with one edge the count there, those
// that begin alike the additions. So a function stays whole unless it costs more than an
// instance's share. Then it is cut, the highest share first: between paths that end
// differently while there are such, else (numbers of paths follow the order of their first
// differences) where neighbours have the least in common, if that makes all shares cheaper
// than the whole. Then the highest share goes to the instance that has least, and so on: no
// instance gets more than its even share and one share.
//
// Cost is what the profile says: how often the probes for the share would have run.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/program/program.h"
#include "format/inputs/path_selection.h"

namespace chord::analysis {

struct PathGroup {
  std::vector<format::PathChoice> choices;
  uint64_t paths = 0;
  double cost = 0;  // probes executed in the run of the profile
};

// `wanted`: the paths to divide; nothing: all that can be taken. Throws Error if a choice
// does not fit the program. `only_ran` gets the functions with more paths than can be listed
// that no instance can pay for alone: of these only paths that ran are divided.
std::vector<PathGroup> split_paths(const Program &program, const format::PathSelection *wanted, size_t groups,
                                   std::vector<std::string> &only_ran);

// Moves the procedures of `other` into `program`: counts of the same paths of functions of
// one name and shape are added, and so is the memory of their counters.
void add_paths(Program &program, Program other);

}  // namespace chord::analysis
