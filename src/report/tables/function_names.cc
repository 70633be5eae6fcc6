#include "report/tables/function_names.h"

#include <fnmatch.h>

#include <algorithm>

#include "report/tables/names.h"
#include "report/tables/procedures.h"

namespace chord::report {
namespace {

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

}  // namespace

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

Fit fit_of(const std::string &linkage_name, const std::string &wanted) {
  if (linkage_name == wanted) return Fit::exact;
  Fit best = Fit::none;
  const std::string shown = demangle(linkage_name);
  // Listings show familiar names: what is seen there can be typed.
  for (const std::string &full : {shown, familiar_name(shown)}) {
    const std::string name = without_parameters(full);
    if (full == wanted || name == wanted) return Fit::exact;
    const Fit fit = unqualified(full) == wanted || name.ends_with("::" + wanted) ? Fit::unqualified : name.find(wanted) != std::string::npos ? Fit::partial : Fit::none;
    best = std::min(best, fit);
  }
  return best;
}

bool matches(const std::string &linkage_name, const std::string &glob) {
  std::string shown = demangle(linkage_name);
  const std::string familiar = familiar_name(shown);
  for (const std::string &name : {linkage_name, shown, without_parameters(shown), unqualified(shown), familiar, without_parameters(familiar), unqualified(familiar)}) {
    if (fnmatch(glob.c_str(), name.c_str(), 0) == 0) return true;
  }
  return false;
}

bool matches_file(std::string_view file, const std::string &glob) {
  std::string name(file);
  for (size_t at = 0;; ++at) {
    if (fnmatch(glob.c_str(), name.c_str() + at, 0) == 0) return true;
    at = name.find('/', at);
    if (at == std::string::npos) return false;
  }
}

std::set<const analysis::CountedProcedure *> functions_named(const analysis::Program &program, const std::string &wanted) {
  std::set<const analysis::CountedProcedure *> found;
  Fit best = Fit::none;
  for (const analysis::CountedProcedure &p : program.procedures) {
    Fit fit = fit_of(p.map->name, wanted);
    if (fit == Fit::none || fit > best) continue;
    if (fit < best) found.clear();
    best = fit;
    found.insert(&p);
  }
  return found;
}

std::string telling_name(const analysis::Program &program, const analysis::CountedProcedure &procedure) {
  const std::string &linkage_name = procedure.map->name, shown = demangle(linkage_name);
  if (shown == linkage_name) return linkage_name;
  const std::string last = unqualified(shown);
  for (const std::string &name : {last.substr(0, last.find("[abi:")), last, without_parameters(shown)}) {
    if (name.empty() || name.find('\'') != std::string::npos) continue;  // 'lambda' would need care in a shell
    if (functions_named(program, name) == std::set<const analysis::CountedProcedure *>{&procedure}) return name;
  }
  return linkage_name;
}

}  // namespace chord::report
