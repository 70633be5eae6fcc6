// The sections as the linker leaves them: .chord.map with its headers and padding,
// and .chord.anchor. Never a crash, and damage is always named.
#include <cstdlib>

#include "format/map/map.h"
#include "fuzz.h"
#include "unit/format/samples.h"

using namespace chord::format;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  decode_maps(bytes);
  AnchorSection anchors = decode_anchors(bytes);
  std::string again;
  for (const Anchor &anchor : anchors.anchors) again += encode_anchor(anchor);
  AnchorSection twice = decode_anchors(again);
  if (!twice.error.empty() || twice.anchors.size() != anchors.anchors.size()) std::abort();
  return 0;
}

std::vector<std::string> seeds() {
  std::vector<std::string> corpus;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Sampler sample(seed);
    corpus.push_back(encode_map(sample.map()) + std::string(8, '\0') + encode_map(sample.map()));
    std::string anchors;
    for (uint32_t i = 1 + sample.below(4); i > 0; --i) {
      Anchor anchor{sample.word() | 1, {}};
      for (uint32_t n = sample.below(3); n > 0; --n)
        anchor.parts.push_back({sample.word(), 100, {0, 5, 1000}, {3, 5, 70}});
      anchors += encode_anchor(anchor);
    }
    corpus.push_back(anchors);
  }
  return corpus;
}

void repair(std::string &) {}
