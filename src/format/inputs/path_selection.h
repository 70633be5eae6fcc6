// Which paths to count (`--paths=SELECTION`): a text file, written by `chord paths
// select` or by hand. One line for each choice, # begins a comment:
//
//   parse 0,3,9-12 shape=1f0c22e09b7a4d11      numbers, as `chord paths` shows them
//   parse blocks=0,18,parse.cold+4,60          the paths through exactly these blocks
//   parse parser.c:12,15,40                    the paths that run through these lines in this order
//   log_* *                                    every path
//   parse none shape=1f0c22e09b7a4d11          no path
//
// Functions go by linkage name; * ? [ ] in it are a pattern. Numbers mean something in
// one build alone, so they come with the function's shape: what they are counted
// from. A function of the same name and another shape is refused, never counted wrongly.
// The last form tells that a function of that name and shape is known and left out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/paths/path_numbering.h"
#include "core/paths/path_set.h"
#include "format/map/map.h"

namespace chord::format {

struct PathChoice {
  std::string function;  // linkage name, or a pattern
  enum class Kind : uint8_t { numbers, all, none, blocks, lines } kind = Kind::numbers;
  uint64_t shape = 0;                                // numbers, none; all: or 0, of any shape
  std::vector<std::pair<uint64_t, uint64_t>> numbers;  // ranges, both ends included
  std::vector<std::string> blocks;                   // offsets, in cold parts PART+OFFSET
  std::string file;                                  // lines
  std::vector<uint32_t> lines;
  size_t line = 0;                                   // of the selection that it stands in; 0: in none yet
};

// Does the name stand for all functions that match it?
bool is_pattern(const std::string &name);

struct PathSelection {
  std::string source;  // the file, for messages
  std::vector<PathChoice> choices;

  // Those that speak of the function.
  std::vector<const PathChoice *> find(const std::string &function) const;
};

// Throws Error with the line that is wrong. `source` names the text.
PathSelection read_path_selection(std::string_view text, const std::string &source);
std::string write_path_choice(const PathChoice &choice);  // one line

// Ranges of ascending numbers.
std::vector<std::pair<uint64_t, uint64_t>> ranges_of(const std::vector<uint64_t> &numbers);

// What the numbers of a procedure's paths depend on: its name, blocks, edges and cuts.
uint64_t path_shape(const Procedure &procedure, const core::PathNumbering &numbering);

// The numbers of the paths of a procedure that counts them. Nothing, and the reason, if its
// plan does not fit its graph.
std::optional<core::PathNumbering> plan_numbering(const Procedure &procedure, std::string &why_not);

// By edge: control does not take it. It makes the exit reachable, or falls out of a call to
// a function of the language's own libraries that does not return (exit, __cxa_throw).
std::vector<bool> never_edges(const Procedure &procedure);

// By edge: control does not take it, or is not seen on it. It makes the exit reachable,
// or stands for what arrives from outside.
std::vector<bool> silent_edges(const Procedure &procedure);

// What a selection chooses in a procedure: numbers, ascending, of paths that can be taken.
// All of them where they would be more than can be listed.
struct ChosenNumbers {
  bool all = false;
  std::vector<uint64_t> numbers;
};
inline constexpr uint64_t kMostListedPaths = 1 << 14;

// Nothing, and the reason, if a choice does not fit the procedure.
std::optional<ChosenNumbers> chosen_paths(const PathSelection &selection, const UnitMap &unit, const Procedure &procedure,
                                          const core::PathNumbering &numbering, std::string &why_not);

// The paths of a set, or `all` if they are more than can be listed.
ChosenNumbers list_paths(const core::PathSet &set);

// Name of a block in listings and selections: its offset, in cold parts after the
// part's name. The block must hold instructions.
std::string block_name(const Procedure &procedure, uint32_t block);

// Paths that run through these lines of the file, in this order; `file` may leave out
// leading folders. Unit and procedure must outlive the pattern.
core::PathPattern through_lines(const UnitMap &unit, const Procedure &procedure, const std::string &file,
                                const std::vector<uint32_t> &lines);

}  // namespace chord::format
