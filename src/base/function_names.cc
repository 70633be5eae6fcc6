#include "base/function_names.h"

#include <fnmatch.h>

#include <algorithm>

#include "base/cxx_names.h"

namespace chord::base {

Fit fit_of(const std::string &linkage_name, const std::string &wanted) {
  if (linkage_name == wanted) return Fit::exact;
  Fit best = Fit::none;
  const std::string shown = demangle(linkage_name);
  // Listings show familiar names: what is seen there can be typed.
  for (const std::string &full : {shown, familiar_name(shown)}) {
    const std::string name = without_parameters(full);
    if (full == wanted || name == wanted) return Fit::exact;
    const Fit fit = unqualified(full) == wanted || name.ends_with("::" + wanted) ? Fit::unqualified : name.find(wanted) != std::string::npos ? Fit::partial : Fit::none;
    best = std::min(best, fit);
  }
  return best;
}

bool matches_function(const std::string &linkage_name, const std::string &glob) {
  std::string shown = demangle(linkage_name);
  const std::string familiar = familiar_name(shown);
  for (const std::string &name : {linkage_name, shown, without_parameters(shown), unqualified(shown), familiar, without_parameters(familiar), unqualified(familiar)}) {
    if (name == glob || fnmatch(glob.c_str(), name.c_str(), 0) == 0) return true;
  }
  return false;
}

bool NamedFunctions::contains(const std::string &linkage_name) const {
  auto [known, fresh] = known_.try_emplace(linkage_name);
  if (fresh) known->second = matches_function(linkage_name, glob_);
  return known->second;
}

bool matches_file(std::string_view file, const std::string &glob) {
  std::string name(file);
  for (size_t at = 0;; ++at) {
    if (fnmatch(glob.c_str(), name.c_str() + at, 0) == 0) return true;
    at = name.find('/', at);
    if (at == std::string::npos) return false;
  }
}

}  // namespace chord::base
