#include "base/cxx_names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <utility>

namespace chord::base {
namespace {

void replace_all(std::string &text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// ", std::allocator<T>" wherever it stands as an argument that everybody leaves out.
void drop_argument(std::string &name, std::string_view argument) {
  std::string start = ", " + std::string(argument) + "<";
  for (size_t at = name.find(start); at != std::string::npos; at = name.find(start, at)) {
    size_t end = closing_bracket(name, at + start.size() - 1);
    if (end == std::string::npos) return;
    // Only the last arguments have defaults.
    size_t next = name.find_first_not_of(' ', end + 1);
    if (next == std::string::npos || name[next] != '>') {
      at = end;
      continue;
    }
    name.erase(at, end + 1 - at);
  }
}

// Calls visit(position, character) for what is outside of < > and ( ), from the front.
template <class Visit>
void for_each_outer(const std::string &text, Visit &&visit) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    // "operator<", "operator()" and the like are names, not brackets.
    if (depth == 0 && text.compare(i, 8, "operator") == 0) {
      size_t end = text.find('(', i + 8 + (text.compare(i + 8, 2, "()") == 0 ? 2 : 0));
      if (end == std::string::npos) return;
      i = end - 1;
      continue;
    }
    char c = text[i];
    if (c == '<' || c == '(') {
      if (depth == 0 && !visit(i, c)) return;
      ++depth;
    } else if (c == '>' || c == ')') {
      --depth;
    } else if (depth == 0 && !visit(i, c)) {
      return;
    }
  }
}

// gcc gives the two halves of a coroutine a name that no demangler knows: that of the function with a parameter whose type is
// "<linkage name>.Frame", then .actor or .destroy. Returns the linkage name and what follows the frame; two empty ones if it is none.
std::pair<std::string, std::string> coroutine_of(const std::string &name) {
  const size_t frame = name.find(".Frame.");
  if (frame == std::string::npos) return {};
  for (size_t at = name.rfind("_Z", frame); at != std::string::npos && at != 0; at = name.rfind("_Z", at - 1)) {
    const std::string length = std::to_string(frame - at + std::string_view(".Frame").size());
    if (std::string_view(name).substr(0, at).ends_with(length)) return {name.substr(at, frame - at), name.substr(frame + 6)};
  }
  return {};
}

std::string shown_name(const std::string &linkage_name) {
  int status = 0;
  std::unique_ptr<char, void (*)(void *)> found(abi::__cxa_demangle(linkage_name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && found ? found.get() : "";
}

// "__grid_MOD_relax" -> "grid::relax", as gfortran names what is in a module, with what follows the procedure's name apart; two empty ones if it is no such name.
std::pair<std::string, std::string> of_module(const std::string &name) {
  constexpr std::string_view kStart = "__", kLink = "_MOD_";
  const size_t link = name.find(kLink);
  if (!name.starts_with(kStart) || link == std::string::npos || link <= kStart.size()) return {};
  const size_t begin = link + kLink.size();
  const size_t end = std::min(name.find('.', begin), name.size());
  if (end == begin) return {};
  return {name.substr(kStart.size(), link - kStart.size()) + "::" + name.substr(begin, end - begin), name.substr(end)};
}

std::string with_clone(const std::string &shown, const std::string &clone) { return clone.empty() ? shown : shown + " [" + clone + "]"; }

}  // namespace

// Where the bracket that opens at `open` closes; npos if it does not. Operators are no brackets.
size_t closing_bracket(std::string_view name, size_t open) {
  int depth = 0;
  for (size_t i = open; i < name.size(); ++i) {
    if (name.substr(i).starts_with("operator")) {
      i += 8;
      while (i < name.size() && std::string_view("<>=-()").find(name[i]) != std::string_view::npos &&
             !(name[i] == '(' && name[i - 1] != 'r')) {
        ++i;
      }
      --i;
      continue;
    }
    if (name[i] == '<' || name[i] == '(' || name[i] == '[' || name[i] == '{') ++depth;
    bool arrow = name[i] == '>' && i > 0 && name[i - 1] == '-';
    if ((name[i] == '>' && !arrow) || name[i] == ')' || name[i] == ']' || name[i] == '}') {
      if (--depth == 0) return i;
    }
  }
  return std::string_view::npos;
}

std::string demangle(const std::string &name) {
  if (!name.starts_with("_Z")) {
    const auto [shown, clone] = of_module(name);
    return shown.empty() ? name : with_clone(shown, clone);
  }
  auto [plain, clone] = coroutine_of(name);
  if (plain.empty()) {
    // The compiler's clones (f.cold, f.part.0) are not part of the mangled name.
    const size_t dot = std::min(name.find('.'), name.size());
    plain = name.substr(0, dot), clone = name.substr(dot);
  }
  const std::string shown = shown_name(plain);
  return shown.empty() ? name : with_clone(shown, clone);
}

std::string familiar_name(std::string_view demangled) {
  std::string name(demangled);
  replace_all(name, "[abi:cxx11]", "");
  if (name.find("std::") == std::string::npos) return name;
  replace_all(name, "std::__cxx11::", "std::");
  for (auto [letter, string] : {std::pair<std::string_view, std::string_view>{"char", ""}, {"wchar_t", "w"}}) {
    std::string type(letter), word(string);
    std::string traits = "<" + type + ", std::char_traits<" + type + ">";
    replace_all(name, "std::basic_string" + traits + ", std::allocator<" + type + "> >", "std::" + word + "string");
    for (std::string_view stream : {"string_view", "ostream", "istream", "iostream", "streambuf", "ios", "ofstream", "ifstream", "fstream"}) {
      replace_all(name, "std::basic_" + std::string(stream) + traits + " >", "std::" + word + std::string(stream));
    }
    for (std::string_view stream : {"stringstream", "ostringstream", "istringstream", "stringbuf"}) {
      replace_all(name, "std::basic_" + std::string(stream) + traits + ", std::allocator<" + type + "> >", "std::" + word + std::string(stream));
    }
  }
  for (std::string_view argument : {"std::allocator", "std::equal_to", "std::hash", "std::less", "std::default_delete", "std::char_traits"}) {
    drop_argument(name, argument);
  }
  replace_all(name, " >", ">");
  return name;
}

std::string without_parameters(const std::string &demangled) {
  size_t end = demangled.size(), begin = 0;
  for_each_outer(demangled, [&](size_t i, char c) {
    // "(anonymous namespace)::f" begins with one that is part of the name.
    if (c == '(' && demangled.compare(i, 21, "(anonymous namespace)") != 0) {
      end = i;
      return false;
    }
    if (c == ' ') begin = i + 1;  // the type that a template returns stands in front
    return true;
  });
  return demangled.substr(begin, end - begin);
}

std::string unqualified(const std::string &demangled) {
  std::string name = without_parameters(demangled);
  size_t begin = 0, end = name.size();
  for_each_outer(name, [&](size_t i, char c) {
    if (c == ':' && i + 1 < name.size() && name[i + 1] == ':') begin = i + 2;
    return true;
  });
  if (size_t angle = name.find('<', begin); angle != std::string::npos && name.compare(begin, 8, "operator") != 0) end = angle;
  return name.substr(begin, end - begin);
}

}  // namespace chord::base
