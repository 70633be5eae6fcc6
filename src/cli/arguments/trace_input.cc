#include "cli/arguments/trace_input.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <filesystem>
#include <fstream>

#include "analysis/from_trace/contexts.h"
#include "analysis/trace/index_file.h"
#include "analysis/from_trace/paths.h"
#include "base/diagnostics.h"
#include "base/file.h"

namespace chord::cli {
namespace {

namespace fs = std::filesystem;

std::string newest_trace() {
  std::string newest;
  fs::file_time_type when{};
  std::error_code failed;
  for (const fs::directory_entry &entry : fs::directory_iterator(".", failed)) {
    if (entry.path().extension() != ".chordtrace") continue;
    fs::file_time_type time = entry.last_write_time(failed);
    if (newest.empty() || time > when) {
      newest = entry.path().filename().string();
      when = time;
    }
  }
  if (newest.empty())
    throw base::Error("there is no trace (*.chordtrace) in this folder", "build with `chord --trace gcc …` and run the program");
  return newest;
}

}  // namespace

TraceInput::TraceInput(const std::string &path, std::string program, bool texts)
    : opened_(format::open_trace(path.empty() ? newest_trace() : path)), program_(std::move(program)), texts_(texts) {
  for (const std::string &warning : opened_.trace.warnings) base::warning(warning);
  for (const format::TraceStream &stream : opened_.trace.streams) {
    if (stream.stopped == 0) continue;
    base::warning(fmt::format("{}: recording of thread {} ended early: {}", opened_.trace.path, stream.thread,
                              stream.stopped == CHORD_TRACE_WHY_LIMIT       ? "the limit of the file's size was reached (CHORD_TRACE_LIMIT)"
                              : stream.stopped == CHORD_TRACE_WHY_FUNCTIONS ? "there are more functions than entries can name"
                                                                            : "there was no room on the disk"));
  }
}

const analysis::TracedCode &TraceInput::code(const format::TraceStream &stream) {
  std::unique_ptr<analysis::TracedCode> &code = codes_[stream.module];
  bool is_program = stream.module == opened_.trace.streams[0].module;
  if (code == nullptr) code = std::make_unique<analysis::TracedCode>(program_.empty() || !is_program ? stream.module : program_, stream.build_id, texts_);
  return *code;
}

std::string index_path(const std::string &trace) { return trace + ".index"; }

const analysis::TraceIndex *TraceInput::index(const format::TraceStream &stream) {
  std::string path = index_path(opened_.trace.path);
  if (!index_read_ && fs::exists(path)) index_bytes_ = base::read_file(path);
  index_read_ = true;
  if (index_bytes_.empty()) return nullptr;
  auto [at, fresh] = indexes_.try_emplace(&stream);
  if (fresh) {
    at->second = analysis::decode_index(index_bytes_, code(stream), stream);
    if (!at->second) base::warning(fmt::format("{}: is not of this trace, or damaged, and not used", path));
  }
  return at->second ? &*at->second : nullptr;
}

analysis::Program TraceInput::counts(const analysis::CountedCall *only) {
  for (const format::TraceStream &stream : trace().streams) code(stream);
  analysis::Program program = analysis::count_trace(trace(), std::move(codes_), only);
  if (!program_.empty()) program.path = program_;  // where it is now
  return program;
}

analysis::Program TraceInput::counts_in_contexts() {
  analysis::TraceContexts contexts;
  for (const format::TraceStream &stream : trace().streams) contexts.add(code(stream), stream);
  analysis::Program program = counts();
  contexts.give_to(program);
  return program;
}

analysis::Program TraceInput::counts_with_paths() {
  analysis::TracePaths paths;
  for (const format::TraceStream &stream : trace().streams) paths.add(code(stream), stream);
  analysis::Program program = counts();
  paths.give_to(program);
  return program;
}

bool looks_like_trace(const std::string &path) {
  if (fs::path(path).extension() == ".chordtrace") return true;
  uint64_t magic = 0;
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return false;  // a pipe can be read once only
  std::ifstream(path, std::ios::binary).read(reinterpret_cast<char *>(&magic), sizeof magic);
  return magic == CHORD_TRACE_MAGIC;
}

}  // namespace chord::cli
