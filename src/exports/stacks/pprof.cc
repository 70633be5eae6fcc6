// pprof's format: a gzipped message of protocol buffers. One sample for each calling context of each thread, with its calls and its own
// instructions; a sample's locations are the calls that led there, so that pprof lists costs by line, too.
#include <zlib.h>

#include <map>
#include <unordered_map>

#include "base/diagnostics.h"
#include "exports/exports.h"
#include "exports/stacks/protobuf.h"
#include "exports/stacks/stacks.h"
#include "report/contexts/contexts.h"

namespace chord::exports {
namespace {

using analysis::CountedContext;
using analysis::Program;

// Field numbers of the messages.
namespace profile { enum : uint32_t { sample_type = 1, sample, mapping, location, function, string, period_type = 11, period, comment, default_sample_type }; }
namespace value_type { enum : uint32_t { type = 1, unit }; }
namespace sample { enum : uint32_t { locations = 1, values, label }; }
namespace label { enum : uint32_t { key = 1, text, number }; }
namespace mapping { enum : uint32_t { id = 1, file = 5, build_id, has_functions, has_files, has_lines }; }
namespace location { enum : uint32_t { id = 1, mapping, line = 4 }; }
namespace line { enum : uint32_t { function = 1, number }; }
namespace function { enum : uint32_t { id = 1, name, system_name, file, start_line }; }

std::string hexadecimal(const std::string &bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (unsigned char c : bytes) {
    out += kDigits[c >> 4];
    out += kDigits[c & 15];
  }
  return out;
}

class PprofWriter {
 public:
  explicit PprofWriter(const Program &program) : program_(program) { id_of(""); }

  std::string write(const std::vector<std::string> &comments) {
    add_type(profile::sample_type, "calls");
    add_type(profile::sample_type, "instructions");
    for (const std::string &metric : program_.metrics) add_type(profile::sample_type, metric, unit_of(metric));
    for (const CountedContext &c : program_.contexts) add_sample(c);
    for (size_t m = 0; m < program_.modules.size(); ++m) add_mapping(m);
    for (const auto &[place, id] : locations_) add_location(place.first, place.second, id);
    for (const auto &[procedure, id] : functions_) add_function(procedure, id);
    add_type(profile::period_type, "instructions");
    out_.number(profile::period, 1);
    out_.number(profile::default_sample_type, id_of("instructions"));
    for (const std::string &comment : comments) out_.number(profile::comment, id_of(comment));
    for (const std::string *text : strings_) out_.bytes(profile::string, *text);
    return out_.text();
  }

 private:
  uint64_t id_of(const std::string &text) {
    auto [at, fresh] = string_ids_.try_emplace(text, strings_.size());
    if (fresh) strings_.push_back(&at->first);
    return at->second;
  }

  // What pprof knows how to write.
  static std::string unit_of(const std::string &metric) {
    const format::MetricKind *kind = format::find_metric_kind(metric);
    return kind != nullptr && kind->unit == "ns" ? "nanoseconds" : "count";
  }

  void add_type(uint32_t field, const std::string &type, const std::string &unit = "count") {
    Message message;
    message.number(value_type::type, id_of(type));
    message.number(value_type::unit, id_of(unit));
    out_.message(field, message);
  }

  // Where control is in a function: at a call, or, for the innermost, anywhere in it.
  uint64_t location_of(uint32_t procedure, uint32_t at_line) {
    if (at_line == 0) at_line = frame(procedure).line;
    return locations_.try_emplace({procedure, at_line}, locations_.size() + 1).first->second;
  }

  void add_sample(const CountedContext &c) {
    if (c.calls == 0 && c.exclusive == 0) return;
    std::vector<uint64_t> chain{location_of(c.procedure, 0)};
    for (const CountedContext *at = &c; at->parent != core::kNone; at = &program_.contexts[at->parent])
      chain.push_back(location_of(program_.contexts[at->parent].procedure, report::call_line(program_, *at)));
    Message message, thread;
    message.numbers(sample::locations, chain);
    std::vector<uint64_t> values{c.calls, c.exclusive};
    for (size_t m = 0; m < program_.metrics.size(); ++m) values.push_back(analysis::value_of(c.metrics, m).value_or(0));
    message.numbers(sample::values, values);
    thread.number(label::key, id_of("thread"));
    thread.number(label::number, c.thread);
    message.message(sample::label, thread);
    if (std::string name = report::kind_name(c.kind); !name.empty()) {
      Message kind;
      kind.number(label::key, id_of("kind"));
      kind.number(label::text, id_of(name));
      message.message(sample::label, kind);
    }
    out_.message(profile::sample, message);
  }

  void add_mapping(size_t module) {
    Message message;
    message.number(mapping::id, module + 1);
    message.number(mapping::file, id_of(program_.modules[module].path));
    message.number(mapping::build_id, id_of(hexadecimal(program_.modules[module].build_id)));
    for (uint32_t has : {mapping::has_functions, mapping::has_files, mapping::has_lines}) message.number(has, 1);
    out_.message(profile::mapping, message);
  }

  void add_location(uint32_t procedure, uint32_t at_line, uint64_t id) {
    Message message, place;
    place.number(line::function, functions_.try_emplace(procedure, functions_.size() + 1).first->second);
    place.number(line::number, at_line);
    message.number(location::id, id);
    message.number(location::mapping, program_.procedures[procedure].module + 1);
    message.message(location::line, place);
    out_.message(profile::location, message);
  }

  void add_function(uint32_t procedure, uint64_t id) {
    const Frame &of = frame(procedure);
    Message message;
    message.number(function::id, id);
    message.number(function::name, id_of(of.name));
    message.number(function::system_name, id_of(program_.procedures[procedure].map->name));
    message.number(function::file, id_of(of.file));
    message.number(function::start_line, of.line);
    out_.message(profile::function, message);
  }

  const Frame &frame(uint32_t procedure) {
    auto [at, fresh] = frames_.try_emplace(procedure);
    if (fresh) at->second = frame_of(program_.procedures[procedure]);
    return at->second;
  }

  const Program &program_;
  Message out_;
  std::unordered_map<std::string, uint64_t> string_ids_;
  std::vector<const std::string *> strings_;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> locations_;  // by procedure and line
  std::map<uint32_t, uint64_t> functions_;
  std::unordered_map<uint32_t, Frame> frames_;
};

// No name and no time inside: the same counts give the same bytes.
std::string gzip(const std::string &data) {
  z_stream stream{};
  constexpr int kGzip = 16;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw base::Error("the profile cannot be compressed: out of memory");
  std::string out;
  char room[1 << 16];
  size_t given = 0;
  int state = Z_OK;
  do {
    if (stream.avail_in == 0 && given < data.size()) {
      auto piece = static_cast<uInt>(std::min<size_t>(data.size() - given, 1u << 30));
      stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(data.data() + given));
      stream.avail_in = piece;
      given += piece;
    }
    stream.next_out = reinterpret_cast<Bytef *>(room);
    stream.avail_out = sizeof room;
    state = deflate(&stream, given == data.size() ? Z_FINISH : Z_NO_FLUSH);
    out.append(room, sizeof room - stream.avail_out);
  } while (state == Z_OK);
  deflateEnd(&stream);
  return out;
}

}  // namespace

Exported write_pprof(const Input &input) {
  want_contexts(input.program);
  Exported out{{}, context_warnings(input.program)};
  out.bytes = gzip(PprofWriter(input.program).write(out.warnings));
  return out;
}

}  // namespace chord::exports
