// A command that ran well but in which nothing was woven is worth a word: otherwise a
// program without counts is all that the user finds, much later.
#pragma once

#include <string>
#include <vector>

#include "driver/compilers/compiler.h"
#include "driver/compilers/outputs.h"

namespace chord::driver {

// For gcc and clang: by what they have written. `args` are theirs, response files expanded.
void warn_if_plain(const std::vector<std::string> &args, Family family, const Outputs &outputs);

// For other programs: by whether they, or a compiler that they ran, called the stand-in.
// While it exists, stand-ins of processes below know where to leave word.
class Witness {
 public:
  Witness();
  ~Witness();
  Witness(const Witness &) = delete;
  Witness &operator=(const Witness &) = delete;
  void warn_if_nothing(const std::string &program) const;

 private:
  int file_ = -1;
};

// Said by the stand-in when it has woven something.
void tell_witness();

}  // namespace chord::driver
