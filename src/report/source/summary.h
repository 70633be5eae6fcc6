// What `chord report` says without --by: what ran, how much, where, and what is
// missing from the answer.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/program/program.h"
#include "report/tables/render.h"

namespace chord::report {

// The members every JSON answer of `chord report` begins with.
nlohmann::ordered_json json_head(const analysis::Program &program);

// Words that name the same input again, for the commands that a summary proposes; none for the profile that commands take by themselves.
struct InputWords {
  std::string profiles;  // and --program
  std::string context;   // for commands that know calling contexts
};

std::string summary_text(const analysis::Program &program, size_t top, const TextStyle &style, const InputWords &input = {});
std::string summary_json(const analysis::Program &program, size_t top);

// Number of skipped procedures by reason. Reasons begin with their place in the assembly ("line 7: …");
// those that differ in that alone are one.
std::map<std::string, uint64_t> skipped_by_reason(const analysis::Program &program);

}  // namespace chord::report
