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

  // Byte range of the result that was inserted (replacements do not count).
  struct Range {
    uint32_t begin;
    uint32_t end;
  };

  std::string apply(std::string_view text, std::vector<Range> &inserted) const {
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
      if (e->length == 0) inserted.push_back({begin, static_cast<uint32_t>(out.size())});
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
