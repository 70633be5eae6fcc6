#include <fstream>
#include <iostream>
#include <sstream>

#include "count.h"

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: words FILE\n";
    return 2;
  }
  std::ifstream in(argv[1]);
  if (!in) {
    std::cerr << argv[1] << ": cannot be read\n";
    return 1;
  }
  std::stringstream text;
  text << in.rdbuf();
  for (const auto &[word, count] : most_frequent(count_words(text.str()), 5)) std::cout << count << ' ' << word << '\n';
}
