// Functions as people name them, wherever they are asked for: by linkage name or as listings show them, in full, without parameters,
// without namespaces and classes, or in part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace chord::base {

// How well a name fits, best first.
enum class Fit : uint8_t { exact, unqualified, partial, none };

Fit fit_of(const std::string &linkage_name, const std::string &wanted);

// Whether a glob matches one of the function's names, or is one: operator[] and f(int*) are names, too.
bool matches_function(const std::string &linkage_name, const std::string &glob);

// The same, for whoever asks of each row of a long list: each function is looked at once.
class NamedFunctions {
 public:
  explicit NamedFunctions(std::string glob) : glob_(std::move(glob)) {}
  bool contains(const std::string &linkage_name) const;

 private:
  std::string glob_;
  mutable std::unordered_map<std::string, bool> known_;
};

// Whether a glob matches a file's name, its path or the end of either from a slash on.
bool matches_file(std::string_view file, const std::string &glob);

}  // namespace chord::base
