// How often each word is in a text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

using Counts = std::map<std::string, int>;

// Words are letters; upper and lower case are the same.
Counts count_words(std::string_view text);

// Most frequent first, equal ones by name.
std::vector<std::pair<std::string, int>> most_frequent(const Counts &counts, size_t how_many);
