#include "base/diagnostics.h"

#include <fmt/core.h>

#include <cstdio>

namespace chord::base {
namespace {

void say(std::string_view level, std::string_view what, std::string_view hint) {
  fmt::print(stderr, "chord: {}: {}\n", level, what);
  if (!hint.empty()) fmt::print(stderr, "chord: hint: {}\n", hint);
}

}  // namespace

void error(std::string_view what, std::string_view hint) { say("error", what, hint); }
void warning(std::string_view what, std::string_view hint) { say("warning", what, hint); }
void bug(std::string_view what) {
  say("bug", what, "this is a fault of chord's; please report it with the command and its input");
}

}  // namespace chord::base
