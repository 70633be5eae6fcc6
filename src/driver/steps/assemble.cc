#include "driver/steps/assemble.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "assembly/text/layout.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/process.h"
#include "base/scratch_files.h"
#include "driver/compilers/cache_namespace.h"
#include "driver/compilers/installation.h"
#include "driver/compilers/nothing_woven.h"
#include "driver/options/build_options.h"
#include "driver/steps/left_out.h"
#include "driver/steps/measured_weights.h"
#include "driver/steps/proved_weaving.h"
#include "driver/steps/woven_object.h"
#include "format/inputs/path_selection.h"
#include "format/map/map.h"
#include "weave/compose/long_jumps.h"
#include "weave/weave.h"

namespace chord::driver {
namespace {

struct CommandLine {
  std::vector<std::string> options;  // for the real assembler, without input and output
  std::vector<std::string> inputs;
  std::string output = "a.out";
  bool only_information = false;     // --version and the like
  bool taken_off = false;            // there was an option that the real assembler must not see
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
    } else if (a == "--defsym" && i + 1 < args.size() && is_namespace_word(args[i + 1])) {
      ++i;  // for caches alone
      out.taken_off = true;
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

// So that readers notice that a source is not the one that was compiled. Those that no instruction is of are not read.
void hash_sources(format::UnitMap &map) {
  std::vector<bool> used(map.files.size());
  for (const format::Procedure &p : map.procedures) {
    if (p.line != 0) used[p.file] = true;
    for (const format::Instruction &i : p.instructions) {
      if (i.line != 0) used[i.file] = true;
    }
  }
  map.hashes.assign(map.files.size(), 0);
  for (size_t i = 0; i < map.files.size(); ++i) {
    std::filesystem::path path = std::filesystem::path(map.folder) / map.files[i];
    std::error_code failed;
    if (!used[i] || !std::filesystem::is_regular_file(path, failed)) continue;
    try {
      map.hashes[i] = base::hash_text(base::read_file(path));
    } catch (const base::Error &) {
      // Not readable, so not known.
    }
  }
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
    if (line_.only_information || !is_for_us()) return run_as_typed();
    std::string given = read_inputs(line_);
    text_ = without_address_significance(given);
    reads_stdin_ = line_.inputs.empty() || line_.inputs[0] == "-";
    changed_ = text_ != given;
    read_source(text_, source_);
    try {
      if (std::optional<int> status = run_woven()) return *status;
    } catch (const base::Error &e) {
      if (is_strict()) throw;
      left_out_ = e.what();
      hint_ = e.hint;
    }
    if (left_out_.empty()) return run_as_typed();
    int status = run_left_out();
    // Where the original fails as well (a mistake in it, no such folder), weaving is not to blame.
    return status != 0 ? status : report_left_out();
  }

 private:
  std::string name() const {
    std::string unit = unit_name(source_);
    if (!unit.empty()) return unit;
    return line_.inputs.empty() || reads_stdin_ ? line_.output : line_.inputs[0];
  }

  // Code for another machine than the one we know is not read at all.
  bool is_for_us() const {
    auto other = [](const std::string &o) { return o == "--32" || o == "--x32"; };
    return std::none_of(line_.options.begin(), line_.options.end(), other);
  }

  int report_left_out() {
    if (rejected_.empty()) {
      base::warning(fmt::format("{}: left uninstrumented: {}", name(), left_out_), hint_);
      return 0;
    }
    base::bug(fmt::format("{}: the woven assembly was rejected:\n{}", name(), rejected_));
    if (!is_strict()) return 0;
    ::unlink(line_.output.c_str());
    return 1;
  }

  int run_as_typed() const {
    std::vector<std::string> command = {as_};
    if (changed_ || line_.taken_off) {
      command.insert(command.end(), line_.options.begin(), line_.options.end());
      command.insert(command.end(), {"-o", line_.output});
      if (changed_) command.push_back("-");
      if (!changed_) command.insert(command.end(), line_.inputs.begin(), line_.inputs.end());
    } else {
      command.insert(command.end(), args_.begin(), args_.end());
    }
    return base::run(command, reads_stdin_ || changed_ ? &text_ : nullptr).status;
  }

  // As typed, but with a map that has the reason; without it where that cannot be assembled.
  int run_left_out() const {
    std::string text = line_marker() + text_ + map_of_left_out(source_, left_out_);
    std::vector<std::string> command = {as_};
    command.insert(command.end(), line_.options.begin(), line_.options.end());
    command.insert(command.end(), {"-o", line_.output, "-"});
    base::Outcome outcome = base::run(command, &text, true);
    if (outcome.status != 0) return run_as_typed();
    fmt::print(stderr, "{}", outcome.errors);  // warnings
    return 0;
  }

  bool is_strict() const { return options_.verify == weave::Options::Verify::error; }

  // Nothing if there is nothing to weave, or the text is not for us to judge.
  std::optional<int> run_woven() {
    assembly::Assembler assembler{as_, layout_options(line_.options)};
    assembly::Layout layout;
    std::string errors;
    if (!lay_out(source_, assembler, layout, errors)) {
      left_out_ = why_not_laid_out(source_, errors);
      return std::nullopt;
    }
    assembly::Unit unit;
    build_unit(source_, std::move(layout), unit);

    base::ScratchFiles files;
    std::string map_file = files.file("map");
    weave::UnitFiles around{in_quotes(map_file), in_quotes(runtime_folder()), self_path()};
    weave::Woven woven = weave_proved(source_, unit, options_, around);
    if (woven.map.procedures.empty()) return std::nullopt;
    hash_sources(woven.map);
    base::write_file(map_file, format::encode_map(woven.map));
    std::vector<std::string> command = {as_};
    command.insert(command.end(), line_.options.begin(), line_.options.end());
    base::Outcome outcome = make_object({command, line_marker() + weave::with_long_jumps(woven.text, woven.long_jumps), woven.runtime, line_.output}, files);
    if (outcome.status != 0) {
      ::unlink(line_.output.c_str());
      rejected_ = outcome.errors;
      left_out_ = "the assembler rejected it with probes";
      return std::nullopt;
    }
    tell_witness();
    if (woven.unmatched != 0) {
      base::warning(fmt::format("{}: {} of {} functions are not in {}; their counters are placed by estimate", name(),
                                woven.unmatched, woven.woven, options_.measured->source));
    }
    report_skipped(woven.map);
    for (const auto &[function, why] : woven.unchosen) {
      base::warning(fmt::format("{}: {}: its chosen paths are not counted, its edges are: {}", name(), function, why));
    }
    warn_of_unplaced(woven);
    return 0;
  }

  void warn_of_unplaced(const weave::Woven &woven) const {
    if (woven.unplaced.empty()) return;
    std::string others = woven.unplaced.size() == 1 ? "" : fmt::format(" and {} more", woven.unplaced.size() - 1);
    base::warning(fmt::format("{}: '{}'{}: not found in {} with the same size; models take other addresses for them", name(), woven.unplaced[0], others,
                              options_.layout_file),
                  "build the plain program from the same sources with the same options");
  }

  // One line, whatever their number: reports name them all.
  void report_skipped(const format::UnitMap &map) const {
    size_t skipped = 0;
    const format::Procedure *first = nullptr;
    for (const format::Procedure &p : map.procedures) {
      if (p.skipped.empty()) continue;
      if (skipped++ == 0) first = &p;
    }
    if (skipped == 0) return;
    std::string others = skipped == 1 ? "" : fmt::format(", and {} more", skipped - 1);
    base::warning(fmt::format("{}: left uninstrumented: {} ({}){}", name(), first->name, first->skipped, others));
  }

  // With -g the assembler makes line information from the text itself; it should
  // speak of the file the user knows.
  std::string line_marker() const {
    bool own_lines = std::any_of(line_.options.begin(), line_.options.end(),
                                 [](const std::string &o) { return o.starts_with("-g") || o.starts_with("--g"); });
    if (!own_lines || reads_stdin_ || line_.inputs.empty()) return {};
    return fmt::format("# 1 \"{}\"\n", in_quotes(line_.inputs[0]));
  }

  const std::vector<std::string> &args_;
  const weave::Options &options_;
  CommandLine line_;
  std::string as_;
  std::string text_;
  assembly::Source source_;
  bool reads_stdin_ = false;
  bool changed_ = false;  // what the real assembler gets is not what was given
  std::string rejected_;  // what the assembler said of the woven text
  std::string left_out_;  // why the unit is assembled as it came
  std::string hint_;
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

void load_layout(weave::Options &options) {
  if (!options.layout_file.empty()) options.layout = std::make_shared<assembly::PlainLayout>(options.layout_file);
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
  load_layout(*options);
  return Standin(args, *options).run();
}

}  // namespace chord::driver
