// What the user is told, in one form: "chord: error: PLACE: what", then
// "chord: hint: cure". Only this and progress.h write to stderr.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace chord::base {

// A failure the user can understand; `hint` tells the cure where there is one.
struct Error : std::runtime_error {
  explicit Error(const std::string &what, std::string hint_text = {})
      : std::runtime_error(what), hint(std::move(hint_text)) {}
  std::string hint;
};

// Wrong use of the command line: exit status 2 instead of 1.
struct UsageError : Error {
  using Error::Error;
};

void error(std::string_view what, std::string_view hint = {});
void warning(std::string_view what, std::string_view hint = {});
// A fault of our own; asks for a report.
void bug(std::string_view what);

}  // namespace chord::base
