// A trace as a recording: replay (analysis/trace/replay.h) behind the interface that debuggers step through.
//
// Going backward takes windows: the stretches from some moments before up to here are replayed forward, kept, and visited from
// the last to the first. So a walk of n instructions costs O(n) in either direction, plus one seek for each window.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/trace/code.h"
#include "analysis/trace/index.h"
#include "analysis/trace/replay.h"
#include "dap/recording.h"
#include "format/trace/trace_file.h"

namespace chord::dap {

class TraceRecording : public Recording {
 public:
  using CodeOf = std::function<const analysis::TracedCode &(const format::TraceStream &)>;
  using IndexOf = std::function<const analysis::TraceIndex *(const format::TraceStream &)>;
  // All must outlive the recording. Throws Error if a stream contradicts its code. Where there is no index, one is made.
  TraceRecording(const format::Trace &trace, const CodeOf &code_of, const IndexOf &index_of = {});

  size_t thread_count() const override { return threads_.size(); }
  std::string thread_name(size_t thread) const override;
  uint64_t length(size_t thread) const override { return threads_[thread].index->instructions(); }
  void walk(size_t thread, uint64_t number, Direction direction, const std::function<bool(const Step &)> &visit) override;
  Step step_at(size_t thread, uint64_t number) override;
  std::vector<Location> stack(size_t thread, uint64_t number) override;
  std::string function_name(uint32_t function) const override;
  std::string file_name(uint32_t file) const override { return files_[file]; }
  std::vector<uint32_t> functions_named(const std::string &name) const override;
  std::vector<uint32_t> files_named(const std::string &path) const override;
  std::vector<uint32_t> lines_with_code(uint32_t file) const override;
  std::vector<CodeLine> code(uint32_t function) const override;

 private:
  struct Module {
    const analysis::TracedCode *code = nullptr;
    uint32_t first_function = 0;
    std::map<const format::UnitMap *, std::vector<uint32_t>> files;  // by unit and its own number: our number
  };
  struct Thread {
    const format::TraceStream *stream = nullptr;
    size_t module = 0;
    std::unique_ptr<analysis::TraceIndex> made;
    const analysis::TraceIndex *index = nullptr;
  };
  using Visit = std::function<bool(const Step &)>;

  size_t module_of(const analysis::TracedCode &code);
  void add_files(Module &module, const format::UnitMap &unit);
  Location location(const Module &module, uint32_t procedure, uint32_t instruction) const;
  Step step_in(const Thread &thread, const analysis::TraceStretch &stretch, uint64_t number) const;
  bool visit_stretch_back(const Thread &thread, const analysis::TraceStretch &stretch, uint64_t end, const Visit &visit) const;
  void walk_forward(const Thread &thread, uint64_t number, const Visit &visit) const;
  void walk_backward(const Thread &thread, uint64_t number, const Visit &visit) const;
  const analysis::TracedProcedure &procedure_of(uint32_t function) const;

  std::vector<Module> modules_;
  std::vector<Thread> threads_;
  std::vector<std::string> files_;  // absolute paths
  std::map<std::string, uint32_t> file_numbers_;
};

}  // namespace chord::dap
