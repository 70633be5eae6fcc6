// @FILE among a compiler's arguments stands for the words in that file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chord::driver {

// Words separated by white space; quotes and backslashes are respected.
std::vector<std::string> words_of(std::string_view text);

// All words, with response files replaced by what is in them.
std::vector<std::string> expanded(const std::vector<std::string> &command);

}  // namespace chord::driver
