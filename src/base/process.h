// Running other programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chord::base {

struct Outcome {
  int status = 0;      // exit status; 128 + signal if killed
  std::string errors;  // standard error, if captured
};

// Runs argv[0] (looked up in PATH) and waits. Standard input is `input` if given,
// else inherited. Standard error is kept in the outcome if `capture_errors`.
Outcome run(const std::vector<std::string> &argv, const std::string *input = nullptr,
            bool capture_errors = false);

// Runs argv[0] as if it were this process: signals sent to us reach it, and if one ends it, it ends
// us as well. Returns its exit status.
int run_in_our_place(const std::vector<std::string> &argv);

// A word as a shell reads it: between quotes if it needs them.
std::string shell_word(std::string_view text);

// Replaces this process. Returns only by throwing Error.
[[noreturn]] void execute(const std::vector<std::string> &argv);

// First executable `name` in PATH, leaving out those that are the same file as
// one of `not_these`. Empty if there is none.
std::string find_in_path(std::string_view name, const std::vector<std::string> &not_these = {});

}  // namespace chord::base
