#include "driver/steps/unmatched_choices.h"

#include <elf.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>

#include "analysis/objects/object.h"
#include "base/diagnostics.h"
#include "base/function_names.h"

namespace chord::driver {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostWarnings = 10;

// Options by which a compiler makes something else than an executable.
bool links_none(const std::string &word) {
  static constexpr std::array<std::string_view, 9> kWords = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-emit-llvm", "-r", "-shared"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// -L, -l and -o have their value in the same word or in the next.
bool has_value(const std::vector<std::string> &args, size_t &i, std::string_view option, std::string &value) {
  if (!args[i].starts_with(option)) return false;
  if (args[i].size() > option.size()) {
    value = args[i].substr(option.size());
    return true;
  }
  if (i + 1 == args.size()) return false;
  value = args[++i];
  return true;
}

bool is_shared_object_name(const std::string &word) {
  std::string name = fs::path(word).filename();
  return name.ends_with(".so") || name.find(".so.") != std::string::npos;
}

bool is_elf(const std::string &path) {
  char magic[SELFMAG] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
  return std::string_view(magic, sizeof magic) == ELFMAG;
}

fs::file_time_type time_of(const std::string &path) {
  std::error_code failed;
  return fs::last_write_time(path, failed);  // the least there is if there is no such file
}

// Names of the functions whose maps are in the file, and of their source files if wanted; none if it was built
// without chord.
void add_functions(const std::string &path, std::set<std::string> &functions, bool files = false) {
  analysis::Object object;
  try {
    object = analysis::read_object(path, false);
  } catch (const base::Error &) {
    return;  // no part of what chord counts, so no selection speaks of it
  }
  for (const format::UnitMap &unit : object.units) {
    for (const format::Procedure &p : unit.procedures) functions.insert(p.name);
    if (files && !unit.procedures.empty()) functions.insert(unit.unit);
    if (files && !unit.procedures.empty()) functions.insert(unit.files.begin(), unit.files.end());
  }
}

}  // namespace

Link link_of(const std::vector<std::string> &args) {
  Link link{"a.out", {}, {}};
  std::vector<std::string> folders, names;
  for (size_t i = 0; i < args.size(); ++i) {
    std::string value;
    if (links_none(args[i])) return {};
    if (has_value(args, i, "-o", value)) {
      link.output = value;
    } else if (has_value(args, i, "-L", value)) {
      folders.push_back(value);
    } else if (has_value(args, i, "-l", value)) {
      names.push_back(value);
    } else if (is_shared_object_name(args[i]) && !args[i].starts_with('-')) {
      link.libraries.push_back(args[i]);
    }
  }
  for (const std::string &name : names) {
    for (const std::string &folder : folders) link.libraries.push_back(fmt::format("{}/lib{}.so", folder, name));
  }
  link.before = time_of(link.output);
  return link;
}

void warn_of_unmatched_globs(const std::vector<std::string> &globs, const Link &link) {
  if (link.output.empty() || time_of(link.output) == link.before || !is_elf(link.output)) return;
  std::set<std::string> names;
  add_functions(link.output, names, true);
  for (const std::string &library : link.libraries) add_functions(library, names, true);
  for (const std::string &glob : globs) {
    bool matches = std::any_of(names.begin(), names.end(), [&](const std::string &name) { return base::matches_function(name, glob); });
    if (matches) continue;
    base::warning(fmt::format("--only={}: no function and no source file in {} matches it", glob, link.output),
                  "functions go by their names in listings or by linkage name, files by the name that the compiler was given");
  }
}

void warn_of_unmatched(const format::PathSelection &selection, const Link &link) {
  if (link.output.empty() || time_of(link.output) == link.before || !is_elf(link.output)) return;
  std::set<std::string> functions;
  add_functions(link.output, functions);
  for (const std::string &library : link.libraries) add_functions(library, functions);
  std::set<const format::PathChoice *> matched;
  for (const std::string &function : functions) {
    for (const format::PathChoice *choice : selection.find(function)) matched.insert(choice);
  }
  std::set<std::string> said;
  for (const format::PathChoice &choice : selection.choices) {
    if (matched.contains(&choice) || !said.insert(choice.function).second || said.size() > kMostWarnings) continue;
    base::warning(fmt::format("{}:{}: no function of {} {} '{}'", selection.source, choice.line, link.output,
                              format::is_pattern(choice.function) ? "matches" : "is named", choice.function),
                  said.size() > 1 ? "" : "functions go by linkage name; one that is inlined everywhere is none");
  }
  if (said.size() > kMostWarnings) {
    base::warning(fmt::format("{}: {} more functions that {} does not have", selection.source, said.size() - kMostWarnings, link.output));
  }
}

}  // namespace chord::driver
