// Firefox Profiler's processed format, in the version below, which later versions of the viewer convert by themselves. Each thread of the
// program is one there; each context is a sample whose weight is its own instructions. Samples are not in the order of
// time, of which contexts know nothing: they lie one after the other, a nanosecond for each instruction.
#include <fmt/core.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "exports/exports.h"
#include "exports/stacks/stacks.h"
#include "report/contexts/contexts.h"

namespace chord::exports {
namespace {

using analysis::CountedContext;
using analysis::Program;
using nlohmann::ordered_json;

constexpr int kProcessedVersion = 46, kRecordedVersion = 24;
constexpr double kMillisecondsPerInstruction = 1e-6;
constexpr int kLibrary = 1;  // kind of a resource

// A table of the format: columns of one length.
class Columns {
 public:
  explicit Columns(std::vector<const char *> names) : names_(std::move(names)), columns_(names_.size(), ordered_json::array()) {}
  uint32_t add(std::vector<ordered_json> row) {
    for (size_t i = 0; i < row.size(); ++i) columns_[i].push_back(std::move(row[i]));
    return length_++;
  }
  ordered_json take() {
    ordered_json out{{"length", length_}};
    for (size_t i = 0; i < names_.size(); ++i) out[names_[i]] = std::move(columns_[i]);
    return out;
  }

 private:
  std::vector<const char *> names_;
  std::vector<ordered_json> columns_;
  uint32_t length_ = 0;
};

// What one thread did.
class Thread {
 public:
  explicit Thread(const Program &program) : program_(program) {}

  // In the order of Program::contexts: parents first.
  void add(uint32_t context) {
    const CountedContext &c = program_.contexts[context];
    if (c.exclusive == 0) return;
    samples_.add({stack_at(context, 0), static_cast<double>(time_) * kMillisecondsPerInstruction, c.exclusive});
    time_ += c.exclusive;
  }

  ordered_json take(uint32_t number) {
    ordered_json samples = samples_.take();
    samples["weightType"] = "samples";
    return {{"processType", "default"},
            {"processStartupTime", 0},
            {"processShutdownTime", nullptr},
            {"registerTime", 0},
            {"unregisterTime", nullptr},
            {"pausedRanges", ordered_json::array()},
            {"name", number == 0 ? "any thread" : fmt::format("thread {}", number)},
            {"isMainThread", number <= 1},
            {"processName", program_.name},
            {"pid", "1"},
            {"tid", number},
            {"samples", std::move(samples)},
            {"markers", Columns({"data", "name", "startTime", "endTime", "phase", "category"}).take()},
            {"stackTable", stacks_.take()},
            {"frameTable", frames_.take()},
            {"funcTable", functions_.take()},
            {"resourceTable", resources_.take()},
            {"nativeSymbols", Columns({"libIndex", "address", "name", "functionSize"}).take()},
            {"stringArray", std::move(strings_)}};
  }

 private:
  // The context when control is at a line of it, which 0 says nothing about.
  uint32_t stack_at(uint32_t context, uint32_t line) {
    std::vector<std::pair<uint32_t, uint32_t>> missing;  // from the inside out
    ordered_json prefix = nullptr;
    for (uint32_t at = context;;) {
      if (auto found = known_.find(uint64_t{at} << 32 | line); found != known_.end()) {
        prefix = found->second;
        break;
      }
      missing.emplace_back(at, line);
      const CountedContext &c = program_.contexts[at];
      if (c.parent == core::kNone) break;
      line = report::call_line(program_, c);
      at = c.parent;
    }
    for (; !missing.empty(); missing.pop_back()) {
      const auto &[at, where] = missing.back();
      uint32_t stack = stacks_.add({prefix, frame_of_line(program_.contexts[at].procedure, where), 0, 0});
      known_.emplace(uint64_t{at} << 32 | where, stack);
      prefix = stack;
    }
    return prefix.get<uint32_t>();
  }

  uint32_t frame_of_line(uint32_t procedure, uint32_t line) {
    auto [at, fresh] = frame_at_.try_emplace({procedure, line});
    if (fresh) {
      uint32_t function = function_of(procedure);
      ordered_json where = line == 0 ? ordered_json(nullptr) : ordered_json(line);
      at->second = frames_.add({-1, 0, nullptr, nullptr, function, nullptr, 0, nullptr, where, nullptr, nullptr});
    }
    return at->second;
  }

  uint32_t function_of(uint32_t procedure) {
    auto [at, fresh] = function_at_.try_emplace(procedure);
    if (fresh) {
      const analysis::CountedProcedure &p = program_.procedures[procedure];
      Frame frame = frame_of(p);
      ordered_json file = nullptr, line = nullptr;
      if (!frame.file.empty()) {
        file = string(frame.file);
        line = frame.line;
      }
      at->second = functions_.add({string(frame.name), false, false, resource_of(p.module), file, line, nullptr});
    }
    return at->second;
  }

  uint32_t resource_of(uint32_t module) {
    auto [at, fresh] = resource_at_.try_emplace(module);
    if (fresh) at->second = resources_.add({nullptr, string(std::filesystem::path(program_.modules[module].path).filename()), nullptr, kLibrary});
    return at->second;
  }

  uint32_t string(const std::string &text) {
    auto [at, fresh] = string_at_.try_emplace(text, static_cast<uint32_t>(strings_.size()));
    if (fresh) strings_.push_back(text);
    return at->second;
  }

  const Program &program_;
  uint64_t time_ = 0;
  Columns samples_{{"stack", "time", "weight"}}, stacks_{{"prefix", "frame", "category", "subcategory"}},
      frames_{{"address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol", "innerWindowID", "implementation", "line", "column", "optimizations"}},
      functions_{{"name", "isJS", "relevantForJS", "resource", "fileName", "lineNumber", "columnNumber"}}, resources_{{"lib", "name", "host", "type"}};
  ordered_json strings_ = ordered_json::array();
  std::unordered_map<uint64_t, uint32_t> known_;  // stacks by context and line
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> frame_at_;
  std::unordered_map<uint32_t, uint32_t> function_at_, resource_at_;
  std::unordered_map<std::string, uint32_t> string_at_;
};

ordered_json meta_of(const Program &program) {
  return {{"version", kRecordedVersion},
          {"preprocessedProfileVersion", kProcessedVersion},
          {"interval", kMillisecondsPerInstruction},
          {"startTime", 0},
          {"processType", 0},
          {"product", program.name},
          {"importedFrom", "chord " CHORD_VERSION},
          {"stackwalk", 1},
          {"debug", false},
          {"symbolicated", true},
          {"usesOnlyOneStackType", true},
          {"doesNotUseFrameImplementation", true},
          {"sourceCodeIsNotOnSearchfox", true},
          {"extensions", {{"id", ordered_json::array()}, {"name", ordered_json::array()}, {"baseURL", ordered_json::array()}, {"length", 0}}},
          {"categories", ordered_json::array({{{"name", "Other"}, {"color", "grey"}, {"subcategories", ordered_json::array({"Other"})}}})},
          {"markerSchema", ordered_json::array()}};
}

}  // namespace

Exported write_firefox(const Input &input) {
  want_contexts(input.program);
  std::map<uint32_t, Thread> threads;
  for (uint32_t n = 0; n < input.program.contexts.size(); ++n)
    threads.try_emplace(input.program.contexts[n].thread, input.program).first->second.add(n);
  ordered_json list = ordered_json::array();
  for (auto &[number, thread] : threads) list.push_back(thread.take(number));
  ordered_json file{{"meta", meta_of(input.program)}, {"libs", ordered_json::array()}, {"pages", ordered_json::array()}, {"threads", std::move(list)}};
  return {file.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n", context_warnings(input.program)};
}

}  // namespace chord::exports
