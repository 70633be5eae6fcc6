#include "cli/arguments/proc_files.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/diagnostics.h"

namespace chord::cli {
namespace {

[[noreturn]] void refuse(pid_t pid, int why) {
  if (why == ENOENT || why == ESRCH) throw base::Error(fmt::format("process {}: no such process", pid));
  throw base::Error(fmt::format("process {}: {}", pid, std::strerror(why)),
                    "only the process's own user, and root, may ask it");
}

}  // namespace

std::string read_proc(pid_t pid, const std::string &name) {
  errno = 0;
  std::ifstream in(fmt::format("/proc/{}/{}", pid, name), std::ios::binary);
  if (!in) refuse(pid, errno != 0 ? errno : ENOENT);
  std::ostringstream bytes;
  errno = 0;
  bytes << in.rdbuf();
  if (in.bad() || (errno != 0 && bytes.str().empty())) refuse(pid, errno != 0 ? errno : EIO);
  return bytes.str();
}

std::string status_field(const std::string &status, const std::string &name) {
  size_t at = ("\n" + status).find("\n" + name + ":");
  if (at == std::string::npos) return "";
  size_t value = status.find_first_not_of(" \t", at + name.size() + 1);
  return status.substr(value, status.find('\n', value) - value);
}

uint64_t inner_pid(pid_t pid) {
  std::istringstream numbers(status_field(read_proc(pid, "status"), "NSpid"));
  uint64_t number = static_cast<uint64_t>(pid);
  for (uint64_t next = 0; numbers >> next;) number = next;
  return number;
}

std::string root_of(pid_t pid) {
  std::string root = fmt::format("/proc/{}/root", pid);
  struct stat here, there;
  if (stat("/", &here) != 0 || stat(root.c_str(), &there) != 0) return "";
  return here.st_dev == there.st_dev && here.st_ino == there.st_ino ? "" : root;
}

}  // namespace chord::cli
