#include <chord_abi.h>
#include <fmt/core.h>

#include <charconv>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/diagnostics.h"
#include "base/file.h"
#include "base/progress.h"
#include "cli/arguments/options.h"
#include "cli/command.h"
#include "report/compare/tests.h"
#include "report/source/summary.h"

namespace chord::cli {
namespace {

constexpr const char *kTestsExamples =
    "Examples:\n"
    "  chord tests results --each=file                   what each test executes, a profile each\n"
    "  chord tests --line=parse.c:120                    which tests run this line\n"
    "  chord tests --function='parse_*'                  which tests run these functions\n"
    "  git diff main | chord tests --impacted-by=-       which tests a change concerns\n"
    "\n"
    "A test is a mark (the program calls chord_mark(\"name\") before each), a process (by its arguments), or a\n"
    "file (each test ran with its own CHORD_OUT). docs/tests.md has recipes for ctest, GoogleTest and pytest.\n";

struct TestsOptions {
  InputOptions input;
  ListingOptions listing;
  std::string each, line, function, impacted_by;
};

std::string joined(const std::vector<std::string> &words) {
  std::string out;
  for (const std::string &word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

// Segments by the test they belong to, in the order of first appearance.
class Groups {
 public:
  void add(const std::string &name, const format::Segment &segment) {
    auto [found, fresh] = numbers_.try_emplace(name, groups_.size());
    if (fresh) groups_.push_back({name, {}});
    groups_[found->second].second.segments.push_back(segment);
  }
  const std::vector<std::pair<std::string, format::Profile>> &all() const { return groups_; }

 private:
  std::map<std::string, size_t> numbers_;
  std::vector<std::pair<std::string, format::Profile>> groups_;
};

bool has_marks(const format::Profile &profile) {
  for (const format::Segment &s : profile.segments) {
    if (!s.label.empty()) return true;
  }
  return false;
}

// Names of tests that have a file each: the file's, or, where that is not enough, its path.
std::vector<std::string> names_of(const std::vector<std::string> &files) {
  std::map<std::string, size_t> times;
  for (const std::string &file : files) ++times[std::filesystem::path(file).stem().string()];
  std::vector<std::string> names;
  for (const std::string &file : files) {
    std::filesystem::path path = file;
    names.push_back(times[path.stem().string()] == 1 ? path.stem().string() : path.replace_extension().string());
  }
  return names;
}

Groups group(const TestsOptions &options, const format::Profile &whole) {
  std::string each = options.each;
  const std::vector<std::string> files = profiles_named(options.input.profiles), names = names_of(files);
  if (each.empty()) each = has_marks(whole) ? "mark" : files.size() > 1 ? "file" : "process";
  Groups groups;
  if (each == "file") {
    for (size_t n = 0; n < files.size(); ++n) {
      for (const format::Segment &s : read_profiles({files[n]}).segments) groups.add(names[n], s);
    }
    return groups;
  }
  for (const format::Segment &s : whole.segments) {
    // What runs before the first mark belongs to no test.
    if (each == "mark" && s.label.empty()) continue;
    if (each == "process" && (s.flags & CHORD_SEGMENT_MIXED) != 0) {
      throw base::Error(fmt::format("{}: runs with different arguments were added up and cannot be told apart", s.executable),
                        "run the tests with CHORD_KEEP_RUNS=arguments, or give each a profile of its own (CHORD_OUT)");
    }
    groups.add(each == "mark" ? s.label : joined(s.arguments), s);
  }
  return groups;
}

std::vector<report::TestRun> runs_of(const TestsOptions &options, const format::Profile &whole) {
  Groups groups = group(options, whole);
  std::vector<report::TestRun> runs;
  base::Progress progress("counting tests", groups.all().size());
  for (const auto &[name, profile] : groups.all()) {
    format::Profile one = profile;
    one.folders = whole.folders;
    one.objects = whole.objects;
    runs.push_back(report::test_run(name, analysis::load_program(one, {options.input.program, false})));
    progress.step();
  }
  if (runs.empty()) throw base::Error("the profile holds no tests", "call chord_mark(\"name\") before each, or use --each=process or --each=file");
  return runs;
}

report::Table answer(const TestsOptions &options, const std::vector<report::TestRun> &runs, const analysis::Program &program) {
  if (!options.line.empty()) {
    size_t colon = options.line.rfind(':');
    uint32_t line = 0;
    const char *end = options.line.data() + options.line.size();
    if (colon != std::string::npos) std::from_chars(options.line.data() + colon + 1, end, line);
    if (line == 0) throw base::UsageError(fmt::format("--line={}: not FILE:LINE", options.line), "for example --line=parse.c:120");
    return report::tests_of_line(runs, program, options.line.substr(0, colon), line);
  }
  if (!options.function.empty()) return report::tests_of_function(runs, program, options.function);
  if (!options.impacted_by.empty()) {
    std::string diff = options.impacted_by == "-" ? base::read_all(0) : base::read_file(options.impacted_by);
    return report::impacted_tests(runs, program, report::parse_diff(diff));
  }
  return report::list_tests(runs);
}

}  // namespace

int cmd_tests(std::vector<std::string> args) {
  CLI::App app("What each test executes, and which tests a line or a change concerns.", "chord tests");
  TestsOptions options;
  add_input_options(app, options.input);
  app.add_option("--each", options.each, "what a test is: mark, process or file; without it marks if there are any")
      ->type_name("KIND")
      ->check(CLI::IsMember({"mark", "process", "file"}));
  auto *line = app.add_option("--line", options.line, "tests that run this line")->type_name("FILE:LINE");
  auto *function = app.add_option("--function", options.function, "tests that run functions of this name")->type_name("GLOB")->excludes(line);
  app.add_option("--impacted-by", options.impacted_by, "tests that run functions which a unified diff changes; -: from standard input")
      ->type_name("DIFF")
      ->excludes(line)
      ->excludes(function);
  add_listing_options(app, options.listing);
  app.footer(kTestsExamples);
  if (!parse(app, std::move(args))) return 0;
  format::Profile whole = read_profiles(options.input.profiles);
  analysis::Program program = analysis::load_program(whole, {options.input.program, false});
  for (const std::string &warning : program.warnings) base::warning(warning);
  report::Table table = answer(options, runs_of(options, whole), program);
  print_listing(table, options.listing, report::json_head(program));
  return 0;
}

}  // namespace chord::cli
