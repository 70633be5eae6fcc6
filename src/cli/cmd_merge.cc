#include <algorithm>
#include <filesystem>

#include "analysis/live_file.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/options.h"
#include "format/merge.h"

namespace chord::cli {
namespace {

constexpr const char *kExamples =
    "Examples:\n"
    "  chord merge -o all.chord run1.chord run2.chord\n"
    "  chord merge -o prog.chord prog.chord      pack the runs of one profile\n"
    "\n"
    "Runs of the same program and label become one; the sums stay what they were.\n";

}  // namespace

int cmd_merge(std::vector<std::string> args) {
  CLI::App app("Adds profiles of the same program.", "chord merge");
  std::string out;
  std::vector<std::string> profiles;
  app.add_option("-o,--output", out, "file to write; replaced only when it is complete")
      ->type_name("OUT")
      ->required();
  app.add_option("PROFILE", profiles, "profiles to add")->type_name("")->required();
  app.footer(kExamples);
  if (!parse(app, std::move(args))) return 0;
  format::Profile profile = read_profiles(profiles);
  for (const std::string &warning : profile.warnings) base::warning(warning);
  if (profile.segments.empty())
    throw base::Error("there is nothing to merge: no profile has a readable segment");
  std::string bytes;
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
