// A text file in the making, line by line.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

namespace chord::exports {

class TextFile {
 public:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> form, Arguments &&...arguments) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Arguments>(arguments)...);
    text_.push_back('\n');
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace chord::exports
