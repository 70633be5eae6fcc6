// Prints what weaving makes of an assembly file: weave_text MODE FILE.s
#include <cstdio>

#include "base/file.h"
#include "mutation/woven_case.h"

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  auto woven = chord::mutation::weave_case(argv[2], chord::base::read_file(argv[2]), argv[1]);
  if (woven) std::fputs(woven->woven.text.c_str(), stdout);
  return woven ? 0 : 1;
}
