// The kernel, without libc: every call here is async-signal-safe, leaves errno
// alone and needs nothing that a static program might lack. Results are the
// kernel's own: negative numbers are error codes.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "chord_process.h"

// What woven code, or assembly text, refers to: visible to the linker, never
// outside the module.
#ifdef __clang__  // which only reads the tool's copy of these headers
#define CHORD_SHARED __attribute__((visibility("hidden")))
#else
#define CHORD_SHARED __attribute__((externally_visible, visibility("hidden")))
#endif
// What is behind <chord/chord.h>; the names it knows are in visible.s.
#define CHORD_API extern "C" CHORD_SHARED

namespace chord::runtime {

inline long kernel(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

template <class T>
inline long arg(T *pointer) {
  return reinterpret_cast<long>(pointer);
}

inline uint32_t process_id() { return static_cast<uint32_t>(kernel(SYS_getpid)); }
inline uint32_t thread_id() { return static_cast<uint32_t>(kernel(SYS_gettid)); }

// The address thread-local variables are relative to; the same for a thread's
// whole life and never shared by two live threads.
inline char *thread_pointer() {
  char *result;
  asm("movq %%fs:0, %0" : "=r"(result));
  return result;
}

inline uint64_t wall_clock_ns() {
  timespec now{};
  kernel(SYS_clock_gettime, CLOCK_REALTIME, arg(&now));
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

inline void sleep_ns(long ns) {
  timespec pause{0, ns};
  kernel(SYS_nanosleep, arg(&pause), 0);
}

// Fresh zeroed pages, or null. Never returned to the kernel by this file.
inline void *map_pages(size_t size) {
  long result = kernel(SYS_mmap, 0, static_cast<long>(size), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return result < 0 && result > -4096 ? nullptr : reinterpret_cast<void *>(result);
}
inline void unmap_pages(void *pages, size_t size) { kernel(SYS_munmap, arg(pages), static_cast<long>(size)); }

// ---- Signals ------------------------------------------------------------
// The kernel's own 64-bit mask: unlike libc's functions it also covers the two
// signals libc keeps to itself.

constexpr Mask mask_of(int signal) { return Mask{1} << (signal - 1); }

inline Mask set_mask(Mask mask) {
  Mask old = 0;
  kernel(SYS_rt_sigprocmask, SIG_SETMASK, arg(&mask), arg(&old), sizeof mask);
  return old;
}

inline long kernel_sigaction(int signal, const KernelAction *action, KernelAction *old) {
  return kernel(SYS_rt_sigaction, signal, reinterpret_cast<long>(action), arg(old), sizeof(Mask));
}

// Writing past RLIMIT_FSIZE sends a signal that would kill the program; it is
// blocked here, and taken back if it was not there before.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal() { kernel(SYS_rt_sigpending, arg(&before_), sizeof before_); }
  ~NoFileSizeSignal() {
    Mask wanted = mask_of(SIGXFSZ);
    timespec at_once{};
    if ((before_ & wanted) == 0) kernel(SYS_rt_sigtimedwait, arg(&wanted), 0, arg(&at_once), sizeof wanted);
  }

 private:
  Mask before_ = 0;
};

// ---- Locks --------------------------------------------------------------

inline void Lock::acquire() {
  for (unsigned spins = 0; __atomic_exchange_n(&word, 1, __ATOMIC_ACQUIRE) != 0; ++spins)
    if (spins < 64)
      asm volatile("pause");
    else
      sleep_ns(20000);
}
inline void Lock::release() { __atomic_store_n(&word, 0, __ATOMIC_RELEASE); }

class Guard {
 public:
  explicit Guard(Lock &lock) : lock_(lock), mask_(set_mask(~Mask{0})) { lock_.acquire(); }
  ~Guard() {
    lock_.release();
    set_mask(mask_);
  }
  Guard(const Guard &) = delete;
  Guard &operator=(const Guard &) = delete;

 private:
  Lock &lock_;
  Mask mask_;
};

// ---- Bytes --------------------------------------------------------------
// The volatile-free loops below would be recognised and turned into calls of
// libc's functions, which a program may have replaced by woven ones.
#define CHORD_NO_LIBCALL __attribute__((optimize("no-tree-loop-distribute-patterns")))

CHORD_NO_LIBCALL inline size_t length(const char *text) {
  size_t n = 0;
  while (text[n] != 0) ++n;
  return n;
}

inline void copy_bytes(void *to, const void *from, size_t size) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

// Everything else is made small. What runs over all counters, or at each longjmp, is made fast.
#define CHORD_FAST __attribute__((optimize("O2", "no-align-loops", "no-align-jumps", "no-align-labels")))

// Only what differs: pages that nobody has written to stay untouched.
CHORD_FAST inline void copy_words(uint64_t *to, const uint64_t *from, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (to[i] != from[i]) to[i] = from[i];
}

// Whether the word, which is written once, has that value, and if it is still 0 gives it to it.
inline bool is_or_becomes(uint64_t *word, uint64_t value) {
  uint64_t found = __atomic_load_n(word, __ATOMIC_ACQUIRE);
  return found == value ||
         (found == 0 && (__atomic_compare_exchange_n(word, &found, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
                         found == value));
}

inline void zero_bytes(void *to, size_t size) {
  asm volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(0) : "memory");
}

CHORD_NO_LIBCALL inline bool same_bytes(const void *a, const void *b, size_t size) {
  for (size_t i = 0; i < size; ++i)
    if (static_cast<const char *>(a)[i] != static_cast<const char *>(b)[i]) return false;
  return true;
}

inline bool same_text(const char *a, const char *b) { return a != nullptr && same_bytes(a, b, length(a) + 1); }

template <class T>
inline T load(const void *from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

// Text in a fixed buffer: what does not fit is left out, the end is always NUL.
class Text {
 public:
  Text(char *buffer, size_t size) : buffer_(buffer), size_(size) { buffer_[0] = 0; }
  Text &add(char c) {
    if (used_ + 1 < size_) {
      buffer_[used_++] = c;
      buffer_[used_] = 0;
    }
    return *this;
  }
  Text &add(const char *text) {
    while (*text != 0) add(*text++);
    return *this;
  }
  Text &add_number(uint64_t number) {
    char digits[24];
    size_t n = 0;
    do digits[n++] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    while (n != 0) add(digits[--n]);
    return *this;
  }
  size_t size() const { return used_; }
  const char *data() const { return buffer_; }

 private:
  char *buffer_;
  size_t size_;
  size_t used_ = 0;
};

}  // namespace chord::runtime
