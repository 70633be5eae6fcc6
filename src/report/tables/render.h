// Tables as text for people, CSV for spreadsheets, JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/tables/table.h"

namespace chord::report {

struct TextStyle {
  size_t width = 0;  // columns of the terminal; 0: no limit
  bool color = false;
  bool bars = false;  // shares as bars, too
  bool wide = false;  // names and paths as they are, however long
  std::string root;   // folder that paths are shown relative to; empty: the one they share
};

// What this process's standard output can show: width, colour and bars of a terminal
// (NO_COLOR and TERM=dumb honoured); for a file or pipe the width in COLUMNS, if it is set, and nothing else.
TextStyle style_of_stdout();

// Headings, aligned columns, numbers grouped. Names are shown by their familiar form and
// paths relative to a folder (report/tables/names.h); left-aligned columns are cut to the
// terminal's width, none of it if the style is wide.
std::string render_text(const Table &table, const TextStyle &style);

// One heading line, then one line a row; quoted where needed (RFC 4180).
std::string render_csv(const Table &table);

// `head` is an object; "by" and "rows" are added after its members.
std::string render_json(const Table &table, const nlohmann::ordered_json &head);

std::string bold(const std::string &text, const TextStyle &style);
std::string dim(const std::string &text, const TextStyle &style);
std::string cold(const std::string &text, const TextStyle &style);  // what never ran
// Coloured as the bar of such a share is.
std::string hot(const std::string &text, double share, const TextStyle &style);

}  // namespace chord::report
