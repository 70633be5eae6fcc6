#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "analysis/objects/object_store.h"
#include "analysis/processes/live_file.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "cli/arguments/options.h"
#include "cli/arguments/stored_objects.h"
#include "cli/command.h"
#include "format/profile/merge.h"

namespace chord::cli {
namespace {

constexpr const char *kMergeExamples =
    "Examples:\n"
    "  chord merge -o all.chord run1.chord run2.chord\n"
    "  chord merge -o prog.chord prog.chord      pack the runs of one profile\n"
    "  chord merge --self-contained -o all.chord build/tests\n"
    "\n"
    "Runs of the same program and label become one; the sums stay what they were.\n";

}  // namespace

std::vector<format::StoredObject> objects_of(const format::Profile &profile, bool all) {
  std::vector<format::StoredObject> objects = profile.objects;
  analysis::ObjectStore store(profile);
  std::set<std::string> known;
  for (const format::StoredObject &object : objects) known.insert(object.build_id);
  std::set<std::string> missing;
  for (const format::Segment &segment : profile.segments) {
    for (const format::ModuleProfile &module : segment.modules) {
      if (!all || known.contains(module.build_id)) continue;
      std::filesystem::path path = module.path.empty() ? segment.executable : module.path;
      if (std::optional<std::string> bytes = store.bytes((std::filesystem::path(segment.folder) / path).string(), module.build_id)) {
        objects.push_back({module.build_id, std::move(*bytes)});
        known.insert(module.build_id);
      } else {
        missing.insert(path.string());
      }
    }
  }
  for (const std::string &path : missing) {
    base::warning(fmt::format("{}: neither it nor what was kept of it is there; its counts can be read only where it is", path));
  }
  return objects;
}

int cmd_merge(std::vector<std::string> args) {
  CLI::App app("Adds profiles of the same program.", "chord merge");
  std::string out;
  std::vector<std::string> profiles;
  bool self_contained = false;
  app.add_option("-o,--output", out, "file to write; replaced only when it is complete")
      ->type_name("OUT")
      ->required();
  app.add_option("PROFILE", profiles, "profiles to add")->type_name("")->required();
  app.add_flag("--self-contained", self_contained, "with what reading needs of the programs, which may then go");
  app.footer(kMergeExamples);
  if (!parse(app, std::move(args))) return 0;
  format::Profile profile = read_profiles(profiles);
  for (const std::string &warning : profile.warnings) base::warning(warning);
  if (profile.segments.empty())
    throw base::Error("there is nothing to merge: no profile has a readable segment");
  std::string bytes = self_contained || !profile.objects.empty() ? format::encode_objects(objects_of(profile, self_contained)) : "";
  for (const format::Segment &segment : format::merge_segments(profile.segments))
    bytes += format::encode_segment(segment);
  std::vector<std::string> merged;
  if (std::find(profiles.begin(), profiles.end(), out) != profiles.end()) merged = analysis::files_left_behind(out);
  base::replace_file(out, bytes);
  // Their counts are in the profile now.
  for (const std::string &left : merged) std::filesystem::remove(left);
  return 0;
}

}  // namespace chord::cli
