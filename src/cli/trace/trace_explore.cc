#include "cli/trace/trace_explore.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <functional>
#include <map>

#include "base/diagnostics.h"
#include "cli/arguments/open_trace.h"
#include "cli/arguments/options.h"
#include "dap/explorer.h"
#include "report/tables/names.h"

// Its macros would change what the headers above mean.
#define NCURSES_NOMACROS 1
#include <curses.h>

namespace chord::cli {
namespace {

constexpr const char *kTraceExploreKeys =
    "Keys: n and N the next line and the one before, s into a call, o out of this one, i and I an instruction, c and C to the next\n"
    "breakpoint and the one before, b sets or takes away a breakpoint (FILE:LINE or a function), g goes to a number of\n"
    "instructions, u and d show the caller and back, a assembly, t the next thread, q ends.\n";
constexpr const char *kTraceExploreHint = "n/N line  s in  o out  i/I instruction  c/C run  b breakpoint  g go  u/d frames  a assembly  t thread  q quit";

using dap::Direction;
using dap::Explorer;

class ExploreScreen {
 public:
  ExploreScreen() {
    std::setlocale(LC_ALL, "");
    if (initscr() == nullptr) throw base::Error("this terminal cannot show full screens", "set TERM");
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
  }
  ~ExploreScreen() { endwin(); }
  ExploreScreen(const ExploreScreen &) = delete;
  ExploreScreen &operator=(const ExploreScreen &) = delete;

  // The title, the source around the moment, the innermost calls, a line of help or what there is to say.
  void draw(const Explorer::Page &page, const std::string &message) const {
    erase();
    put(0, page.title, A_BOLD | A_REVERSE);
    const int calls = std::min<int>(static_cast<int>(page.stack.size()), std::max(1, LINES / 4));
    const int room = std::max(1, LINES - 3 - calls), current = static_cast<int>(page.current);
    const int top = std::clamp(current - room / 2, 0, std::max(0, static_cast<int>(page.lines.size()) - room));
    for (int i = 0; i < room && top + i < static_cast<int>(page.lines.size()); ++i)
      put(1 + i, page.lines[static_cast<size_t>(top + i)], top + i == current ? A_REVERSE : A_NORMAL);
    put(1 + room, "calls", A_DIM);
    const int first = std::clamp(static_cast<int>(page.shown) - calls + 1, 0, std::max(0, static_cast<int>(page.stack.size()) - calls));
    for (int i = 0; i < calls; ++i)
      put(2 + room + i, page.stack[static_cast<size_t>(first + i)], first + i == static_cast<int>(page.shown) ? A_REVERSE : A_NORMAL);
    put(LINES - 1, message.empty() ? kTraceExploreHint : message, A_DIM);
    refresh();
  }

  std::string ask(const std::string &prompt) const {
    std::string text;
    for (;;) {
      put(LINES - 1, prompt + text, A_NORMAL);
      refresh();
      const int key = getch();
      if (key == '\n' || key == '\r' || key == KEY_ENTER) return text;
      if (key == 27 || key == ERR) return "";
      if (key == KEY_BACKSPACE || key == 127) {
        if (!text.empty()) text.pop_back();
      } else if (key >= 32 && key < 256) {
        text.push_back(static_cast<char>(key));
      }
    }
  }

 private:
  // Sources are anything; a control character must not reach the terminal.
  static void put(int row, const std::string &text, attr_t look) {
    std::string shown;
    for (char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '\t') shown.append(8 - report::display_width(shown) % 8, ' ');
      else shown.push_back(byte < 32 || byte == 127 ? '?' : c);
    }
    attrset(look);
    mvaddstr(row, 0, report::cut_end(shown, static_cast<size_t>(COLS)).c_str());
    clrtoeol();
    attrset(A_NORMAL);
  }
};

std::string go(Explorer &explorer, const std::string &digits) {
  uint64_t number = 0;
  auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || failed != std::errc{} || end != digits.data() + digits.size()) return fmt::format("'{}' is no number", digits);
  explorer.go_to(number);
  return "";
}

const std::map<int, std::function<void(Explorer &)>> &explore_keys() {
  static const std::map<int, std::function<void(Explorer &)>> kKeys = {
      {'n', [](Explorer &e) { e.step_over(Direction::forward); }},   {KEY_DOWN, [](Explorer &e) { e.step_over(Direction::forward); }},
      {'N', [](Explorer &e) { e.step_over(Direction::backward); }},  {KEY_UP, [](Explorer &e) { e.step_over(Direction::backward); }},
      {'s', [](Explorer &e) { e.step_in(); }},                       {'o', [](Explorer &e) { e.step_out(); }},
      {'i', [](Explorer &e) { e.step_instruction(Direction::forward); }}, {'I', [](Explorer &e) { e.step_instruction(Direction::backward); }},
      {'c', [](Explorer &e) { e.run(Direction::forward); }},         {'C', [](Explorer &e) { e.run(Direction::backward); }},
      {'u', [](Explorer &e) { e.show_caller(); }},                   {'d', [](Explorer &e) { e.show_callee(); }},
      {'a', [](Explorer &e) { e.show_assembly(!e.shows_assembly()); }}, {'t', [](Explorer &e) { e.next_thread(); }}};
  return kKeys;
}

void explore(Explorer &explorer) {
  const ExploreScreen screen;
  std::string message;
  for (;;) {
    screen.draw(explorer.page(), message);
    message.clear();
    const int key = getch();
    if (key == ERR || key == 'q') return;
    if (key == 'b') message = explorer.toggle_breakpoint(screen.ask("breakpoint: "));
    else if (key == 'g') message = go(explorer, screen.ask("go to instruction: "));
    else if (auto found = explore_keys().find(key); found != explore_keys().end()) found->second(explorer);
  }
}

}  // namespace

int trace_explore(std::vector<std::string> args) {
  CLI::App app("A recorded run on a full screen, forward and backward.", "chord trace explore");
  std::string path, program;
  uint64_t from = 0;
  app.add_option("TRACE", path, "PROGRAM.chordtrace; the newest here if it is left out")->type_name("");
  app.add_option("--program", program, "the executable, if it is not where it ran")->type_name("FILE");
  app.add_option("--from", from, "begin after so many instructions")->type_name("N");
  app.footer(kTraceExploreKeys);
  if (!parse(app, std::move(args))) return 0;
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0)
    throw base::UsageError("chord trace explore needs a terminal", "chord trace writes to files and pipes");
  OpenTrace recording(std::make_unique<TraceInput>(path, program, true));
  if (recording.thread_count() == 0) throw base::Error("nothing was recorded");
  Explorer explorer(recording);
  explorer.go_to(from);
  explore(explorer);
  return 0;
}

}  // namespace chord::cli
