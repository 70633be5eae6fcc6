// What the reading commands share: parsing, finding and loading profiles, and the
// three ways to write a listing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/program/program.h"
#include "cli/arguments/arguments.h"
#include "report/paths/hot_paths.h"
#include "report/tables/render.h"
#include "report/tables/table.h"

namespace chord::cli {

// Parses `args`. True if the command should go on; false if --help was asked for
// and has been printed. Throws UsageError.
bool parse(CLI::App &app, std::vector<std::string> args);

struct ListingOptions {
  bool json = false;
  bool csv = false;
  size_t top = 0;  // 0: all
  bool wide = false;
  std::string root;
};
// What standard output can show, and what the user wants of it.
report::TextStyle text_style(const ListingOptions &options);
void add_listing_options(CLI::App &app, ListingOptions &options);

struct InputOptions {
  std::vector<std::string> profiles;
  std::string program;
  std::string context{};  // calling contexts whose counts are wanted alone
  std::string cost{};     // file of the metric `cost`
  bool context_details = false;  // see LoadOptions
};
// PROFILE… and --program.
void add_input_options(CLI::App &app, InputOptions &options);
void add_context_option(CLI::App &app, InputOptions &options);
void add_cost_option(CLI::App &app, InputOptions &options);
// The index of a metric that was asked for. Throws UsageError, naming those there are.
size_t find_metric(const analysis::Program &program, const std::string &name);

// The newest *.chord in the current folder or below it. Throws Error with a hint if there is none.
std::string newest_profile();

// True if the file begins like a profile, or is called one.
bool looks_like_profile(const std::string &path);

// Does it begin as executables and shared objects do?
bool is_elf(const std::string &path);

// The files that profiles, folders, patterns and programs stand for; the newest profile here for none.
std::vector<std::string> profiles_named(const std::vector<std::string> &paths);

// All segments of the files, in order; the newest profile here if none is named.
// What was passed over is in `warnings`.
format::Profile read_profiles(const std::vector<std::string> &paths);

// Reads, analyses, and prints the warnings.
analysis::Program load(const InputOptions &input, bool texts, bool paths = false);
// Likewise; programs of which only what ran is known are welcome, too.
analysis::Program load_what_ran(const InputOptions &input, bool texts);

// Writes the listing to stdout as asked for.
void print_listing(report::Table &table, const ListingOptions &options, const nlohmann::ordered_json &head);

// The same for text that may be longer than the screen: on a terminal through a pager.
void print_paged(const std::string &text);
// Writes to stdout; Error if it cannot be written (a full disk), silent if nobody reads it.
void print(const std::string &text);

// What is hot by a metric.
void print_hot(report::HotTable hot, const std::string &metric, const ListingOptions &options, nlohmann::ordered_json head);

}  // namespace chord::cli
