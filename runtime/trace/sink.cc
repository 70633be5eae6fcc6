// The file that words go to: <program>.chordtrace beside the profile. A chunk of it at a time is mapped for each thread and
// module, so that nothing that was written is lost however the process ends. Room on the disk is asked for before
// a chunk is used: a full disk ends the recording, not the program.
#include <errno.h>
#include <sys/file.h>

#include "trace.h"

namespace chord::runtime {
namespace {

constexpr uint32_t first_size = 32 * 1024, largest_size = 1024 * 1024;
constexpr uint64_t usual_limit = uint64_t{4} << 30;
constexpr size_t spare_words = 1024;

// Of this process, whatever modules it has.
struct TraceFile {
  Lock lock;
  long file;        // 0: not yet open
  uint64_t device, inode;
  uint64_t size, limit;
  uint32_t stopped;  // nothing more is recorded: CHORD_TRACE_WHY_*
  bool is_child;    // made by a fork: named after the process
  char path[8600];
};

TraceFile *file_of(Instance &instance) {
  void *&place = instance.mode_state[mode_trace];
  if (place == nullptr) {
    auto *made = static_cast<TraceFile *>(map_pages(sizeof(TraceFile)));
    if (made == nullptr) return nullptr;
    made->limit = usual_limit;
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
  uint64_t magic = 0;
  return size == 0 || (kernel(SYS_pread64, file, arg(&magic), sizeof magic, 0) == sizeof magic && magic == CHORD_TRACE_MAGIC);
}

bool open_file(const Instance &instance, TraceFile &trace, bool alone) {
  name_file(instance, trace, alone);
  long file = open_above_standard(trace.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) return false;
  struct stat facts {};
  bool usable = kernel(SYS_flock, file, LOCK_EX | LOCK_NB) == 0 && kernel(SYS_fstat, file, arg(&facts)) == 0 &&
                S_ISREG(facts.st_mode) && may_replace(file, static_cast<uint64_t>(facts.st_size)) && kernel(SYS_ftruncate, file, 0) == 0;
  if (!usable) {
    kernel(SYS_close, file);
    return false;
  }
  trace.file = file;
  trace.device = facts.st_dev;
  trace.inode = facts.st_ino;
  trace.size = 0;
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

bool reserve(TraceFile &trace, uint64_t offset, uint32_t size) {
  NoFileSizeSignal none;
  long result = kernel(SYS_fallocate, trace.file, 0, static_cast<long>(offset), size);
  if (result != -EOPNOTSUPP) return result == 0;
  static const char zeros[4096] = {};
  for (uint32_t done = 0; done < size; done += sizeof zeros)
    if (kernel(SYS_pwrite64, trace.file, reinterpret_cast<long>(zeros), sizeof zeros, static_cast<long>(offset + done)) != sizeof zeros) return false;
  return true;
}

uint32_t stop_recording(const Instance &instance, TraceFile &trace, uint32_t why) {
  trace.stopped = why;
  say_where(instance, trace, why == CHORD_TRACE_WHY_LIMIT ? "the limit of its size is reached, recording ends" : "no room on the disk, recording ends");
  return why;
}

// Room for a chunk, mapped; null, with the reason, if there is none. Locked.
void *take_room(Instance &instance, TraceFile &trace, uint32_t size, uint32_t &why) {
  why = trace.stopped;
  if (trace.stopped != 0) return nullptr;
  if (trace.file == 0 && !open_file(instance, trace, trace.is_child) && !open_file(instance, trace, true)) {
    trace.stopped = CHORD_TRACE_WHY_DISK;
    say_where(instance, trace, "cannot be written, nothing is recorded");
    return nullptr;
  }
  if (trace.size + size > trace.limit) {
    why = stop_recording(instance, trace, CHORD_TRACE_WHY_LIMIT);
    return nullptr;
  }
  if (!is_still_open(trace) || !reserve(trace, trace.size, size)) {
    why = stop_recording(instance, trace, CHORD_TRACE_WHY_DISK);
    return nullptr;
  }
  long mapped = kernel(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED, trace.file, static_cast<long>(trace.size));
  if (mapped < 0 && mapped > -4096) return nullptr;
  trace.size += size;
  return reinterpret_cast<void *>(mapped);
}

void describe(const Instance &instance, const Thread *thread, uint64_t number, chord_trace_chunk &chunk) {
  const Module &module = *__chord_module.module;
  chunk.version = CHORD_TRACE_VERSION;
  chunk.thread = thread != nullptr ? thread->number : 0;
  chunk.process = instance.pid;
  chunk.number = number;
  chunk.start_ns = instance.process_start_ns;
  chunk.build_id_size = static_cast<uint32_t>(module.build_id_size);
  copy_bytes(chunk.build_id, module.build_id, sizeof chunk.build_id);
  Text(chunk.path, sizeof chunk.path).add(module.path);
  __atomic_store_n(&chunk.magic, CHORD_TRACE_MAGIC, __ATOMIC_RELEASE);
}

void go_nowhere(TraceState &state) {
  state.at = __chord_trace_spare;
  state.end = __chord_trace_spare + spare_words - trace_slack;
  state.chunk = nowhere;
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
  static __thread chord_trace_chunk *previous __attribute__((tls_model("initial-exec")));
  if (previous != nullptr) unmap_pages(previous, previous->size);
  previous = state.chunk != nowhere ? state.chunk : nullptr;
}

}  // namespace

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
  Thread *thread = current_thread(*running);
  uint32_t size = state.chunk == nullptr ? first_size : state.chunk->size < largest_size ? 2 * state.chunk->size : largest_size, why = 0;
  trace->lock.acquire();
  auto *chunk = static_cast<chord_trace_chunk *>(take_room(*running, *trace, size, why));
  trace->lock.release();
  if (chunk == nullptr) {
    if (why != 0 && state.chunk != nullptr) stop_stream(state, why);
    go_nowhere(state);
    return;
  }
  if (state.chunk != nullptr) keep_one(state);
  chunk->size = size;
  describe(*running, thread, state.number++, *chunk);
  state.bias = __chord_module.module->bias;
  state.chunk = chunk;
  state.at = reinterpret_cast<uint64_t *>(chunk + 1);
  state.end = reinterpret_cast<uint64_t *>(chunk) + size / sizeof(uint64_t) - trace_slack;
}

void put_word(TraceState &state, uint64_t word) {
  if (state.at >= state.end) next_chunk(state);
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

void forget_trace_file(Instance &instance) {
  TraceFile *trace = file_of(instance);
  if (trace == nullptr) return;
  if (trace->file > 0 && is_still_open(*trace)) kernel(SYS_close, trace->file);
  uint64_t limit = trace->limit;
  zero_bytes(trace, sizeof *trace);
  trace->limit = limit;
  trace->is_child = true;
}

// 64M, 2G, …
void read_limit(Instance &instance, const char *setting) {
  TraceFile *trace = setting != nullptr ? file_of(instance) : nullptr;
  if (trace == nullptr) return;
  uint64_t limit = 0;
  for (; *setting >= '0' && *setting <= '9'; ++setting) limit = 10 * limit + static_cast<uint64_t>(*setting - '0');
  unsigned shift = *setting == 'K' ? 10 : *setting == 'M' ? 20 : *setting == 'G' ? 30 : 0;
  if (limit != 0) trace->limit = limit << shift;
}

}  // namespace chord::runtime
