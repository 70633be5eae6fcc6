#include "dap/trace_recording.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "analysis/source/lines.h"
#include "base/cxx_names.h"
#include "base/diagnostics.h"
#include "base/function_names.h"
#include "report/tables/function_names.h"
#include "report/tables/procedures.h"

namespace chord::dap {

using analysis::TraceCursor;
using analysis::TracedCode;
using analysis::TracedProcedure;
using analysis::TraceFrame;
using analysis::TraceIndex;
using analysis::TraceStretch;

namespace {

constexpr uint64_t kWindow = 1 << 16;  // instructions that are replayed at once on the way back

}  // namespace

TraceRecording::TraceRecording(const format::Trace &trace, const CodeOf &code_of, const IndexOf &index_of) {
  for (const format::TraceStream &stream : trace.streams) {
    const TracedCode &code = code_of(stream);
    Thread thread{&stream, module_of(code), nullptr, index_of ? index_of(stream) : nullptr};
    if (thread.index == nullptr) {
      thread.made = std::make_unique<TraceIndex>(code, stream, kWindow);
      thread.index = thread.made.get();
    }
    if (!thread.index->problem().empty()) throw base::Error(fmt::format("{}: {}", trace.path, thread.index->problem()));
    if (thread.index->instructions() != 0) threads_.push_back(std::move(thread));
  }
}

size_t TraceRecording::module_of(const TracedCode &code) {
  uint32_t functions = 0;
  for (size_t m = 0; m < modules_.size(); ++m) {
    if (modules_[m].code == &code) return m;
    functions += static_cast<uint32_t>(modules_[m].code->size());
  }
  Module module{&code, functions, {}};
  for (uint32_t p = 0; p < code.size(); ++p) add_files(module, *code.procedure(p).unit);
  modules_.push_back(std::move(module));
  return modules_.size() - 1;
}

void TraceRecording::add_files(Module &module, const format::UnitMap &unit) {
  auto [entry, fresh] = module.files.try_emplace(&unit);
  if (!fresh) return;
  for (const std::string &file : unit.files) {
    auto [number, is_new] = file_numbers_.try_emplace(analysis::source_path(unit, file), static_cast<uint32_t>(files_.size()));
    if (is_new) files_.push_back(number->first);
    entry->second.push_back(number->second);
  }
}

std::string TraceRecording::thread_name(size_t thread) const {
  const Thread &t = threads_[thread];
  std::string name = fmt::format("thread {}", t.stream->thread);
  if (modules_.size() > 1) name += fmt::format(" in {}", std::filesystem::path(t.stream->module).filename().string());
  return name;
}

Location TraceRecording::location(const Module &module, uint32_t procedure, uint32_t instruction) const {
  const TracedProcedure &p = module.code->procedure(procedure);
  const format::Instruction &in = p.map->instructions[instruction];
  Location at;
  at.function = module.first_function + procedure;
  at.offset = in.offset;
  if (in.line == 0) return at;
  at.line = in.line;
  at.file = module.files.at(p.unit)[in.file];
  return at;
}

// ---- moments ----

Step TraceRecording::step_in(const Thread &thread, const TraceStretch &stretch, uint64_t number) const {
  auto ahead = static_cast<uint32_t>(number - stretch.number);
  return {number, stretch.depth, stretch.enters && ahead == 0, location(modules_[thread.module], stretch.procedure, stretch.first + ahead)};
}

void TraceRecording::walk(size_t thread, uint64_t number, Direction direction, const Visit &visit) {
  const Thread &t = threads_[thread];
  if (direction == Direction::forward) {
    walk_forward(t, number, visit);
  } else {
    walk_backward(t, number, visit);
  }
}

void TraceRecording::walk_forward(const Thread &thread, uint64_t number, const Visit &visit) const {
  TraceCursor cursor = thread.index->seek(number + 1);
  for (TraceStretch s; cursor.next(s);) {
    for (uint64_t n = std::max(s.number, number + 1); n < s.number + s.count; ++n) {
      if (!visit(step_in(thread, s, n))) return;
    }
  }
}

// Those of the stretch that are before moment `end`.
bool TraceRecording::visit_stretch_back(const Thread &thread, const TraceStretch &stretch, uint64_t end, const Visit &visit) const {
  for (uint64_t n = std::min(stretch.number + stretch.count, end); n > stretch.number; --n) {
    if (!visit(step_in(thread, stretch, n - 1))) return false;
  }
  return true;
}

void TraceRecording::walk_backward(const Thread &thread, uint64_t number, const Visit &visit) const {
  for (uint64_t end = number; end > 0;) {
    TraceCursor cursor = thread.index->seek(end > kWindow ? end - kWindow : 0);
    std::vector<TraceStretch> window;
    for (TraceStretch s; cursor.next(s) && s.number < end;) window.push_back(s);
    if (window.empty()) return;
    for (auto s = window.rbegin(); s != window.rend(); ++s) {
      if (!visit_stretch_back(thread, *s, end, visit)) return;
    }
    end = window.front().number;
  }
}

Step TraceRecording::step_at(size_t thread, uint64_t number) {
  const Thread &t = threads_[thread];
  TraceCursor cursor = t.index->seek(number);
  TraceStretch s;
  if (!cursor.next(s) || number < s.number || number >= s.number + s.count) throw base::Error(fmt::format("there is no moment {}", number));
  return step_in(t, s, number);
}

std::vector<Location> TraceRecording::stack(size_t thread, uint64_t number) {
  const Thread &t = threads_[thread];
  TraceCursor before = t.index->seek(number);
  TraceCursor cursor = before;
  TraceStretch s;
  if (!cursor.next(s)) throw base::Error(fmt::format("there is no moment {}", number));
  std::vector<Location> out;
  // Below the activation that runs, nothing changes while it does.
  for (const TraceFrame &frame : before.stack()) {
    if (frame.interrupted) continue;
    if (out.size() == s.depth) break;
    uint32_t last = static_cast<uint32_t>(modules_[t.module].code->procedure(frame.procedure).map->instructions.size()) - 1;
    out.push_back(location(modules_[t.module], frame.procedure, std::min(frame.instruction, last)));
  }
  out.push_back(step_in(t, s, number).at);
  std::reverse(out.begin(), out.end());
  return out;
}

// ---- code ----

const TracedProcedure &TraceRecording::procedure_of(uint32_t function) const {
  for (const Module &module : modules_) {
    if (function >= module.first_function && function - module.first_function < module.code->size()) {
      return module.code->procedure(function - module.first_function);
    }
  }
  throw base::Error(fmt::format("there is no function {}", function));
}

std::string TraceRecording::function_name(uint32_t function) const { return base::demangle(procedure_of(function).map->name); }

std::vector<uint32_t> TraceRecording::functions_named(const std::string &name) const {
  std::vector<uint32_t> best;
  base::Fit fit = base::Fit::partial;  // parts of names are too many places to stop at
  for (const Module &module : modules_) {
    for (uint32_t p = 0; p < module.code->size(); ++p) {
      base::Fit f = base::fit_of(module.code->procedure(p).map->name, name);
      if (f >= base::Fit::partial || f > fit) continue;
      if (f < fit) best.clear();
      fit = f;
      best.push_back(module.first_function + p);
    }
  }
  return best;
}

// The file itself; if the program was built elsewhere, those with the longest common end.
std::vector<uint32_t> TraceRecording::files_named(const std::string &path) const {
  std::filesystem::path wanted = std::filesystem::path(path).lexically_normal();
  auto exact = file_numbers_.find(wanted.string());
  if (exact != file_numbers_.end()) return {exact->second};
  std::vector<uint32_t> best;
  long most = 1;
  for (uint32_t f = 0; f < files_.size(); ++f) {
    std::filesystem::path file(files_[f]);
    auto a = file.end(), b = wanted.end();
    long common = 0;
    while (a != file.begin() && b != wanted.begin() && *std::prev(a) == *std::prev(b)) --a, --b, ++common;
    if (common < most) continue;
    if (common > most) best.clear();
    most = common;
    best.push_back(f);
  }
  return best;
}

std::vector<uint32_t> TraceRecording::lines_with_code(uint32_t file) const {
  std::set<uint32_t> lines;
  for (const Module &module : modules_) {
    for (uint32_t p = 0; p < module.code->size(); ++p) {
      const TracedProcedure &procedure = module.code->procedure(p);
      for (const format::Instruction &in : procedure.map->instructions) {
        if (in.line != 0 && module.files.at(procedure.unit)[in.file] == file) lines.insert(in.line);
      }
    }
  }
  return {lines.begin(), lines.end()};
}

std::vector<CodeLine> TraceRecording::code(uint32_t function) const {
  const TracedProcedure &p = procedure_of(function);
  std::vector<CodeLine> out;
  for (const Module &module : modules_) {
    if (function < module.first_function || function - module.first_function >= module.code->size()) continue;
    for (uint32_t i : report::in_text_order(*p.map)) {
      if (p.map->instructions[i].fragment == 0) out.push_back({location(module, function - module.first_function, i), p.map->instructions[i].text});
    }
  }
  return out;
}

}  // namespace chord::dap
