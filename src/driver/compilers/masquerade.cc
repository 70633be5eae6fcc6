#include "driver/compilers/masquerade.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "driver/compilers/compiler.h"

namespace chord::driver {

std::string compiler_called(const std::string &name) {
  static constexpr std::array<std::string_view, 7> kGeneric = {"cc", "c++", "c89", "c99", "c17", "f77", "f95"};
  constexpr std::string_view kPrefix = "chord-";
  std::string own = name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
  bool known = family_of_name(own) != Family::other || std::find(kGeneric.begin(), kGeneric.end(), own) != kGeneric.end();
  return known ? own : "";
}

}  // namespace chord::driver
