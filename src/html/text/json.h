// Columns as JSON, written straight into one string: a program of a quarter of a million
// instructions has millions of numbers, too many to hold as objects first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "html/text/text.h"

namespace chord::html {

// An object of named members, each of which is written by the caller:
//   Object o(out);
//   o.member("runs"); put_json(out, runs);
//   o.end();
class Object {
 public:
  explicit Object(std::string &out) : out_(out) { out_ += '{'; }
  void member(std::string_view key) {
    if (more_) out_ += ',';
    more_ = true;
    put_json(out_, key);
    out_ += ':';
  }
  template <class Value>
  void member(std::string_view key, Value value) {
    member(key);
    put_json(out_, value);
  }
  void end() { out_ += '}'; }

 private:
  std::string &out_;
  bool more_ = false;
};

// [put(item), …]
template <class Items, class Put>
void put_array(std::string &out, const Items &items, Put put) {
  out += '[';
  bool more = false;
  for (const auto &item : items) {
    if (more) out += ',';
    more = true;
    put(item);
  }
  out += ']';
}

inline void put_json_signed(std::string &out, int64_t value) {
  if (value < 0) out += '-';
  put_json(out, value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value));
}

// null where it is not known.
inline void put_json_if(std::string &out, bool known, uint64_t value) {
  if (known) {
    put_json(out, value);
  } else {
    out += "null";
  }
}

}  // namespace chord::html
