// A run in single steps (step_run): slow, some ten thousand steps a second, but it misses and adds nothing, and needs neither counters nor another tool.
#include <fmt/core.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <unordered_map>

#include "analysis/objects/function_symbols.h"
#include "base/diagnostics.h"
#include "cli/studies/measured_run.h"
#include "cli/studies/started_program.h"
#include "isa/isa.h"
#include "isa/running_thread.h"

namespace chord::cli {

void StepCounts::add(isa::Traits traits, uint64_t times) {
  instructions += times;
  if ((traits & isa::kLoad) != 0) loads += times;
  if ((traits & isa::kStore) != 0) stores += times;
  if ((traits & (isa::kConditional | isa::kJump)) != 0) branches += times;
}

namespace {

// We and the program take turns: on one processor neither waits for the other to wake up.
class OneProcessor {
 public:
  OneProcessor() {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(std::max(0, ::sched_getcpu())), &one);
    ::sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() { ::sched_setaffinity(0, sizeof before_, &before_); }
  OneProcessor(const OneProcessor &) = delete;
  OneProcessor &operator=(const OneProcessor &) = delete;

 private:
  cpu_set_t before_;
};

struct Code {
  CodeKind kind = CodeKind::other;
  isa::Traits traits = 0;
};

class Stepper {
 public:
  Stepper(const RunCommand &command, const StepOptions &options)
      : options_(options), symbols_(analysis::executable_symbols(command.program)), program_(command, StartedProgram::Wait::traced), pid_(program_.pid()) {
    ::ptrace(PTRACE_SETOPTIONS, pid_, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE);
    find_base();
    for (const analysis::FunctionSymbol &f : symbols_.functions) {
      CodeKind kind = options_.kind(f.name);
      if (kind != CodeKind::other) ranges_.push_back({f.begin + base_, f.end + base_, kind});
      if (f.name == "main") main_ = f.begin + base_;
    }
    std::sort(ranges_.begin(), ranges_.end(), [](const Range &a, const Range &b) { return a.begin < b.begin; });
  }

  StepCounts run() {
    run_to_entry();
    std::set<pid_t> threads = {pid_};
    step(pid_, 0);
    while (!threads.empty()) {
      int status = 0;
      pid_t thread = ::waitpid(-1, &status, __WALL);
      if (thread < 0) break;
      if (WIFEXITED(status) || WIFSIGNALED(status)) {
        threads.erase(thread);
        if (thread == pid_) program_.forget();
        continue;
      }
      threads.insert(thread);
      if (++steps_ > options_.most_steps) {
        counts_.complete = false;
        break;  // what still runs ends with the tracer's interest in it
      }
      int signal = look(thread, status);
      if (starts_runtime_) {
        pass_over(thread);
      } else {
        step(thread, signal);
      }
    }
    return counts_;
  }

 private:
  struct Range {
    uint64_t begin, end;
    CodeKind kind;
  };
  struct Passing {
    uint64_t back;
    long text;
  };

  void step(pid_t thread, int signal) { ::ptrace(PTRACE_SINGLESTEP, thread, nullptr, signal); }

  // Counts the instruction that comes next. Returns the signal that the thread is to get.
  int look(pid_t thread, int status) {
    if (WSTOPSIG(status) == SIGTRAP) come_back(thread);
    uint64_t at = word_of(thread, isa::program_counter_place());
    uint64_t &before = before_[thread];
    int signal = WSTOPSIG(status);
    const Code &code = code_at(thread, at);
    bool goes_on = before == at && (code.traits & isa::kRepeated) != 0;  // another round of the same
    bool was_runtime = code_[before].kind == CodeKind::runtime;
    before = at;
    starts_runtime_ = signal == SIGTRAP && (code.kind == CodeKind::setup || (code.kind == CodeKind::runtime && !was_runtime && !main_runs_));
    if (signal == SIGTRAP && !goes_on) count(thread, at, code);
    return signal == SIGTRAP || signal == SIGSTOP ? 0 : signal;
  }

  // Starting the runtime, and writing the profile, are one step each: from the first instruction to where it returns to.
  void pass_over(pid_t thread) {
    uint64_t back = top_of_stack(thread);
    long text = ::ptrace(PTRACE_PEEKTEXT, thread, back, nullptr);
    ::ptrace(PTRACE_POKETEXT, thread, back, isa::with_breakpoint(text));
    passing_[thread] = {back, text};
    ::ptrace(PTRACE_CONT, thread, nullptr, nullptr);
  }

  // It is there again.
  void come_back(pid_t thread) {
    auto at = passing_.find(thread);
    if (at == passing_.end()) return;
    ::ptrace(PTRACE_POKETEXT, thread, at->second.back, at->second.text);
    ::ptrace(PTRACE_POKEUSER, thread, isa::program_counter_place(), at->second.back);
    passing_.erase(at);
  }

  uint64_t top_of_stack(pid_t thread) {
    return static_cast<uint64_t>(::ptrace(PTRACE_PEEKDATA, thread, word_of(thread, isa::stack_pointer_place()), nullptr));
  }

  void count(pid_t thread, uint64_t at, const Code &code) {
    if (at == main_) main_returns_to_ = top_of_stack(thread);
    if (at == main_) main_runs_ = true;
    if (at == main_returns_to_) main_runs_ = false;
    if (code.kind == CodeKind::own || (code.kind == CodeKind::runtime && main_runs_)) counts_.add(code.traits);
  }

  uint64_t word_of(pid_t thread, size_t offset) { return static_cast<uint64_t>(::ptrace(PTRACE_PEEKUSER, thread, offset, nullptr)); }

  const Code &code_at(pid_t thread, uint64_t at) {
    auto [known, fresh] = code_.try_emplace(at);
    if (!fresh) return known->second;
    auto after = std::upper_bound(ranges_.begin(), ranges_.end(), at, [](uint64_t value, const Range &r) { return value < r.begin; });
    if (after == ranges_.begin() || at >= std::prev(after)->end) return known->second;
    uint64_t words[2] = {static_cast<uint64_t>(::ptrace(PTRACE_PEEKTEXT, thread, at, nullptr)), static_cast<uint64_t>(::ptrace(PTRACE_PEEKTEXT, thread, at + 8, nullptr))};
    std::optional<isa::Decoded> decoded = isa::decode({reinterpret_cast<const char *>(words), sizeof words});
    known->second = {std::prev(after)->kind, decoded ? decoded->traits : 0};
    return known->second;
  }

  // Where the executable's first byte is.
  void find_base() {
    std::error_code failed;
    std::filesystem::path file = std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid_), failed);
    std::ifstream maps(fmt::format("/proc/{}/maps", pid_));
    for (std::string line; std::getline(maps, line);) {
      if (line.find(" 00000000 ") == line.npos || !line.ends_with(file.string())) continue;
      base_ = std::stoull(line, nullptr, 16) - symbols_.lowest;
      return;
    }
    throw base::Error(fmt::format("{}: cannot be found in memory", file.string()));
  }

  // The dynamic linker does not run in single steps.
  void run_to_entry() {
    uint64_t entry = symbols_.entry + base_;
    long text = ::ptrace(PTRACE_PEEKTEXT, pid_, entry, nullptr);
    ::ptrace(PTRACE_POKETEXT, pid_, entry, isa::with_breakpoint(text));
    ::ptrace(PTRACE_CONT, pid_, nullptr, nullptr);
    int status = 0;
    if (::waitpid(pid_, &status, 0) != pid_ || !WIFSTOPPED(status)) {
      program_.forget();
      throw base::Error("it ended before its first instruction");
    }
    ::ptrace(PTRACE_POKETEXT, pid_, entry, text);
    ::ptrace(PTRACE_POKEUSER, pid_, isa::program_counter_place(), entry);
  }

  const StepOptions &options_;
  analysis::ExecutableSymbols symbols_;
  OneProcessor together_;
  StartedProgram program_;
  pid_t pid_;
  uint64_t base_ = 0, main_ = 0, main_returns_to_ = 0, steps_ = 0;
  bool main_runs_ = false, starts_runtime_ = false;
  std::vector<Range> ranges_;
  std::unordered_map<uint64_t, Code> code_;
  std::unordered_map<pid_t, uint64_t> before_;  // where each thread was
  std::unordered_map<pid_t, Passing> passing_;  // threads that run what is not counted
  StepCounts counts_;
};

}  // namespace

StepCounts step_run(const RunCommand &command, const StepOptions &options) { return Stepper(command, options).run(); }

}  // namespace chord::cli
