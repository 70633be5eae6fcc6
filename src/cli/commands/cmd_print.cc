#include <fmt/core.h>

#include "analysis/objects/object.h"
#include "analysis/processes/live_file.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "cli/arguments/options.h"
#include "cli/command.h"
#include "format/profile/profile.h"

namespace chord::cli {
namespace {

constexpr const char *kPrintExamples =
    "Examples:\n"
    "  chord print prog.chord    segments: processes, counters, early ends\n"
    "  chord print prog          maps and anchors of a program, shared object or object file built with chord\n"
    "\n"
    "What the lines mean is in docs/formats.md. The same file always prints the same.\n";

std::string offsets(std::string_view name, const std::vector<uint32_t> &all) {
  std::string out = fmt::format(" {} {}", name, all.size());
  for (uint32_t offset : all) out += fmt::format(" {:#x}", offset);
  return out;
}

std::string text_of_anchors(const std::vector<format::Anchor> &anchors) {
  std::string out;
  for (const format::Anchor &anchor : anchors) {
    out += fmt::format("anchor {:#x}\n", anchor.key);
    for (const format::Anchor::Part &part : anchor.parts) {
      out += fmt::format("part {:#x} {}{}{}\n", part.address, part.size, offsets("marks", part.marks), offsets("spots", part.spots));
    }
  }
  return out;
}

std::string text_of_object(const std::string &file) {
  analysis::Object object = analysis::read_object(file, true);
  std::string out = fmt::format("object {}\n", analysis::show_build_id(object.build_id));
  for (const format::UnitMap &unit : object.units) out += format::to_text(unit);
  return out + text_of_anchors(object.anchors);
}

std::string text_of_profile(const std::string &file) {
  format::Profile profile = format::decode_profile(base::read_locked(file));
  if (profile.segments.empty() && profile.objects.empty()) {
    throw base::Error(fmt::format("{}: {}", file, profile.warnings.empty() ? "it is empty" : profile.warnings[0]),
                      "chord prints profiles (*.chord), what a killed process left behind (*.chord.live.*), and what was built with chord");
  }
  for (const std::string &warning : profile.warnings) base::warning(fmt::format("{}: {}", file, warning));
  std::string out = format::to_text(profile);
  for (const format::StoredObject &object : profile.objects) {
    out += fmt::format("stored-object {} {}\n", analysis::show_build_id(object.build_id), object.bytes.size());
  }
  return out;
}

std::string text_of_live_file(const std::string &file) {
  format::Profile profile;
  profile.segments.push_back(analysis::segment_of_live_file(file).segment);
  return format::to_text(profile);
}

}  // namespace

int cmd_print(std::vector<std::string> args) {
  CLI::App app("Any file of chord's as text: profiles, and the maps and anchors in what it built.", "chord print");
  std::vector<std::string> files;
  app.add_option("FILE", files, "profiles, programs, shared objects, object files")->required()->type_name("");
  app.footer(kPrintExamples);
  if (!parse(app, std::move(args))) return 0;
  for (const std::string &file : files) {
    if (is_elf(file)) {
      print(text_of_object(file));
    } else {
      print(analysis::is_live_file(file) ? text_of_live_file(file) : text_of_profile(file));
    }
  }
  return 0;
}

}  // namespace chord::cli
