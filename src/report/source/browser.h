// What `chord browse` shows, without the terminal: a stack of pages of lines, a cursor, and keys that
// move it. cli/commands/cmd_browse.cc draws it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/program/program.h"
#include "report/contexts/context_tree.h"
#include "report/source/call_graph.h"

namespace chord::report {

struct BrowserLine {
  std::string text;
  double heat = 0;          // share of all instructions; of source and assembly: of the function's
  uint32_t function = UINT32_MAX;  // where Enter leads: index in Program::procedures
  uint64_t path = UINT64_MAX;      // or this path of the page's function
  uint32_t context = UINT32_MAX;   // of the function: node of the tree of contexts
  std::string name = {}, after = {};    // what follows the text: a name, shortened where there is no room, and its place
};

// In at most `width` columns.
std::string fit_line(const BrowserLine &line, size_t width);

struct BrowserPage {
  enum class Kind : uint8_t { functions, source, assembly, calls, paths, path, tree, contexts, help } kind = Kind::functions;
  std::string title;
  uint32_t function = UINT32_MAX;  // what it is about
  uint32_t context = UINT32_MAX;   // in this context alone; in all
  std::vector<BrowserLine> lines;
  size_t cursor = 0, top = 0;
  std::string heading = {};  // of the columns; stays on the screen
};

class Browser {
 public:
  // Counts in one calling context alone, by its key as users see it.
  using LoadContext = std::function<analysis::Program(const std::string &)>;
  // The program must outlive it, and have been loaded with texts.
  Browser(const analysis::Program &program, LoadContext load_context);

  const BrowserPage &page() const { return pages_.back(); }
  // Lines of the page that the screen has room for; keeps the cursor on it.
  void set_height(size_t lines);

  enum class Key : uint8_t { up, down, page_up, page_down, first, last, open, back, source, assembly, calls, paths, tree, contexts, help, sort };
  // False if the browser is to be left.
  bool press(Key key);
  // Moves to the next line that holds the text, upper and lower case alike; false if there is none.
  bool search(const std::string &text);

 private:
  void move(int64_t by);
  void show(BrowserPage page);
  void open();
  void show_function(BrowserPage::Kind kind);
  void show_tree(uint32_t at);
  uint32_t chosen_function() const;
  uint32_t chosen_context() const;

  // A function, in all contexts or in one.
  struct Subject {
    uint32_t function = UINT32_MAX, context = UINT32_MAX;
  };
  // The counts that pages about it show.
  const analysis::Program &program_of(const Subject &subject);
  std::string title_of(const Subject &subject) const;
  BrowserPage page_about(BrowserPage::Kind kind, const Subject &subject);
  BrowserPage functions_page() const;
  std::vector<BrowserLine> code_lines(const analysis::Program &program, uint32_t function, bool instructions) const;
  std::vector<BrowserLine> calls_lines(uint32_t function) const;
  BrowserLine call_line(const CallSite &site, uint32_t other, std::string name) const;
  std::vector<BrowserLine> paths_lines(const analysis::Program &program, uint32_t function) const;
  BrowserPage path_page(const Subject &subject, uint64_t path);
  std::vector<BrowserLine> tree_lines() const;
  std::vector<BrowserLine> contexts_lines(uint32_t function) const;

  const analysis::Program &program_;
  LoadContext load_context_;
  std::optional<analysis::Program> in_context_;  // the one that was asked for last
  uint32_t loaded_context_ = UINT32_MAX;
  ContextTree tree_;
  CallGraph calls_;
  std::vector<BrowserPage> pages_;
  size_t height_ = 20;
  int order_ = 0;  // of functions: by executed, calls, name
};

}  // namespace chord::report
