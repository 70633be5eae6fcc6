// Subcommands: one cmd_<name>.cc each, and one row each in the table of commands.
//
// A command gets the arguments behind its name, writes its answer to stdout and
// returns the exit status. It throws UsageError for wrong use (exit 2), Error for what
// failed (exit 1); main() prints them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace chord::cli {

struct Command {
  const char *name;
  const char *usage;
  const char *summary;
  int (*run)(std::vector<std::string>);
};

std::span<const Command> commands();

int cmd_report(std::vector<std::string> args);
int cmd_annotate(std::vector<std::string> args);
int cmd_merge(std::vector<std::string> args);
int cmd_print(std::vector<std::string> args);
int cmd_archive(std::vector<std::string> args);
int cmd_study(std::vector<std::string> args);
int cmd_dump(std::vector<std::string> args);
int cmd_top(std::vector<std::string> args);
int cmd_paths(std::vector<std::string> args);
int cmd_contexts(std::vector<std::string> args);
int cmd_trace(std::vector<std::string> args);
int cmd_events(std::vector<std::string> args);
int cmd_diff(std::vector<std::string> args);
int cmd_tests(std::vector<std::string> args);
int cmd_browse(std::vector<std::string> args);
int cmd_export(std::vector<std::string> args);
int cmd_check(std::vector<std::string> args);
int cmd_html(std::vector<std::string> args);
int cmd_doctor(std::vector<std::string> args);
int cmd_env(std::vector<std::string> args);
int cmd_completion(std::vector<std::string> args);

}  // namespace chord::cli
