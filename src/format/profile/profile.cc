#include "format/profile/profile.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/bytes.h"
#include "chord_abi.h"

namespace chord::format {
namespace {

constexpr size_t kHeaderSize = sizeof(chord_segment_header);
// More counters than any program has; keeps a damaged run of zeros from eating
// the memory.
constexpr uint64_t kMaxCounters = uint64_t{1} << 26;

uint64_t checksum(std::string_view payload) {
  uint64_t hash = CHORD_FNV_BASIS;
  for (size_t i = 0; i + sizeof(uint64_t) <= payload.size(); i += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, payload.data() + i, sizeof word);
    hash = (hash ^ word) * CHORD_FNV_PRIME;
  }
  return hash;
}

template <class T>
T read_struct(base::ByteReader &in) {
  T value{};
  std::string_view bytes = in.raw(sizeof value);
  if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

template <class T>
void write_struct(base::ByteWriter &out, const T &value) {
  out.raw(std::string_view(reinterpret_cast<const char *>(&value), sizeof value));
}

ModuleProfile *module_at(Segment &segment, uint32_t number) {
  return number < segment.modules.size() ? &segment.modules[number] : nullptr;
}

void read_process(base::ByteReader in, Segment &segment, bool &ok) {
  auto process = read_struct<chord_process>(in);
  segment.pid = process.pid;
  segment.parent = process.parent;
  segment.start_ns = process.start_ns;
  segment.end_ns = process.end_ns;
  segment.threads = process.threads;
  segment.end = process.end;
  segment.status = process.status;
  segment.executable = in.c_string();
  segment.folder = in.c_string();
  segment.label = in.c_string();
  while (in.ok() && !in.at_end()) segment.arguments.emplace_back(in.c_string());
  ok = ok && in.ok();
}

// Modules are numbered 0, 1, ... in the order of their records.
void read_module(base::ByteReader in, uint32_t number, Segment &segment, bool &ok) {
  auto info = read_struct<chord_module_info>(in);
  ModuleProfile module;
  module.bias = info.bias;
  module.build_id = in.raw(info.build_id_size);
  module.path = in.c_string();
  ok = ok && in.ok() && in.at_end() && number == segment.modules.size();
  if (ok) segment.modules.push_back(std::move(module));
}

bool read_numbers(base::ByteReader &in, ModuleProfile::Procedure &p) {
  p.by_number = true;
  for (uint64_t key; in.ok() && (key = in.varint()) != 0;) p.numbers.emplace_back(key - 1, in.varint());
  std::sort(p.numbers.begin(), p.numbers.end());
  auto same = [](const auto &a, const auto &b) { return a.first == b.first; };
  return in.ok() && std::adjacent_find(p.numbers.begin(), p.numbers.end(), same) == p.numbers.end();
}

bool read_counters(base::ByteReader &in, uint64_t &budget, ModuleProfile::Procedure &p) {
  std::vector<uint64_t> &counters = p.counters;
  uint64_t count = in.varint();
  if (count == CHORD_COUNTS_BY_NUMBER) return read_numbers(in, p);
  if (count > budget) return false;
  budget -= count;
  if (in.ok()) counters.reserve(count);
  while (in.ok() && counters.size() < count) {
    uint64_t value = in.varint();
    counters.push_back(value);
    if (value == 0) counters.resize(counters.size() + in.bounded(count - counters.size()));
  }
  return in.ok();
}

void read_counts(base::ByteReader in, uint32_t number, Segment &segment, uint64_t &budget, bool &ok) {
  ModuleProfile *module = module_at(segment, number);
  ok = ok && module != nullptr;
  while (ok && !in.at_end()) {
    ModuleProfile::Procedure procedure;
    procedure.key = in.u64();
    ok = read_counters(in, budget, procedure);
    if (ok) module->procedures.push_back(std::move(procedure));
  }
}

void read_exits(base::ByteReader in, Segment &segment, bool &ok) {
  while (ok && !in.at_end()) {
    auto exit = read_struct<chord_exit>(in);
    ok = in.ok() && module_at(segment, exit.module) != nullptr &&
         exit.kind <= CHORD_EXIT_PATH;
    if (ok) segment.exits.push_back({exit.pc, exit.count, exit.module, exit.kind, exit.path});
  }
}

void read_thread_events(base::ByteReader in, Segment &segment, bool &ok) {
  while (ok && !in.at_end()) {
    auto events = read_struct<chord_thread_events>(in);
    ok = in.ok() && events.kind < CHORD_EVENT_KINDS;
    if (ok) segment.thread_events.push_back({events.thread, events.kind, events.count});
  }
}

void read_contexts(base::ByteReader in, Segment &segment, uint64_t &budget, bool &ok) {
  while (ok && !in.at_end()) {
    ContextCounts c;
    ModuleProfile::Procedure counted;
    c.thread = static_cast<uint32_t>(in.bounded(UINT32_MAX));
    c.module = static_cast<uint32_t>(in.bounded(UINT32_MAX));
    c.procedure = in.u64();
    c.kind = static_cast<uint32_t>(in.bounded(CHORD_CONTEXT_OVERFLOW));
    c.parent = in.u64();
    c.site = static_cast<uint32_t>(in.bounded(UINT32_MAX));
    c.key = in.u64();
    ok = read_counters(in, budget, counted) && !counted.by_number && module_at(segment, c.module) != nullptr;
    c.counters = std::move(counted.counters);
    if (ok) segment.contexts.push_back(std::move(c));
  }
}

// False if a record is malformed. `superseded`: the segment this one takes the place of; checksum 0 if there is none.
bool read_payload(std::string_view payload, Segment &segment, chord_superseded &superseded, std::vector<StoredObject> &objects) {
  base::ByteReader in(payload);
  uint64_t budget = kMaxCounters, context_budget = 16 * kMaxCounters;
  bool ok = true;
  while (ok && !in.at_end()) {
    auto record = read_struct<chord_record_header>(in);
    base::ByteReader body(in.raw(record.size));
    in.align(8);
    if (!in.ok()) return false;
    switch (record.tag) {
      case CHORD_RECORD_PROCESS:
        read_process(body, segment, ok);
        break;
      case CHORD_RECORD_MODULE:
        read_module(body, record.aux, segment, ok);
        break;
      case CHORD_RECORD_COUNTS:
        read_counts(body, record.aux, segment, budget, ok);
        break;
      case CHORD_RECORD_EXITS:
        read_exits(body, segment, ok);
        break;
      case CHORD_RECORD_THREADS:
        read_thread_events(body, segment, ok);
        break;
      case CHORD_RECORD_CONTEXTS:
        read_contexts(body, segment, context_budget, ok);
        break;
      case CHORD_RECORD_NOTE:
        segment.notes.emplace_back(body.c_string());
        ok = body.ok();
        break;
      case CHORD_RECORD_RUNS:
        segment.runs = body.u64();
        ok = body.ok();
        break;
      case CHORD_RECORD_OBJECT: {
        StoredObject &object = objects.emplace_back();
        uint64_t size = body.u64();
        object.build_id = body.raw(size <= body.remaining() ? size : body.remaining() + 1);
        object.bytes = body.raw(body.remaining());
        ok = body.ok();
        break;
      }
      case CHORD_RECORD_SUPERSEDES:
        superseded = read_struct<chord_superseded>(body);
        ok = body.ok();
        break;
      default:
        break;  // a newer runtime's addition
    }
  }
  return ok;
}

// What stands at a place of the file.
struct Found {
  std::string why;       // there is no segment; empty if there is one
  bool foreign = false;  // not even a header is there
  bool dead = false;     // something that counts no longer: no segment, and nothing is lost
  size_t size = 0;       // whole
  uint64_t checksum = 0;
  chord_superseded superseded{};
  Segment segment;
  std::vector<StoredObject> objects;
};

void read_segment(std::string_view bytes, Found &found) {
  base::ByteReader in(bytes);
  auto header = read_struct<chord_segment_header>(in);
  found.foreign = !in.ok() || (header.magic != CHORD_SEGMENT_MAGIC && header.magic != CHORD_DEAD_MAGIC);
  if (found.foreign) {
    found.why = "not a segment";
  } else if (header.version != CHORD_ABI_VERSION) {
    found.why = fmt::format("a segment of version {} (this chord reads version {})", header.version, CHORD_ABI_VERSION);
  } else if (header.payload_size % 8 != 0 || header.payload_size > in.remaining()) {
    found.why = fmt::format("a segment cut short ({} of {} bytes)", in.remaining(), header.payload_size);
  }
  if (!found.why.empty()) return;
  std::string_view payload = in.raw(header.payload_size);
  found.size = kHeaderSize + payload.size();
  found.dead = header.magic == CHORD_DEAD_MAGIC;
  if (found.dead) return;
  found.checksum = header.checksum;
  found.segment.flags = header.flags;
  if (checksum(payload) != header.checksum) {
    found.why = "a damaged segment (its checksum is wrong)";
  } else if (!read_payload(payload, found.segment, found.superseded, found.objects)) {
    found.why = "a malformed segment";
  }
}

// A process that was killed at that moment left both: the sum, and the segment that is part of it.
void drop_superseded(std::vector<std::pair<uint64_t, Found>> &all) {
  std::vector<std::pair<uint64_t, uint64_t>> gone;
  for (const auto &[at, found] : all) {
    if (found.superseded.checksum != 0) gone.emplace_back(found.superseded.place, found.superseded.checksum);
  }
  std::erase_if(all, [&](const auto &one) {
    return std::find(gone.begin(), gone.end(), std::pair(one.first, one.second.checksum)) != gone.end();
  });
}

void write_record(base::ByteWriter &out, uint32_t tag, uint32_t aux, std::string_view body) {
  write_struct(out, chord_record_header{tag, aux, body.size()});
  out.raw(body);
  out.align(8);
}

void c_string(base::ByteWriter &out, std::string_view text) {
  out.raw(text.substr(0, text.find('\0')));
  out.u8(0);
}

std::string process_body(const Segment &s) {
  base::ByteWriter body;
  write_struct(body, chord_process{s.pid, s.parent, s.start_ns, s.end_ns, s.threads, s.end, s.status});
  c_string(body, s.executable);
  c_string(body, s.folder);
  c_string(body, s.label);
  for (const std::string &argument : s.arguments) c_string(body, argument);
  return body.take();
}

std::string module_body(const ModuleProfile &m) {
  base::ByteWriter body;
  write_struct(body, chord_module_info{m.bias, m.build_id.size()});
  body.raw(m.build_id);
  c_string(body, m.path);
  return body.take();
}

void put_counters(base::ByteWriter &body, const std::vector<uint64_t> &counters) {
  body.varint(counters.size());
  for (size_t i = 0; i < counters.size(); ++i) {
    body.varint(counters[i]);
    if (counters[i] != 0) continue;
    size_t zeros = 0;
    while (i + 1 < counters.size() && counters[i + 1] == 0) ++i, ++zeros;
    body.varint(zeros);
  }
}

std::string contexts_body(const Segment &s) {
  base::ByteWriter body;
  for (const ContextCounts &c : s.contexts) {
    body.varint(c.thread);
    body.varint(c.module);
    body.u64(c.procedure);
    body.varint(c.kind);
    body.u64(c.parent);
    body.varint(c.site);
    body.u64(c.key);
    put_counters(body, c.counters);
  }
  return body.take();
}

std::string counts_body(const ModuleProfile &m) {
  base::ByteWriter body;
  for (const ModuleProfile::Procedure &p : m.procedures) {
    body.u64(p.key);
    if (p.by_number) {
      body.varint(CHORD_COUNTS_BY_NUMBER);
      for (auto [number, count] : p.numbers) {
        body.varint(number + 1);
        body.varint(count);
      }
      body.varint(0);
      continue;
    }
    put_counters(body, p.counters);
  }
  return body.take();
}

}  // namespace

Profile decode_profile(std::string_view bytes) {
  Profile profile;
  bool only_foreign = !bytes.empty();
  std::vector<std::pair<uint64_t, Found>> all;  // by place
  std::string lost;  // what stands where the last good segment ended
  size_t lost_at = 0;
  auto close_gap = [&](size_t end) {
    if (!lost.empty()) {
      profile.warnings.push_back(
          fmt::format("{} at byte {}: {} bytes passed over", lost, lost_at, end - lost_at));
    }
    lost.clear();
  };
  size_t at = 0;
  while (at < bytes.size()) {
    Found found;
    read_segment(bytes.substr(at), found);
    if (found.why.empty()) {
      close_gap(at);
      at += found.size;
      if (!found.dead) all.emplace_back(at - found.size, std::move(found));
      only_foreign = false;
      continue;
    }
    only_foreign = only_foreign && found.foreign;
    if (!found.foreign) close_gap(at);
    if (lost.empty()) {
      lost = found.foreign ? "bytes that are no segment" : found.why;
      lost_at = at;
    }
    at += std::min<size_t>(8, bytes.size() - at);
  }
  close_gap(bytes.size());
  drop_superseded(all);
  for (auto &[place, found] : all) {
    std::move(found.objects.begin(), found.objects.end(), std::back_inserter(profile.objects));
    if ((found.segment.flags & CHORD_SEGMENT_OBJECTS) != 0) continue;
    profile.ends.push_back(place + found.size);
    profile.segments.push_back(std::move(found.segment));
  }
  if (!profile.segments.empty()) return profile;
  if (profile.warnings.empty()) profile.warnings.push_back("the file is empty");
  if (only_foreign) profile.warnings = {"not a profile: there is no segment in it"};
  return profile;
}

namespace {

std::string with_header(uint32_t flags, const base::ByteWriter &payload) {
  base::ByteWriter out;
  write_struct(out, chord_segment_header{CHORD_SEGMENT_MAGIC, CHORD_ABI_VERSION, flags, payload.size(), checksum(payload.bytes())});
  out.raw(payload.bytes());
  return out.take();
}

}  // namespace

std::string encode_objects(const std::vector<StoredObject> &objects) {
  base::ByteWriter payload;
  for (const StoredObject &object : objects) {
    base::ByteWriter body;
    body.u64(object.build_id.size());
    body.raw(object.build_id);
    body.raw(object.bytes);
    write_record(payload, CHORD_RECORD_OBJECT, 0, body.bytes());
  }
  return with_header(CHORD_SEGMENT_OBJECTS, payload);
}

std::string encode_segment(const Segment &segment) {
  base::ByteWriter payload;
  write_record(payload, CHORD_RECORD_PROCESS, 0, process_body(segment));
  for (uint32_t i = 0; i < segment.modules.size(); ++i) {
    write_record(payload, CHORD_RECORD_MODULE, i, module_body(segment.modules[i]));
  }
  for (uint32_t i = 0; i < segment.modules.size(); ++i) {
    write_record(payload, CHORD_RECORD_COUNTS, i, counts_body(segment.modules[i]));
  }
  if (!segment.exits.empty()) {
    base::ByteWriter body;
    for (const EarlyExit &e : segment.exits) write_struct(body, chord_exit{e.pc, e.count, e.module, e.kind, e.path});
    write_record(payload, CHORD_RECORD_EXITS, 0, body.bytes());
  }
  if (!segment.thread_events.empty()) {
    base::ByteWriter body;
    for (const ThreadEvents &e : segment.thread_events) write_struct(body, chord_thread_events{e.count, e.thread, e.kind});
    write_record(payload, CHORD_RECORD_THREADS, 0, body.bytes());
  }
  if (!segment.contexts.empty()) write_record(payload, CHORD_RECORD_CONTEXTS, 0, contexts_body(segment));
  for (const std::string &note : segment.notes) {
    base::ByteWriter body;
    c_string(body, note);
    write_record(payload, CHORD_RECORD_NOTE, 0, body.bytes());
  }
  if (segment.runs != 1) {
    base::ByteWriter body;
    body.u64(segment.runs);
    write_record(payload, CHORD_RECORD_RUNS, 0, body.bytes());
  }
  return with_header(segment.flags, payload);
}

}  // namespace chord::format
