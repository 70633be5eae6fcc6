// What overview and index have in common.
#pragma once

#include <string>

#include "html/facts/facts.h"
#include "html/text/json.h"
#include "report/tables/table.h"

namespace chord::html {

struct Comparison;  // html/facts/compare.h

struct DataOptions {
  bool sources = true;                    // put the source into the page
  const Comparison *comparison = nullptr;  // with an older profile
};

// Listings that both take something from.
struct Tables {
  explicit Tables(const analysis::Program &program);
  report::Table loops, classes;
};

// Raised when a member of the page's data is removed or changes its meaning.
inline constexpr uint64_t kSchema = 2;

// Members about the program as a whole.
void put_head(std::string &out, Object &o, const Facts &facts);

}  // namespace chord::html
