// Labels of a procedure that control may come to by another way than from the statement in
// front of them. Others are there for debug information and the like.
#pragma once

#include <set>
#include <string_view>

#include "assembly/procedure.h"
#include "assembly/source.h"

namespace chord::weave {

// Numeric labels by their number, whichever of them is meant.
std::set<std::string_view> target_labels(const assembly::Source &source, const assembly::Procedure &procedure);

}  // namespace chord::weave
