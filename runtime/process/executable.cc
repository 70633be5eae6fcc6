// Where the program's file is. /proc/self/exe says it, but asking there takes longer than anything else that is done at the
// start: the kernel makes the process's entries of /proc for it, and takes them away again when it ends. So the name that the
// program was started by is tried first. It is the same path if no part of it is a link or goes back, and if the file has the
// program's build id: the name may be a script's, or another's that has been put there since.
#include <sys/auxv.h>

#include "runtime.h"

namespace chord::runtime {
namespace {

// `path` up to `end`, from `known` on, which is as it should be.
bool goes_straight(char *path, size_t known, size_t end) {
  for (size_t start = known + 1, at = start; at <= end; ++at) {
    if (path[at] != '/' && path[at] != 0) continue;
    size_t size = at - start;
    if (size == 0 || (path[start] == '.' && (size == 1 || (size == 2 && path[start + 1] == '.')))) return false;
    struct stat part;
    char next = path[at];
    path[at] = 0;
    long error = kernel(SYS_lstat, arg(path), arg(&part));
    path[at] = next;
    if (error != 0 || S_ISLNK(part.st_mode)) return false;
    start = at + 1;
  }
  return true;
}

bool is_program(const char *path, const BuildId &id) {
  char found[64];
  if (id.size == 0 || id.size > sizeof found) return false;
  long file = open_above_standard(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
  if (file < 0) return false;
  long size = kernel(SYS_pread64, file, arg(found), static_cast<long>(id.size), static_cast<long>(id.offset));
  kernel(SYS_close, file);
  return size == static_cast<long>(id.size) && same_bytes(found, id.bytes, id.size);
}

bool is_named_by(const char *name, Instance &instance, const BuildId &id) {
  if (name == nullptr || name[0] == 0) return false;
  Text path(instance.executable, sizeof instance.executable);
  if (name[0] != '/') {
    if (instance.folder()[0] != '/') return false;
    if (instance.folder()[1] != 0) path.add(instance.folder());
    if (name[0] == '.' && name[1] == '/') name += 2;
  }
  size_t known = path.size();
  if (name[0] != '/') path.add('/');
  path.add(name);
  return path.size() < sizeof instance.executable - 1 && goes_straight(instance.executable, known, path.size()) &&
         is_program(instance.executable, id);
}

}  // namespace

void name_executable(Instance &instance, const char *called, const BuildId &id) {
  bool trusted = getauxval(AT_SECURE) == 0;
  if (trusted && is_named_by(reinterpret_cast<const char *>(getauxval(AT_EXECFN)), instance, id)) return;
  long size = kernel(SYS_readlink, reinterpret_cast<long>("/proc/self/exe"), arg(instance.executable), sizeof instance.executable - 1);
  instance.executable[size < 0 ? 0 : size] = 0;
  if (size <= 0 && called != nullptr) Text(instance.executable, sizeof instance.executable).add(called);
}

}  // namespace chord::runtime
