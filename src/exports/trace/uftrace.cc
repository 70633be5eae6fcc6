// uftrace's data folder (its doc/uftrace-data.md): `info`, `task.txt`, the map of the process, a table of symbols for each module, and a file of
// records for each task. Times of the format are nanoseconds; here one is an instruction, unless the recording has times.
//
// A record has 16 bytes: the time, then from the lowest bit type (2: entry or exit), more (1), magic (3), depth (10) and address (48). Modules
// lie at addresses of our own choice, with their functions where the linker put them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "analysis/objects/object.h"
#include "base/diagnostics.h"
#include "exports/trace/tracks.h"

namespace chord::exports {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kEntry = 0, kExit = 1, kMagic = 5, kMostDepth = 1024;
constexpr uint64_t kModuleSpace = uint64_t{1} << 36;
constexpr const char *kSession = "0000000000000001";

std::string words(uint64_t one, uint64_t other) {
  std::string out(16, '\0');
  std::memcpy(out.data(), &one, 8);
  std::memcpy(out.data() + 8, &other, 8);
  return out;
}

class Folder {
 public:
  Folder(const TracedRun &run, std::string path) : run_(run), path_(std::move(path)) {
    std::error_code failed;
    fs::create_directories(path_, failed);
    if (failed) throw base::Error(fmt::format("{}: cannot be created: {}", path_, failed.message()));
    if (!fs::is_empty(path_, failed)) throw base::Error(fmt::format("{}: is not empty", path_), "name a new folder with -o");
    for (const TraceTrack &track : run.tracks) modules_.emplace(track.code, (modules_.size() + 1) * kModuleSpace);
  }

  std::vector<std::string> write() {
    std::vector<std::string> warnings;
    write_info();
    write_tasks();
    write_map();
    std::set<std::string> names;
    for (const auto &[code, base] : modules_) {
      std::string name = fs::path(path_of(code)).filename().string();
      if (!names.insert(name).second) throw base::Error(fmt::format("two modules are called {}, which the format cannot tell apart", name));
      write_symbols(*code, name);
    }
    uint64_t left_out = 0;
    for (const TraceTrack &track : run_.tracks) {
      std::string problem = write_records(track, left_out);
      if (!problem.empty()) warnings.push_back(problem);
    }
    if (left_out != 0) warnings.push_back(fmt::format("{} calls are deeper than {}, which the format cannot hold, and left out", left_out, kMostDepth - 1));
    return warnings;
  }

 private:
  std::string path_of(const analysis::TracedCode *code) const {
    for (const TraceTrack &track : run_.tracks) {
      if (track.code == code) return track.stream->module;
    }
    return "";
  }

  std::string build_id_of(const analysis::TracedCode *code) const {
    const std::string &id = code->object().build_id;
    return id.empty() ? std::string(40, '0') : analysis::show_build_id(id);
  }

  void write_file(const std::string &name, std::string_view bytes) {
    std::ofstream out(fs::path(path_) / name, std::ios::binary);
    out << bytes;
    check(out, name);
  }

  void check(std::ofstream &out, const std::string &name) {
    out.flush();
    if (!out) throw base::Error(fmt::format("{}/{}: cannot be written: {}", path_, name, std::strerror(errno)));
  }

  // The header, then lines: which of them are there is a mask in the header.
  void write_info() {
    constexpr uint64_t kSessions = 1 << 1, kRelativeSymbols = 1 << 5, kDepth = 1 << 6;
    constexpr uint64_t kProgram = 1 << 0, kCommand = 1 << 3, kTaskLines = 1 << 7;
    std::string out("Ftrace!\0", 8);
    out += words(uint64_t{4} | uint64_t{40} << 32 | uint64_t{1} << 48 | uint64_t{2} << 56, kSessions | kRelativeSymbols | kDepth);
    out += words(kProgram | kCommand | kTaskLines, kMostDepth);
    std::string tasks;
    for (const TraceTrack &track : run_.tracks) tasks += fmt::format("{}{}", tasks.empty() ? "" : ",", track.id);
    out += fmt::format("exename:{}\ncmdline:{}\ntaskinfo:lines=2\ntaskinfo:nr_tid={}\ntaskinfo:tids={}\n", run_.program, run_.program, run_.tracks.size(), tasks);
    write_file("info", out);
  }

  void write_tasks() {
    std::string out = fmt::format("SESS timestamp=0.000000000 pid={} sid={} exename=\"{}\"\n", run_.process, kSession, run_.program);
    for (const TraceTrack &track : run_.tracks) out += fmt::format("TASK timestamp=0.000000000 tid={} pid={}\n", track.id, run_.process);
    write_file("task.txt", out);
  }

  void write_map() {
    std::vector<std::pair<uint64_t, const analysis::TracedCode *>> by_address;
    for (const auto &[code, base] : modules_) by_address.emplace_back(base, code);
    std::sort(by_address.begin(), by_address.end());
    std::string out;
    for (const auto &[base, code] : by_address)
      out += fmt::format("{:012x}-{:012x} r-xp 00000000 00:00 0                          {} build-id:{}\n", base, base + kModuleSpace, path_of(code), build_id_of(code));
    out += "7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0                          [stack]\n";
    write_file(fmt::format("sid-{}.map", kSession), out);
  }

  void write_symbols(const analysis::TracedCode &code, const std::string &name) {
    struct Symbol {
      uint64_t end;
      const format::Procedure *map;
    };
    std::map<uint64_t, Symbol> symbols;
    for (uint32_t n = 0; n < code.size(); ++n) {
      const format::Anchor::Part &part = code.procedure(n).anchor->parts[0];
      symbols[part.address] = {part.address + part.size, code.procedure(n).map};
    }
    std::string lines;
    size_t count = 0;
    for (auto at = symbols.begin(); at != symbols.end(); ++at) {
      lines += fmt::format("{:016x} {} {}\n", at->first, at->second.map->global ? 'T' : 't', at->second.map->name);
      ++count;
      auto next = std::next(at);
      if (next != symbols.end() && next->first <= at->second.end) continue;
      lines += fmt::format("{:016x} ? __func_end\n", at->second.end);
      ++count;
    }
    write_file(name + ".sym", fmt::format("# symbols: {}\n# path name: {}\n# build-id: {}\n{}", count, path_of(&code), build_id_of(&code), lines));
  }

  std::string write_records(const TraceTrack &track, uint64_t &left_out) {
    std::string name = fmt::format("{}.dat", track.id);
    std::ofstream out(fs::path(path_) / name, std::ios::binary);
    TraceSink sink = [&](std::string_view bytes) { out << bytes; };
    PiecewiseFile records(sink);
    uint64_t base = modules_.at(track.code);
    auto add = [&](uint64_t type, const analysis::TraceCall &call, uint64_t number) {
      uint64_t address = base + track.code->procedure(call.procedure).anchor->parts[0].address;
      if (call.depth < kMostDepth) records.add(words(track.at(number), type | kMagic << 3 | uint64_t{call.depth} << 6 | address << 16));
    };
    analysis::CallVisitor visitor;
    visitor.begins = [&](const analysis::TraceCall &call) {
      add(kEntry, call, call.began);
      if (call.depth >= kMostDepth) ++left_out;
    };
    visitor.ends = [&](const analysis::TraceCall &call, uint64_t end) { add(kExit, call, end); };
    std::string problem = visit_calls(*track.code, *track.stream, visitor);
    records.flush();
    check(out, name);
    return problem;
  }

  const TracedRun &run_;
  std::string path_;
  std::map<const analysis::TracedCode *, uint64_t> modules_;  // where they lie
};

}  // namespace

std::vector<std::string> write_uftrace(const TracedRun &run, const std::string &folder) { return Folder(run, folder).write(); }

}  // namespace chord::exports
