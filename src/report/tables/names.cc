#include "report/tables/names.h"

#include <algorithm>

#include "base/cxx_names.h"

namespace chord::report {
namespace {

constexpr std::string_view kEllipsis = "…";

bool continues(char c) { return (c & 0xc0) == 0x80; }

// Bytes that the first `columns` characters take.
size_t prefix(std::string_view text, size_t columns) {
  size_t bytes = 0;
  while (bytes < text.size() && columns-- != 0) {
    ++bytes;
    while (bytes < text.size() && continues(text[bytes])) ++bytes;
  }
  return bytes;
}

struct Group {
  size_t begin = 0, end = 0;  // of what is between the brackets
  int depth = 0;
};

std::vector<Group> groups_of(std::string_view name, char open) {
  std::vector<Group> groups;
  std::vector<size_t> ends;
  for (size_t i = 0; i < name.size(); ++i) {
    while (!ends.empty() && ends.back() < i) ends.pop_back();
    if (name.substr(i).starts_with("operator")) {
      i += 8;
      while (i < name.size() && std::string_view("<>=-").find(name[i]) != std::string_view::npos) ++i;
      if (name.substr(i).starts_with("()")) i += 2;
      if (i >= name.size()) break;
    }
    if (name[i] != open) continue;
    size_t end = base::closing_bracket(name, i);
    if (end == std::string_view::npos || end == i + 1) continue;
    groups.push_back({i + 1, end, static_cast<int>(ends.size())});
    ends.push_back(end);
  }
  return groups;
}

// The groups of the given depth replaced by an ellipsis.
std::string collapse(std::string_view name, const std::vector<Group> &groups, int depth) {
  std::string out;
  size_t from = 0;
  for (const Group &group : groups) {
    if (group.depth != depth || name.substr(group.begin, group.end - group.begin) == kEllipsis) continue;
    out += name.substr(from, group.begin - from);
    out += kEllipsis;
    from = group.end;
  }
  return out + std::string(name.substr(from));
}

std::string collapse_until_fits(std::string name, char open, size_t width) {
  int deepest = -1;
  for (const Group &group : groups_of(name, open)) deepest = std::max(deepest, group.depth);
  for (int depth = deepest; depth >= 0 && display_width(name) > width; --depth) {
    name = collapse(name, groups_of(name, open), depth);
  }
  return name;
}

}  // namespace

size_t display_width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string cut_end(std::string_view text, size_t width) {
  if (display_width(text) <= width) return std::string(text);
  return std::string(text.substr(0, prefix(text, width > 0 ? width - 1 : 0))) + std::string(kEllipsis);
}

std::string cut_front(std::string_view text, size_t width) {
  size_t have = display_width(text);
  if (have <= width) return std::string(text);
  return std::string(kEllipsis) + std::string(text.substr(prefix(text, have - (width > 0 ? width - 1 : 0))));
}

std::string cut_middle(std::string_view text, size_t width) {
  size_t have = display_width(text);
  if (have <= width) return std::string(text);
  size_t kept = width > 0 ? width - 1 : 0;
  std::string out(text.substr(0, prefix(text, kept - kept / 2)));
  out += kEllipsis;
  return out + std::string(text.substr(prefix(text, have - kept / 2)));
}

namespace {

// "void sort<…>(…) [.isra.0]" -> "sort<…>(…) [.isra.0]": the type that a template returns. Operators may have blanks in their names.
std::string without_result(const std::string &name) {
  if (name.find("operator") != std::string::npos) return name;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (depth == 0 && name[i] == '(' && name.compare(i, 11, "(anonymous ") != 0) return name.substr(begin);
    if (name[i] == '<' || name[i] == '(') ++depth;
    if (name[i] == '>' || name[i] == ')') --depth;
    if (depth == 0 && name[i] == ' ') begin = i + 1;
  }
  return name;  // no function's
}

// "f(…) [.isra.0]" -> "f(…)", and whatever follows: a place may.
std::string without_clone(std::string name) {
  const size_t clone = name.rfind(" [.");
  const size_t end = clone == std::string::npos ? clone : name.find(']', clone);
  if (end != std::string::npos) name.erase(clone, end + 1 - clone);
  return name;
}

// Where the first scope of a name ends, after its "::"; npos if it has none.
size_t scope_end(std::string_view name) {
  int depth = 0;
  for (size_t i = 0; i + 1 < name.size(); ++i) {
    if (name.substr(i).starts_with("operator")) return std::string_view::npos;
    if (std::string_view("<([{").find(name[i]) != std::string_view::npos) ++depth;
    if (std::string_view(">)]}").find(name[i]) != std::string_view::npos) --depth;
    if (depth == 0 && name[i] == ':' && name[i + 1] == ':') return i + 2;
  }
  return std::string_view::npos;
}

// "area(…) const" -> "area(…)", and that -> "area"; names of operators stay.
std::string without_qualifier(std::string name) {
  if (name.ends_with(") const")) name.resize(name.size() - std::string_view(" const").size());
  return name;
}
std::string without_arguments(std::string name) {
  for (std::string_view end : {std::string_view("(…)"), std::string_view("()")}) {
    if (name.ends_with(end) && !name.ends_with("operator()")) return name.substr(0, name.size() - end.size());
  }
  return name;
}

// "leveldb::Block::Iter::Next()" -> "…::Iter::Next()": what a function is called says more than where it is from.
std::string without_scopes(const std::string &name, size_t width) {
  std::string_view rest = name;
  std::string out = name;
  while (display_width(out) > width) {
    const size_t end = scope_end(rest);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end);
    std::string shorter = std::string(kEllipsis) + "::" + std::string(rest);
    if (display_width(shorter) < display_width(out)) out = std::move(shorter);
  }
  return out;
}

size_t scopes_shown(std::string_view name) {
  size_t scopes = 0;
  const bool some_left_out = name.starts_with(kEllipsis);
  for (size_t end = scope_end(name); end != std::string_view::npos; end = scope_end(name)) {
    ++scopes;
    name.remove_prefix(end);
  }
  return scopes - (some_left_out && scopes != 0 ? 1 : 0);
}

// "_M_insert<…>(…)" -> "_M_insert<…>" -> "_M_insert": before letters of the name go.
std::string bare(const std::string &name) {
  std::string out = without_arguments(without_qualifier(name));
  constexpr std::string_view kArguments = "<…>";
  if (out.ends_with(kArguments) && out.find("operator") == std::string::npos) out.resize(out.size() - kArguments.size());
  return out;
}

// "geometry::Circle::area() const" -> "…::Circle::area": whose function it is says more than that it takes nothing and is const.
std::string with_most_scopes(const std::string &name, size_t width) {
  std::string best = without_scopes(name, width);
  const std::string unqualified = without_qualifier(name);
  for (const std::string &shorter : {unqualified, without_arguments(unqualified)}) {
    std::string other = without_scopes(shorter, width);
    if (display_width(other) > width) continue;
    if (display_width(best) > width || scopes_shown(other) > scopes_shown(best)) best = std::move(other);
  }
  return display_width(best) > width ? without_scopes(bare(name), width) : best;
}

}  // namespace

std::string fit_name(std::string_view name, size_t width) {
  std::string out(name);
  if (display_width(out) > width) out = collapse_until_fits(std::move(out), '<', width);
  if (display_width(out) > width) out = collapse_until_fits(std::move(out), '(', width);
  if (display_width(out) > width) out = without_result(out);
  if (display_width(out) > width) out = without_clone(out);
  return cut_middle(with_most_scopes(out, width), width);
}

std::string fit_chain(std::string_view chain, size_t width) {
  constexpr std::string_view kLink = " > ";
  constexpr size_t kShortest = 12, kReadable = 20, kLongest = 60;
  if (display_width(chain) <= width) return std::string(chain);
  std::vector<std::string_view> names;
  for (size_t at = 0; at != std::string_view::npos;) {
    const size_t next = chain.find(kLink, at);
    names.push_back(chain.substr(at, next - at));
    at = next == std::string_view::npos ? next : next + kLink.size();
  }
  // `left_out` names after the first.
  auto joined = [&](size_t longest, size_t left_out) {
    std::string out = fit_name(names[0], longest);
    if (left_out != 0) out += std::string(kLink) + std::string(kEllipsis);
    for (size_t n = 1 + left_out; n < names.size(); ++n) out += std::string(kLink) + fit_name(names[n], longest);
    return out;
  };
  for (size_t shortest : {kReadable, kShortest}) {
    for (size_t left_out = 0; left_out + 1 < names.size(); ++left_out) {
      for (size_t longest = std::min(width, kLongest); longest >= shortest; --longest) {
        if (std::string out = joined(longest, left_out); display_width(out) <= width) return out;
      }
    }
  }
  return cut_front(chain, width);
}

std::string common_folder(const std::vector<std::string_view> &paths) {
  std::string_view common;
  bool first = true;
  for (std::string_view path : paths) {
    if (!path.starts_with('/') || path.starts_with("/usr/")) continue;
    std::string_view folder = path.substr(0, path.rfind('/') + 1);
    if (first) common = folder;
    first = false;
    size_t same = static_cast<size_t>(std::mismatch(common.begin(), common.end(), folder.begin(), folder.end()).first - common.begin());
    common = common.substr(0, common.substr(0, same).rfind('/') + 1);
  }
  return common == "/" ? "" : std::string(common);
}

std::string_view below(std::string_view path, std::string_view folder) {
  return !folder.empty() && path.starts_with(folder) && path.size() > folder.size() ? path.substr(folder.size()) : path;
}

}  // namespace chord::report
