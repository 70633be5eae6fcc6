// Who may open which file: what is appended to must be a profile, and a program that has more rights than
// whoever started it must not lend them.
//
// Such a program (set-user-id, set-group-id, capabilities) opens the file as its caller would, with the
// caller's user, group and none of its own capabilities, and follows no link. So nothing is written
// that the caller could not write without it, whatever folders and links are exchanged meanwhile. Where
// it can no longer become its caller, because it has given up its rights to be another, nothing is written.
#include <errno.h>

#include "runtime.h"

namespace chord::runtime {
namespace {

// Of this thread alone: libc would change the others, too.
class AsCaller {
 public:
  explicit AsCaller(const Instance &instance) : active_(instance.secure) {
    if (!active_) return;
    old_group_ = set_group(instance.caller_group);
    old_user_ = set_user(instance.caller_user);
    // Asking again is the only way to know.
    is_caller_ = set_group(-1) == instance.caller_group && set_user(-1) == instance.caller_user &&
                 kernel(SYS_capget, arg(&header_), arg(old_)) == 0;
    if (!is_caller_) return;
    Capabilities none[2] = {old_[0], old_[1]};
    none[0].effective = none[1].effective = 0;
    is_caller_ = kernel(SYS_capset, arg(&header_), arg(none)) == 0;
  }
  ~AsCaller() {
    if (!active_) return;
    set_user(old_user_);
    set_group(old_group_);
    if (is_caller_) kernel(SYS_capset, arg(&header_), arg(old_));
  }
  AsCaller(const AsCaller &) = delete;
  AsCaller &operator=(const AsCaller &) = delete;
  bool failed() const { return active_ && !is_caller_; }

 private:
  // As the kernel has them (capget(2), version 3).
  struct Header {
    uint32_t version = 0x20080522;
    int32_t pid = 0;
  };
  struct Capabilities {
    uint32_t effective, permitted, inheritable;
  };
  static long set_user(long user) { return kernel(SYS_setfsuid, user); }
  static long set_group(long group) { return kernel(SYS_setfsgid, group); }

  bool active_, is_caller_ = false;
  long old_user_ = 0, old_group_ = 0;
  Header header_;
  Capabilities old_[2] = {};
};

// Empty, or what segments begin with, those that no longer count too (fold.cc); or one that was not finished, whose magic
// is missing (writer.cc).
bool is_profile(long file, const struct stat &facts) {
  constexpr long header = sizeof(chord_segment_header);
  uint64_t first = 0, record = 0;
  if (facts.st_size == 0) return true;
  if (kernel(SYS_pread64, file, arg(&first), sizeof first, 0) != sizeof first) return false;
  if (first == CHORD_SEGMENT_MAGIC || first == CHORD_DEAD_MAGIC) return true;
  return first == 0 && kernel(SYS_pread64, file, arg(&record), sizeof record, header) == sizeof record &&
         record == CHORD_RECORD_PROCESS;
}

// 0, or why nothing can be appended.
long check_file(long file) {
  struct stat facts;
  if (kernel(SYS_fstat, file, arg(&facts)) < 0 || !S_ISREG(facts.st_mode)) return -EINVAL;
  return is_profile(file, facts) ? 0 : -EMEDIUMTYPE;
}

}  // namespace

long open_profile(const Instance &instance, const char *path) {
  AsCaller as_caller(instance);
  if (as_caller.failed()) return -EPERM;
  // Opening a device may do something already.
  struct stat facts;
  bool exists = kernel(instance.secure ? SYS_lstat : SYS_stat, reinterpret_cast<long>(path), arg(&facts)) == 0;
  if (exists && instance.secure && S_ISLNK(facts.st_mode)) return -ELOOP;
  if (exists && !S_ISREG(facts.st_mode)) return S_ISDIR(facts.st_mode) ? -EISDIR : -EINVAL;
  int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (instance.secure ? O_NOFOLLOW : 0);
  long file = open_above_standard(path, flags, instance.secure ? 0644 : 0666);
  if (file < 0) return file;
  long error = check_file(file);
  if (error == 0) return file;
  kernel(SYS_close, file);
  return error;
}

}  // namespace chord::runtime
