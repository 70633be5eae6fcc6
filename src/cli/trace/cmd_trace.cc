#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/trace/calls.h"
#include "analysis/trace/times.h"
#include "base/cxx_names.h"
#include "base/function_names.h"
#include "base/diagnostics.h"
#include "cli/arguments/options.h"
#include "cli/arguments/trace_input.h"
#include "cli/command.h"
#include "cli/trace/trace_dap.h"
#include "cli/trace/trace_diff.h"
#include "cli/trace/trace_explore.h"
#include "cli/trace/trace_hot.h"
#include "cli/trace/trace_index.h"
#include "cli/trace/trace_marks.h"
#include "cli/trace/trace_pack.h"
#include "cli/trace/trace_stats.h"
#include "cli/trace/trace_this_call.h"
#include "report/tables/function_names.h"
#include "report/tables/names.h"
#include "report/tables/procedures.h"
#include "report/trace/trace_accesses.h"
#include "report/trace/trace.h"
#include "report/trace/trace_marks.h"

namespace chord::cli {
namespace {

constexpr const char *kTraceExamples =
    "Examples:\n"
    "  chord --trace gcc -O2 -g prog.c -o prog && ./prog && chord trace\n"
    "  chord trace --by=line --from=1000 --to=2000     the lines that instructions 1000 to 1999 of each thread ran through\n"
    "  chord trace --by=instruction --thread=2 --csv\n"
    "  chord trace --by=line --top=100                 the first hundred lines\n"
    "  chord trace --last=parse.c:120                  the last time that line ran\n"
    "  chord trace --find=parse --caller=main --nth=3  the third time that main called it\n"
    "  chord trace --before-crash=200                  the lines of the last 200 instructions\n"
    "  chord trace --from='parse#3' --to='parse#3'     all that its third call did\n"
    "  chord trace --this-call=4711                    the lines that this call ran, in the source\n"
    "  chord trace --from='mark:request 7'             what followed chord_mark(\"request 7\")\n"
    "  chord trace --from=time:1.5s --to=time:1.6s     what ran then (chord --trace=time)\n"
    "  chord trace --addresses --from=1000 --to=2000   what was loaded and stored where (chord --trace=addresses)\n"
    "  chord trace marks                               the moments that the program named\n"
    "  chord trace explore                             a full screen to step through it, forward and backward\n"
    "  chord trace stats                               instructions, calls, branches, bytes\n"
    "  chord trace pack prog.chordtrace                 compressed, in its place\n"
    "  chord trace diff A.chordtrace B.chordtrace      where two runs part\n"
    "\n"
    "A number is that of instructions the thread had executed before.\n";

// Rows as they come: a trace may have any number of them.
class Writer {
 public:
  // `times`: rows say when. `by`: "access" for those.
  Writer(bool json, bool csv, const std::string &by, const std::string &program, bool times) : json_(json), csv_(csv), times_(times) {
    if (json_) out_ = fmt::format("{{\"schema\":1,\"program\":{},\"by\":\"{}\",\"rows\":[", nlohmann::json(program).dump(), by);
    if (csv_ && by == "access") out_ = "thread,number,function,offset,file,line,depth,kind,size,times,address\n";
    else if (csv_) out_ = times_ ? "thread,number,function,offset,file,line,depth,time\n" : "thread,number,function,offset,file,line,depth\n";
  }

  void row(const report::TraceRow &r) {
    const format::Instruction &in = r.at();
    std::string file = r.file();
    if (json_) {
      out_ += fmt::format("{}\n{{\"thread\":{},\"number\":{},\"function\":{},\"offset\":{},\"file\":{},\"line\":{},\"depth\":{}{}}}", rows_ == 0 ? "" : ",", r.thread,
                          r.number, text(r.function()), in.offset, text(file), in.line, r.depth, times_ ? fmt::format(",\"time\":{}", r.time_ns) : "");
    } else if (csv_) {
      out_ += fmt::format("{},{},{},{},{},{},{}{}\n", r.thread, r.number, quoted(r.function()), in.offset, quoted(file), in.line, r.depth, times_ ? fmt::format(",{}", r.time_ns) : "");
    } else {
      std::string place = file.empty() ? "" : fmt::format("  {}:{}", file.substr(file.rfind('/') + 1), in.line);  // people know the folder
      const std::string when = times_ ? fmt::format(" {:>12.6f}", static_cast<double>(r.time_ns) / 1e9) : "";
      out_ += fmt::format("{:>3} {:>12}{}  {:{}}{}+{:#x}{}\n", r.thread, r.number, when, "", 2 * std::min(r.depth, 40u), shown(r.function()), in.offset, place);
    }
    ended_row();
  }

  // An access to memory that the row's instruction made.
  void row(const report::TraceRow &r, const analysis::TracedAccess &a) {
    const format::Instruction &in = r.at();
    const char *kind = a.reads && a.writes ? "modify" : a.writes ? "store" : "load";
    const std::string file = r.file();
    if (json_) {
      out_ += fmt::format("{}\n{{\"thread\":{},\"number\":{},\"function\":{},\"offset\":{},\"file\":{},\"line\":{},\"depth\":{},\"kind\":\"{}\",\"size\":{},\"times\":{},\"address\":{}}}",
                          rows_ == 0 ? "" : ",", r.thread, r.number, text(r.function()), in.offset, text(file), in.line, r.depth, kind, a.bytes,
                          a.times ? std::to_string(*a.times) : "null", a.address ? std::to_string(*a.address) : "null");
    } else if (csv_) {
      out_ += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", r.thread, r.number, quoted(r.function()), in.offset, quoted(file), in.line, r.depth, kind, a.bytes,
                          a.times ? std::to_string(*a.times) : "", a.address ? fmt::format("{:#x}", *a.address) : "");
    } else {
      const std::string place = file.empty() ? "" : fmt::format("  {}:{}", file, in.line);
      const std::string times = !a.times ? " times ?" : *a.times == 1 ? "" : fmt::format(" times {}", *a.times);
      out_ += fmt::format("{:>3} {:>12}  {:6} {:>3} {:>16}{}  {}+{:#x}{}\n", r.thread, r.number, kind, a.bytes, a.address ? fmt::format("{:x}", *a.address) : "?", times, shown(r.function()), in.offset,
                          place);
    }
    ended_row();
  }

  uint64_t rows() const { return rows_; }

  void finish() {
    if (json_) out_ += "\n]}\n";
    flush();
  }

 private:
  static constexpr size_t kMost = 1 << 20;

  void ended_row() {
    ++rows_;
    if (out_.size() > kMost) flush();
  }

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

  // As people write the name, and no longer than a part of the line: where the place is matters as much. Each is made once, however many rows have it.
  const std::string &shown(const std::string &name) {
    std::string &out = shown_[&name];
    if (out.empty()) out = report::fit_name(base::familiar_name(base::demangle(name)), kWidestName);
    return out;
  }

  static constexpr size_t kWidestName = 48;
  bool json_, csv_, times_;
  uint64_t rows_ = 0;
  std::unordered_map<const std::string *, std::string> shown_;  // by the string in the map of the program
  std::string out_;
};

bool is_called_by(const report::TraceRow &row, const base::NamedFunctions &functions) {
  return row.caller != nullptr && functions.contains(row.caller->map->name);
}

// FILE:LINE, or a function.
class PlaceWanted {
 public:
  explicit PlaceWanted(const std::string &text) : name_(text), functions_(text) {
    size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon + 1 == text.size()) return;
    std::string digits = text.substr(colon + 1);
    if (text.find("::") != std::string::npos && digits.find_first_not_of("0123456789") != std::string::npos) return;  // a C++ name
    auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), line_);
    if (failed != std::errc{} || end != digits.data() + digits.size() || line_ == 0)
      throw base::UsageError(fmt::format("{}: not a line of a file", text), "FILE:LINE, or the name of a function");
    name_ = text.substr(0, colon);
  }

  bool is_line() const { return line_ != 0; }
  bool matches(const report::TraceRow &row) const {
    if (!is_line()) return functions_.contains(row.procedure->map->name);
    if (row.at().line != line_) return false;
    std::string file = row.file();
    return file == name_ || file.ends_with("/" + name_);
  }

 private:
  std::string name_;
  uint32_t line_ = 0;
  base::NamedFunctions functions_;  // if it is no line
};

// A number of instructions, a call (FUNCTION, FUNCTION#N for its Nth), what the program named (mark:NAME, mark:NAME#N), or a time (time:1.5s).
class MomentWanted {
 public:
  MomentWanted() = default;
  MomentWanted(const std::string &option, const std::string &text) {
    auto number = [&](std::string_view digits, uint64_t &out) {
      auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
      return failed == std::errc{} && end == digits.data() + digits.size();
    };
    if (number(text, number_)) return;
    if (text.starts_with(kTime)) {
      time_ns_ = analysis::parse_time(option + "=" + text, text.substr(kTime.size()));
      name_ = text;
      return;
    }
    size_t hash = text.rfind('#');
    is_mark_ = text.starts_with(kMark);
    name_ = text.substr(0, hash).substr(is_mark_ ? kMark.size() : 0);
    if (name_.empty() || (hash != std::string::npos && (!number(std::string_view(text).substr(hash + 1), nth_) || nth_ == 0)))
      throw base::UsageError(fmt::format("{}={}: not a moment", option, text), "a number of instructions, FUNCTION, FUNCTION#N for its Nth call, mark:NAME, mark:NAME#N or time:1.5s");
  }

  bool is_number() const { return name_.empty(); }
  bool is_mark() const { return is_mark_; }
  bool is_call() const { return !is_number() && !is_mark() && !time_ns(); }
  const std::optional<uint64_t> &time_ns() const { return time_ns_; }
  uint64_t number() const { return number_; }
  const std::string &name() const { return name_; }
  uint64_t nth() const { return nth_; }
  // Some thread came there.
  void reach() { reached_ = true; }
  bool is_reached() const { return reached_; }

 private:
  static constexpr std::string_view kMark = "mark:", kTime = "time:";
  std::optional<uint64_t> time_ns_;
  std::string name_;
  bool is_mark_ = false, reached_ = false;
  uint64_t number_ = 0, nth_ = 1;
};

// Which rows are wanted.
struct Choice {
  std::optional<PlaceWanted> place;
  bool last_only = false;
  std::optional<base::NamedFunctions> caller;  // only where one of these called the function that runs; nothing: wherever
  uint64_t nth = 0;         // only the Nth of those; 0: all
  uint64_t before_end = 0;  // so many instructions before the thread's end; 0: all
  bool backwards = false;
  bool addresses = false;   // of loads and stores, in place of rows of instructions
  uint64_t most = UINT64_MAX;  // only so many rows of all threads, the first ones
  std::optional<MomentWanted> from, to;
};

std::optional<uint64_t> find_mark(const analysis::TracedCode &code, const format::TraceStream &stream, const MomentWanted &wanted) {
  uint64_t nth = 0;
  for (const analysis::TraceMark &mark : report::marks_of(code, stream)) {
    if (mark.name == wanted.name() && ++nth == wanted.nth()) return mark.number;
  }
  return std::nullopt;
}

std::optional<uint64_t> find_time(const analysis::TracedCode &code, const format::TraceStream &stream, uint64_t time_ns) {
  const analysis::TraceTimes times(code, stream);
  if (times.empty()) throw base::Error("the recording has no times", "build with `chord --trace=time`");
  return times.number_at(time_ns);
}

// Where the call begins, or ends. Nothing: the thread did not make it.
std::optional<uint64_t> find_moment(const analysis::TracedCode &code, const format::TraceStream &stream, const MomentWanted &wanted, bool end) {
  if (wanted.is_number()) return wanted.number();
  if (wanted.is_mark()) return find_mark(code, stream, wanted);
  if (wanted.time_ns()) return find_time(code, stream, *wanted.time_ns());
  std::optional<uint64_t> found;
  uint64_t calls = 0;
  const base::NamedFunctions functions(wanted.name());
  std::optional<analysis::TraceCall> chosen;
  analysis::CallVisitor visitor;
  visitor.begins = [&](const analysis::TraceCall &call) {
    if (call.resumed || chosen || !functions.contains(code.procedure(call.procedure).map->name) || ++calls != wanted.nth()) return;
    chosen = call;
    if (!end) found = call.began;
  };
  visitor.ends = [&](const analysis::TraceCall &call, uint64_t number) {
    if (end && chosen && !found && call.began == chosen->began && call.procedure == chosen->procedure) found = number;
  };
  visit_calls(code, stream, visitor);
  return found;
}

uint64_t instructions_of(const analysis::TracedCode &code, const format::TraceStream &stream, const analysis::TraceIndex *index) {
  if (index != nullptr) return index->instructions();
  analysis::TraceCursor cursor(code, stream);
  for (analysis::TraceStretch s; cursor.next(s);) {
  }
  return cursor.number();
}

// Gives what is wrong with the trace.
std::string write_rows(TraceInput &input, const format::TraceStream &stream, report::TraceRows by, Choice &choice, Writer &writer) {
  const analysis::TracedCode &code = input.code(stream);
  const analysis::TraceIndex *index = input.index(stream);
  report::TraceRange range;
  range.callers = choice.caller.has_value();
  if (choice.before_end != 0) {
    uint64_t all = instructions_of(code, stream, index);
    range.from = all - std::min(all, choice.before_end);
    range.from_the_middle = true;
  }
  for (auto [wanted, number, end] : {std::tuple(&choice.from, &range.from, false), std::tuple(&choice.to, &range.to, true)}) {
    if (!*wanted) continue;
    std::optional<uint64_t> moment = find_moment(code, stream, **wanted, end);
    if (!moment) return "";
    (*wanted)->reach();
    *number = std::max(end ? 0 : *number, *moment);
  }
  if (choice.addresses) {
    return report::list_accesses(code, stream, range, [&](const report::TraceRow &row, const analysis::TracedAccess &access) {
      const bool wanted = (!choice.place || choice.place->matches(row)) && (!choice.caller || is_called_by(row, *choice.caller));
      if (wanted) writer.row(row, access);
      return writer.rows() < choice.most;
    });
  }
  uint64_t found = 0;
  auto write = [&](const report::TraceRow &row) {
    if (choice.place && !choice.place->matches(row)) return true;
    if (choice.caller && !is_called_by(row, *choice.caller)) return true;
    if (choice.nth != 0 && ++found < choice.nth) return true;
    writer.row(row);
    return !choice.last_only && choice.nth == 0 && writer.rows() < choice.most;
  };
  if (choice.backwards || choice.last_only) return report::list_trace_backwards(code, stream, by, range, write);
  return report::list_trace(code, stream, by, range, write, index);
}

// A name that means no function is a mistake; a function that did not run is an answer.
void require_function(TraceInput &input, const std::string &option, const std::string &name) {
  const base::NamedFunctions wanted(name);
  for (const format::TraceStream &stream : input.trace().streams) {
    const analysis::TracedCode &code = input.code(stream);
    for (uint32_t p = 0; p < code.size(); ++p) {
      if (wanted.contains(code.procedure(p).map->name)) return;
    }
  }
  throw base::Error(fmt::format("{}={}: no traced function is called so", option, name), "names are as `chord trace` shows them; * stands for anything");
}

void require_thread(const format::Trace &trace, uint32_t thread) {
  const bool any = std::any_of(trace.streams.begin(), trace.streams.end(), [&](const format::TraceStream &s) { return s.thread == thread; });
  if (!any) throw base::Error(fmt::format("--thread={}: {} has no such thread", thread, trace.path), "`chord trace stats` lists them");
}

void require_functions(TraceInput &input, const std::string &caller, const std::string &find, const Choice &choice) {
  if (choice.place && !choice.place->is_line()) require_function(input, choice.last_only ? "--last" : "--find", find);
  if (choice.caller) require_function(input, "--caller", caller);
  if (choice.from && choice.from->is_call()) require_function(input, "--from", choice.from->name());
  if (choice.to && choice.to->is_call()) require_function(input, "--to", choice.to->name());
}

void require_reached(const std::string &option, const std::string &text, const std::optional<MomentWanted> &moment) {
  if (moment && !moment->is_reached()) throw base::Error(fmt::format("{}={}: no thread came there", option, text), "`chord trace` lists its calls, and `chord trace marks` its marks");
}

report::TraceRows rows_by(const std::string &by) {
  using report::TraceRows;
  return by == "call" ? TraceRows::call : by == "line" ? TraceRows::line : by == "block" ? TraceRows::block : TraceRows::instruction;
}

using Subcommand = int (*)(std::vector<std::string>);

constexpr std::pair<std::string_view, Subcommand> kSubcommands[] = {
    {"diff", trace_diff},   {"hot", trace_hot},     {"pack", trace_pack},       {"stats", trace_stats},
    {"index", trace_index}, {"marks", trace_marks}, {"explore", trace_explore}, {"dap", trace_dap},
};

}  // namespace

int cmd_trace(std::vector<std::string> args) {
  for (const auto &[name, run] : kSubcommands) {
    if (!args.empty() && args[0] == name) return run({args.begin() + 1, args.end()});
  }
  CLI::App app("What the program did, step by step.", "chord trace");
  std::string path, program, by, find, last, caller, from, to;
  std::optional<uint64_t> call;
  Choice choice;
  uint32_t thread = 0;
  bool json = false, csv = false;
  app.add_option("TRACE", path, "PROGRAM.chordtrace; the newest here if it is left out")->type_name("");
  app.add_option("--program", program, "the executable, if it is not where it ran")->type_name("FILE");
  app.add_option("--by", by, "call (the default, lines where a line is asked for), line, block or instruction")->type_name("KIND")->check(CLI::IsMember({"call", "line", "block", "instruction"}));
  app.add_option("--from", from, "only what ran after so many instructions of the thread, from the beginning of a function's first or Nth call on, from a moment that the program named, or from a time on")->type_name("N|FUNCTION[#N]|mark:NAME[#N]|time:1.5s");
  app.add_option("--to", to, "and before so many, until that call ended, or up to that moment")->type_name("M|FUNCTION[#N]|mark:NAME[#N]|time:1.5s");
  app.add_flag("--addresses", choice.addresses, "the loads and stores that it made: kind, size and address (chord --trace=addresses)");
  app.add_flag("--backwards", choice.backwards, "from the last row to the first");
  app.add_option("--this-call", call, "the lines that one call ran, in the source: the innermost one that executed instruction N")->type_name("N");
  app.add_option("--find", find, "only rows of this line or function: each time that it ran")->type_name("FILE:LINE|FUNCTION");
  app.add_option("--last", last, "only the last of those, of each thread")->type_name("FILE:LINE|FUNCTION");
  app.add_option("--caller", caller, "of --find and --last: only where this function called the one that ran")->type_name("FUNCTION");
  app.add_option("--nth", choice.nth, "of --find: only the Nth of them, of each thread")->type_name("N")->check(CLI::PositiveNumber);
  app.add_option("--before-end,--before-crash", choice.before_end, "only the last N instructions of each thread")->type_name("N");
  app.add_option("--thread", thread, "only this thread")->type_name("N");
  app.add_option("--top", choice.most, "only the first N rows (with --backwards the last)")->type_name("N")->check(CLI::PositiveNumber);
  app.add_flag("--json", json, "as JSON");
  app.add_flag("--csv", csv, "as CSV");
  app.footer(kTraceExamples);
  if (!parse(app, std::move(args))) return 0;
  if (!find.empty() && !last.empty()) throw base::UsageError("--find and --last do not go together", "--last has the last of what --find has");
  if ((!caller.empty() || choice.nth != 0) && find.empty() && last.empty()) throw base::UsageError("--caller and --nth are of what --find finds", "name a line or a function: --find=FILE:LINE");
  if (choice.nth != 0 && !last.empty()) throw base::UsageError("--nth and --last do not go together", "--find has all of them");
  if (call) return trace_this_call({path, program, *call, thread, json});
  if (!from.empty()) choice.from.emplace("--from", from);
  if (!to.empty()) choice.to.emplace("--to", to);
  if (!caller.empty()) choice.caller.emplace(caller);
  choice.last_only = !last.empty();
  if (!find.empty() || !last.empty()) choice.place.emplace(find.empty() ? last : find);
  if (by.empty()) by = choice.place && choice.place->is_line() ? "line" : choice.before_end != 0 ? "line" : "call";
  if (choice.addresses && (choice.backwards || choice.last_only || choice.nth != 0)) throw base::UsageError("--addresses has all accesses in their order", "leave out --backwards, --last and --nth");
  if (choice.addresses) by = "access";
  TraceInput input(path, program);
  if (input.trace().streams.empty()) throw base::Error(input.trace().path + ": nothing was recorded");
  if (choice.addresses && !analysis::has_addresses(input.trace())) throw base::Error(input.trace().path + ": it has no addresses", "build with `chord --trace=addresses`, and record no ring");
  if (thread != 0) require_thread(input.trace(), thread);
  require_functions(input, caller, find.empty() ? last : find, choice);
  Writer writer(json, csv, by, input.trace().streams[0].module, analysis::has_times(input.trace()));
  int status = 0;
  for (const format::TraceStream &stream : input.trace().streams) {
    if (thread != 0 && stream.thread != thread) continue;
    if (writer.rows() >= choice.most) break;
    std::string problem = write_rows(input, stream, rows_by(by), choice, writer);
    if (problem.empty()) continue;
    base::error(fmt::format("{}: {}", input.trace().path, problem), "please report it: a trace never contradicts its program");
    status = 1;
  }
  writer.finish();
  if (status == 0) require_reached("--from", from, choice.from);
  if (status == 0 && !(choice.from && !choice.from->is_reached())) require_reached("--to", to, choice.to);
  return status;
}

}  // namespace chord::cli
