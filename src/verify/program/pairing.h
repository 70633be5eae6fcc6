// The woven text beside the original: which statement is which.
//
// What is new in the woven text is a claim (`inserted`). It needs no trust: everything else must be
// the original, statement by statement, and what is claimed to be new is executed by the proof.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assembly/text/source.h"
#include "verify/program/program.h"

namespace chord::verify {

struct TextRange {
  uint32_t begin = 0, end = 0;  // bytes of the woven text
};

class Pairing {
 public:
  Pairing(const assembly::Source &original, std::string woven, const std::vector<TextRange> &inserted);

  // Empty, or why the two cannot be paired.
  const std::string &fault() const { return fault_; }

  const assembly::Source &woven() const { return woven_; }
  uint32_t woven_of(uint32_t original) const { return woven_of_[original]; }
  // kNone: inserted.
  uint32_t original_of(uint32_t woven) const { return original_of_[woven]; }
  bool is_inserted(uint32_t woven) const { return original_of_[woven] == kNone; }
  // The next statement of the same section, or kNone.
  uint32_t next(uint32_t woven) const { return next_[woven]; }
  uint32_t label(std::string_view name, uint32_t from) const;
  // Statements from here on are records, not code.
  uint32_t first_record() const { return first_record_; }

 private:
  void pair(const assembly::Source &original, const std::vector<TextRange> &inserted);
  void link();

  assembly::Source woven_;
  std::vector<uint32_t> woven_of_, original_of_, next_;
  std::unordered_map<std::string_view, uint32_t> labels_;
  std::unordered_map<std::string_view, std::vector<uint32_t>> numeric_;
  uint32_t first_record_ = 0;
  std::string fault_;
};

}  // namespace chord::verify
