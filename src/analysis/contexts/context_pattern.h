// Which calling contexts a user means: by key, or by a pattern of functions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/program/program.h"

namespace chord::analysis {

// Linkage name of a procedure, by its index in Program::procedures.
using NameOf = std::function<const std::string &(uint32_t)>;

// By context: is it meant? `wanted` is a key as `chord contexts` prints it, or functions from a root on,
// "main > * > parse": each step a glob over names, linkage or demangled, and a lone `*` any number of
// functions. Throws UsageError if none is meant.
std::vector<bool> chosen_contexts(const std::string &wanted, const std::vector<CountedContext> &contexts, const NameOf &name_of);

// A key as users see it.
std::string context_id(uint64_t key);

}  // namespace chord::analysis
