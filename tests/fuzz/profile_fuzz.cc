// Any bytes are a profile with something readable in it or nothing, and what was
// read can be written and read again.
#include <cstdlib>
#include <cstring>

#include "chord_abi.h"
#include "format/profile/profile.h"
#include "fuzz.h"
#include "unit/format/samples.h"

using namespace chord::format;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Profile profile = decode_profile({reinterpret_cast<const char *>(data), size});
  if (profile.segments.empty() && profile.warnings.empty()) std::abort();
  std::string again;
  for (const Segment &segment : profile.segments) again += encode_segment(segment);
  if (decode_profile(again).segments != profile.segments) std::abort();
  Profile from_text;
  std::string error;
  if (!profile_from_text(to_text(profile), from_text, error)) std::abort();
  if (from_text.segments != profile.segments) std::abort();
  return 0;
}

std::vector<std::string> seeds() {
  std::vector<std::string> corpus;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Sampler sample(seed);
    corpus.push_back(encode_segment(sample.segment()) + encode_segment(sample.segment()));
  }
  return corpus;
}

void repair(std::string &input) {
  for (size_t at = 0; at + sizeof(chord_segment_header) <= input.size(); at += 8) {
    chord_segment_header header;
    std::memcpy(&header, input.data() + at, sizeof header);
    size_t rest = input.size() - at - sizeof header;
    if (header.magic != CHORD_SEGMENT_MAGIC || header.payload_size > rest) continue;
    uint64_t hash = CHORD_FNV_BASIS;
    for (size_t i = 0; i + 8 <= header.payload_size; i += 8) {
      uint64_t word;
      std::memcpy(&word, input.data() + at + sizeof header + i, sizeof word);
      hash = (hash ^ word) * CHORD_FNV_PRIME;
    }
    header.checksum = hash;
    std::memcpy(input.data() + at, &header, sizeof header);
  }
}
