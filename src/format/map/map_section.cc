// Sections of maps and anchors: units one after the other, each with a header, compressed.
#include "format/map/map.h"

#include <chord_abi.h>
#include <fmt/core.h>
#include <zstd.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/diagnostics.h"
#include "base/hash.h"
#include "format/map/map_codec.h"

namespace chord::format {
namespace {

// No zero byte in it, since zero bytes between units are the linker's padding;
// bytes above 0x7f in it, so that it is never mistaken for text.
constexpr std::string_view kMapMagic = "\xc4hord\xb5Mp";
// Raise with every change to map_codec.h or map_streams.h.
constexpr uint32_t kMapVersion = 14;
// After this level the map shrinks by a percent per doubling of the time.
constexpr int kLevel = 12;
// A unit of a gigabyte of payload would be source text of several; more is damage.
constexpr uint32_t kMaxRaw = 1u << 30;

struct Header {
  uint32_t version = 0;
  uint32_t raw_size = 0;
  uint32_t compressed_size = 0;
  uint64_t checksum = 0;
};

std::string decompress(std::string_view frame, uint32_t raw_size, std::string &payload) {
  if (raw_size > kMaxRaw || ZSTD_getFrameContentSize(frame.data(), frame.size()) != raw_size) {
    return "the sizes in its header are wrong";
  }
  payload.resize(raw_size);
  size_t size = ZSTD_decompress(payload.data(), payload.size(), frame.data(), frame.size());
  if (ZSTD_isError(size)) return fmt::format("zstd: {}", ZSTD_getErrorName(size));
  return size == raw_size ? "" : "it is shorter than its header says";
}

// Reads the unit after the magic. Empty, or what is wrong with it.
std::string read_unit(base::ByteReader &in, bool texts, UnitMap &unit) {
  Header header;
  header.version = in.u32();
  header.raw_size = in.u32();
  header.compressed_size = in.u32();
  header.checksum = in.u64();
  if (!in.ok()) return "its header is cut short";
  if (header.version != kMapVersion) {
    return fmt::format("it has version {}; this chord reads version {}", header.version, kMapVersion);
  }
  std::string_view frame = in.raw(header.compressed_size);
  if (!in.ok()) return "it is cut short";
  if (base::Hash().add(frame).value() != header.checksum) return "its checksum is wrong";
  std::string payload;
  std::string why = decompress(frame, header.raw_size, payload);
  return why.empty() ? decode_payload(payload, texts, unit) : why;
}

// Steps over zero bytes. False at the end of the section.
bool skip_padding(base::ByteReader &in, std::string_view section) {
  size_t next = section.find_first_not_of('\0', in.position());
  in.raw((next == std::string_view::npos ? section.size() : next) - in.position());
  return !in.at_end();
}

std::vector<uint32_t> read_places(base::ByteReader &in, uint64_t count) {
  std::vector<uint32_t> places;
  if (count > in.remaining()) in.fail();
  uint64_t offset = 0;
  for (uint64_t i = 0; i < count && in.ok(); ++i) {
    offset += in.bounded(UINT32_MAX);
    if (offset > UINT32_MAX) in.fail();
    places.push_back(static_cast<uint32_t>(offset));
  }
  return places;
}

Anchor::Part read_part(base::ByteReader &in) {
  Anchor::Part part;
  part.address = in.u64();
  part.size = in.u32();
  uint32_t marks = in.u32();
  part.marks = read_places(in, marks);
  part.spots = read_places(in, in.bounded(UINT32_MAX));
  return part;
}

}  // namespace

std::string encode_map(const UnitMap &map) {
  std::string payload = encode_payload(map);
  if (payload.size() > kMaxRaw) throw base::Error(fmt::format("{}: the map is too big", map.unit));
  std::string frame(ZSTD_compressBound(payload.size()), '\0');
  size_t size = ZSTD_compress(frame.data(), frame.size(), payload.data(), payload.size(), kLevel);
  if (ZSTD_isError(size)) throw base::Error(fmt::format("{}: zstd: {}", map.unit, ZSTD_getErrorName(size)));
  frame.resize(size);
  base::ByteWriter out;
  out.raw(kMapMagic);
  out.u32(kMapVersion);
  out.u32(static_cast<uint32_t>(payload.size()));
  out.u32(static_cast<uint32_t>(frame.size()));
  out.u64(base::Hash().add(frame).value());
  out.raw(frame);
  return out.take();
}

MapSection decode_maps(std::string_view section, bool texts) {
  MapSection result;
  base::ByteReader in(section);
  while (skip_padding(in, section)) {
    size_t start = in.position();
    UnitMap unit;
    std::string why = in.raw(kMapMagic.size()) == kMapMagic ? read_unit(in, texts, unit)
                                                      : "there is no map where one should begin";
    if (!why.empty()) {
      result.error = fmt::format("map at byte {}: {}", start, why);
      return result;
    }
    result.units.push_back(std::move(unit));
  }
  return result;
}

AnchorSection decode_anchors(std::string_view section) {
  AnchorSection result;
  base::ByteReader in(section);
  // Anchors start at multiples of 8 of the section; a zero key there is padding.
  while (in.remaining() >= sizeof(uint64_t)) {
    size_t start = in.position();
    Anchor anchor;
    anchor.key = in.u64();
    if (anchor.key == 0) continue;
    uint32_t fragments = in.u32();
    if (in.u32() != 0 || fragments > in.remaining()) in.fail();
    for (uint32_t i = 0; i < fragments && in.ok(); ++i) {
      in.align(8);
      anchor.parts.push_back(read_part(in));
    }
    in.align(8);
    if (!in.ok()) {
      result.error = fmt::format("anchor at byte {} is damaged", start);
      return result;
    }
    result.anchors.push_back(std::move(anchor));
  }
  return result;
}

}  // namespace chord::format
