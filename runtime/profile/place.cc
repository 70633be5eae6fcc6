// Where the profile goes. In this order: CHORD_OUT; the place that was given when the program was built (`chord --out`);
// beside the program, or in a plain program beside the woven library, if whoever runs it may write there and it is no
// folder of the system; the folder in which it was started. A place is a file's name with % in it (expand_out), and it is
// chosen at the start: the program may change its folder, its root and its user later.
#include <sys/utsname.h>

#include "runtime.h"

namespace chord::runtime {
namespace {

// Where programs are installed. Root may write there, but nobody looks for profiles in such places.
constexpr char system_folders[] =
    "/usr/\0/bin/\0/sbin/\0/lib/\0/lib32/\0/lib64/\0/libx32/\0/opt/\0/etc/\0/boot/\0/nix/\0/gnu/\0/snap/\0";

// Of a path, with its slash.
size_t folder_size(const char *path) {
  size_t size = 0;
  for (size_t i = 0; path[i] != 0; ++i)
    if (path[i] == '/') size = i + 1;
  return size;
}

bool is_of_system(const char *folder) {
  for (const char *one = system_folders; *one != 0; one += length(one) + 1)
    if (same_bytes(one, folder, length(one))) return true;
  return false;
}

// The real user, not the effective one.
bool may_write(const char *folder) {
  return kernel(SYS_access, reinterpret_cast<long>(folder), W_OK | X_OK) == 0;
}

// As a place: % stands for itself.
void add_quoted(Text &out, const char *folder) {
  for (; *folder != 0; ++folder) {
    if (*folder == '%') out.add('%');
    out.add(*folder);
  }
}

void add_folder_of(const Instance &instance, const char *woven, Text &out) {
  char folder[2048];
  Text text(folder, sizeof folder);
  if (woven[0] != '/') text.add(instance.folder()).add('/');
  text.add(woven);
  size_t size = folder_size(folder);
  // At the root, or cut off.
  if (folder[0] != '/' || size <= 1 || text.size() >= sizeof instance.executable - 1) return;
  folder[size] = 0;
  if (!is_of_system(folder) && may_write(folder)) add_quoted(out, folder);
}

const char *base_name(const char *path) { return path + folder_size(path); }

}  // namespace

void choose_place(Instance &instance, const char *asked, const char *built_in, const char *woven) {
  Text out(instance.out(), most_out);
  if (asked == nullptr || asked[0] == 0) {
    asked = built_in;
    instance.makes_folders = built_in != nullptr && !instance.secure;
  }
  if (asked != nullptr) {
    out.add(asked);
    return;
  }
  add_folder_of(instance, woven, out);
  out.add("%e.chord");
}

void make_folders(char *path) {
  for (char *at = path + 1; *at != 0; ++at) {
    if (*at != '/') continue;
    *at = 0;
    kernel(SYS_mkdir, reinterpret_cast<long>(path), 0777);
    *at = '/';
  }
}

void expand_out(const Instance &instance, Text &path) {
  utsname host;
  if (instance.out()[0] != '/' && instance.folder()[0] != 0) path.add(instance.folder()).add('/');
  for (const char *c = instance.out(); *c != 0; ++c) {
    if (*c != '%' || c[1] == 0) {
      path.add(*c);
      continue;
    }
    switch (*++c) {
      case 'p':
        path.add_number(instance.pid);
        break;
      case 'e':
        path.add(base_name(instance.executable));
        break;
      case 't':
        path.add_number(instance.process_start_ns / 1000000000u);
        break;
      case 'h':
        path.add(kernel(SYS_uname, arg(&host)) == 0 ? host.nodename : "host");
        break;
      case '%':
        path.add('%');
        break;
      default:
        path.add('%').add(*c);
    }
  }
}

}  // namespace chord::runtime
