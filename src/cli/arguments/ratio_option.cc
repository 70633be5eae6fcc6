#include "cli/arguments/ratio_option.h"

#include "cli/arguments/options.h"

namespace chord::cli {

report::HotBy find_ratio(const analysis::Program &program, const std::string &text) {
  size_t slash = text.find('/');
  report::HotBy by{find_metric(program, text.substr(0, slash)), {}};
  if (slash != std::string::npos && text.substr(slash + 1) != "instructions") by.per = find_metric(program, text.substr(slash + 1));
  return by;
}

}  // namespace chord::cli
