#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "analysis/counting/what_ran.h"
#include "analysis/objects/object_store.h"
#include "analysis/program/program.h"
#include "analysis/whole/merge_programs.h"
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

std::string real_path(const std::string &path) {
  std::error_code failed;
  fs::path real = fs::canonical(path, failed);
  return failed ? path : real.string();
}

// The segments to report on, by program: those of `wanted`, by path, else by file name; all if nothing fits, since
// the executable may have been moved.
std::vector<Group> choose_segments(const format::Profile &profile, const std::string &wanted) {
  std::map<std::string, Group> groups = group_by_executable(profile);
  std::vector<Group> same_name, all;
  for (auto &[executable, group] : groups) {
    if (!wanted.empty() && (executable == wanted || real_path(executable) == real_path(wanted))) return {group};
    if (fs::path(executable).filename() == fs::path(wanted).filename()) same_name.push_back(group);
    all.push_back(group);
  }
  if (wanted.empty() || all.size() == 1) return all;
  if (same_name.size() == 1) return same_name;
  std::string names;
  for (const auto &[executable, group] : groups) names += (names.empty() ? "" : ", ") + executable;
  throw base::Error(fmt::format("{}: the profile holds runs of several programs, and none of them is it: {}", wanted, names),
                    "choose one of these with --program=PATH");
}

bool is_executable_module(const format::Segment &segment, const format::ModuleProfile &module) {
  return module.path.empty() || module.path == segment.executable;
}

std::string absolute(const std::string &folder, const std::string &path) {
  return fs::path(path).is_absolute() || folder.empty() ? path : (fs::path(folder) / path).string();
}

// Reads the objects of all modules. One that cannot be read is a warning, unless
// none is left.
std::vector<Object> read_objects(const Group &segments, const ObjectStore &store, const LoadOptions &options,
                                 std::vector<std::string> &warnings) {
  std::vector<Object> objects;
  std::set<std::string> seen;
  // The last build that ran first.
  for (auto at = segments.rbegin(); at != segments.rend(); ++at) {
    const format::Segment *segment = *at;
    for (const format::ModuleProfile &module : segment->modules) {
      if (!seen.insert(module.path).second) continue;
      std::string file = absolute(segment->folder, module.path.empty() ? segment->executable : module.path);
      if (!options.program.empty() && is_executable_module(*segment, module)) file = options.program;
      try {
        objects.push_back(store.find(file, module.build_id, options.texts));
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

namespace {

Program load_group(const Group &segments, const ObjectStore &store, const LoadOptions &options) {
  std::vector<std::string> warnings;
  std::vector<Object> objects = read_objects(segments, store, options, warnings);
  Program program = count_program(std::move(objects), segments, options);
  if (!options.program.empty()) program.path = options.program;  // where it is now
  bool counted = std::any_of(program.procedures.begin(), program.procedures.end(), [](const CountedProcedure &p) {
    return core::counts_anything(p.map->plan.placement);
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
  const bool traced = std::any_of(program.procedures.begin(), program.procedures.end(), [](const CountedProcedure &p) {
    return p.map->plan.placement == core::Placement::trace;
  });
  if (!counted && traced) {
    throw base::Error(fmt::format("{}: built with --trace, it counts nothing while it runs", program.name),
                      fmt::format("its recording has the counts: name {}.chordtrace in place of the profile", program.name));
  }
  if (!counted && !program.procedures.empty()) {
    throw base::Error(fmt::format("{}: built with --events alone, it has no counts of functions and lines", program.name),
                      "`chord events` shows its totals; add --place=optimal to count both");
  }
  program.warnings.insert(program.warnings.begin(), warnings.begin(), warnings.end());
  program.parts = {{program.name, program.path, program.runs, program.threads, program.instructions, program.exact}};
  return program;
}

// One that cannot be read is a warning, unless none is left.
Program load_groups(const std::vector<Group> &groups, const ObjectStore &store, const LoadOptions &options) {
  if (groups.size() == 1) return load_group(groups[0], store, options);
  std::vector<Program> programs;
  std::vector<std::string> left_out;
  std::optional<base::Error> why;
  for (const Group &group : groups) {
    try {
      programs.push_back(load_group(group, store, options));
    } catch (const base::Error &e) {
      left_out.push_back(fmt::format("{} is left out: {}", group[0]->executable, e.what()));
      if (!why) why = e;
    }
  }
  if (programs.empty()) throw *why;
  Program whole = merge_programs(std::move(programs));
  whole.warnings.insert(whole.warnings.begin(), left_out.begin(), left_out.end());
  whole.exact = whole.exact && left_out.empty();
  return whole;
}

}  // namespace

Program load_program(const format::Profile &profile, const LoadOptions &options) {
  if (profile.segments.empty()) {
    throw base::Error(profile.warnings.empty() ? "the profile is empty" : profile.warnings[0],
                      "name a program, or its profile: PROGRAM.chord, which is written when the program ends");
  }
  ObjectStore store(profile);
  Program program = load_groups(choose_segments(profile, options.program), store, options);
  program.warnings.insert(program.warnings.begin(), profile.warnings.begin(), profile.warnings.end());
  keep_what_ran(program, options.only_ran);
  return program;
}

}  // namespace chord::analysis
