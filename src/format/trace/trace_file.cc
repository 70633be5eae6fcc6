#include "format/trace/trace_file.h"

#include <chord_abi.h>
#include <chord_traces.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/diagnostics.h"
#include "format/trace/live_trace.h"
#include "format/trace/packed_directory.h"
#include "format/trace/packed_trace.h"

namespace chord::format {
namespace {

class Reader {
 public:
  explicit Reader(const std::string &path) { out_.path = path; }

  Trace run(std::string_view bytes) {
    for (size_t at = 0; at + sizeof(chord_trace_chunk) <= bytes.size();) at += chunk(bytes, at);
    return put_together();
  }

  Trace run(PackedFrames &packed) {
    const std::vector<PackedChunk> &chunks = packed.chunks();
    for (uint32_t n = 0; n < chunks.size(); ++n) {
      if (is_read(chunks[n].place, chunks[n].head)) add(chunks[n], {nullptr, chunks[n].words, &packed, n});
    }
    return put_together();
  }

 private:
  struct Chunk {
    TraceChunks::Chunk words;
    bool full = false;  // the stream may go on in another
  };
  using Key = std::tuple<uint64_t, uint32_t, uint32_t, std::string>;

  static bool is_library(const std::string &module) {
    size_t name = module.rfind('/') + 1;
    return module.find(".so", name) != std::string::npos;
  }

  void warn(size_t at, std::string_view what) { out_.warnings.push_back(fmt::format("{}: at byte {}: {}", out_.path, at, what)); }

  Trace put_together() {
    for (auto &[key, stream] : streams_) {
      if (auto addresses = addresses_.find(key); addresses != addresses_.end()) put_together(stream.addresses, addresses->second);
      if (auto ring = rings_.find(&stream); ring != rings_.end()) put_in_order(stream, ring->second);
      uint64_t last = stream.chunks.empty() || stream.chunks.back().empty() ? 0 : stream.chunks.back().back();
      if (last >> CHORD_TRACE_KIND_SHIFT == CHORD_TRACE_STOPPED) stream.stopped = static_cast<uint32_t>(last & UINT32_MAX);
      out_.streams.push_back(std::move(stream));
    }
    // Of a thread's modules the program comes first.
    std::stable_sort(out_.streams.begin(), out_.streams.end(), [](const TraceStream &a, const TraceStream &b) {
      return std::tuple(a.start_ns, a.process, a.thread, is_library(a.module)) < std::tuple(b.start_ns, b.process, b.thread, is_library(b.module));
    });
    return std::move(out_);
  }

  // Its size, or that of a page if there is none.
  size_t chunk(std::string_view bytes, size_t at) {
    chord_trace_chunk head;
    std::memcpy(&head, bytes.data() + at, sizeof head);
    if (head.magic == 0 || head.magic == CHORD_TRACE_PACKER_MAGIC) return kTracePage;  // room that nobody came to use; a packer's page
    if (size_of_piece(bytes.substr(at)) == 0 || (head.version == CHORD_TRACE_VERSION && head.build_id_size > sizeof head.build_id)) {
      warn(at, "no chunk of a trace, passed over");
      return kTracePage;
    }
    if (!is_read(at, head)) return head.size;
    const auto *first = reinterpret_cast<const uint64_t *>(bytes.data() + at + sizeof head);
    const std::optional<PackedChunk> found = chunk_in(bytes.substr(at), at);
    if (!found) warn(at, "a chunk with more addresses than it has room for, passed over");
    PackedChunk here = found.value_or(PackedChunk{.place = at, .words = 0, .head = head});
    if (!found) here.head.next = 0;
    add(here, {first, here.words, nullptr, 0});
    return head.size;
  }

  bool is_read(size_t at, const chord_trace_chunk &head) {
    if (head.version != CHORD_TRACE_VERSION) {
      if (!std::exchange(other_version_, true)) warn(at, fmt::format("it has version {} of the format, and {} is read; build and run the program with this chord", head.version, CHORD_TRACE_VERSION));
      return false;
    }
    const bool known = head.build_id_size <= sizeof head.build_id && (head.holds == CHORD_TRACE_ADDRESSES || head.holds == CHORD_TRACE_CONTROL);
    if (!known) warn(at, "a chunk of another kind, passed over");
    return known;
  }

  void add(const PackedChunk &found, const TraceChunks::Chunk &words) {
    const chord_trace_chunk &head = found.head;
    std::string module(head.path, strnlen(head.path, sizeof head.path));
    const Key key(head.start_ns, head.process, head.thread, module);
    if (head.holds == CHORD_TRACE_ADDRESSES) {
      addresses_[key].emplace(head.number, Chunk{words, head.next != 0});
      return;
    }
    const Chunk added{words, (head.size - sizeof head) / sizeof(uint64_t) - words.count <= CHORD_TRACE_SLACK};
    TraceStream &stream = streams_[key];
    if (stream.module.empty()) {
      stream.thread = head.thread;
      stream.process = head.process;
      stream.start_ns = head.start_ns;
      stream.module = module;
      stream.build_id.assign(reinterpret_cast<const char *>(head.build_id), head.build_id_size);
    }
    if (head.ring != 0) {
      if (head.number != CHORD_TRACE_NO_CHUNK) rings_[&stream].emplace(head.number, added);
      return;
    }
    if (head.number != stream.chunks.size() || ended_[&stream]) {
      if (lost_.insert(&stream).second) warn(found.place, fmt::format("thread {}: a part of its trace is missing, it ends before that", head.thread));
      return;
    }
    stream.chunks.push_back(added.words);
    ended_[&stream] = !added.full;
  }

  // The last ones, as far back as none is missing. A copy of a ring that was written to may have a chunk that was copied before it was full,
  // and one after it.
  static void put_in_order(TraceStream &stream, const std::map<uint64_t, Chunk> &chunks) {
    auto first = std::prev(chunks.end());
    while (first != chunks.begin() && std::prev(first)->first + 1 == first->first) --first;
    stream.begins_late = first->first != 0;
    for (; first != chunks.end(); ++first) {
      stream.chunks.push_back(first->second.words);
      if (!first->second.full) return;
    }
  }

  // All of a stream's are of one module and one thread.
  static void put_together(TraceAddresses &out, const std::map<uint64_t, Chunk> &chunks) {
    for (const auto &[number, chunk] : chunks) {
      if (number != out.chunks.size() || chunk.words.count < CHORD_ADDRESSES_HEAD) break;
      out.chunks.push_back(chunk.words);
      if (!chunk.full) break;
    }
    if (out.chunks.empty()) return;
    const std::span<const uint64_t> first = out.chunks[0];
    out.bias = first[0];
    out.thread = first[1];
    out.chunks.pass_over(CHORD_ADDRESSES_HEAD);
  }

  Trace out_;
  std::map<Key, TraceStream> streams_;
  std::map<Key, std::map<uint64_t, Chunk>> addresses_;
  std::map<const TraceStream *, std::map<uint64_t, Chunk>> rings_;  // by number
  std::map<const TraceStream *, bool> ended_;  // with a chunk that is not full
  std::set<const TraceStream *> lost_;
  bool other_version_ = false;
};

// With a chunk, or with room for one whose thread was killed before it came to use it.
bool begins_as_trace(std::string_view bytes) {
  uint64_t magic = 0;
  if (bytes.size() < sizeof magic) return false;
  std::memcpy(&magic, bytes.data(), sizeof magic);
  return magic == CHORD_TRACE_MAGIC || (magic == 0 && bytes.size() % kTracePage == 0);
}

}  // namespace

Trace parse_trace(std::string_view bytes, const std::string &path) { return Reader(path).run(bytes); }

std::string_view OpenedTrace::bytes() const {
  return file ? file->bytes() : std::string_view{reinterpret_cast<const char *>(unpacked.data()), unpacked.size() * sizeof unpacked[0]};
}

OpenedTrace open_trace(const std::string &path) {
  OpenedTrace out;
  LiveTrace live = read_live_trace(path);
  if (live.is_live) {
    out.unpacked = std::move(live.words);
  } else {
    out.file = std::make_unique<base::MappedFile>(path);
    if (is_packed_trace(out.file->bytes())) {
      out.packed = PackedFrames::open(out.file->bytes(), path);
      if (out.packed) {
        out.trace = Reader(path).run(*out.packed);
        return out;
      }
      out.unpacked = unpack_trace(out.file->bytes(), path);
      out.file.reset();
    }
  }
  const std::string_view bytes = out.bytes();
  if (!begins_as_trace(bytes)) throw base::Error(path + ": not a trace", "programs built with `chord --trace` write them");
  out.trace = parse_trace(bytes, path);
  return out;
}

}  // namespace chord::format
