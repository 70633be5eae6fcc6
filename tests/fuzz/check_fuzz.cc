// What `chord check` and `chord tests` read as text: baselines, rules, diffs. Never a crash, damage is named, and a baseline that is read
// is written as it was.
#include <cstdlib>

#include "base/diagnostics.h"
#include "fuzz.h"
#include "report/compare/baseline.h"
#include "report/compare/check.h"
#include "report/compare/regressions.h"
#include "report/compare/unified_diff.h"

using namespace chord;

namespace {

template <class Read>
void read(Read &&reader) {
  try {
    reader();
  } catch (const base::Error &e) {
    if (std::string(e.what()).empty()) std::abort();
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  read([&] {
    report::Baseline one = report::parse_baseline(text, "x");
    std::string written = report::to_text(one);
    report::Baseline again = report::parse_baseline(written, "x");
    if (report::to_text(again) != written) std::abort();
    // A function that is in it twice is two.
    if (!report::compare(again, again).grown.empty() && one.functions.size() < 2) std::abort();
  });
  read([&] { report::parse_rules(text, "x"); });
  read([&] { report::parse_diff(text); });
  return 0;
}

std::vector<std::string> seeds() {
  return {"chord baseline 1\nprogram p\nruns 2\ninstructions 300\n\nfunction f a.c\ncalls 4\nexecuted 200\n  +0 20\n  +12 60\n  h.h:7 20\n"
          "from 150 main > f\nothers 50\n\nfunction g b c.c\ncalls 2\nexecuted 100\n",
          "# rules\ntotal <= 1200000\ntotal grows <= 2%\nfunction parse_* <= 5000\ncallsite main parse <= 5000\nmark \"test 12\" calls <= 7\n",
          "--- a/x.c\n+++ b/x.c\n@@ -1,3 +1,4 @@\n a\n-b\n+c\n+d\n e\n"};
}

void repair(std::string &) {}
