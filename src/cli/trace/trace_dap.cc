#include "cli/trace/trace_dap.h"

#include <iostream>

#include "base/diagnostics.h"
#include "cli/arguments/open_trace.h"
#include "cli/arguments/options.h"
#include "dap/session.h"

namespace chord::cli {
namespace {

constexpr const char *kTraceDapExamples =
    "Editors start this: VS Code, Neovim (nvim-dap) and Emacs (dape) step through the recorded run, forward and backward. The\n"
    "launch request may name the trace (\"trace\": FILE) and begin at its end (\"stopAtEnd\": true). Values are not recorded.\n";

}  // namespace

int trace_dap(std::vector<std::string> args) {
  CLI::App app("Debug a recorded run, forward and backward: a debug adapter on standard input and output.", "chord trace dap");
  std::string path, program;
  app.add_option("TRACE", path, "PROGRAM.chordtrace, unless the launch request names one; the newest here")->type_name("");
  app.add_option("--program", program, "the executable, if it is not where it ran")->type_name("FILE");
  app.footer(kTraceDapExamples);
  if (!parse(app, std::move(args))) return 0;
  dap::serve(std::cin, std::cout, [&](const std::string &file) -> std::unique_ptr<dap::Recording> {
    return std::make_unique<OpenTrace>(std::make_unique<TraceInput>(file.empty() ? path : file, program, true));
  });
  return 0;
}

}  // namespace chord::cli
