// The payload of a map, after compression and checksum, where damage could do harm:
// whatever is accepted is sound and survives another round trip.
#include <cstdlib>

#include "format/map/map_codec.h"
#include "fuzz.h"
#include "unit/format/samples.h"

using namespace chord::format;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  UnitMap map;
  if (!decode_payload(bytes, true, map).empty()) return 0;
  if (!defect(map).empty()) std::abort();
  for (const Procedure &p : map.procedures) {
    if (!p.blocks.empty()) p.graph();
  }
  UnitMap again;
  if (!decode_payload(encode_payload(map), true, again).empty() || !same_map(map, again)) std::abort();
  std::string error;
  std::optional<UnitMap> from_text = map_from_text(to_text(map), error);
  if (!from_text || !same_map(map, *from_text)) std::abort();
  return 0;
}

std::vector<std::string> seeds() {
  std::vector<std::string> corpus;
  for (uint64_t seed = 0; seed < 30; ++seed) corpus.push_back(encode_payload(Sampler(seed).map()));
  return corpus;
}

void repair(std::string &) {}
