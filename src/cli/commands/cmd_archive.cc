#include "base/diagnostics.h"
#include "base/file.h"
#include "cli/arguments/options.h"
#include "cli/arguments/stored_objects.h"
#include "cli/command.h"

namespace chord::cli {
namespace {

constexpr const char *kArchiveExamples =
    "Examples:\n"
    "  chord archive -o nightly.chord build/tests      all profiles of a folder, to be read anywhere\n"
    "  chord report nightly.chord\n"
    "\n"
    "The file is a profile that also holds what reading needs of the programs: they may be gone. Runs stay as they are;\n"
    "`chord merge --self-contained` adds them up as well.\n";

}  // namespace

int cmd_archive(std::vector<std::string> args) {
  CLI::App app("One file of profiles and what reading them needs.", "chord archive");
  std::string out;
  std::vector<std::string> profiles;
  app.add_option("-o,--output", out, "file to write; replaced only when it is complete")->type_name("OUT")->required();
  app.add_option("PROFILE", profiles, "profiles, folders or patterns of them; without any the newest *.chord here or below")
      ->type_name("");
  app.footer(kArchiveExamples);
  if (!parse(app, std::move(args))) return 0;
  format::Profile profile = read_profiles(profiles);
  for (const std::string &warning : profile.warnings) base::warning(warning);
  if (profile.segments.empty()) throw base::Error("there is nothing to archive: no profile has a readable segment");
  std::string bytes = format::encode_objects(objects_of(profile, true));
  for (const format::Segment &segment : profile.segments) bytes += format::encode_segment(segment);
  base::replace_file(out, bytes);
  return 0;
}

}  // namespace chord::cli
