#include "report/render.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>

namespace chord::report {
namespace {

constexpr std::string_view kGap = "  ";
// Below this a cut name says nothing; the line is rather left to wrap.
constexpr size_t kNarrowest = 12;

bool is_set(const char *name) {
  const char *value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

size_t display_width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// a.c:1 a.c:2 b.c:3 is shown as a.c:1,2 b.c:3.
std::string show_list(std::string_view items) {
  std::string out;
  std::string_view last;
  while (!items.empty()) {
    std::string_view item = items.substr(0, items.find('\n'));
    items.remove_prefix(std::min(items.size(), item.size() + 1));
    size_t colon = item.rfind(':');
    std::string_view file = colon == std::string_view::npos ? std::string_view() : item.substr(0, colon);
    bool again = !file.empty() && file == last;
    if (!out.empty()) out += again ? ',' : ' ';
    out += again ? item.substr(colon + 1) : item;
    last = file;
  }
  return out;
}

std::string show(const Cell &cell) {
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
      return show_list(cell.text);
    case CellKind::share:
      return fmt::format("{:.1f}%", cell.share * 100);
    case CellKind::flag:
      return cell.number != 0 ? "yes" : "no";
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

std::string cut(const std::string &text, size_t width) {
  if (display_width(text) <= width) return text;
  size_t bytes = 0, shown = 0;
  while (bytes < text.size() && shown + 1 < width) {
    ++bytes;
    while (bytes < text.size() && (text[bytes] & 0xc0) == 0x80) ++bytes;
    ++shown;
  }
  return text.substr(0, bytes) + "…";
}

std::string fill(const std::string &text, size_t width, bool left) {
  size_t have = display_width(text);
  std::string blanks(width > have ? width - have : 0, ' ');
  return left ? text + blanks : blanks + text;
}

// Takes what is too much from the widest left-aligned columns.
void fit(std::vector<size_t> &widths, const std::vector<bool> &left, size_t limit) {
  size_t total = kGap.size() * (widths.size() - 1);
  for (size_t width : widths) total += width;
  while (total > limit) {
    size_t widest = widths.size();
    for (size_t c = 0; c < widths.size(); ++c) {
      if (left[c] && (widest == widths.size() || widths[c] > widths[widest])) widest = c;
    }
    if (widest == widths.size() || widths[widest] <= kNarrowest) return;
    --widths[widest];
    --total;
  }
}

std::string line(const std::vector<std::string> &fields, const std::vector<size_t> &widths,
                 const std::vector<bool> &left) {
  std::string out;
  for (size_t c = 0; c < fields.size(); ++c) {
    if (c != 0) out += kGap;
    out += fill(cut(fields[c], widths[c]), widths[c], left[c]);
  }
  out.erase(out.find_last_not_of(' ') + 1);
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
    case CellKind::list:
      csv_field(out, plain(std::string(cell.text)));
      break;
    case CellKind::share:
      fmt::format_to(std::back_inserter(out), "{:.6f}", cell.share);
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

void json_cell(std::string &out, const Cell &cell) {
  if (cell.kind == CellKind::missing) {
    out += "null";
  } else if (cell.kind == CellKind::text) {
    json_string(out, cell.text);
  } else if (cell.kind == CellKind::list) {
    json_list(out, cell.text);
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
  if (::isatty(STDOUT_FILENO) == 0) return style;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) style.width = size.ws_col;
  const char *terminal = std::getenv("TERM");
  style.color = !is_set("NO_COLOR") && terminal != nullptr && std::string_view(terminal) != "dumb";
  return style;
}

std::string bold(const std::string &text, const TextStyle &style) { return paint(text, "1", style); }
std::string dim(const std::string &text, const TextStyle &style) { return paint(text, "2", style); }
std::string red(const std::string &text, const TextStyle &style) { return paint(text, "31", style); }

std::string render_text(const Table &table, const TextStyle &style) {
  std::vector<std::vector<std::string>> lines(table.rows() + 1);
  std::vector<size_t> widths;
  std::vector<bool> left;
  for (size_t c : table.text_order) {
    lines[0].push_back(table.columns[c].heading);
    for (size_t r = 0; r < table.rows(); ++r) lines[r + 1].push_back(plain(show(table.at(r, c))));
    size_t width = 0;
    for (const auto &fields : lines) width = std::max(width, display_width(fields.back()));
    widths.push_back(width);
    left.push_back(table.columns[c].left);
  }
  if (style.width != 0) fit(widths, left, style.width);
  std::string out = table.summary.empty() ? "" : table.summary + "\n\n";
  out += bold(line(lines[0], widths, left), style) + "\n";
  for (size_t r = 1; r < lines.size(); ++r) out += line(lines[r], widths, left) + "\n";
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
