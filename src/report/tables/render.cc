#include "report/tables/render.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>

#include "analysis/source/source_tree.h"
#include "base/cxx_names.h"
#include "report/tables/names.h"
#include "report/tables/procedures.h"

namespace chord::report {
namespace {

constexpr std::string_view kGap = "  ";
// Below this a cut name says nothing; the line is rather left to wrap.
constexpr size_t kNarrowest = 12;
constexpr size_t kBar = 8;
constexpr size_t kReadable = 30;     // of a name
constexpr size_t kRecognised = 20;   // of a name, if need be
constexpr size_t kFirstFigures = 3;  // columns that are always shown

bool is_set(const char *name) {
  const char *value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

// a.c:1 a.c:2 b.c:3 is shown as a.c:1,2 b.c:3; unless it may be wide, files without their folders.
std::string show_list(std::string_view items, bool wide) {
  std::string out;
  std::string_view last;
  while (!items.empty()) {
    std::string_view item = items.substr(0, items.find('\n'));
    items.remove_prefix(std::min(items.size(), item.size() + 1));
    if (!wide && item.find(':') != std::string_view::npos) item.remove_prefix(item.rfind('/') + 1);
    size_t colon = item.rfind(':');
    std::string_view file = colon == std::string_view::npos ? std::string_view() : item.substr(0, colon);
    bool again = !file.empty() && file == last;
    if (!out.empty()) out += again ? ',' : ' ';
    out += again ? item.substr(colon + 1) : item;
    last = file;
  }
  return out;
}

std::string show_object(std::string_view pairs) {
  std::string out(pairs);
  for (char &c : out) c = c == '\t' ? '=' : c == '\n' ? ' ' : c;
  return out;
}

std::string show(const Cell &cell, bool wide) {
  switch (cell.kind) {
    case CellKind::missing:
      return "?";
    case CellKind::number:
      return group_digits(cell.number);
    case CellKind::ordinal:
      return std::to_string(cell.number);
    case CellKind::offset:
      return fmt::format("{:#x}", cell.number);
    case CellKind::text:
      return std::string(cell.text);
    case CellKind::list:
      return show_list(cell.text, wide);
    case CellKind::object:
      return show_object(cell.text);
    case CellKind::share:
      return fmt::format("{:.1f}%", cell.share * 100);
    case CellKind::decimal:
      return fmt::format("{:.3f}", cell.share);
    case CellKind::flag:
      if (!cell.text.empty()) return std::string(cell.text);
      return cell.number != 0 ? "yes" : "no";
    case CellKind::change: {
      uint64_t size = cell.change < 0 ? -static_cast<uint64_t>(cell.change) : static_cast<uint64_t>(cell.change);
      return (cell.change < 0 ? "-" : "+") + group_digits(size);
    }
  }
  return "";
}

// Tabs and other control characters would break the columns.
std::string plain(std::string text) {
  for (char &c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

// A name, of a tree with blanks before it and, after two more, the place of a call: that goes where it would leave too little of the name.
std::string cut_name(const std::string &text, size_t width) {
  const size_t indent = std::min(text.find_first_not_of(' '), text.size());
  if (indent >= width) return cut_end(text, width);
  const size_t end = std::min(text.find(kGap, indent), text.size());
  const std::string name = text.substr(indent, end - indent), place = text.substr(end);
  const size_t room = width - indent, taken = display_width(place);
  if (taken + std::min(kRecognised, display_width(name)) > room) return text.substr(0, indent) + fit_name(name, room);
  return text.substr(0, indent) + fit_name(name, room - taken) + place;
}

std::string cut(const std::string &text, size_t width, Holds holds) {
  if (holds == Holds::names || holds == Holds::symbols) return cut_name(text, width);
  if (holds == Holds::chains) return fit_chain(text, width);
  if (holds == Holds::paths) return cut_front(text, width);
  return cut_end(text, width);
}

std::string fill(const std::string &text, size_t width, bool left) {
  size_t have = display_width(text);
  std::string blanks(width > have ? width - have : 0, ' ');
  return left ? text + blanks : blanks + text;
}

struct TextColumn {
  size_t width = 0;
  bool left = false;
  Holds holds = Holds::anything;
  bool may_go = false;  // a count or a detail
};

size_t width_of(const std::vector<TextColumn> &columns) {
  size_t total = kGap.size() * (columns.size() - 1);
  for (const TextColumn &column : columns) total += column.width;
  return total;
}

// Takes what is too much from the widest left-aligned columns.
void fit(std::vector<TextColumn> &columns, size_t limit) {
  size_t total = width_of(columns);
  while (total > limit) {
    TextColumn *widest = nullptr;
    for (TextColumn &column : columns) {
      if (column.left && (widest == nullptr || column.width > widest->width)) widest = &column;
    }
    if (widest == nullptr || widest->width <= kNarrowest) return;
    --widest->width;
    --total;
  }
}

// Whether, cut to the limit, some name would be too short to be recognised, or a line still too long.
bool cramped(std::vector<TextColumn> columns, size_t limit) {
  std::vector<TextColumn> before = columns;
  fit(columns, limit);
  if (width_of(columns) > limit) return true;
  for (size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].width < std::min(before[c].width, kReadable)) return true;
  }
  return false;
}

// Rather than names, figures and details that say less are given up: those furthest to the right, but not the first ones.
void drop_columns(std::vector<TextColumn> &columns, std::vector<std::vector<std::string>> &lines, size_t limit) {
  for (size_t c = columns.size(); c-- > kFirstFigures && cramped(columns, limit);) {
    if (!columns[c].may_go) continue;
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(c));
    for (std::vector<std::string> &fields : lines) fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(c));
  }
}

std::string line(const std::vector<std::string> &fields, const std::vector<TextColumn> &columns) {
  std::string out;
  for (size_t c = 0; c < fields.size(); ++c) {
    if (c != 0) out += kGap;
    out += fill(cut(fields[c], columns[c].width, columns[c].holds), columns[c].width, columns[c].left);
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

// Eight columns of a share, in eighths of one.
std::string bar(double share) {
  constexpr const char *kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  auto eighths = static_cast<size_t>(std::clamp(share, 0.0, 1.0) * 64 + 0.5);
  std::string out;
  for (; eighths >= 8; eighths -= 8) out += kEighths[8];
  out += kEighths[eighths];
  return out;
}

// Red for a fifth of all and more, yellow for a twentieth.
const char *heat(double share) { return share >= 0.2 ? "31" : share >= 0.05 ? "33" : nullptr; }

// What the text form shows of one column's cells.
std::vector<std::string> column_texts(const Table &table, size_t c, const TextStyle &style) {
  std::vector<std::string> out;
  std::string root = style.root;
  if (!root.empty() && !root.ends_with('/')) root += '/';
  const Column &column = table.columns[c];
  if (column.holds == Holds::paths && root.empty() && !style.wide) {
    std::vector<std::string_view> paths;
    for (size_t r = 0; r < table.rows(); ++r) paths.push_back(table.at(r, c).text);
    root = common_folder(paths);
  }
  for (size_t r = 0; r < table.rows(); ++r) {
    const Cell &cell = table.at(r, c);
    bool is_text = cell.kind == CellKind::text && !style.wide;
    if (is_text && column.holds == Holds::names) {
      out.push_back(plain(base::familiar_name(cell.text)));
    } else if (is_text && column.holds == Holds::symbols) {
      out.push_back(plain(base::familiar_name(base::demangle(std::string(cell.text)))));
    } else if (is_text && column.holds == Holds::paths) {
      std::string_view path = below(cell.text, root);
      while (path.starts_with("./")) path.remove_prefix(2);
      // Everybody knows where the system's headers are.
      if (style.root.empty() && analysis::SourceTree::is_system(std::string(path))) path.remove_prefix(path.rfind('/') + 1);
      out.push_back(plain(std::string(path)));
    } else {
      out.push_back(plain(show(cell, style.wide)));
    }
  }
  return out;
}

void csv_field(std::string &out, std::string_view value) {
  if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += value;
    return;
  }
  out.push_back('"');
  for (char c : value) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  out.push_back('"');
}

void csv_cell(std::string &out, const Cell &cell) {
  switch (cell.kind) {
    case CellKind::missing:
      break;
    case CellKind::number:
    case CellKind::ordinal:
    case CellKind::offset:
      fmt::format_to(std::back_inserter(out), "{}", cell.number);
      break;
    case CellKind::text:
      csv_field(out, cell.text);
      break;
    case CellKind::object:
      csv_field(out, show_object(cell.text));
      break;
    case CellKind::list:
      csv_field(out, plain(std::string(cell.text)));
      break;
    case CellKind::share:
    case CellKind::decimal:
      fmt::format_to(std::back_inserter(out), "{:.6f}", cell.share);
      break;
    case CellKind::change:
      fmt::format_to(std::back_inserter(out), "{}", cell.change);
      break;
    case CellKind::flag:
      out += cell.number != 0 ? "true" : "false";
      break;
  }
}

// Rows are written directly: a quarter of a million of them as JSON objects in
// memory would take longer than the whole analysis. The library escapes what needs it.
void json_string(std::string &out, std::string_view value) {
  bool simple = std::all_of(value.begin(), value.end(),
                            [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
  if (!simple) {
    out += nlohmann::json(std::string(value)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return;
  }
  out.push_back('"');
  out += value;
  out.push_back('"');
}

void json_list(std::string &out, std::string_view items) {
  out.push_back('[');
  for (size_t at = 0; at < items.size();) {
    size_t end = std::min(items.find('\n', at), items.size());
    std::string_view item = items.substr(at, end - at);
    if (at != 0) out.push_back(',');
    bool digits = std::all_of(item.begin(), item.end(), [](char c) { return c >= '0' && c <= '9'; });
    digits ? static_cast<void>(out += item) : json_string(out, item);
    at = end + 1;
  }
  out.push_back(']');
}

void json_object(std::string &out, std::string_view pairs) {
  out.push_back('{');
  for (size_t at = 0; at < pairs.size();) {
    size_t end = std::min(pairs.find('\n', at), pairs.size()), tab = pairs.find('\t', at);
    if (at != 0) out.push_back(',');
    json_string(out, pairs.substr(at, tab - at));
    out.push_back(':');
    out += pairs.substr(tab + 1, end - tab - 1);
    at = end + 1;
  }
  out.push_back('}');
}

void json_cell(std::string &out, const Cell &cell) {
  if (cell.kind == CellKind::missing) {
    out += "null";
  } else if (cell.kind == CellKind::text) {
    json_string(out, cell.text);
  } else if (cell.kind == CellKind::list) {
    json_list(out, cell.text);
  } else if (cell.kind == CellKind::object) {
    json_object(out, cell.text);
  } else {
    csv_cell(out, cell);
  }
}

std::string paint(const std::string &text, const char *code, const TextStyle &style) {
  return style.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

}  // namespace

TextStyle style_of_stdout() {
  TextStyle style;
  if (::isatty(STDOUT_FILENO) == 0) {
    // Files and pipes have no width, unless somebody says so (logs of CI).
    if (const char *columns = std::getenv("COLUMNS")) style.width = std::strtoul(columns, nullptr, 10);
    return style;
  }
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) style.width = size.ws_col;
  const char *terminal = std::getenv("TERM");
  bool clever = terminal != nullptr && std::string_view(terminal) != "dumb";
  style.color = !is_set("NO_COLOR") && clever;
  style.bars = clever;
  return style;
}

std::string bold(const std::string &text, const TextStyle &style) { return paint(text, "1", style); }
std::string dim(const std::string &text, const TextStyle &style) { return paint(text, "2", style); }
std::string cold(const std::string &text, const TextStyle &style) { return paint(text, "36", style); }
std::string hot(const std::string &text, double share, const TextStyle &style) { return heat(share) != nullptr ? paint(text, heat(share), style) : text; }

std::string render_text(const Table &table, const TextStyle &style) {
  std::vector<std::vector<std::string>> lines(table.rows() + 1);
  std::vector<TextColumn> columns;
  size_t shares = table.columns.size();  // the column that colours the row
  for (size_t c : table.text_order) {
    const Column &column = table.columns[c];
    lines[0].push_back(column.heading);
    TextColumn text{display_width(column.heading), column.left, column.holds};
    std::vector<std::string> texts = column_texts(table, c, style);
    for (size_t r = 0; r < texts.size(); ++r) {
      if (table.at(r, c).kind == CellKind::share && shares == table.columns.size()) shares = c;
      text.width = std::max(text.width, display_width(texts[r]));
      text.may_go = text.may_go || table.at(r, c).kind == CellKind::number || column.holds == Holds::details;
      lines[r + 1].push_back(std::move(texts[r]));
    }
    columns.push_back(text);
  }
  bool bars = style.bars && shares != table.columns.size();
  if (style.width != 0 && !style.wide) {
    size_t limit = style.width - std::min(style.width, bars ? kBar + kGap.size() : 0);
    drop_columns(columns, lines, limit);
    fit(columns, limit);
  }
  std::string out = table.summary.empty() ? "" : table.summary + "\n\n";
  out += bold((bars ? std::string(kBar + kGap.size(), ' ') : "") + line(lines[0], columns), style) + "\n";
  for (size_t r = 0; r < table.rows(); ++r) {
    std::string text = line(lines[r + 1], columns);
    if (bars) {
      double part = table.at(r, shares).kind == CellKind::share ? table.at(r, shares).share : 0;
      std::string drawn = fill(bar(part), kBar, true) + std::string(kGap);
      text = hot(drawn, part, style) + text;
    }
    out += text + "\n";
  }
  return out;
}

std::string render_csv(const Table &table) {
  std::string out;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (c != 0) out.push_back(',');
    csv_field(out, table.columns[c].key);
  }
  out += "\r\n";
  for (size_t r = 0; r < table.rows(); ++r) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (c != 0) out.push_back(',');
      csv_cell(out, table.at(r, c));
    }
    out += "\r\n";
  }
  return out;
}

std::string render_json(const Table &table, const nlohmann::ordered_json &head) {
  nlohmann::ordered_json opening = head;
  opening["by"] = table.by;
  if (!table.note.empty()) opening["note"] = table.note;
  std::string out = opening.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  out.pop_back();
  out += ",\"rows\":[";
  std::vector<std::string> keys;
  for (const Column &column : table.columns) keys.push_back(nlohmann::json(column.key).dump() + ":");
  for (size_t r = 0; r < table.rows(); ++r) {
    out += r == 0 ? "\n{" : ",\n{";
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (c != 0) out.push_back(',');
      out += keys[c];
      json_cell(out, table.at(r, c));
    }
    out.push_back('}');
  }
  out += "\n]}\n";
  return out;
}

}  // namespace chord::report
