// Runs of one build become one segment of the profile, so that a test suite's profile stays as large as one run's.
//
// The segment that is written holds the sum: what this run counted, and what the segment it takes the place of (the
// base) held. It goes to a place where nothing is that counts, never over the base. Its magic, written last, is the
// moment at which it counts; a record in it says which segment it takes the place of, so that from the same moment on
// the base does not. Then the base is marked as dead, and its room is used by a later run. Whenever the
// process is killed, the profile holds each run once or, if it had not finished writing, the last one not at all.
//
// Folded are runs that ended of their own accord, of the same executable and label, whose modules are all among ours,
// build by build. Others stand alone, as do all that a process writes that was asked for dumps, and with CHORD_KEEP_RUNS.
#include "profile/fold.h"

#include "system/bytes.h"

namespace chord::runtime {
namespace {

constexpr uint32_t most_segments = 4096;  // looked at
constexpr size_t most_few_bytes = 1024, most_few_exits = 16;

}  // namespace

// What folding works with, kept for the next time. Runs of small programs touch its beginning only.
struct FoldRoom {
  uint8_t bytes[most_few_bytes];
  chord_exit exits[most_few_exits];
  Fold fold, other;
  uint8_t other_bytes[most_few_bytes];
};

namespace {

bool read_whole(long file, void *to, size_t size, uint64_t offset) {
  auto *at = static_cast<char *>(to);
  while (size != 0) {
    long n = kernel(SYS_pread64, file, arg(at), static_cast<long>(size), static_cast<long>(offset));
    if (n == -EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= static_cast<size_t>(n);
    offset += static_cast<uint64_t>(n);
  }
  return true;
}

bool write_at(long file, const void *from, size_t size, uint64_t offset) {
  return kernel(SYS_pwrite64, file, reinterpret_cast<long>(from), static_cast<long>(size), static_cast<long>(offset)) ==
         static_cast<long>(size);
}

bool mark_dead(long file, uint64_t at) {
  uint64_t magic = CHORD_DEAD_MAGIC;
  return write_at(file, &magic, sizeof magic, at);
}

uint64_t hash_of(const uint8_t *payload, size_t size) {
  uint64_t hash = CHORD_FNV_BASIS;
  for (size_t at = 0; at < size; at += 8) hash = (hash ^ load<uint64_t>(payload + at)) * CHORD_FNV_PRIME;
  return hash;
}

// ---- Reading a segment --------------------------------------------------------------

enum class Do { check, add, take_back };

// Counters that are kept by number, which differ from run to run, are not added.
bool visit_counts(Module &module, Bytes in, Do what) {
  size_t proc = 0, first = 0;
  while (in.at != in.end) {
    const uint8_t *key_at = in.take(sizeof(uint64_t));
    uint64_t count = in.leb();
    if (!in.ok) return false;
    uint64_t key = load<uint64_t>(key_at);
    for (; proc < module.proc_count && module.shape[proc].key != key; ++proc) first += module.shape[proc].count;
    if (proc == module.proc_count || module.shape[proc].count != count || module.shape[proc].kind == CHORD_COUNTERS_NUMBERS)
      return false;
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t value = in.leb();
      if (value == 0) {
        i += in.leb();
      } else {
        uint64_t &before = module.written[first + i];
        if (what == Do::check && overflows(module.snapshot[first + i] - before, value)) return false;
        if (what == Do::add) before -= value;
        if (what == Do::take_back) before += value;
      }
      if (!in.ok) return false;
    }
    first += count;
    ++proc;
  }
  return true;
}

bool is_foldable(const Module &module) {
  if (module.build_id_size == 0) return false;
  for (size_t i = 0; i < module.proc_count; ++i)
    if (module.shape[i].kind == CHORD_COUNTERS_NUMBERS) return false;
  return true;
}

Module *same_module(Instance &instance, const uint8_t *id, uint64_t id_size, const char *path) {
  for (Module *module = instance.modules; module != nullptr; module = module->next)
    if (module->build_id_size == id_size && same_bytes(module->build_id, id, id_size) && same_text(module->path, path))
      return is_foldable(*module) ? module : nullptr;
  return nullptr;
}

// A relative name means another file in another folder.
bool is_known(const Fold &fold, const char *path) { return fold.same_folder || path[0] == '/'; }

bool read_process(Instance &instance, Bytes in, Fold &fold) {
  const uint8_t *facts = in.take(sizeof(chord_process));
  const char *executable = in.text(), *folder = in.text(), *label = in.text();
  if (!in.ok) return false;
  auto process = load<chord_process>(facts);
  fold.start_ns = process.start_ns;
  fold.threads = process.threads;
  fold.same_folder = same_text(folder, instance.folder());
  auto size = static_cast<size_t>(in.end - in.at);
  fold.same_arguments = size == instance.arguments_size && same_bytes(in.at, instance.arguments(), size);
  if (instance.keep_arguments && !fold.same_arguments) return false;
  bool ended = process.end == CHORD_END_EXIT || process.end == CHORD_END_QUICK || process.end == CHORD_END_EXEC;
  return ended && same_text(executable, instance.executable) && is_known(fold, executable) &&
         same_text(label, instance.label);
}

bool read_module(Instance &instance, uint32_t number, Bytes in, Fold &fold) {
  const uint8_t *facts = in.take(sizeof(chord_module_info));
  if (facts == nullptr || number != fold.module_count || number == Fold::most_modules) return false;
  uint64_t id_size = load<chord_module_info>(facts).build_id_size;
  const uint8_t *id = in.take(id_size);
  const char *path = in.text();
  Module *module = in.ok && is_known(fold, path) ? same_module(instance, id, id_size, path) : nullptr;
  fold.modules[fold.module_count++] = module;
  return module != nullptr;
}

bool read_record(Instance &instance, const chord_record_header &header, Bytes in, Fold &fold) {
  switch (header.tag) {
    case CHORD_RECORD_PROCESS:
      return read_process(instance, in, fold);
    case CHORD_RECORD_MODULE:
      return read_module(instance, header.aux, in, fold);
    case CHORD_RECORD_COUNTS:
      return header.aux < fold.module_count && visit_counts(*fold.modules[header.aux], in, Do::check);
    case CHORD_RECORD_EXITS:
    case CHORD_RECORD_THREADS:
    case CHORD_RECORD_CONTEXTS:
      fold.lists[header.tag] = {in.at, header.size};
      return true;
    case CHORD_RECORD_NOTE:
      if (fold.note_count == Fold::most_notes) return false;
      return (fold.notes[fold.note_count++] = in.text()) != nullptr;
    case CHORD_RECORD_RUNS:
      if (header.size != sizeof(uint64_t)) return false;
      fold.runs = load<uint64_t>(in.at);
      return true;
    case CHORD_RECORD_SUPERSEDES:
      if (header.size != sizeof(chord_superseded)) return false;
      fold.superseded = load<chord_superseded>(in.at);
      return true;
    case CHORD_RECORD_FILL:
      return true;
    default:
      return false;  // a newer runtime's addition, which would be lost
  }
}

template <class Visit>
bool for_each_record(const Fold &fold, Visit &&visit) {
  Bytes in{fold.payload, fold.payload + fold.payload_size};
  while (in.at != in.end) {
    const uint8_t *header_at = in.take(sizeof(chord_record_header));
    if (header_at == nullptr) return false;
    auto header = load<chord_record_header>(header_at);
    const uint8_t *body = in.take((header.size + 7) & ~uint64_t{7});
    if (body == nullptr || header.size > fold.payload_size || !visit(header, Bytes{body, body + header.size})) return false;
  }
  return true;
}

bool read_payload(Instance &instance, Fold &fold) {
  fold.module_count = fold.note_count = 0;
  zero_bytes(fold.lists, sizeof fold.lists);
  fold.runs = 1;
  fold.superseded = {};
  return for_each_record(fold, [&](const chord_record_header &header, Bytes in) {
    return read_record(instance, header, in, fold);
  });
}

void begin(Fold &fold, uint64_t file_size, uint8_t *few_bytes) {
  zero_bytes(&fold, __builtin_offsetof(Fold, modules));
  fold.file_size = file_size;
  fold.few_bytes = few_bytes;
}

void drop_payload(Fold &fold) {
  if (fold.payload != nullptr && fold.payload != fold.few_bytes) unmap_pages(fold.payload, fold.payload_size);
  fold.payload = nullptr;
}

void release_payload(Fold &fold) {
  drop_payload(fold);
  fold.base_size = 0;
}

// ---- Looking through the file -------------------------------------------------------

// Whether the segment can be added to; it then is the base.
bool try_base(Instance &instance, long file, uint64_t at, const chord_segment_header &header, Fold &fold) {
  uint32_t others = CHORD_SEGMENT_LIVE | CHORD_SEGMENT_CUT_OFF | (instance.keep_arguments ? CHORD_SEGMENT_MIXED : 0);
  if ((header.flags & others) != 0 || header.payload_size == 0) return false;
  fold.payload_size = header.payload_size;
  fold.payload = header.payload_size <= most_few_bytes ? fold.few_bytes : static_cast<uint8_t *>(map_pages(header.payload_size));
  if (fold.payload == nullptr) return false;
  if (!read_whole(file, fold.payload, header.payload_size, at + sizeof header) ||
      hash_of(fold.payload, header.payload_size) != header.checksum || !read_payload(instance, fold)) {
    release_payload(fold);
    return false;
  }
  fold.base = at;
  fold.base_size = sizeof header + header.payload_size;
  fold.base_checksum = header.checksum;
  fold.base_flags = header.flags;
  return true;
}

// A process was killed when it had written its segment and not yet marked the one before as dead.
bool finish_superseding(long file, const Fold &fold) {
  chord_segment_header header;
  if (fold.superseded.checksum == 0 || fold.superseded.place + sizeof header > fold.file_size) return true;
  if (!read_whole(file, &header, sizeof header, fold.superseded.place)) return false;
  if (header.magic != CHORD_SEGMENT_MAGIC || header.checksum != fold.superseded.checksum) return true;
  return mark_dead(file, fold.superseded.place);
}

void add_gap(Fold &fold, uint64_t start, uint64_t size, bool whole) {
  if (fold.gap_count != 0) {
    Fold::Gap &last = fold.gaps[fold.gap_count - 1];
    if (last.start + last.size == start) {
      last.size += size;
      last.whole = false;
      return;
    }
  }
  if (fold.gap_count != Fold::most_gaps) fold.gaps[fold.gap_count++] = {start, size, whole};
}

// The next multiple of 8 at which a segment or a gap begins.
uint64_t next_magic(Instance &instance, long file, uint64_t at, uint64_t size) {
  while (at + 8 <= size) {
    uint64_t some = size - at < write_buffer_size ? (size - at) & ~uint64_t{7} : write_buffer_size;
    if (!read_whole(file, instance.buffer, some, at)) return size;
    for (uint64_t i = 0; i < some; i += 8) {
      auto word = load<uint64_t>(instance.buffer + i);
      if (word == CHORD_SEGMENT_MAGIC || word == CHORD_DEAD_MAGIC) return at + i;
    }
    at += some;
  }
  return size;
}

// How a segment begins. What it takes the place of, if anything, comes first.
struct Beginning {
  chord_segment_header header;
  chord_record_header record;
  chord_superseded superseded;
};

// A second segment is the base instead if it takes the place of the first.
void consider(Instance &instance, long file, uint64_t at, const Beginning &beginning, FoldRoom &room) {
  const chord_segment_header &header = beginning.header;
  Fold &fold = room.fold, &other = room.other;
  if (fold.base_size == 0) {
    try_base(instance, file, at, header, fold);
    if (fold.base_size != 0 && !finish_superseding(file, fold)) release_payload(fold);
    return;
  }
  if (beginning.record.tag != CHORD_RECORD_SUPERSEDES || beginning.superseded.place != fold.base ||
      beginning.superseded.checksum != fold.base_checksum)
    return;
  // The first may have been another's turn of this: each has its own room.
  begin(other, fold.file_size, fold.few_bytes == room.bytes ? room.other_bytes : room.bytes);
  if (!try_base(instance, file, at, header, other)) return;
  bool marked = mark_dead(file, fold.base);
  drop_payload(fold);
  copy_bytes(&fold, &other, __builtin_offsetof(Fold, merged));
  copy_bytes(fold.modules, other.modules, sizeof fold.modules);
  if (!marked) release_payload(fold);
}

// What a killed process had not finished: a payload without its header. All else is not ours to write over.
bool is_unfinished(const Beginning &at) {
  return at.header.magic == 0 && at.record.aux == 0 &&
         (at.record.tag == CHORD_RECORD_PROCESS || at.record.tag == CHORD_RECORD_SUPERSEDES);
}

// False: what is in the file cannot be understood to its end.
bool look_through(Instance &instance, long file, FoldRoom &room) {
  Fold &fold = room.fold;
  uint64_t at = 0;
  for (uint32_t looked = 0; at < fold.file_size; ++looked) {
    Beginning beginning{};
    const chord_segment_header &header = beginning.header;
    if (looked == most_segments) return false;
    uint64_t left = fold.file_size - at;
    bool whole = left >= sizeof header && read_whole(file, &beginning, left < sizeof beginning ? left : sizeof beginning, at) &&
                 header.payload_size % 8 == 0 && header.payload_size <= left - sizeof header;
    if (whole && header.magic == CHORD_SEGMENT_MAGIC) {
      if (header.version == CHORD_ABI_VERSION) consider(instance, file, at, beginning, room);
      at += sizeof header + header.payload_size;
      fold.end = at;
    } else if (whole && header.magic == CHORD_DEAD_MAGIC) {
      add_gap(fold, at, sizeof header + header.payload_size, true);
      at += sizeof header + header.payload_size;
    } else {
      bool unfinished = is_unfinished(beginning);
      uint64_t next = next_magic(instance, file, at + 8, fold.file_size);
      if (unfinished) add_gap(fold, at, next - at, false);
      at = next;
      if (!unfinished) fold.end = at;
    }
  }
  return true;
}

// ---- Records that are added up ------------------------------------------------------

bool precedes(const chord_exit &a, const chord_exit &b) {
  if (a.module != b.module) return a.module < b.module;
  if (a.pc != b.pc) return a.pc < b.pc;
  if (a.kind != b.kind) return a.kind < b.kind;
  return a.path < b.path;
}

void sift(chord_exit *heap, size_t at, size_t size) {
  for (size_t child; (child = 2 * at + 1) < size; at = child) {
    if (child + 1 < size && precedes(heap[child], heap[child + 1])) ++child;
    if (!precedes(heap[at], heap[child])) return;
    chord_exit moved = heap[at];
    heap[at] = heap[child];
    heap[child] = moved;
  }
}

void sort(chord_exit *exits, size_t size) {
  for (size_t i = size / 2; i-- > 0;) sift(exits, i, size);
  for (size_t i = size; i-- > 1;) {
    chord_exit last = exits[i];
    exits[i] = exits[0];
    exits[0] = last;
    sift(exits, 0, i);
  }
}

chord_exit as_exit(const chord_thread_events &events) {
  return {events.thread, events.count, UINT32_MAX, events.kind, 0};
}

// Those of the base and of this process, the same ones added up.
bool merge_records(Instance &instance, Fold &fold) {
  const auto *own = instance.resolved.begin<chord_exit>();
  const auto *own_events = instance.settled.begin<chord_thread_events>();
  size_t exits = instance.resolved.size<chord_exit>(), events = instance.settled.size<chord_thread_events>();
  const Fold::List &base_exits = fold.lists[CHORD_RECORD_EXITS], &base_events = fold.lists[CHORD_RECORD_THREADS];
  size_t most = exits + events + base_exits.size / sizeof(chord_exit) + base_events.size / sizeof(chord_thread_events);
  if (most == 0) return true;
  fold.merged = fold.few_exits;
  if (most > most_few_exits) {
    fold.merged_size = most * sizeof(chord_exit);
    fold.merged = static_cast<chord_exit *>(map_pages(fold.merged_size));
    if (fold.merged == nullptr) return false;
  }
  chord_exit *to = fold.merged;
  for (size_t i = 0; i < exits; ++i) *to++ = own[i];
  for (size_t i = 0; i < events; ++i) *to++ = as_exit(own_events[i]);
  for (size_t at = sizeof(chord_exit); at <= base_exits.size; at += sizeof(chord_exit)) {
    *to = load<chord_exit>(base_exits.data + at - sizeof(chord_exit));
    if (to->module >= fold.module_count) return false;
    to->module = fold.modules[to->module]->number;
    ++to;
  }
  for (size_t at = sizeof(chord_thread_events); at <= base_events.size; at += sizeof(chord_thread_events))
    *to++ = as_exit(load<chord_thread_events>(base_events.data + at - sizeof(chord_thread_events)));
  sort(fold.merged, most);
  size_t kept = 0;
  for (size_t i = 0; i < most; ++i) {
    chord_exit &at = fold.merged[i];
    bool same = kept != 0 && !precedes(fold.merged[kept - 1], at);
    if (same) fold.merged[kept - 1].count += at.count;
    if (kept != 0 && fold.merged[kept - 1].count == 0 && fold.merged[kept - 1].module != UINT32_MAX) --kept;
    if (!same) fold.merged[kept++] = at;
  }
  while (fold.exit_count < kept && fold.merged[fold.exit_count].module != UINT32_MAX) ++fold.exit_count;
  fold.event_count = kept - fold.exit_count;
  return true;
}

bool merge_contexts(Instance &instance, const Fold &fold) {
  const auto *hooks = hooks_of<ContextHooks>(instance, mode_context);
  return fold.lists[CHORD_RECORD_CONTEXTS].size == 0 || (hooks != nullptr && hooks->fold(instance, fold));
}

bool may_fold(const Instance &instance, const End &end) {
  bool ended = end.kind == CHORD_END_EXIT || end.kind == CHORD_END_QUICK || end.kind == CHORD_END_EXEC;
  if (!ended || instance.keep_runs || instance.dumped || instance.live != nullptr) return false;
  for (const ModeRecord &record : instance.mode_records)
    if (record.size != 0 && record.tag != CHORD_RECORD_CONTEXTS) return false;
  for (const Module *module = instance.modules; module != nullptr; module = module->next)
    if (!is_foldable(*module)) return false;
  return true;
}

}  // namespace

namespace {

FoldRoom *room_of(Instance &instance) {
  Guard guard(instance.lock);
  if (instance.fold_room == nullptr) instance.fold_room = static_cast<FoldRoom *>(take_memory(instance, sizeof(FoldRoom)));
  return instance.fold_room;
}

}  // namespace

Fold *begin_fold(Instance &instance, long file, uint64_t file_size, const End &end) {
  if (!may_fold(instance, end)) return nullptr;
  FoldRoom *room = room_of(instance);
  if (room == nullptr) return nullptr;
  Fold *fold = &room->fold;
  begin(*fold, file_size, room->bytes);
  fold->few_exits = room->exits;
  if (!look_through(instance, file, *room)) {
    end_fold(fold);
    return nullptr;
  }
  if (fold->base_size != 0 && !(merge_records(instance, *fold) && merge_contexts(instance, *fold))) release_payload(*fold);
  return fold;
}

void add_base_counts(Fold &fold, bool take_back) {
  if (fold.base_size == 0) return;
  for_each_record(fold, [&](const chord_record_header &header, Bytes in) {
    if (header.tag == CHORD_RECORD_COUNTS)
      visit_counts(*fold.modules[header.aux], in, take_back ? Do::take_back : Do::add);
    return true;
  });
}

uint64_t find_room(Fold &fold, long file, uint64_t size) {
  constexpr size_t magic = sizeof(uint64_t);
  chord_segment_header header{CHORD_DEAD_MAGIC, CHORD_ABI_VERSION, 0, 0, 0};
  for (uint32_t i = 0; i < fold.gap_count; ++i) {
    uint64_t start = fold.gaps[i].start, whole = fold.gaps[i].size;
    if (fold.gaps[i].whole && whole == size) return start;  // it says so already
    if (start >= fold.end) break;                           // at the end of the file
    if (whole != size && whole < size + sizeof header) continue;
    // One gap first, whatever it was made of; then two, the second of which is not used.
    header.payload_size = whole - sizeof header;
    if (!write_at(file, reinterpret_cast<char *>(&header) + magic, sizeof header - magic, start + magic) ||
        !mark_dead(file, start))
      break;
    header.payload_size = whole - size - sizeof header;
    if (whole != size && !write_at(file, &header, sizeof header, start + size)) break;
    return start;
  }
  if (fold.end < fold.file_size) kernel(SYS_ftruncate, file, static_cast<long>(fold.end));
  return (fold.end + 7) & ~uint64_t{7};
}

void drop_base(Fold &fold, long file) {
  if (fold.base_size == 0) return;
  mark_dead(file, fold.base);
  // Nothing stands after it. What is left of the file system's last block costs nothing, and the next run writes there.
  constexpr uint64_t block = 4096;
  uint64_t end = fold.base + fold.base_size;
  if ((end + block - 1) / block == (fold.base + block - 1) / block) return;
  if (kernel(SYS_lseek, file, 0, SEEK_END) == static_cast<long>(end)) kernel(SYS_ftruncate, file, static_cast<long>(fold.base));
}

void end_fold(Fold *fold) {
  if (fold == nullptr) return;
  drop_payload(*fold);
  if (fold->merged_size != 0) unmap_pages(fold->merged, fold->merged_size);
}

}  // namespace chord::runtime
