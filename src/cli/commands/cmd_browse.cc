// chord browse: report/source/browser.h on a full screen.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <map>
#include <optional>

#include "base/diagnostics.h"
#include "cli/arguments/options.h"
#include "cli/command.h"
#include "report/source/browser.h"
#include "report/tables/names.h"

// Its macros would change what the headers above mean.
#define NCURSES_NOMACROS 1
#include <curses.h>

namespace chord::cli {
namespace {

constexpr const char *kBrowseExamples =
    "Examples:\n"
    "  chord browse                          the newest profile here\n"
    "  chord browse prog.chord\n"
    "  chord browse build/tests              all profiles in a folder as one\n"
    "\n"
    "Keys: arrows or j k, Page Up and Down, Enter opens, s source, a assembly, c callers and callees,\n"
    "p paths, x contexts, t the tree of contexts, / searches, n again, o order, q back, h help.\n";

using Key = report::Browser::Key;

const std::map<int, Key> &keys() {
  static const std::map<int, Key> kKeys = {
      {KEY_UP, Key::up},       {'k', Key::up},          {KEY_DOWN, Key::down},   {'j', Key::down},   {KEY_PPAGE, Key::page_up},
      {KEY_NPAGE, Key::page_down}, {' ', Key::page_down}, {KEY_HOME, Key::first},  {'g', Key::first},  {KEY_END, Key::last},
      {'G', Key::last},        {KEY_ENTER, Key::open},  {'\n', Key::open},       {'\r', Key::open},  {KEY_RIGHT, Key::open},
      {'q', Key::back},        {KEY_LEFT, Key::back},   {27, Key::back},         {'s', Key::source}, {'a', Key::assembly},
      {'c', Key::calls},       {'p', Key::paths},       {'h', Key::help},        {KEY_F(1), Key::help}, {'?', Key::help},
      {'o', Key::sort},        {'x', Key::contexts},    {'t', Key::tree}};
  return kKeys;
}

class Screen {
 public:
  Screen() {
    std::setlocale(LC_ALL, "");
    if (initscr() == nullptr) throw base::Error("this terminal cannot show full screens", "set TERM");
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    const char *no_color = std::getenv("NO_COLOR");
    color_ = has_colors() && (no_color == nullptr || *no_color == '\0');
    if (!color_) return;
    start_color();
    use_default_colors();
    init_pair(1, COLOR_RED, -1);
    init_pair(2, COLOR_YELLOW, -1);
  }
  ~Screen() { endwin(); }
  Screen(const Screen &) = delete;
  Screen &operator=(const Screen &) = delete;

  size_t height() const { return LINES > 4 ? static_cast<size_t>(LINES - 3) : 1; }

  void draw(const report::BrowserPage &page, const std::string &message) {
    erase();
    line(0, page.title, A_BOLD | A_REVERSE);
    line(1, page.heading, A_DIM);
    for (size_t i = 0; i < height() && page.top + i < page.lines.size(); ++i) {
      const report::BrowserLine &l = page.lines[page.top + i];
      attr_t look = page.top + i == page.cursor ? A_REVERSE : A_NORMAL;
      if (color_ && l.heat >= 0.05) look |= COLOR_PAIR(l.heat >= 0.2 ? 1 : 2);
      line(static_cast<int>(i) + 2, report::fit_line(l, static_cast<size_t>(COLS)), look);
    }
    line(LINES - 1, message.empty() ? "h help  q back  Enter open  s source  a assembly  c calls  p paths  x contexts  t tree  / search  o order" : message, A_DIM);
    refresh();
  }

  std::string ask(const std::string &prompt) {
    std::string text;
    for (;;) {
      line(LINES - 1, prompt + text, A_NORMAL);
      refresh();
      int key = getch();
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
  // Names and sources are anything; a control character must not reach the terminal.
  static void line(int row, std::string text, attr_t look) {
    std::string shown;
    for (char c : text) {
      auto byte = static_cast<unsigned char>(c);
      if (c == '\t') {
        shown.append(8 - report::display_width(shown) % 8, ' ');
      } else {
        shown.push_back(byte < 32 || byte == 127 ? '?' : c);
      }
    }
    shown = report::cut_end(shown, static_cast<size_t>(COLS));
    // A bar reaches to the edge.
    if ((look & A_REVERSE) != 0) shown.append(static_cast<size_t>(COLS) - std::min(static_cast<size_t>(COLS), report::display_width(shown)), ' ');
    attrset(look);
    mvaddstr(row, 0, shown.c_str());
    clrtoeol();
    attrset(A_NORMAL);
  }

  bool color_ = false;
};

void run(report::Browser &browser) {
  Screen screen;
  std::string message, wanted;
  for (;;) {
    browser.set_height(screen.height());
    screen.draw(browser.page(), message);
    message.clear();
    int key = getch();
    if (key == ERR) return;  // the terminal is gone
    if (key == '/' || key == 'n') {
      if (key == '/') wanted = screen.ask("/");
      if (!wanted.empty() && !browser.search(wanted)) message = fmt::format("'{}' is not here", wanted);
    } else if (auto found = keys().find(key); found != keys().end()) {
      if (!browser.press(found->second)) return;
    }
  }
}

}  // namespace

int cmd_browse(std::vector<std::string> args) {
  CLI::App app("Functions, source, assembly, calls, paths and calling contexts on a full screen.", "chord browse");
  InputOptions input;
  add_input_options(app, input);
  app.footer(kBrowseExamples);
  if (!parse(app, std::move(args))) return 0;
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
    throw base::UsageError("chord browse needs a terminal", "chord report and chord annotate write to files and pipes");
  }
  analysis::Program program = load(input, true);
  report::Browser browser(program, [&](const std::string &context) {
    // A line of progress may have come over the screen.
    clearok(curscr, TRUE);
    return analysis::load_program(read_profiles(input.profiles), {input.program, true, false, context});
  });
  run(browser);
  return 0;
}

}  // namespace chord::cli
