#include "cli/studies/started_program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/diagnostics.h"

namespace chord::cli {
namespace {

// In the child: nothing but system calls.
struct Becoming {
  char **argv, **environment;
  const char *input;
  int gate, failure;
};
[[noreturn]] void become(const Becoming &how, bool traced) {
  int nothing = ::open("/dev/null", O_RDWR), input = ::open(how.input, O_RDONLY);
  ::dup2(input, 0);
  for (int stream = 1; stream < 3; ++stream) ::dup2(nothing, stream);
  char go = 0;
  if (!traced && ::read(how.gate, &go, 1) != 1) ::_exit(127);
  if (traced) {
    ::personality(ADDR_NO_RANDOMIZE);
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  }
  ::execve(how.argv[0], how.argv, how.environment);
  int why = errno;
  (void)!::write(how.failure, &why, sizeof why);
  ::_exit(127);
}

std::vector<char *> pointers(std::vector<std::string> &strings) {
  std::vector<char *> out;
  for (std::string &s : strings) out.push_back(s.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

StartedProgram::StartedProgram(const RunCommand &command, Wait wait) : program_(command.program) {
  std::vector<std::string> arguments = {command.program.find('/') == std::string::npos ? "./" + command.program : command.program}, environment;
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  for (char **e = environ; *e != nullptr; ++e) {
    if (std::strncmp(*e, "CHORD_", 6) != 0) environment.emplace_back(*e);
  }
  environment.push_back("CHORD_OUT=" + command.profile);
  std::vector<char *> argv = pointers(arguments), envp = pointers(environment);
  const std::string input = command.input.empty() ? "/dev/null" : command.input;
  if (::access(input.c_str(), R_OK) != 0) throw base::Error(fmt::format("{}: cannot read: {}", input, std::strerror(errno)));
  int gate[2], failure[2];
  if (::pipe2(gate, O_CLOEXEC) != 0 || ::pipe2(failure, O_CLOEXEC) != 0) throw base::Error(fmt::format("pipe: {}", std::strerror(errno)));
  pid_ = ::fork();
  if (pid_ == 0) become({argv.data(), envp.data(), input.c_str(), gate[0], failure[1]}, wait == Wait::traced);
  ::close(gate[0]);
  ::close(failure[1]);
  gate_ = gate[1];
  failure_ = failure[0];
  if (pid_ < 0) throw base::Error(fmt::format("fork: {}", std::strerror(errno)));
  if (wait == Wait::traced) expect_started();
  int status = 0;
  if (wait == Wait::traced && (::waitpid(pid_, &status, 0) != pid_ || !WIFSTOPPED(status))) {
    pid_ = -1;
    throw base::Error(fmt::format("{}: cannot be run in single steps", program_));
  }
}

void StartedProgram::release() {
  (void)!::write(gate_, "", 1);
  expect_started();
}

void StartedProgram::expect_started() {
  int why = 0;
  if (::read(failure_, &why, sizeof why) == sizeof why) throw base::Error(fmt::format("{}: cannot be run: {}", program_, std::strerror(why)));
}

int StartedProgram::wait() {
  int status = 0;
  for (;;) {
    pid_t got = ::waitpid(pid_, &status, 0);
    if (got < 0 ? errno != EINTR : !WIFSTOPPED(status)) break;
  }
  pid_ = -1;
  return status;
}

StartedProgram::~StartedProgram() {
  ::close(gate_);
  ::close(failure_);
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  wait();
}

}  // namespace chord::cli
