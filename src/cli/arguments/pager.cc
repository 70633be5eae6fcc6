#include "cli/arguments/pager.h"

#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/process.h"

namespace chord::cli {
namespace {

std::string pager_command() {
  for (const char *name : {"CHORD_PAGER", "PAGER"}) {
    if (const char *value = std::getenv(name)) return value;
  }
  return base::find_in_path("less").empty() ? "" : "less";
}

bool fits_the_screen(const std::string &text) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return true;
  return std::count(text.begin(), text.end(), '\n') < size.ws_row;
}

}  // namespace

bool show_in_pager(const std::string &text) {
  if (::isatty(STDOUT_FILENO) == 0 || fits_the_screen(text)) return false;
  std::string command = pager_command();
  if (command.empty() || command == "cat") return false;
  // less: quit if it fits, show colours, leave the text on the screen.
  ::setenv("LESS", "FRX", 0);
  std::fflush(stdout);
  FILE *pager = ::popen(command.c_str(), "w");
  if (pager == nullptr) return false;
  auto before = std::signal(SIGPIPE, SIG_IGN);  // the reader may leave early
  std::fwrite(text.data(), 1, text.size(), pager);
  int status = ::pclose(pager);
  std::signal(SIGPIPE, before);
  // The shell's way to say that there is no such program.
  return !(WIFEXITED(status) && WEXITSTATUS(status) == 127);
}

}  // namespace chord::cli
