// Changes to a text, collected in any order and applied once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chord::weave {

class Edits {
 public:
  // Text to stand in front of byte `at`; several at one place keep their order.
  void insert(uint32_t at, std::string text) { edits_.push_back({at, 0, std::move(text)}); }
  void replace(uint32_t at, uint32_t length, std::string text) { edits_.push_back({at, length, std::move(text)}); }
  void append(const Edits &other) { edits_.insert(edits_.end(), other.edits_.begin(), other.edits_.end()); }

  // Byte range of the result.
  struct Range {
    uint32_t begin;
    uint32_t end;
  };
  // Where the text was changed: `length` bytes at `at` are `now` in the result. Nothing was replaced where the length is 0.
  struct Change {
    uint32_t at, length;
    Range now;
  };

  // The changes are in the order of the text.
  std::string apply(std::string_view text, std::vector<Change> &changes) const {
    std::vector<const Edit *> order;
    size_t size = text.size();
    for (const Edit &e : edits_) {
      order.push_back(&e);
      size += e.text.size();
    }
    std::stable_sort(order.begin(), order.end(), [](const Edit *a, const Edit *b) { return a->at < b->at; });
    std::string out;
    out.reserve(size);
    uint32_t done = 0;
    for (const Edit *e : order) {
      out.append(text.substr(done, e->at - done));
      uint32_t begin = static_cast<uint32_t>(out.size());
      out.append(e->text);
      changes.push_back({e->at, e->length, {begin, static_cast<uint32_t>(out.size())}});
      done = e->at + e->length;
    }
    out.append(text.substr(done));
    return out;
  }

 private:
  struct Edit {
    uint32_t at;
    uint32_t length;
    std::string text;
  };
  std::vector<Edit> edits_;
};

}  // namespace chord::weave
