// Writing a segment to the profile: one pass through a fixed buffer, under a
// file lock, header last. Whatever goes wrong, the file is cut back to what it
// was and the program never notices. Runs of one build are added up (fold.cc).
#include <errno.h>
#include <sys/file.h>

#include "profile/fold.h"
#include "runtime.h"

namespace chord::runtime {
namespace {

// ---- Bytes to the file ----------------------------------------------------------

class Writer {
 public:
  // Without a file (-1) everything is measured, and nothing written.
  Writer(Instance &instance, long file, uint64_t start) : instance_(instance), file_(file), start_(start) {}

  void bytes(const void *data, size_t size) {
    auto *from = static_cast<const uint8_t *>(data);
    while (size != 0) {
      size_t n = write_buffer_size - fill_ < size ? write_buffer_size - fill_ : size;
      copy_bytes(instance_.buffer + fill_, from, n);
      fill_ += n;
      from += n;
      size -= n;
      if (fill_ == write_buffer_size) make_room();
    }
  }
  void byte(uint8_t value) {
    instance_.buffer[fill_++] = value;
    if (fill_ == write_buffer_size) make_room();
  }
  CHORD_FAST __attribute__((noinline)) void leb(uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<uint8_t>(value | 0x80));
    byte(static_cast<uint8_t>(value));
  }
  void text(const char *text) { bytes(text, length(text) + 1); }

  // The size comes first in a record. It is filled in while the record is still in the
  // buffer; the content of one that does not fit is produced twice, once to be measured, once
  // to be written. It must not change in between.
  template <class Content>
  void record(uint32_t tag, uint32_t aux, Content &&content) {
    chord_record_header header{tag, aux, 0};
    begun_ = fill_;
    do {
      bytes(&header, sizeof header);
      content();
    } while (!complete(header));
  }

  // Of the payload so far.
  uint64_t size() const { return flushed_ + fill_; }
  // Of what was measured: it is all there, and so much more will fit.
  bool has_all(uint64_t more) const { return flushed_ == 0 && fill_ + more < write_buffer_size; }
  // From now on it is written, from the beginning of the payload; or from where it is, if it is all there.
  void write_to(long file, uint64_t start, bool is_there) {
    file_ = file;
    start_ = start;
    if (is_there) return;
    flushed_ = fill_ = 0;
    hash_ = CHORD_FNV_BASIS;
  }

  // 0 or the kernel's error.
  long finish(uint32_t flags) {
    chord_segment_header &header = instance_.segment;
    static_assert(__builtin_offsetof(Instance, buffer) == __builtin_offsetof(Instance, segment) + sizeof header);
    // The magic last: 8 bytes at a multiple of 8 are in one page and so written whole or not at
    // all, even by a process that is being killed. The rest of the header may not be.
    constexpr size_t magic = sizeof header.magic;
    size_t rest = flushed_ == 0 ? fill_ : 0;  // goes with the header
    if (rest == 0)
      flush(fill_);
    else
      add_to_hash(fill_);
    header = {CHORD_SEGMENT_MAGIC, CHORD_ABI_VERSION, flags, flushed_ + rest, hash_};
    put(reinterpret_cast<const char *>(&header) + magic, sizeof header - magic + rest, start_ + magic);
    put(&header, magic, start_);
    return error_;
  }

 private:
  static constexpr size_t sized = SIZE_MAX;

  // False: it must be written again.
  bool complete(chord_record_header &header) {
    bool fits = measured_ == 0;
    if (!fits) {
      header.size = measured_ + fill_ - sizeof header;
      measured_ = fill_ = 0;
    } else if (begun_ != sized) {
      header.size = fill_ - begun_ - sizeof header;
      copy_bytes(instance_.buffer + begun_, &header, sizeof header);
    }
    begun_ = sized;
    while (fits && fill_ % 8 != 0) byte(0);
    return fits;
  }
  // Of a record that outgrows the buffer only what precedes it is written.
  void make_room() {
    size_t whole = begun_ == sized ? fill_ : begun_;
    if (begun_ != sized) {
      measured_ += fill_ - begun_;
      begun_ = 0;
    }
    flush(whole);
    fill_ = 0;
  }
  void add_to_hash(size_t size) {
    for (size_t at = 0; at < size; at += 8)
      hash_ = (hash_ ^ load<uint64_t>(instance_.buffer + at)) * CHORD_FNV_PRIME;
  }
  void flush(size_t size) {
    add_to_hash(size);
    put(instance_.buffer, size, start_ + sizeof(chord_segment_header) + flushed_);
    flushed_ += size;
  }
  void put(const void *data, size_t size, uint64_t offset) {
    auto *from = static_cast<const char *>(data);
    while (size != 0 && error_ == 0 && file_ >= 0) {
      long n = kernel(SYS_pwrite64, file_, reinterpret_cast<long>(from), static_cast<long>(size),
                      static_cast<long>(offset));
      if (n <= 0) {
        if (n != -EINTR) error_ = n == 0 ? -ENOSPC : n;
        continue;
      }
      from += n;
      size -= static_cast<size_t>(n);
      offset += static_cast<uint64_t>(n);
    }
  }

  Instance &instance_;
  long file_;
  uint64_t start_;
  uint64_t flushed_ = 0;  // of the payload
  size_t fill_ = 0;
  size_t begun_ = sized;   // where in the buffer the record begins whose size is not known yet
  uint64_t measured_ = 0;  // bytes of it that are gone from the buffer again
  uint64_t hash_ = CHORD_FNV_BASIS;
  long error_ = 0;
};

// ---- The records ------------------------------------------------------------------

void put_process(Writer &out, const Instance &instance, const End &end, const Fold *base) {
  chord_process process{};
  process.pid = instance.pid;
  process.parent = static_cast<uint64_t>(kernel(SYS_getppid));
  process.start_ns = instance.start_ns;
  process.end_ns = wall_clock_ns();
  process.threads = instance.threads_seen;
  if (base != nullptr) {
    process.threads += base->threads;
    if (base->start_ns < process.start_ns) process.start_ns = base->start_ns;
  }
  process.end = end.kind;
  process.status = end.status;
  out.record(CHORD_RECORD_PROCESS, 0, [&] {
    out.bytes(&process, sizeof process);
    out.text(instance.executable);
    out.text(instance.folder());
    out.text(instance.label);
    out.bytes(instance.arguments(), instance.arguments_size);
  });
}

// How many words are the same from the first on.
CHORD_FAST size_t equal_words(const uint64_t *a, const uint64_t *b, size_t count) {
  size_t equal = 0;
  while (equal < count && a[equal] == b[equal]) ++equal;
  return equal;
}

CHORD_FAST void put_counters(Writer &out, const uint64_t *now, const uint64_t *before, size_t count) {
  out.leb(count);
  for (size_t i = 0; i < count; ++i) {
    uint64_t value = now[i] - before[i];
    out.leb(value);
    if (value != 0) continue;
    size_t zeros = equal_words(now + i + 1, before + i + 1, count - i - 1);
    out.leb(zeros);
    i += zeros;
  }
}

// `numbers`: what the counters stand for.
void put_numbered(Writer &out, const uint64_t *now, const uint64_t *before, size_t count, const uint64_t *numbers) {
  out.leb(CHORD_COUNTS_BY_NUMBER);
  for (size_t i = 0; i < count; ++i) {
    if (now[i] == before[i] || numbers[i] == 0) continue;
    out.leb(numbers[i]);
    out.leb(now[i] - before[i]);
  }
  out.leb(0);
}

void put_module(Writer &out, const Module &module) {
  out.record(CHORD_RECORD_MODULE, module.number, [&] {
    chord_module_info info{module.bias, module.build_id_size};
    out.bytes(&info, sizeof info);
    out.bytes(module.build_id, module.build_id_size);
    out.text(module.path);
  });
  out.record(CHORD_RECORD_COUNTS, module.number, [&] {
    const uint64_t *now = module.snapshot, *before = module.written, *numbers = nullptr;
    for (size_t i = 0; i < module.proc_count; ++i) {
      auto [key, count, kind] = module.shape[i];
      if (kind == CHORD_COUNTERS_NUMBERS) {
        numbers = now;
      } else if (numbers == nullptr && key >= CHORD_FIRST_PROCEDURE_KEY && equal_words(now, before, count) == count) {
        // A procedure that did not run is not worth its key.
      } else {
        out.bytes(&key, sizeof key);
        if (numbers != nullptr)
          put_numbered(out, now, before, count, numbers);
        else
          put_counters(out, now, before, count);
        numbers = nullptr;
      }
      now += count;
      before += count;
    }
  });
}

void put_record(Writer &out, uint32_t tag, const void *data, size_t size) {
  if (size != 0) out.record(tag, 0, [&] { out.bytes(data, size); });
}

void put_note(Writer &out, const char *note) { put_record(out, CHORD_RECORD_NOTE, note, length(note) + 1); }

bool is_own_note(const Instance &instance, const char *text) {
  for (uint32_t note = 1; note < note_end; note *= 2)
    if ((instance.notes & note) != 0 && same_bytes(note_text(note), text, length(note_text(note)) + 1)) return true;
  return false;
}

void put_notes(Writer &out, const Instance &instance, const Fold *base) {
  for (uint32_t i = 0; base != nullptr && i < base->note_count; ++i)
    if (!is_own_note(instance, base->notes[i])) put_note(out, base->notes[i]);
  for (uint32_t note = 1; note < note_end; note *= 2)
    if ((instance.notes & note) != 0) put_note(out, note_text(note));
  if (instance.unstopped != 0) {
    char buffer[128];
    Text note(buffer, sizeof buffer);
    note.add_number(instance.unstopped)
        .add(" thread(s) could not be stopped; functions active there are inexact");
    put_note(out, buffer);
  }
}

// What ended early, and what threads counted, in all runs.
void put_merged(Writer &out, const Fold &base) {
  put_record(out, CHORD_RECORD_EXITS, base.merged, base.exit_count * sizeof(chord_exit));
  if (base.event_count == 0) return;
  out.record(CHORD_RECORD_THREADS, 0, [&] {
    for (const chord_exit *at = base.merged + base.exit_count; at != base.merged + base.exit_count + base.event_count; ++at) {
      chord_thread_events events{at->count, static_cast<uint32_t>(at->pc), at->kind};
      out.bytes(&events, sizeof events);
    }
  });
}

// `base`: what is added to, or null.
uint32_t put_payload(Writer &out, const Instance &instance, const End &end, const Fold *base) {
  if (base != nullptr) {
    uint64_t runs = base->runs + 1;
    chord_superseded superseded{base->base, base->base_checksum};
    put_record(out, CHORD_RECORD_SUPERSEDES, &superseded, sizeof superseded);
    put_record(out, CHORD_RECORD_RUNS, &runs, sizeof runs);
  }
  put_process(out, instance, end, base);
  for (uint32_t number = 0; number < instance.module_count; ++number)
    for (const Module *module = instance.modules; module != nullptr; module = module->next)
      if (module->number == number) put_module(out, *module);
  if (base != nullptr) {
    put_merged(out, *base);
  } else {
    put_record(out, CHORD_RECORD_EXITS, instance.resolved.data, instance.resolved.used);
    put_record(out, CHORD_RECORD_THREADS, instance.settled.data, instance.settled.used);
  }
  for (const ModeRecord &record : instance.mode_records) put_record(out, record.tag, record.data, record.size);
  put_notes(out, instance, base);
  constexpr uint32_t missing = note_out_of_memory | note_unseen_threads;
  return (end.kind == CHORD_END_DUMP ? uint32_t{CHORD_SEGMENT_LIVE} : 0u) |
         (base != nullptr ? base->base_flags & (CHORD_SEGMENT_TRUNCATED | CHORD_SEGMENT_MIXED) : 0u) |
         (base != nullptr && !base->same_arguments ? uint32_t{CHORD_SEGMENT_MIXED} : 0u) |
         ((instance.notes & missing) != 0 ? uint32_t{CHORD_SEGMENT_TRUNCATED} : 0u);
}

// ---- The file ------------------------------------------------------------------------

const char *reason(long error) {
  switch (-error) {
    case EACCES:
    case EPERM:
      return "permission denied";
    case ENOENT:
    case ENOTDIR:
      return "no such folder";
    case ENOSPC:
    case EDQUOT:
      return "no space left";
    case EROFS:
      return "read-only file system";
    case EFBIG:
      return "file size limit reached";
    case EMFILE:
    case ENFILE:
      return "too many open files";
    case EWOULDBLOCK:
      return "another process keeps it locked";
    case EINVAL:
      return "not a regular file";
    case EISDIR:
      return "it is a folder";
    case EMEDIUMTYPE:
      return "the file is there and is no profile; it is left as it was";
    case ELOOP:
      return "it is a symbolic link";
    default:
      return "system error";
  }
}

void warn(Instance &instance, const char *path, long error) {
  Text message(instance.message, sizeof instance.message);
  message.add("chord: warning: counts of process ").add_number(instance.pid).add(" are lost: cannot write '");
  message.add(path).add("': ").add(reason(error)).add(" (error ").add_number(static_cast<uint64_t>(-error));
  message.add("); set CHORD_OUT to a writable file\n");
  say(instance, message);
}

// A lock holder writes for milliseconds; one that does not let go is stopped or
// foreign, and must not stop us.
long lock_file(long file) {
  for (int tries = 0; tries < 20000; ++tries) {
    long result = kernel(SYS_flock, file, LOCK_EX | LOCK_NB);
    if (result != -EWOULDBLOCK && result != -EINTR) return result;
    sleep_ns(tries < 20 ? 50000 : 500000);
  }
  return -EWOULDBLOCK;
}

// Segments that are folded have sizes that are multiples of this, so that the next one fits where the last but one was.
constexpr uint64_t granule = 512;

// What is left of the granule after a payload; there is room for the header of a record.
uint64_t fill_behind(uint64_t payload) {
  uint64_t used = sizeof(chord_segment_header) + payload + sizeof(chord_record_header);
  return (used + granule - 1) / granule * granule - sizeof(chord_segment_header) - payload;
}

void put_fill(Writer &out, uint64_t size) {
  out.record(CHORD_RECORD_FILL, 0, [&] {
    for (uint64_t i = sizeof(chord_record_header); i < size; ++i) out.byte(0);
  });
}

long write_folded(Instance &instance, long file, const End &end, Fold &fold) {
  const Fold *base = fold.base_size != 0 ? &fold : nullptr;
  add_base_counts(fold, false);
  Writer out(instance, -1, 0);
  uint32_t flags = put_payload(out, instance, end, base);
  uint64_t fill = fill_behind(out.size());
  uint64_t start = find_room(fold, file, sizeof(chord_segment_header) + out.size() + fill);
  bool is_there = out.has_all(fill);
  out.write_to(file, start, is_there);
  if (!is_there) put_payload(out, instance, end, base);
  put_fill(out, fill);
  long error = out.finish(flags);
  if (error == 0) {
    drop_base(fold, file);
  } else {
    add_base_counts(fold, true);
    if (start >= fold.end) kernel(SYS_ftruncate, file, static_cast<long>(fold.end));
  }
  return error;
}

long append(Instance &instance, long file, const End &end) {
  long error = lock_file(file);
  if (error != 0) return error;
  long size = kernel(SYS_lseek, file, 0, SEEK_END);
  if (size < 0) return size;
  if (Fold *fold = begin_fold(instance, file, static_cast<uint64_t>(size), end)) {
    error = write_folded(instance, file, end, *fold);
    end_fold(fold);
    return error;
  }
  Writer out(instance, file, (static_cast<uint64_t>(size) + 7) & ~uint64_t{7});
  uint32_t flags = put_payload(out, instance, end, nullptr);
  error = out.finish(flags);
  if (error != 0) kernel(SYS_ftruncate, file, size);
  return error;
}

}  // namespace

bool append_segment(Instance &instance, const End &end) {
  char *path = instance.path();
  Text text(path, most_path);
  expand_out(instance, text);
  NoFileSizeSignal guard;
  // A relative name means the folder we started in, or nothing.
  bool nowhere = instance.out()[0] != '/' && instance.folder()[0] == 0;
  long file = nowhere ? -ENOENT : open_profile(instance, path);
  if (file == -ENOENT && instance.makes_folders) {
    make_folders(path);
    file = open_profile(instance, path);
  }
  instance.file = file;
  long error = file < 0 ? file : append(instance, file, end);
  if (file >= 0) {
    // Closing would not unlock it if another thread forked meanwhile.
    kernel(SYS_flock, file, LOCK_UN);
    kernel(SYS_close, file);
  }
  instance.file = 0;
  if (error != 0) warn(instance, path, error);
  if (error == 0) keep_maps(instance);
  return error == 0;
}

// A later file with the same number is the program's own.
void say(const Instance &instance, const Text &message) {
  struct stat now;
  if (instance.quiet || kernel(SYS_fstat, 2, arg(&now)) < 0 || now.st_dev != instance.stderr_device ||
      now.st_ino != instance.stderr_file)
    return;
  kernel(SYS_write, 2, reinterpret_cast<long>(message.data()), static_cast<long>(message.size()));
}

long open_above_standard(const char *path, int flags, int mode) {
  long file = kernel(SYS_open, reinterpret_cast<long>(path), flags, mode);
  if (file < 0 || file > 2) return file;
  long higher = kernel(SYS_fcntl, file, F_DUPFD_CLOEXEC, 3);
  kernel(SYS_close, file);
  return higher;
}

void remember_stderr(Instance &instance) {
  struct stat now;
  if (kernel(SYS_fstat, 2, arg(&now)) < 0) return;
  instance.stderr_device = now.st_dev;
  instance.stderr_file = now.st_ino;
}

}  // namespace chord::runtime
