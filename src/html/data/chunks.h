// Records collected into texts that are packed one by one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "html/text/json.h"

namespace chord::html {

// Text of one chunk before packing: large enough to pack well, small enough to unpack at once.
inline constexpr size_t kChunk = 400'000;

// Records collected into chunks; `starts` says which record each begins with.
class Chunks {
 public:
  void add(std::string record) {
    if (texts_.empty() || texts_.back().size() + record.size() > kChunk) {
      starts_.push_back(records_);
      texts_.emplace_back();
    }
    texts_.back() += (texts_.back().empty() ? "[" : ",") + record;
    ++records_;
  }
  void put_starts(std::string &out) const {
    put_array(out, starts_, [&](uint64_t start) { put_json(out, start); });
  }
  void move_to(std::vector<std::string> &texts) {
    for (std::string &text : texts_) texts.push_back(std::move(text += "]"));
  }

 private:
  std::vector<std::string> texts_;
  std::vector<uint64_t> starts_;
  uint64_t records_ = 0;
};

}  // namespace chord::html
