#include "cli/arguments/options.h"

#include <fmt/core.h>
#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "analysis/processes/live_file.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "chord_abi.h"
#include "cli/arguments/pager.h"
#include "cli/arguments/profile_place.h"
#include "cli/arguments/trace_input.h"

namespace chord::cli {

namespace fs = std::filesystem;

bool parse(CLI::App &app, std::vector<std::string> args) {
  std::string help;
  if (app.parse(std::move(args), help)) return true;
  print(help);
  return false;
}

void add_listing_options(CLI::App &app, ListingOptions &options) {
  auto *json = app.add_flag("--json", options.json, "machine-readable, with a schema number");
  app.add_flag("--csv", options.csv, "comma-separated values")->excludes(json);
  app.add_option("--top", options.top, "only the N rows with the greatest counts")
      ->type_name("N")
      ->check(CLI::Range(size_t{1}, size_t{1000000000}));
  app.add_flag("--wide", options.wide, "names and paths in full, however long the lines become");
  app.add_option("--root", options.root, "show paths relative to this folder; without it to the one they share")->type_name("FOLDER");
}

report::TextStyle text_style(const ListingOptions &options) {
  report::TextStyle style = report::style_of_stdout();
  style.wide = options.wide;
  style.root = options.root;
  return style;
}

void add_input_options(CLI::App &app, InputOptions &options) {
  app.add_option("PROFILE", options.profiles, "profiles, folders or patterns of them, of any number of programs; without any the newest *.chord here or below")
      ->type_name("");
  app.add_option("--program", options.program,
                 "the program's executable, if it was moved; or which of several")
      ->type_name("PATH");
}

void add_cost_option(CLI::App &app, InputOptions &options) {
  app.add_option("--cost", options.cost, "what instructions cost on some machine, by rules in a file: the metric `cost`")->type_name("FILE");
}

size_t find_metric(const analysis::Program &program, const std::string &name) {
  std::string known;
  for (size_t m = 0; m < program.metrics.size(); ++m) {
    if (program.metrics[m] == name) return m;
    known += (known.empty() ? "" : ", ") + program.metrics[m];
  }
  throw base::UsageError(fmt::format("--metric={}: it was not measured", name),
                         known.empty() ? "build with `chord --metrics=tsc gcc …`, or give --cost=FILE" : "there are: " + known);
}

void add_context_option(CLI::App &app, InputOptions &options) {
  app.add_option("--context", options.context, "counts in these calling contexts alone: an id, or functions like 'main > * > parse'")
      ->type_name("CONTEXT");
}

namespace {

// The newest profile of those in a folder and, to some depth, below it: profiles lie beside the programs that wrote them.
class NewestProfile {
 public:
  std::string find() {
    std::error_code failed;
    constexpr auto kSkip = fs::directory_options::skip_permission_denied;
    for (auto at = fs::recursive_directory_iterator(".", kSkip, failed); !failed && at != fs::recursive_directory_iterator();
         at.increment(failed)) {
      if (++seen_ > kMostFiles) break;
      if (at->is_directory(failed)) {
        bool hidden = at->path().filename().string().starts_with('.');
        if (hidden || at.depth() >= kDepth) at.disable_recursion_pending();
      } else {
        consider(*at);
      }
    }
    return newest_;
  }

 private:
  static constexpr size_t kMostFiles = 50000;
  static constexpr int kDepth = 6;

  void consider(const fs::directory_entry &entry) {
    std::string name = entry.path().lexically_normal().string();
    // What a killed process left behind stands for the profile it never wrote.
    if (size_t live = name.rfind(".chord.live."); live != std::string::npos) name.resize(live + 6);
    std::error_code failed;
    if (!name.ends_with(".chord") || !entry.is_regular_file(failed)) return;
    fs::file_time_type changed = entry.last_write_time(failed);
    if (failed || (!newest_.empty() && changed <= when_)) return;
    newest_ = name;
    when_ = changed;
  }

  size_t seen_ = 0;
  std::string newest_;
  fs::file_time_type when_;
};

}  // namespace

std::string newest_profile() {
  std::string newest = NewestProfile().find();
  if (newest.empty()) {
    throw base::Error("there is no profile (*.chord) in this folder or below it",
                      "build with `chord gcc …`, run the program, then report; profiles lie beside their programs, so that "
                      "`chord report PROGRAM` finds them from anywhere");
  }
  return newest;
}

bool looks_like_profile(const std::string &path) {
  std::error_code failed;
  if (fs::path(path).extension() == ".chord" || fs::is_directory(path, failed) || looks_like_trace(path)) return true;
  std::ifstream in(path, std::ios::binary);
  uint64_t magic = 0;
  in.read(reinterpret_cast<char *>(&magic), sizeof magic);
  return in.gcount() == sizeof magic && (magic == CHORD_SEGMENT_MAGIC || magic == CHORD_DEAD_MAGIC);
}

namespace {

bool is_pattern(const std::string &path) { return path.find_first_of("*?[") != std::string::npos; }

// A folder stands for all profiles below it, a pattern for all that match.
void add_profiles(const std::string &path, std::vector<std::string> &files) {
  std::error_code failed;
  std::vector<std::string> found;
  if (fs::is_directory(path, failed)) {
    for (auto at = fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, failed);
         at != fs::recursive_directory_iterator(); at.increment(failed)) {
      if (failed) break;
      if (at->path().extension() == ".chord" && at->is_regular_file(failed)) found.push_back(at->path().string());
    }
    if (found.empty()) throw base::Error(fmt::format("{}: there is no profile (*.chord) in this folder or below it", path), "build with `chord gcc …` and run the programs; profiles are written beside them");
  } else if (is_pattern(path) && !fs::exists(path, failed)) {
    glob_t matches{};
    if (glob(path.c_str(), 0, nullptr, &matches) == 0) found.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
    globfree(&matches);
    if (found.empty()) throw base::Error(fmt::format("{}: no file matches", path), "");
  } else {
    if (!fs::exists(path, failed) && analysis::files_left_behind(path).empty())
      throw base::Error(fmt::format("{}: there is no such file", path), "profiles are named here; run the program: its profile is written when it ends, beside it as PROGRAM.chord");
    found.push_back(path);
  }
  std::sort(found.begin(), found.end());
  std::move(found.begin(), found.end(), std::back_inserter(files));
}

// A program stands for what its runs wrote.
void add_profiles_of_program(const std::string &path, std::vector<std::string> &files) {
  std::vector<std::string> found = profiles_of_program(path);
  std::move(found.begin(), found.end(), std::back_inserter(files));
  if (!found.empty()) return;
  analysis::read_object(path, false);  // was it built with chord at all?
  throw base::Error(fmt::format("{}: is a program, and there is no profile of it where it would write one", path),
                    fmt::format("run it, then name its profile, such as {}.chord", fs::path(path).filename().string()));
}

}  // namespace

std::vector<std::string> profiles_named(const std::vector<std::string> &paths) {
  std::vector<std::string> files;
  if (paths.empty()) files.push_back(newest_profile());
  for (const std::string &path : paths) {
    if (is_elf(path)) {
      add_profiles_of_program(path, files);
    } else {
      add_profiles(path, files);
    }
  }
  return files;
}

namespace {

std::string folder_of(const std::string &file) {
  std::error_code failed;
  fs::path folder = fs::absolute(file, failed).parent_path();
  return failed ? "." : folder.string();
}

// What processes that were killed kept in files counts, too. A segment that is in the
// profile already was written at the last moment.
void add_left_behind(const std::vector<std::string> &files, format::Profile &profile) {
  for (const std::string &file : files) {
    try {
      format::Segment segment = analysis::segment_of_live_file(file).segment;
      bool there = std::any_of(profile.segments.begin(), profile.segments.end(), [&](const format::Segment &one) {
        return one.pid == segment.pid && one.start_ns == segment.start_ns;
      });
      if (!there) profile.segments.push_back(std::move(segment));
    } catch (const base::Error &e) {
      profile.warnings.push_back(fmt::format("{} is left out: {}", file, e.what()));
    }
  }
}

}  // namespace

bool is_elf(const std::string &path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return false;  // a pipe can be read once only
  char magic[4] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
  return std::string_view(magic, sizeof magic) == "\177ELF";
}

format::Profile read_profiles(const std::vector<std::string> &paths) {
  format::Profile all;
  for (const std::string &path : profiles_named(paths)) {
    std::vector<std::string> left = analysis::files_left_behind(path);
    format::Profile one;
    if (left.empty() || std::filesystem::exists(path)) one = format::decode_profile(base::read_locked(path));
    add_left_behind(left, one);
    std::move(one.segments.begin(), one.segments.end(), std::back_inserter(all.segments));
    std::move(one.objects.begin(), one.objects.end(), std::back_inserter(all.objects));
    std::string folder = folder_of(path);
    if (std::find(all.folders.begin(), all.folders.end(), folder) == all.folders.end()) all.folders.push_back(folder);
    for (const std::string &warning : one.warnings)
      all.warnings.push_back(fmt::format("{}: {}", path, warning));
  }
  return all;
}

namespace {

// Counts of one trace.
analysis::Program load_trace(const InputOptions &input, const analysis::LoadOptions &options) {
  if (input.profiles.size() != 1) throw base::UsageError("a trace stands alone: its counts are not added to others", "name one trace, or profiles");
  if (!input.cost.empty() || !input.context.empty())
    throw base::UsageError(fmt::format("{} does not go with a trace", input.cost.empty() ? "--context" : "--cost"), "use a build that counts");
  TraceInput trace(input.profiles[0], input.program, options.texts);
  return options.paths ? trace.counts_with_paths() : trace.counts();
}

analysis::Program load(const InputOptions &input, analysis::LoadOptions options) {
  if (!input.cost.empty()) options.costs = format::read_costs(base::read_file(input.cost), input.cost);
  bool is_trace = std::any_of(input.profiles.begin(), input.profiles.end(), looks_like_trace);
  analysis::Program program = is_trace ? load_trace(input, options) : analysis::load_program(read_profiles(input.profiles), options);
  for (const std::string &warning : program.warnings) base::warning(warning);
  return program;
}

}  // namespace

analysis::Program load(const InputOptions &input, bool texts, bool paths) {
  return load(input, {input.program, texts, paths, input.context, false, input.context_details});
}

analysis::Program load_what_ran(const InputOptions &input, bool texts) {
  return load(input, {input.program, texts, false, input.context, true});
}

void print_listing(report::Table &table, const ListingOptions &options, const nlohmann::ordered_json &head) {
  if (options.top != 0) table.keep_top(options.top);
  if (!table.note.empty()) base::warning(table.note);
  if (options.json) {
    print(report::render_json(table, head));
  } else if (options.csv) {
    print(report::render_csv(table));
  } else {
    print_paged(report::render_text(table, text_style(options)));
  }
}

void print_hot(report::HotTable hot, const std::string &metric, const ListingOptions &options, nlohmann::ordered_json head) {
  head["metric"] = metric;
  head["total"] = hot.total;
  for (const report::HotSummary &s : hot.summaries) {
    head["hot"].push_back({{"threshold", s.threshold}, {"rows", s.hot.rows}, {"value", s.hot.value}, {"dense", s.dense.rows},
                           {"dense_value", s.dense.value}, {"sparse", s.sparse.rows}, {"sparse_value", s.sparse.value}});
  }
  print_listing(hot.table, options, head);
}

void print_paged(const std::string &text) {
  if (!show_in_pager(text)) print(text);
}

void print(const std::string &text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  if (errno == EPIPE) return;
  throw base::Error(fmt::format("standard output: cannot write: {}", std::strerror(errno)));
}

}  // namespace chord::cli
