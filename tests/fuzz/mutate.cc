// Mutates the target's seeds: usage  <reader>_fuzz [ROUNDS [SEED]]
// or, to look at one input again,   <reader>_fuzz --input FILE
// Round i uses seed SEED+i: to repeat a failing round alone, ROUNDS 1 and that seed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "fuzz.h"

namespace {

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  size_t below(size_t limit) { return limit == 0 ? 0 : static_cast<size_t>(random_() % limit); }

  std::string mutate(std::string input, const std::string &other) {
    for (size_t i = 1 + below(4); i > 0; --i) step(input, other);
    return input;
  }

 private:
  void step(std::string &input, const std::string &other) {
    size_t at = below(input.size());
    switch (below(7)) {
      case 0:  // flip a bit
        if (!input.empty()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        break;
      case 1:  // another byte
        if (!input.empty()) input[at] = static_cast<char>(random_());
        break;
      case 2:  // an extreme number
        overwrite(input, at);
        break;
      case 3:  // drop a piece
        input.erase(at, 1 + below(16));
        break;
      case 4:  // repeat a piece
        input.insert(at, input.substr(below(input.size()), below(64)));
        break;
      case 5:  // cut the end off
        input.resize(at);
        break;
      case 6:  // the rest of another input
        input = input.substr(0, at) + other.substr(below(other.size()));
        break;
    }
  }

  void overwrite(std::string &input, size_t at) {
    static constexpr uint64_t kExtremes[] = {0,          1,          0x7f,       0x80,      0xff,
                                             0x7fffffff, 0xffffffff, UINT64_MAX, 1ull << 63};
    uint64_t value = kExtremes[below(std::size(kExtremes))];
    size_t size = std::min(size_t{1} << below(4), input.size() - at);
    std::memcpy(input.data() + at, &value, size);
  }

  std::mt19937_64 random_;
};

void try_input(const std::string &input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(input.data()), input.size());
}

int replay(const char *path) {
  std::ifstream in(path, std::ios::binary);
  try_input({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc > 2 && std::strcmp(argv[1], "--input") == 0) return replay(argv[2]);
  unsigned long rounds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20000;
  unsigned long seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  std::vector<std::string> corpus = seeds();
  for (const std::string &input : corpus) try_input(input);
  for (unsigned long i = 0; i < rounds; ++i) {
    // Seeded by round, so that `ROUNDS=1 SEED=<the failing one>` repeats it alone.
    Mutator mutator(seed + i);
    std::string input =
        mutator.mutate(corpus[mutator.below(corpus.size())], corpus[mutator.below(corpus.size())]);
    if (mutator.below(4) != 0) repair(input);
    try_input(input);
  }
  std::printf("%lu inputs, seeds %lu to %lu\n", rounds, seed, seed + rounds - 1);
  return 0;
}
