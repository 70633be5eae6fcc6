#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/diagnostics.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/trace_dap.h"
#include "cli/trace_diff.h"
#include "cli/trace_hot.h"
#include "cli/trace_input.h"
#include "report/trace.h"

namespace chord::cli {
namespace {

constexpr const char *kExamples =
    "Examples:\n"
    "  chord --trace gcc -O2 -g prog.c -o prog && ./prog && chord trace\n"
    "  chord trace --by=line --from=1000 --to=2000     the lines that instructions 1000 to 1999 of each thread ran through\n"
    "  chord trace --by=instruction --thread=2 --csv\n"
    "  chord trace diff A.chordtrace B.chordtrace      where two runs part\n"
    "\n"
    "A number is that of instructions the thread had executed before.\n";

// Rows as they come: a trace may have any number of them.
class Writer {
 public:
  Writer(bool json, bool csv, const std::string &by, const std::string &program) : json_(json), csv_(csv) {
    if (json_) out_ = fmt::format("{{\"schema\":1,\"program\":{},\"by\":\"{}\",\"rows\":[", nlohmann::json(program).dump(), by);
    if (csv_) out_ = "thread,number,function,offset,file,line,depth\n";
  }

  bool row(const report::TraceRow &r) {
    const format::Instruction &in = r.at();
    std::string file = r.file();
    if (json_) {
      out_ += fmt::format("{}\n{{\"thread\":{},\"number\":{},\"function\":{},\"offset\":{},\"file\":{},\"line\":{},\"depth\":{}}}", first_ ? "" : ",", r.thread,
                          r.number, text(r.function()), in.offset, text(file), in.line, r.depth);
    } else if (csv_) {
      out_ += fmt::format("{},{},{},{},{},{},{}\n", r.thread, r.number, quoted(r.function()), in.offset, quoted(file), in.line, r.depth);
    } else {
      std::string place = file.empty() ? "" : fmt::format("  {}:{}", file, in.line);
      out_ += fmt::format("{:>3} {:>12}  {:{}}{}+{:#x}{}\n", r.thread, r.number, "", 2 * std::min(r.depth, 40u), r.function(), in.offset, place);
    }
    first_ = false;
    if (out_.size() > kMost) flush();
    return true;
  }

  void finish() {
    if (json_) out_ += "\n]}\n";
    flush();
  }

 private:
  static constexpr size_t kMost = 1 << 20;

  void flush() {
    print(out_);
    out_.clear();
  }

  static std::string text(const std::string &value) { return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

  static std::string quoted(const std::string &value) {
    if (value.find_first_of(",\"\n") == std::string::npos) return value;
    std::string out = "\"";
    for (char c : value) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
  }

  bool json_, csv_, first_ = true;
  std::string out_;
};

report::TraceRows rows_by(const std::string &by) {
  using report::TraceRows;
  return by == "call" ? TraceRows::call : by == "line" ? TraceRows::line : by == "block" ? TraceRows::block : TraceRows::instruction;
}

}  // namespace

int cmd_trace(std::vector<std::string> args) {
  if (!args.empty() && args[0] == "diff") return trace_diff({args.begin() + 1, args.end()});
  if (!args.empty() && args[0] == "hot") return trace_hot({args.begin() + 1, args.end()});
  if (!args.empty() && args[0] == "dap") return trace_dap({args.begin() + 1, args.end()});
  CLI::App app("What the program did, step by step.", "chord trace");
  std::string path, program, by = "call";
  report::TraceRange range;
  uint32_t thread = 0;
  bool json = false, csv = false;
  app.add_option("TRACE", path, "PROGRAM.chordtrace; the newest here if it is left out")->type_name("");
  app.add_option("--program", program, "the executable, if it is not where it ran")->type_name("FILE");
  app.add_option("--by", by, "call (the default), line, block or instruction")->type_name("KIND")->check(CLI::IsMember({"call", "line", "block", "instruction"}));
  app.add_option("--from", range.from, "only what ran after so many instructions of the thread")->type_name("N");
  app.add_option("--to", range.to, "and before so many")->type_name("M");
  app.add_option("--thread", thread, "only this thread")->type_name("N");
  app.add_flag("--json", json, "as JSON");
  app.add_flag("--csv", csv, "as CSV");
  app.footer(kExamples);
  if (!parse(app, std::move(args))) return 0;
  TraceInput input(path, program);
  if (input.trace().streams.empty()) throw base::Error(input.trace().path + ": nothing was recorded");
  Writer writer(json, csv, by, input.trace().streams[0].module);
  int status = 0;
  for (const format::TraceStream &stream : input.trace().streams) {
    if (thread != 0 && stream.thread != thread) continue;
    std::string problem = report::list_trace(input.code(stream), stream, rows_by(by), range, [&](const report::TraceRow &row) { return writer.row(row); });
    if (problem.empty()) continue;
    base::error(fmt::format("{}: {}", input.trace().path, problem), "please report it: a trace never contradicts its program");
    status = 1;
  }
  writer.finish();
  return status;
}

}  // namespace chord::cli
