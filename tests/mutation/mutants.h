// Ways to break a correct weaving.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mutation/equivalence.h"

namespace chord::mutation {

// What all makers of mutants need.
class Maker {
 public:
  Maker(const Subject &s, std::mt19937 &random) : s_(s), random_(random) {}

 protected:
  template <class T>
  const T *pick(const std::vector<T> &v) {
    return v.empty() ? nullptr : &v[std::uniform_int_distribution<size_t>(0, v.size() - 1)(random_)];
  }
  unsigned number(unsigned below) { return std::uniform_int_distribution<unsigned>(0, below - 1)(random_); }
  Edit replace(uint32_t s, std::string with) const { return {s_.at(s).begin, s_.at(s).end, std::move(with), s_.is_inserted(s)}; }
  Edit after(uint32_t s, const std::string &text) const { return {s_.at(s).end, s_.at(s).end, "\n\t" + text + "\n", true}; }
  // The text with the first signed number from a place on changed.
  static std::optional<std::string> change_number(std::string text, size_t from, int64_t by);

  const Subject &s_;
  std::mt19937 &random_;
};

using Make = std::optional<Mutant> (*)(const Subject &, std::mt19937 &);
struct MutantKind {
  std::string name;
  Make make;  // nothing if the weaving has no place for it, or the dice say so
};

std::vector<MutantKind> kinds_of_probe_mutants();   // inserted code
std::vector<MutantKind> kinds_of_other_mutants();   // the program's code, tables, unwind rules, records, the map

}  // namespace chord::mutation
