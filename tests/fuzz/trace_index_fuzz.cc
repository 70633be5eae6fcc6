// Indexes of any kind: what is read of them never makes replay crash.
#include "analysis/trace/index_file.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "fuzz.h"
#include "made_up_trace.h"

using namespace chord;

namespace {

constexpr size_t kHead = 16, kHashAt = kHead + 8, kPayloadAt = kHead + 16;

// Aligned, and there as long as the program.
const format::Trace &trace() {
  static const std::string text = made_up_trace();
  static const std::vector<uint64_t> words = [] {
    std::vector<uint64_t> out(text.size() / 8);
    std::memcpy(out.data(), text.data(), text.size());
    return out;
  }();
  static const format::Trace out = format::parse_trace({reinterpret_cast<const char *>(words.data()), text.size()}, "fuzz");
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const format::TraceStream &stream = trace().streams[0];
  std::optional<analysis::TraceIndex> index = analysis::decode_index({reinterpret_cast<const char *>(data), size}, made_up_code(), stream);
  if (!index) return 0;
  for (uint64_t number : {uint64_t{0}, uint64_t{7}, uint64_t{100}, index->instructions()}) {
    analysis::TraceCursor cursor = index->seek(number);
    analysis::TraceStretch s;
    for (int rounds = 0; rounds < 1000 && cursor.next(s); ++rounds) {
      if (s.first + s.count > 16) __builtin_trap();
    }
  }
  return 0;
}

std::vector<std::string> seeds() {
  const format::TraceStream &stream = trace().streams[0];
  analysis::TraceIndex index(made_up_code(), stream, 4);
  return {analysis::encode_indexes({&stream}, {&index})};
}

// The hash of the payload is right, so that what is in it is read.
void repair(std::string &bytes) {
  if (bytes.size() < kPayloadAt) return;
  base::ByteReader in(std::string_view(bytes).substr(kPayloadAt));
  std::string_view payload = in.string();
  if (!in.ok()) return;
  uint64_t hash = base::Hash().add(payload).value();
  std::memcpy(bytes.data() + kHashAt, &hash, sizeof hash);
}
