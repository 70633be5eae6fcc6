#include "format/inputs/weights.h"

#include <fmt/core.h>

#include "base/bytes.h"
#include "base/hash.h"

namespace chord::format {
namespace {

constexpr uint64_t kWeightsMagic = 0x7374676965770aceu;  // ends in bytes that no text begins with
constexpr uint32_t kWeightsVersion = 1;
constexpr size_t kChecksumSize = sizeof(uint64_t);

uint64_t saturating_add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

}  // namespace

uint64_t shape_hash(const Procedure &procedure) {
  base::Hash hash;
  hash.add(procedure.name).add(uint64_t{procedure.blocks.size()}).add(uint64_t{procedure.edges.size()});
  for (const Block &b : procedure.blocks) hash.add(uint64_t{b.count} << 8 | static_cast<uint8_t>(b.kind));
  for (const Edge &e : procedure.edges) {
    hash.add(uint64_t{e.from} << 32 | e.to).add(uint64_t{static_cast<uint8_t>(e.kind)});
  }
  return hash.value();
}

void Weights::add(uint64_t shape, const std::vector<uint64_t> &edges) {
  std::vector<uint64_t> &sum = procedures[shape];
  if (sum.size() < edges.size()) sum.resize(edges.size());
  for (size_t e = 0; e < edges.size(); ++e) sum[e] = saturating_add(sum[e], edges[e]);
}

const std::vector<uint64_t> *Weights::find(uint64_t shape, size_t edges) const {
  auto found = procedures.find(shape);
  return found != procedures.end() && found->second.size() == edges ? &found->second : nullptr;
}

bool is_weights_file(std::string_view bytes) { return base::ByteReader(bytes).u64() == kWeightsMagic; }

std::string encode_weights(const Weights &weights) {
  base::ByteWriter out;
  out.u64(kWeightsMagic);
  out.u32(kWeightsVersion);
  out.u64(weights.stamp);
  out.string(weights.source);
  out.varint(weights.procedures.size());
  for (const auto &[shape, edges] : weights.procedures) {
    out.u64(shape);
    out.varint(edges.size());
    for (uint64_t count : edges) out.varint(count);
  }
  out.u64(base::Hash().add(std::string_view(out.bytes())).value());
  return out.take();
}

std::string decode_weights(std::string_view bytes, Weights &weights) {
  weights = {};
  if (!is_weights_file(bytes)) return "it is no weights file";
  if (bytes.size() < kChecksumSize + 2 * sizeof(uint64_t)) return "it is cut short";
  std::string_view body = bytes.substr(0, bytes.size() - kChecksumSize);
  base::ByteReader in(body);
  in.u64();
  if (uint32_t version = in.u32(); version != kWeightsVersion) {
    return fmt::format("it has version {}, this program reads {}", version, kWeightsVersion);
  }
  if (base::ByteReader(bytes.substr(body.size())).u64() != base::Hash().add(body).value()) {
    return "its checksum is wrong";
  }
  weights.stamp = in.u64();
  weights.source = in.string();
  // Every procedure and every edge takes a byte at least, so what remains bounds both.
  uint64_t procedures = in.bounded(in.remaining());
  for (uint64_t i = 0; i < procedures && in.ok(); ++i) {
    uint64_t shape = in.u64();
    std::vector<uint64_t> edges(in.bounded(in.remaining()));
    for (uint64_t &count : edges) count = in.varint();
    weights.procedures.emplace_hint(weights.procedures.end(), shape, std::move(edges));
  }
  bool complete = in.ok() && in.at_end() && weights.procedures.size() == procedures;
  if (!complete) weights = {};
  return complete ? "" : "its contents contradict each other";
}

}  // namespace chord::format
