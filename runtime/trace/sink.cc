// The file that words go to: <program>.chordtrace beside the profile. A chunk of it at a time is mapped for each thread and
// module, so that nothing that was written is lost however the process ends. Room on the disk is asked for before
// a chunk is used: a full disk ends the recording, not the program.
#include <errno.h>
#include <sys/file.h>
#include <sys/prctl.h>

#include "trace.h"

extern "C" {
extern const char __chord_trace_timed[] __attribute__((weak, visibility("hidden")));
}

namespace chord::runtime {
namespace {

// Where times are wanted: at least one for so many words.
constexpr ptrdiff_t words_between_times = 512;

uint64_t steady_clock_ns() {
  timespec now{};
  kernel(SYS_clock_gettime, CLOCK_MONOTONIC, arg(&now));
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

constexpr uint32_t first_size = 32 * 1024, largest_size = 1024 * 1024;
constexpr uint64_t usual_limit = uint64_t{4} << 30;
constexpr size_t spare_words = 1024;

TraceFile *file_of(Instance &instance) {
  void *&place = instance.mode_state[mode_trace];
  if (place == nullptr) {
    auto *made = static_cast<TraceFile *>(map_pages(sizeof(TraceFile)));
    if (made == nullptr) return nullptr;
    made->settings.limit = usual_limit;
    void *none = nullptr;
    if (!__atomic_compare_exchange_n(&place, &none, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) unmap_pages(made, sizeof *made);
  }
  return static_cast<TraceFile *>(__atomic_load_n(&place, __ATOMIC_ACQUIRE));
}

// `alone`: with the number of the process in its name, since another process has the usual one.
void name_file(const Instance &instance, TraceFile &trace, bool alone) {
  Text path(trace.path, sizeof trace.path);
  expand_out(instance, path);
  size_t end = path.size();
  constexpr char suffix[] = ".chord";
  if (end > sizeof suffix - 1 && same_text(trace.path + end - (sizeof suffix - 1), suffix)) end -= sizeof suffix - 1;
  Text rest(trace.path + end, sizeof trace.path - end);
  if (alone) rest.add('.').add_number(instance.pid);
  rest.add(".chordtrace");
}

// Empty, or a trace: anything else is somebody's.
bool may_replace(long file, uint64_t size) {
  uint64_t magic[2] = {};
  if (size == 0) return true;
  if (kernel(SYS_pread64, file, arg(magic), sizeof magic, 0) != sizeof magic) return false;
  return magic[0] == CHORD_TRACE_MAGIC || (magic[0] == CHORD_TRACE_PACKED && magic[1] == CHORD_TRACE_MAGIC);
}

// The file of that name, if nobody else has it: whoever packs an earlier trace puts another in its place.
long open_locked(const char *path, struct stat &facts) {
  constexpr int tries = 4;
  for (int left = tries; left != 0; --left) {
    if (left != tries) sleep_ns(1000000);
    struct stat named {};
    long file = open_above_standard(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0) return file;
    if (kernel(SYS_flock, file, LOCK_EX | LOCK_NB) == 0 && kernel(SYS_fstat, file, arg(&facts)) == 0 && kernel(SYS_lstat, reinterpret_cast<long>(path), arg(&named)) == 0 &&
        named.st_dev == facts.st_dev && named.st_ino == facts.st_ino)
      return file;
    kernel(SYS_close, file);
  }
  return -EAGAIN;
}

// What was packed of an earlier one, whose packer was ended.
void remove_packed(const TraceFile &trace) {
  char path[sizeof trace.path + sizeof CHORD_TRACE_PACKING];
  kernel(SYS_unlink, arg(Text(path, sizeof path).add(trace.path).add(CHORD_TRACE_PACKING).data()));
}

bool open_file(const Instance &instance, TraceFile &trace, bool alone) {
  name_file(instance, trace, alone);
  struct stat facts {};
  long file = open_locked(trace.path, facts);
  if (file < 0) return false;
  auto usable = [&] { return S_ISREG(facts.st_mode) && may_replace(file, static_cast<uint64_t>(facts.st_size)); };
  // A packer may still be at work on it: that goes on with the old file.
  if (usable() && static_cast<uint64_t>(facts.st_size) >= worth_packing && kernel(SYS_unlink, arg(trace.path)) == 0) {
    kernel(SYS_close, file);
    file = open_locked(trace.path, facts);
    if (file < 0) return false;
  }
  if (!usable() || kernel(SYS_ftruncate, file, 0) != 0) {
    kernel(SYS_close, file);
    return false;
  }
  remove_packed(trace);
  trace.file = file;
  trace.device = facts.st_dev;
  trace.inode = facts.st_ino;
  trace.size = 0;
  trace.began_ns = steady_clock_ns();
  return true;
}

void say_where(const Instance &instance, const TraceFile &trace, const char *what) {
  char buffer[9000];
  Text message(buffer, sizeof buffer);
  say(instance, message.add("chord: warning: ").add(trace.path).add(": ").add(what).add('\n'));
}

// The program may have closed the descriptor, and opened something else under its number.
bool is_still_open(TraceFile &trace) {
  struct stat facts {};
  if (kernel(SYS_fstat, trace.file, arg(&facts)) == 0 && facts.st_dev == trace.device && facts.st_ino == trace.inode) return true;
  long file = open_above_standard(trace.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) return false;
  trace.file = file;
  return kernel(SYS_fstat, file, arg(&facts)) == 0 && facts.st_dev == trace.device && facts.st_ino == trace.inode;
}

}  // namespace

bool reserve(TraceFile &trace, uint64_t offset, uint32_t size) {
  NoFileSizeSignal none;
  long result = kernel(SYS_fallocate, trace.file, 0, static_cast<long>(offset), size);
  if (result != -EOPNOTSUPP) return result == 0;
  static const char zeros[4096] = {};
  for (uint32_t done = 0; done < size; done += sizeof zeros)
    if (kernel(SYS_pwrite64, trace.file, reinterpret_cast<long>(zeros), sizeof zeros, static_cast<long>(offset + done)) != sizeof zeros) return false;
  return true;
}

namespace {

uint32_t stop_recording(const Instance &instance, TraceFile &trace, uint32_t why) {
  trace.stopped = why;
  say_where(instance, trace,
            why == CHORD_TRACE_WHY_LIMIT       ? "the limit of its size is reached, recording ends"
            : why == CHORD_TRACE_WHY_FUNCTIONS ? "the program has more functions than can be told apart, nothing is recorded"
                                               : "no room on the disk, recording ends");
  return why;
}

// ---- Rings: of this stream, and of those that have ended ----

Chain &own_chunks() { return own_trace().chunks; }

constexpr long next_in(uint64_t chunk) { return static_cast<long>(chunk - 1 + offsetof(chord_trace_chunk, next)); }

void append(const TraceFile &trace, Chain &chain, const Chain &more) {
  if (more.count == 0) return;
  if (chain.count != 0) kernel(SYS_pwrite64, trace.file, arg(&more.first), sizeof more.first, next_in(chain.last));
  chain = {chain.count != 0 ? chain.first : more.first, more.last, chain.count + more.count};
}

bool take_oldest(const TraceFile &trace, Chain &chain, uint64_t &offset) {
  uint64_t next = 0;
  if (chain.count == 0) return false;
  offset = chain.first - 1;
  if (chain.count > 1 && kernel(SYS_pread64, trace.file, arg(&next), sizeof next, next_in(chain.first)) != sizeof next) return false;
  chain = next != 0 ? Chain{next, chain.last, chain.count - 1} : Chain{};
  return true;
}

// The chunk that this one's room is taken from, if the ring is full. A stream's last two may be in use.
bool write_over(TraceFile &trace, uint32_t size, uint64_t &offset) {
  if (trace.settings.ring == 0 || trace.size + size <= trace.settings.ring) return false;
  return take_oldest(trace, trace.ended, offset) || (own_chunks().count > 2 && take_oldest(trace, own_chunks(), offset));
}

void clear(chord_trace_chunk &chunk) {
  __atomic_store_n(&chunk.number, CHORD_TRACE_NO_CHUNK, __ATOMIC_SEQ_CST);
  zero_bytes(&chunk + 1, chunk.size - sizeof chunk);
  chunk.next = 0;
}

// All chunks of a ring have one size.
uint32_t chunk_size(const TraceFile &trace, const chord_trace_chunk *before) {
  if (trace.settings.ring != 0) {
    uint64_t part = trace.settings.ring / 32 & ~uint64_t{4095};
    return static_cast<uint32_t>(part < first_size ? first_size : part > largest_size ? largest_size : part);
  }
  return before == nullptr ? first_size : before->size < largest_size ? 2 * before->size : largest_size;
}

// Room for a chunk, mapped; null, with the reason, if there is none. Locked.
chord_trace_chunk *take_room(Instance &instance, TraceFile &trace, uint32_t size, uint32_t &why) {
  why = trace.stopped;
  if (trace.stopped != 0) return nullptr;
  if (trace.file == 0 && !open_file(instance, trace, trace.is_child) && !open_file(instance, trace, true)) {
    trace.stopped = CHORD_TRACE_WHY_DISK;
    say_where(instance, trace, "cannot be written, nothing is recorded");
    return nullptr;
  }
  constexpr size_t most_procs = (size_t{8} << CHORD_TRACE_ENTRY_BITS) / sizeof(chord_proc);
  if (__chord_module.module->proc_count > most_procs) {
    why = stop_recording(instance, trace, CHORD_TRACE_WHY_FUNCTIONS);
    return nullptr;
  }
  if (trace.settings.ring == 0 && bytes_on_disk(trace) + size > trace.settings.limit) {
    why = stop_recording(instance, trace, CHORD_TRACE_WHY_LIMIT);
    return nullptr;
  }
  uint64_t offset = trace.size;
  const bool still_open = is_still_open(trace), used = still_open && write_over(trace, size, offset);
  bool reserved = used;
  while (still_open && !reserved && !(reserved = reserve(trace, offset, size)) && await_room(trace)) {
  }
  if (!reserved) {
    why = stop_recording(instance, trace, CHORD_TRACE_WHY_DISK);
    return nullptr;
  }
  long mapped = kernel(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, trace.file, static_cast<long>(offset));
  if (mapped < 0 && mapped > -4096) return nullptr;
  auto *chunk = reinterpret_cast<chord_trace_chunk *>(mapped);
  if (used) clear(*chunk);
  if (!used) trace.size += size;
  chunk->size = size;
  chunk->ring = trace.settings.ring != 0 ? 1 : 0;
  if (trace.settings.ring != 0) append(trace, own_chunks(), {offset + 1, offset + 1, 1});
  return chunk;
}

void describe(const Instance &instance, const Thread *thread, uint64_t number, chord_trace_chunk &chunk, uint16_t holds = CHORD_TRACE_CONTROL) {
  const Module &module = *__chord_module.module;
  chunk.version = CHORD_TRACE_VERSION;
  chunk.thread = thread != nullptr ? thread->number : 0;
  chunk.process = instance.pid;
  chunk.holds = holds;
  chunk.start_ns = instance.process_start_ns;
  chunk.build_id_size = static_cast<uint32_t>(module.build_id_size);
  copy_bytes(chunk.build_id, module.build_id, sizeof chunk.build_id);
  Text(chunk.path, sizeof chunk.path).add(module.path);
  __atomic_store_n(&chunk.number, number, __ATOMIC_RELEASE);
  __atomic_store_n(&chunk.magic, CHORD_TRACE_MAGIC, __ATOMIC_RELEASE);
}

// Into the slack of its last chunk; the other threads come to it as theirs are full.
void stop_stream(TraceState &state, uint32_t why) {
  state.end = reinterpret_cast<uint64_t *>(reinterpret_cast<char *>(state.chunk) + state.chunk->size);
  if (state.at + 4 > state.end) return;
  put_bits(state, state.bits);
  put_word(state, marker(CHORD_TRACE_STOPPED, why));
}

// The last but one may be in use by an activation that a signal interrupted; those before are not.
void keep_one(TraceState &state) {
  chord_trace_chunk *&previous = own_trace().previous;
  if (previous != nullptr) unmap_pages(previous, previous->size);
  previous = state.chunk != nowhere ? state.chunk : nullptr;
}

}  // namespace

void go_nowhere(TraceState &state) {
  state.at = __chord_trace_spare;
  state.end = __chord_trace_spare + spare_words - trace_slack;
  state.chunk = nowhere;
}

// Rings have none: what is written over would be of other moments in both streams.
chord_trace_chunk *take_address_chunk(const chord_trace_chunk *before, uint64_t number) {
  Instance *running = instance();
  TraceFile *trace = running != nullptr && running->pid == process_id() ? file_of(*running) : nullptr;
  if (trace == nullptr || trace->settings.ring != 0) return nullptr;
  uint32_t why = 0;
  hold_back(*trace);
  trace->lock.acquire();
  chord_trace_chunk *chunk = take_room(*running, *trace, chunk_size(*trace, before), why);
  if (chunk != nullptr) start_packer(*trace);
  if (chunk != nullptr) tell_packer(*trace);
  trace->lock.release();
  if (chunk != nullptr) describe(*running, current_thread(*running), number, *chunk, CHORD_TRACE_ADDRESSES);
  return chunk;
}

void next_chunk(TraceState &state) {
  Instance *running = instance();
  bool may_record = running != nullptr && !running->secure && running->pid == process_id();
  TraceFile *trace = may_record ? file_of(*running) : nullptr;
  if (trace == nullptr || state.chunk == nowhere) {
    // Too early: the next time.
    if (state.chunk != nullptr) go_nowhere(state);
    if (state.chunk == nullptr) state.at = state.end = __chord_trace_spare;
    return;
  }
  if (state.chunk == nullptr && begins_paused(*running)) return go_nowhere(state);
  Thread *thread = current_thread(*running);
  uint32_t why = 0;
  hold_back(*trace);
  trace->lock.acquire();
  chord_trace_chunk *chunk = take_room(*running, *trace, chunk_size(*trace, state.chunk), why);
  if (chunk != nullptr) start_packer(*trace);
  if (chunk != nullptr) tell_packer(*trace);
  trace->lock.release();
  if (chunk == nullptr) {
    if (why != 0 && state.chunk != nullptr) stop_stream(state, why);
    go_nowhere(state);
    return;
  }
  const bool is_first = state.chunk == nullptr;
  if (!is_first) keep_one(state);
  describe(*running, thread, state.number++, *chunk);
  state.bias = __chord_module.module->bias;
  state.chunk = chunk;
  state.at = reinterpret_cast<uint64_t *>(chunk + 1);
  set_end(state);
  if (is_first) begin_addresses();
}

void set_end(TraceState &state) {
  uint64_t *end = end_of(*state.chunk);
  state.end = __chord_trace_timed != nullptr && end - state.at > words_between_times ? state.at + words_between_times : end;
}

// Into the slack, if need be.
void put_time(TraceState &state) {
  Instance *running = instance();
  if (__chord_trace_timed == nullptr || state.chunk == nullptr || state.chunk == nowhere || running == nullptr) return;
  *state.at++ = marker(CHORD_TRACE_TIME, (steady_clock_ns() - file_of(*running)->began_ns) & (marker(1, 0) - 1));
}

void more_room(TraceState &state) {
  const bool goes_on = state.chunk != nullptr && state.chunk != nowhere && state.at < end_of(*state.chunk);
  if (!goes_on) next_chunk(state);
  put_time(state);
  if (state.chunk != nullptr && state.chunk != nowhere) set_end(state);
}

void put_word(TraceState &state, uint64_t word) {
  if (state.at >= state.end) more_room(state);
  *state.at++ = word;
}

void put_bits(TraceState &state, uint64_t bits) {
  if (bits <= 1) return;
  if ((bits & CHORD_TRACE_FULL) != 0) {
    put_word(state, bits);
  } else if ((bits & CHORD_TRACE_PARTIAL) != 0) {
    put_word(state, bits >> 1 | CHORD_TRACE_PARTIAL);
    put_word(state, (bits & 1) | 2 | CHORD_TRACE_PARTIAL);
  } else {
    put_word(state, bits | CHORD_TRACE_PARTIAL);
  }
}

void put_all_bits(TraceState &state) {
  uint64_t bits = state.bits;
  state.bits = 1;
  put_bits(state, bits);
}

void forget_trace_file(Instance &instance) {
  TraceFile *trace = file_of(instance);
  if (trace == nullptr) return;
  if (trace->file > 0 && is_still_open(*trace)) kernel(SYS_close, trace->file);
  forget_packer(*trace);
  zero_bytes(trace, offsetof(TraceFile, settings));
  trace->is_child = true;
}

namespace {

// 64M, 2G, …; 0 if it is none.
uint64_t size_in(const char *setting) {
  uint64_t size = 0;
  for (; *setting >= '0' && *setting <= '9'; ++setting) size = 10 * size + static_cast<uint64_t>(*setting - '0');
  return size << (*setting == 'K' ? 10 : *setting == 'M' ? 20 : *setting == 'G' ? 30 : 0);
}

}  // namespace

void read_settings(Instance &instance, char **environment) {
  const char *limit = variable(environment, "CHORD_TRACE_LIMIT"), *ring = variable(environment, "CHORD_RING"), *mark = variable(environment, "CHORD_TRACE_MARK");
  const char *pack = variable(environment, "CHORD_TRACE_PACK"), *search = variable(environment, "PATH");
  TraceFile *trace = file_of(instance);
  if (trace == nullptr) return;
  trace->settings.seccomp = kernel(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0);
  trace->settings.raw = same_text(pack, "off") || same_text(pack, "0");
  if (pack != nullptr && pack[0] == '/') Text(trace->settings.packer, sizeof trace->settings.packer).add(pack);
  if (search != nullptr) Text(trace->settings.search, sizeof trace->settings.search).add(search);
  if (limit != nullptr && size_in(limit) != 0) trace->settings.limit = size_in(limit);
  if (ring != nullptr) trace->settings.ring = size_in(ring);
  if (mark != nullptr) Text(trace->settings.mark, sizeof trace->settings.mark).add(mark);
}

const char *wanted_mark(const Instance &instance) {
  const auto *trace = static_cast<const TraceFile *>(__atomic_load_n(&instance.mode_state[mode_trace], __ATOMIC_ACQUIRE));
  return trace != nullptr && trace->settings.mark[0] != 0 ? trace->settings.mark : nullptr;
}

bool is_ring(const Instance &instance) {
  const auto *trace = static_cast<const TraceFile *>(__atomic_load_n(&instance.mode_state[mode_trace], __ATOMIC_ACQUIRE));
  return trace != nullptr && trace->settings.ring != 0;
}

void give_up_chunks(Instance &instance, bool kept) {
  TraceFile *trace = is_ring(instance) ? file_of(instance) : nullptr;
  if (trace != nullptr && kept) {
    trace->lock.acquire();
    append(*trace, trace->ended, own_chunks());
    trace->lock.release();
  }
  own_chunks() = {};
}

}  // namespace chord::runtime
