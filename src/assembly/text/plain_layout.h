// Where the functions of a program are that was built without probes: what models of code take for addresses (weave/sim/code_addresses.h).
//
// The program must have been built from the same sources with the same options: a function whose size differs is not found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace chord::assembly {

class PlainLayout {
 public:
  // Throws Error: no such file, no ELF file, no symbols.
  explicit PlainLayout(const std::string &path);

  // A function, or a fragment of one, of `size` bytes; `unit` is the name of the source (.file), which tells local functions of
  // one name apart. Nothing if there is no such function, or more than one.
  std::optional<uint64_t> find(std::string_view name, std::string_view unit, uint64_t size) const;

 private:
  struct Place {
    uint64_t address = 0, size = 0;
    std::string unit;  // of local symbols
  };
  std::unordered_map<std::string, std::vector<Place>> places_;
};

}  // namespace chord::assembly
