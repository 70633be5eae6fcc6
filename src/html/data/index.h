// The index: one column for each fact about functions, files, loops, opcodes, calls and contexts, and where the rest begins.
#pragma once

#include <string>
#include <vector>

#include "html/data/chunks.h"
#include "html/data/head.h"
#include "html/facts/sources.h"

namespace chord::html {

std::string put_index(const Facts &facts, const DataOptions &options, const Tables &tables, const Chunks &code, const Chunks &files,
                      const std::vector<Source> &sources);

}  // namespace chord::html
