// Procedures as listings show them: their order, names and files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/program/program.h"

namespace chord::report {

// Procedures in the order of the program's text.
std::vector<const analysis::CountedProcedure *> in_order(const analysis::Program &program);
// Instructions in the order of the text: in the map padding stands after all blocks.
std::vector<uint32_t> in_text_order(const format::Procedure &procedure);
std::string_view edge_kind_name(format::EdgeKind kind);
// Whether the listing of blocks has a row for it.
bool is_listed(const format::Block &block);

// The source file a procedure begins in, else its translation unit.
std::string_view file_of(const analysis::CountedProcedure &procedure);

}  // namespace chord::report
