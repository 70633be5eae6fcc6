// One function's code with its counts, as a JSON object.
#pragma once

#include <string>

#include "html/facts/facts.h"

namespace chord::html {

// `old`: the same code with the counts of another profile, or none.
void put_code(std::string &out, const Facts &facts, const analysis::CountedProcedure &procedure,
              const analysis::CountedProcedure *old);

}  // namespace chord::html
