#include "base/process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/diagnostics.h"
#include "base/file.h"

namespace chord::base {
namespace {

std::vector<char *> pointers(const std::vector<std::string> &argv) {
  std::vector<char *> out;
  for (const std::string &a : argv) out.push_back(const_cast<char *>(a.c_str()));
  out.push_back(nullptr);
  return out;
}

// An anonymous file rather than a pipe: no reader can be too slow, and no
// signal is raised if nobody reads.
int anonymous_file(std::string_view content) {
  int fd = ::memfd_create("chord", MFD_CLOEXEC);
  if (fd < 0) throw Error(fmt::format("cannot create a file in memory: {}", std::strerror(errno)));
  while (!content.empty()) {
    ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      ::close(fd);
      throw Error(fmt::format("cannot write a temporary file: {}", std::strerror(errno)));
    }
    content.remove_prefix(static_cast<size_t>(n));
  }
  ::lseek(fd, 0, SEEK_SET);
  return fd;
}

// What a program is started with.
struct Start {
  int in = -1, err = -1;      // files in the place of its standard input and error, if any
  bool ends_with_us = false;
  const sigset_t *mask = nullptr;  // signals that it blocks; the same as we do
};

// The child runs in our memory until it is another program: a copy of all page tables, and a fault for each page that is touched
// afterwards, cost more than most of what is started does. `failed`: why it is none, as errno.
pid_t start(char *const *args, const Start &with, int &failed) {
  volatile int why = 0;
  const pid_t us = ::getpid();
  const pid_t child = ::vfork();
  if (child == 0) {
    if (with.ends_with_us) {
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (::getppid() != us) ::_exit(1);
    }
    if (with.in >= 0) ::dup2(with.in, 0);
    if (with.err >= 0) ::dup2(with.err, 2);
    if (with.mask != nullptr) ::sigprocmask(SIG_SETMASK, with.mask, nullptr);
    ::execvp(args[0], args);
    why = errno;
    ::_exit(127);
  }
  failed = why;
  return child;
}

}  // namespace

Outcome run(const std::vector<std::string> &argv, const std::string *input, bool capture_errors) {
  int in = input ? anonymous_file(*input) : -1;
  int err = capture_errors ? anonymous_file({}) : -1;
  std::vector<char *> args = pointers(argv);
  int failed = 0;
  pid_t child = start(args.data(), {in, err}, failed);
  if (child < 0) throw Error(fmt::format("cannot start {}: {}", argv[0], std::strerror(errno)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (failed != 0) error(fmt::format("cannot run {}: {}", argv[0], std::strerror(failed)));
  Outcome outcome;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (in >= 0) ::close(in);
  if (err >= 0) {
    ::lseek(err, 0, SEEK_SET);
    outcome.errors = read_all(err);
    ::close(err);
  }
  return outcome;
}

namespace {

constexpr int kPassedOn[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
constexpr int kLeftToChild[] = {SIGINT, SIGQUIT};

volatile sig_atomic_t child_in_our_place = 0;

void pass_on(int signal) {
  int saved = errno;
  if (child_in_our_place != 0) ::kill(child_in_our_place, signal);
  errno = saved;
}

// What the terminal sends reaches the child without us.
void leave_to_child(int) {}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  struct sigaction before;
  // What our parent ignores (nohup) stays ignored, by the child as well.
  if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
}

[[noreturn]] void die_of(int signal) {
  rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);  // the child has left one already
  ::signal(signal, SIG_DFL);
  ::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace

int run_in_our_place(const std::vector<std::string> &argv) {
  std::vector<char *> args = pointers(argv);
  // One that comes before there is a child waits until it can be passed on.
  sigset_t passed_on, before;
  ::sigemptyset(&passed_on);
  for (int signal : kPassedOn) ::sigaddset(&passed_on, signal);
  for (int signal : kLeftToChild) ::sigaddset(&passed_on, signal);
  ::sigprocmask(SIG_BLOCK, &passed_on, &before);
  int failed = 0;
  pid_t child = start(args.data(), {-1, -1, true, &before}, failed);
  if (child < 0) throw Error(fmt::format("cannot start {}: {}", argv[0], std::strerror(errno)));
  child_in_our_place = child;
  for (int signal : kPassedOn) handle(signal, pass_on);
  for (int signal : kLeftToChild) handle(signal, leave_to_child);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  child_in_our_place = 0;
  if (failed != 0) {
    error(fmt::format("cannot run {}: {}", argv[0], std::strerror(failed)), "is it installed, and spelled right?");
    return failed == ENOENT ? 127 : 126;
  }
  if (WIFSIGNALED(status)) die_of(WTERMSIG(status));
  return WEXITSTATUS(status);
}

void execute(const std::vector<std::string> &argv) {
  std::vector<char *> args = pointers(argv);
  ::execvp(args[0], args.data());
  throw Error(fmt::format("cannot run {}: {}", argv[0], std::strerror(errno)),
              "is it installed, and spelled right?");
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string find_in_path(std::string_view name, const std::vector<std::string> &not_these) {
  namespace fs = std::filesystem;
  const char *path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    size_t colon = rest.find(':');
    std::string folder(rest.substr(0, colon));
    rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
    std::string candidate = (folder.empty() ? std::string(".") : folder) + "/" + std::string(name);
    if (!is_executable_file(candidate)) continue;
    bool excluded = false;
    for (const std::string &other : not_these) {
      std::error_code failed;
      excluded = excluded || fs::equivalent(candidate, other, failed);
    }
    if (!excluded) return candidate;
  }
  return {};
}

}  // namespace chord::base
