#include "driver/options/response_files.h"

#include <filesystem>

#include "base/file.h"

namespace chord::driver {
namespace {

void expand(const std::vector<std::string> &args, int depth, std::vector<std::string> &out) {
  for (const std::string &a : args) {
    std::error_code failed;
    if (a.size() > 1 && a[0] == '@' && depth < 8 && std::filesystem::is_regular_file(a.substr(1), failed)) {
      expand(words_of(base::read_file(a.substr(1))), depth + 1, out);
    } else {
      out.push_back(a);
    }
  }
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      open = true;
    } else if (quote != 0) {
      c == quote ? quote = 0 : (word += c, 0);
    } else if (c == '"' || c == '\'') {
      quote = c;
      open = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (open || !word.empty()) words.push_back(word);
      word.clear();
      open = false;
    } else {
      word += c;
    }
  }
  if (open || !word.empty()) words.push_back(word);
  return words;
}

std::vector<std::string> expanded(const std::vector<std::string> &command) {
  std::vector<std::string> args;
  expand(command, 0, args);
  return args;
}

}  // namespace chord::driver
