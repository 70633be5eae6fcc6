#include "driver/assemble.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "assembly/layout.h"
#include "assembly/procedure.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "base/process.h"
#include "driver/build_options.h"
#include "driver/installation.h"
#include "driver/measured_weights.h"
#include "format/map.h"
#include "format/path_selection.h"
#include "weave/verify.h"
#include "weave/weave.h"

namespace chord::driver {
namespace {

struct CommandLine {
  std::vector<std::string> options;  // for the real assembler, without input and output
  std::vector<std::string> inputs;
  std::string output = "a.out";
  bool only_information = false;     // --version and the like
};

CommandLine parse(const std::vector<std::string> &args) {
  static constexpr std::array<std::string_view, 5> kWithValue = {"-I", "--defsym", "--MD", "-march", "--debug-prefix-map"};
  CommandLine out;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string &a = args[i];
    if (a == "-o" && i + 1 < args.size()) {
      out.output = args[++i];
    } else if (a.starts_with("-o") && a.size() > 2) {
      out.output = a.substr(2);
    } else if (a == "--version" || a == "-version" || a == "--help" || a == "--target-help" || a == "--dump-config") {
      out.only_information = true;
    } else if (a == "-" || !a.starts_with('-')) {
      out.inputs.push_back(a);
    } else {
      out.options.push_back(a);
      if (std::find(kWithValue.begin(), kWithValue.end(), a) != kWithValue.end() && i + 1 < args.size()) {
        out.options.push_back(args[++i]);
      }
    }
  }
  return out;
}

// Options that make the assembler write something besides the object, or line
// information of its own, have no place in the scratch assembly.
std::vector<std::string> layout_options(const std::vector<std::string> &options) {
  std::vector<std::string> out;
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string &o = options[i];
    if (o == "--MD") {
      ++i;
    } else if (!o.starts_with("-a") && !o.starts_with("-g") && !o.starts_with("--g") && o != "-v" && o != "--statistics") {
      out.push_back(o);
    }
  }
  return out;
}

std::string real_assembler() {
  std::string path = base::find_in_path("as", {self_path()});
  if (path.empty()) throw base::Error("no assembler (as) found in PATH", "install binutils");
  return path;
}

std::string read_inputs(const CommandLine &line) {
  if (line.inputs.empty()) return base::read_all(0);
  std::string text;
  for (const std::string &input : line.inputs) {
    text += input == "-" ? base::read_all(0) : base::read_file(input);
    if (!text.ends_with('\n')) text += '\n';
  }
  return text;
}

// clang's own assembler knows two directives that the GNU assembler does not; they
// only help the linker to fold identical functions.
std::string without_address_significance(const std::string &text) {
  if (text.find(".addrsig") == std::string::npos) return text;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    std::string_view line = std::string_view(text).substr(at, end - at);
    out += assembly::trim(line).starts_with(".addrsig") ? std::string_view("\n") : line;
    at = end;
  }
  return out;
}

class Standin {
 public:
  Standin(const std::vector<std::string> &args, const weave::Options &options)
      : args_(args), options_(options), line_(parse(args)), as_(real_assembler()) {}

  int run() {
    if (line_.only_information) return run_as_typed();
    std::string given = read_inputs(line_);
    text_ = without_address_significance(given);
    reads_stdin_ = line_.inputs.empty() || line_.inputs[0] == "-";
    changed_ = text_ != given;
    try {
      if (std::optional<int> status = run_woven()) return *status;
    } catch (const base::Error &e) {
      if (options_.verify) throw;
      base::warning(fmt::format("{}: left uninstrumented: {}", name(), e.what()), e.hint);
    }
    int status = run_as_typed();
    // Where the original fails as well (no such folder, a full disk), weaving is not to blame.
    if (rejected_.empty() || status != 0) return status;
    base::bug(fmt::format("{}: the woven assembly was rejected:\n{}", name(), rejected_));
    if (!options_.verify) return 0;
    ::unlink(line_.output.c_str());
    return 1;
  }

 private:
  std::string name() const { return line_.inputs.empty() || reads_stdin_ ? line_.output : line_.inputs[0]; }

  int run_as_typed() const {
    std::vector<std::string> command = {as_};
    if (changed_) {
      command.insert(command.end(), line_.options.begin(), line_.options.end());
      command.insert(command.end(), {"-o", line_.output, "-"});
    } else {
      command.insert(command.end(), args_.begin(), args_.end());
    }
    return base::run(command, reads_stdin_ || changed_ ? &text_ : nullptr).status;
  }

  // Nothing if there is nothing to weave, or the text is not for us to judge.
  std::optional<int> run_woven() {
    assembly::Source source;
    read_source(text_, source);
    assembly::Assembler assembler{as_, layout_options(line_.options)};
    assembly::Layout layout;
    std::string errors;
    if (!lay_out(source, assembler, layout, errors)) return std::nullopt;
    assembly::Unit unit;
    build_unit(source, std::move(layout), unit);

    base::TempFolder folder;
    weave::Surroundings around{folder.file("map"), runtime_file()};
    weave::Woven woven = weave_unit(unit, options_, around);
    if (woven.map.procedures.empty()) return std::nullopt;
    base::write_file(around.map_file, format::encode_map(woven.map));
    std::string woven_file = folder.file("woven.s");
    base::write_file(woven_file, line_marker() + woven.text);

    std::vector<std::string> command = {as_};
    command.insert(command.end(), line_.options.begin(), line_.options.end());
    command.insert(command.end(), {"-o", line_.output, woven_file});
    base::Outcome outcome = base::run(command, nullptr, true);
    if (outcome.status != 0) {
      ::unlink(line_.output.c_str());
      rejected_ = outcome.errors;
      return std::nullopt;
    }
    if (woven.unmatched != 0) {
      base::warning(fmt::format("{}: {} of {} functions are not in {}; their counters are placed by estimate", name(),
                                woven.unmatched, woven.woven, options_.measured->source));
    }
    for (const auto &[function, why] : woven.unchosen) {
      base::warning(fmt::format("{}: {}: its chosen paths are not counted, its edges are: {}", name(), function, why));
    }
    if (options_.verify) verify_woven(unit, woven, assembler, line_.output);
    return 0;
  }

  // With -g the assembler makes line information from the text itself; it should
  // speak of the file the user knows.
  std::string line_marker() const {
    bool own_lines = std::any_of(line_.options.begin(), line_.options.end(),
                                 [](const std::string &o) { return o.starts_with("-g") || o.starts_with("--g"); });
    if (!own_lines || reads_stdin_ || line_.inputs.empty()) return {};
    return fmt::format("# 1 \"{}\"\n", line_.inputs[0]);
  }

  const std::vector<std::string> &args_;
  const weave::Options &options_;
  CommandLine line_;
  std::string as_;
  std::string text_;
  bool reads_stdin_ = false;
  bool changed_ = false;  // what the real assembler gets is not what was given
  std::string rejected_;  // what the assembler said of the woven text
};

// Weights that cannot be read cost time when the program runs, but no build.
void load_weights(weave::Options &options) {
  if (options.weights != weave::Options::Weights::measured) return;
  try {
    options.measured = read_weights(options.weights_file);
  } catch (const base::Error &e) {
    options.weights = weave::Options::Weights::structure;
    base::warning(fmt::format("counters are placed by estimate: {}", e.what()), e.hint);
  }
}

void load_choice(weave::Options &options) {
  if (options.paths_file.empty()) return;
  options.chosen = std::make_shared<format::PathSelection>(
      format::read_path_selection(base::read_file(options.paths_file), options.paths_file));
}

}  // namespace

int assemble(const std::vector<std::string> &args) {
  std::optional<weave::Options> options = published();
  if (!options) {
    std::vector<std::string> command = {real_assembler()};
    command.insert(command.end(), args.begin(), args.end());
    base::execute(command);
  }
  load_weights(*options);
  load_choice(*options);
  return Standin(args, *options).run();
}

}  // namespace chord::driver
