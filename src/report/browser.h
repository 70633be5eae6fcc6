// What `chord browse` shows, without the terminal: a stack of pages of lines, a cursor, and keys that
// move it. cli/cmd_browse.cc draws it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/program.h"
#include "report/call_graph.h"

namespace chord::report {

struct BrowserLine {
  std::string text;
  double heat = 0;          // share of all instructions
  uint32_t function = UINT32_MAX;  // where Enter leads: index in Program::procedures
  uint64_t path = UINT64_MAX;      // or this path of the page's function
};

struct BrowserPage {
  enum class Kind : uint8_t { functions, source, assembly, calls, paths, path, help } kind = Kind::functions;
  std::string title;
  uint32_t function = UINT32_MAX;  // what it is about
  std::vector<BrowserLine> lines;
  size_t cursor = 0, top = 0;
};

class Browser {
 public:
  // The program must outlive it, and have been loaded with texts.
  explicit Browser(const analysis::Program &program);

  const BrowserPage &page() const { return pages_.back(); }
  // Lines of the page that the screen has room for; keeps the cursor on it.
  void set_height(size_t lines);

  enum class Key : uint8_t { up, down, page_up, page_down, first, last, open, back, source, assembly, calls, paths, help, sort };
  // False if the browser is to be left.
  bool press(Key key);
  // Moves to the next line that holds the text, upper and lower case alike; false if there is none.
  bool search(const std::string &text);

 private:
  void move(int64_t by);
  void show(BrowserPage page);
  void open();
  void show_function(BrowserPage::Kind kind);
  uint32_t chosen_function() const;
  BrowserPage functions_page() const;
  BrowserPage code_page(uint32_t function, bool instructions) const;
  BrowserPage calls_page(uint32_t function) const;
  BrowserPage paths_page(uint32_t function) const;
  BrowserPage path_page(uint32_t function, uint64_t path) const;

  const analysis::Program &program_;
  CallGraph calls_;
  std::vector<BrowserPage> pages_;
  size_t height_ = 20;
  int order_ = 0;  // of functions: by executed, calls, name
};

}  // namespace chord::report
