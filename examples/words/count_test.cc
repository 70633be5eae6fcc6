#include "count.h"

#undef NDEBUG
#include <cassert>

int main() {
  assert(count_words("").empty());
  Counts counts = count_words("The cat, the dog; THE end");
  assert(counts["the"] == 3 && counts["cat"] == 1 && counts.size() == 4);
  assert(most_frequent(counts, 1)[0].first == "the");
}
