// Weaves assembly files in some modes, or all, and says what of it cannot be proved.
//   prove MODE[,MODE…]|all FILE.s…
// Exit status: 0 if all is proved, 1 if something is not, 3 if the assembler refuses a text.
#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "base/file.h"
#include "mutation/woven_case.h"

namespace {

bool is_asked(const std::string &modes, const std::string &mode) {
  return modes == "all" || ("," + modes + ",").find("," + mode + ",") != std::string::npos;
}

}  // namespace

int main(int argc, char **argv) {
  using namespace chord;
  using Clock = std::chrono::steady_clock;
  int faults = 0, cases = 0;
  for (int i = 2; i < argc; ++i) {
    std::string text = base::read_file(argv[i]);
    for (const std::string &mode : mutation::all_modes()) {
      if (!is_asked(argv[1], mode)) continue;
      std::unique_ptr<mutation::WovenCase> woven;
      try {
        woven = mutation::weave_case(argv[i], text, mode);
      } catch (const std::runtime_error &e) {
        std::printf("%s\n", e.what());
        return 3;
      }
      if (!woven) continue;
      ++cases;
      auto start = Clock::now();
      for (const verify::Fault &fault : verify::prove(woven->claim())) {
        ++faults;
        std::printf("%s %s: %s\n", argv[i], mode.c_str(), verify::to_text(fault).c_str());
      }
      double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (argc == 3 && seconds > 0.5) std::fprintf(stderr, "%s: %.3f s\n", mode.c_str(), seconds);
    }
  }
  std::printf("%d cases, %d faults\n", cases, faults);
  return faults != 0;
}
