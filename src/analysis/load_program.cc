#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "analysis/program.h"
#include "base/diagnostics.h"

namespace chord::analysis {
namespace {

namespace fs = std::filesystem;

using Group = std::vector<const format::Segment *>;

std::map<std::string, Group> group_by_executable(const format::Profile &profile) {
  std::map<std::string, Group> groups;
  for (const format::Segment &segment : profile.segments) groups[segment.executable].push_back(&segment);
  return groups;
}

[[noreturn]] void refuse_several(const std::map<std::string, Group> &groups) {
  std::string names;
  for (const auto &[executable, group] : groups) names += (names.empty() ? "" : ", ") + executable;
  throw base::Error(fmt::format("the profile holds runs of several programs: {}", names),
                    "choose one with --program=PATH");
}

std::string real_path(const std::string &path) {
  std::error_code failed;
  fs::path real = fs::canonical(path, failed);
  return failed ? path : real.string();
}

// The segments to report on: those of `wanted`, by path, else by file name; any
// single program if nothing fits, since the executable may have been moved.
Group choose_segments(const format::Profile &profile, const std::string &wanted) {
  std::map<std::string, Group> groups = group_by_executable(profile);
  if (!wanted.empty()) {
    for (auto &[executable, group] : groups) {
      if (executable == wanted || real_path(executable) == real_path(wanted)) return group;
    }
    std::vector<Group *> same_name;
    for (auto &[executable, group] : groups) {
      if (fs::path(executable).filename() == fs::path(wanted).filename()) same_name.push_back(&group);
    }
    if (same_name.size() == 1) return *same_name[0];
  }
  if (groups.size() > 1) refuse_several(groups);
  return groups.begin()->second;
}

bool is_executable_module(const format::Segment &segment, const format::ModuleProfile &module) {
  return module.path.empty() || module.path == segment.executable;
}

std::string absolute(const std::string &folder, const std::string &path) {
  return fs::path(path).is_absolute() || folder.empty() ? path : (fs::path(folder) / path).string();
}

// Reads the objects of all modules. One that cannot be read is a warning, unless
// none is left.
std::vector<Object> read_objects(const Group &segments, const LoadOptions &options,
                                 std::vector<std::string> &warnings) {
  std::vector<Object> objects;
  std::set<std::string> seen;
  for (const format::Segment *segment : segments) {
    for (const format::ModuleProfile &module : segment->modules) {
      if (!seen.insert(module.path).second) continue;
      std::string file = absolute(segment->folder, module.path.empty() ? segment->executable : module.path);
      if (!options.program.empty() && is_executable_module(*segment, module)) file = options.program;
      try {
        objects.push_back(read_object(file, options.texts));
        objects.back().path = module.path;
      } catch (const base::Error &e) {
        bool alone = segment->modules.size() == 1;
        if (alone) {
          throw base::Error(e.what(),
                            e.hint.empty() ? "if the program was moved, use --program=PATH" : e.hint);
        }
        warnings.push_back(fmt::format("{}; its counts are left out", e.what()));
      }
    }
  }
  if (objects.empty()) {
    throw base::Error(warnings.empty() ? "no instrumented code ran" : warnings[0],
                      "if the program was moved, use --program=PATH");
  }
  return objects;
}

}  // namespace

Program load_program(const format::Profile &profile, const LoadOptions &options) {
  if (profile.segments.empty()) {
    throw base::Error(profile.warnings.empty() ? "the profile is empty" : profile.warnings[0],
                      "run the program again; its profile is written when it ends");
  }
  Group segments = choose_segments(profile, options.program);
  std::vector<std::string> warnings = profile.warnings;
  std::vector<Object> objects = read_objects(segments, options, warnings);
  Program program = count_program(std::move(objects), segments);
  if (!options.program.empty()) program.path = options.program;  // where it is now
  bool counted = std::any_of(program.procedures.begin(), program.procedures.end(), [](const CountedProcedure &p) {
    return p.map->plan.placement != core::Placement::none;
  });
  auto chosen = static_cast<size_t>(std::count_if(program.procedures.begin(), program.procedures.end(),
                                                  [](const CountedProcedure &p) { return p.counts_chosen_paths(); }));
  if (chosen == program.procedures.size() && chosen != 0 && !options.paths) {
    throw base::Error(fmt::format("{}: counts chosen paths alone, it has no counts of functions and lines", program.name),
                      "`chord paths` shows them; build without --paths=SELECTION to count all");
  }
  if (chosen != 0 && !options.paths) {
    warnings.push_back(fmt::format("{} functions count chosen paths alone and have no other counts (`chord paths` shows them)", chosen));
  }
  if (!counted && !program.procedures.empty()) {
    throw base::Error(fmt::format("{}: built with --events alone, it has no counts of functions and lines", program.name),
                      "`chord events` shows its totals; add --place=optimal to count both");
  }
  program.warnings.insert(program.warnings.begin(), warnings.begin(), warnings.end());
  return program;
}

}  // namespace chord::analysis
