#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/objects/plain_code.h"
#include "analysis/objects/woven_code.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "base/process.h"
#include "cli/arguments/options.h"
#include "cli/command.h"
#include "report/source/plain.h"
#include "report/source/summary.h"
#include "report/tables/render.h"

namespace chord::cli {
namespace {

constexpr const char *kDoctorExamples =
    "Examples:\n"
    "  chord doctor                check the tools, and count a small program with each compiler\n"
    "  chord doctor prog.chord     … and list what of that program was left uninstrumented\n"
    "  chord doctor ./prog         the same of a program that has not run\n";

constexpr const char *kSample =
    "int twice(int x) { return 2 * x; }\n"
    "int main(void) { int i, s = 0; for (i = 0; i < 7; i++) s += twice(i); return s != 42; }\n";
constexpr uint64_t kSampleCalls = 7;

struct Tool {
  const char *name;
  const char *purpose;
};

constexpr Tool kTools[] = {{"as", "assembler: needed to build"},
                           {"ld", "linker: one is needed to build"},
                           {"ld.lld", "linker"},
                           {"mold", "linker"},
                           {"valgrind", "compares counts in chord's own tests; not needed to use chord"}};

constexpr Tool kCompilers[] = {{"gcc", "C"}, {"g++", "C++"}, {"clang", "C"}, {"clang++", "C++"}};

// The first line a tool prints about its version.
std::string version_of(const std::string &path) {
  base::Outcome outcome = base::run({"sh", "-c", "exec \"$0\" --version >&2", path}, nullptr, true);
  return outcome.status == 0 ? outcome.errors.substr(0, outcome.errors.find('\n')) : "";
}

std::string first_line(const std::string &text) { return text.substr(0, text.find('\n')); }

// Builds, runs and counts the sample with one compiler. Empty, or what went wrong.
std::string try_compiler(const std::string &compiler, bool plus_plus) {
  base::TempFolder folder;
  std::string source = folder.file(plus_plus ? "sample.cc" : "sample.c");
  std::string program = folder.file("sample"), profile = folder.file("sample.chord");
  base::write_file(source, kSample);
  std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  base::Outcome built = base::run({self, compiler, "-O0", "-g", source, "-o", program}, nullptr, true);
  if (built.status != 0) return fmt::format("cannot build: {}", first_line(built.errors));
  base::Outcome ran = base::run({"env", "CHORD_OUT=" + profile, program}, nullptr, true);
  if (ran.status != 0) return fmt::format("the program built with it fails (status {})", ran.status);
  try {
    analysis::Program counted = analysis::load_program(format::decode_profile(base::read_locked(profile)), {.program = "", .only_ran = true});
    for (const analysis::CountedProcedure &p : counted.procedures) {
      if (p.map->name.find("twice") != std::string::npos && p.calls == kSampleCalls) return "";
    }
  } catch (const base::Error &e) {
    return e.what();
  }
  return "counts are wrong";
}

struct Finding {
  std::string subject, state, detail;
};

std::vector<Finding> examine_machine() {
  std::vector<Finding> findings;
  for (const Tool &tool : kTools) {
    std::string path = base::find_in_path(tool.name);
    findings.push_back(
        {tool.name, path.empty() ? "missing" : "found", path.empty() ? tool.purpose : version_of(path)});
  }
  for (const Tool &compiler : kCompilers) {
    std::string path = base::find_in_path(compiler.name);
    if (path.empty()) {
      findings.push_back({compiler.name, "missing", fmt::format("{} compiler", compiler.purpose)});
      continue;
    }
    std::string why = try_compiler(compiler.name, std::string_view(compiler.purpose) == "C++");
    findings.push_back(
        {compiler.name, why.empty() ? "works" : "fails", why.empty() ? version_of(path) : why});
  }
  return findings;
}

report::Table findings_table(const std::vector<Finding> &findings) {
  report::Table t;
  t.by = "tool";
  t.columns = {{"tool", "tool", true}, {"state", "state", true}, {"detail", "detail", true}};
  t.text_order = {0, 1, 2};
  for (const Finding &f : findings) {
    t.add({report::text(t.keep(f.subject)), report::text(t.keep(f.state)), report::text(t.keep(f.detail))});
  }
  return t;
}

struct SkippedFunction {
  std::string function, unit, reason;
};

report::Table skipped_table(const std::vector<SkippedFunction> &skipped) {
  report::Table t;
  t.by = "skipped";
  t.columns = {{"function", "function", true},
               {"unit", "unit", true},
               {"reason", "left uninstrumented because", true}};
  t.text_order = {0, 1, 2};
  for (const SkippedFunction &s : skipped) {
    t.add({report::text(s.function), report::text(s.unit), report::text(s.reason)});
  }
  return t;
}

// What `chord doctor` has to say of a program or of the program of a profile.
struct Examined {
  std::string name;
  size_t instrumented = 0;
  std::vector<SkippedFunction> skipped;
  std::vector<analysis::PlainUnit> plain;
};

Examined examine_profile(const InputOptions &input) {
  analysis::Program program = load_what_ran(input, false);
  Examined out{program.name, program.procedures.size(), {}, report::plain_units(program)};
  for (const analysis::Skipped &s : program.skipped) out.skipped.push_back({s.map->name, s.unit->unit, s.map->skipped});
  return out;
}

// Which of its functions are really in the program is for the linker to say.
Examined examine_executable(const std::string &path) {
  analysis::Object object = analysis::read_object(path, false);
  Examined out{path, 0, {}, analysis::plain_code(path, report::names_of_skipped(object.units))};
  std::set<uint64_t> keys;
  for (const format::Anchor &anchor : object.anchors) {
    if (analysis::is_live(anchor)) keys.insert(anchor.key);
  }
  out.instrumented = keys.size();
  for (const format::UnitMap &unit : object.units) {
    for (const format::Procedure &p : unit.procedures) {
      if (!p.skipped.empty()) out.skipped.push_back({p.name, unit.unit, p.skipped});
    }
  }
  return out;
}

Examined examine(const InputOptions &input) {
  return input.profiles.size() == 1 && is_elf(input.profiles[0]) ? examine_executable(input.profiles[0]) : examine_profile(input);
}

// Without a profile named, the newest is looked at if there is one.
bool find_input(InputOptions &input) {
  if (!input.profiles.empty()) return true;
  try {
    input.profiles.push_back(newest_profile());
  } catch (const base::Error &) {
    return false;
  }
  return true;
}

void show(const Examined &program, const report::TextStyle &style) {
  if (program.skipped.empty()) {
    print(fmt::format("\n{}: every function with a map is instrumented ({})\n", program.name, program.instrumented));
  } else {
    print(fmt::format("\n{}: {} functions are instrumented, {} are not\n", program.name, program.instrumented, program.skipped.size()));
    print(report::render_text(skipped_table(program.skipped), style));
  }
  print(report::plain_text(program.plain));
}

nlohmann::ordered_json json_of(const Examined &program) {
  nlohmann::ordered_json skipped = nlohmann::ordered_json::array();
  for (const SkippedFunction &s : program.skipped) skipped.push_back({{"function", s.function}, {"unit", s.unit}, {"reason", s.reason}});
  return skipped;
}

}  // namespace

int cmd_doctor(std::vector<std::string> args) {
  CLI::App app("What works on this machine, what was left uninstrumented and why.", "chord doctor");
  InputOptions input;
  bool json = false;
  add_input_options(app, input);
  app.add_flag("--json", json, "machine-readable, with a schema number");
  app.footer(kDoctorExamples);
  if (!parse(app, std::move(args))) return 0;
  std::vector<Finding> findings = examine_machine();
  report::Table tools = findings_table(findings);
  if (json) {
    nlohmann::ordered_json head;
    head["schema"] = 1;
    head["skipped"] = nlohmann::ordered_json::array();
    if (find_input(input)) {
      Examined program = examine(input);
      head["program"] = program.name;
      head["skipped"] = json_of(program);
      head["plain"] = report::plain_json(program.plain);
    }
    print(report::render_json(tools, head));
  } else {
    report::TextStyle style = report::style_of_stdout();
    print(report::render_text(tools, style));
    if (find_input(input)) show(examine(input), style);
  }
  for (const Finding &f : findings) {
    if (f.state == "fails") return 1;
  }
  return 0;
}

}  // namespace chord::cli
