#include "count.h"

#include <algorithm>
#include <cctype>

static bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

Counts count_words(std::string_view text) {
  Counts counts;
  std::string word;
  for (char c : text) {
    if (is_letter(c)) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      ++counts[word];
      word.clear();
    }
  }
  if (!word.empty()) ++counts[word];
  return counts;
}

std::vector<std::pair<std::string, int>> most_frequent(const Counts &counts, size_t how_many) {
  std::vector<std::pair<std::string, int>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
  order.resize(std::min(order.size(), how_many));
  return order;
}
