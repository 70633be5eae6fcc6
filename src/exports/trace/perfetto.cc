// Perfetto's messages (protocol buffers, https://perfetto.dev/docs/reference/trace-packet-proto): a track for each thread with a slice
// for each call. Times of the format are nanoseconds; here one is an instruction, unless the recording has times.
//
// Names and places of functions are written once, before the first call that needs them, and named by number: the state of one sequence of packets.
#include "exports/stacks/protobuf.h"
#include "exports/trace/tracks.h"

namespace chord::exports {
namespace {

// Field numbers of the published schema.
namespace file { enum : uint32_t { packet = 1 }; }
namespace packet { enum : uint32_t { timestamp = 8, sequence = 10, event = 11, interned = 12, flags = 13, track = 60 }; }
namespace event { enum : uint32_t { type = 9, name = 10, track = 11, place = 34 }; }
namespace track { enum : uint32_t { uuid = 1, process = 3, thread = 4, parent = 5 }; }
namespace process { enum : uint32_t { pid = 1, name = 6 }; }
namespace thread { enum : uint32_t { pid = 1, tid = 2, name = 5 }; }
namespace interned { enum : uint32_t { event_names = 2, places = 4 }; }
namespace text { enum : uint32_t { number = 1, value = 2 }; }
namespace place { enum : uint32_t { number = 1, file = 2, function = 3, line = 4 }; }

constexpr uint64_t kSequence = 1, kFirstOfSequence = 1, kNeedsState = 2, kBegins = 1, kEnds = 2;
constexpr uint64_t kProcessTrack = 1, kFirstTrack = 2;

class Writer {
 public:
  Writer(const TracedRun &run, const TraceSink &sink) : run_(run), functions_(run), told_(functions_.size()), out_(sink) {}

  std::vector<std::string> write() {
    std::vector<std::string> warnings;
    describe_process();
    for (size_t n = 0; n < run_.tracks.size(); ++n) {
      describe_thread(n);
      analysis::CallVisitor visitor;
      visitor.begins = [&](const analysis::TraceCall &call) { begin(n, call); };
      visitor.ends = [&](const analysis::TraceCall &, uint64_t number) { end(n, number); };
      std::string problem = visit_calls(*run_.tracks[n].code, *run_.tracks[n].stream, visitor);
      if (!problem.empty()) warnings.push_back(problem);
    }
    out_.flush();
    return warnings;
  }

 private:
  void add(Message &message) {
    message.number(packet::sequence, kSequence);
    message.number(packet::flags, first_ ? kFirstOfSequence : kNeedsState);
    first_ = false;
    Message whole;
    whole.message(file::packet, message);
    out_.add(whole.text());
  }

  void describe_process() {
    Message facts, described, message;
    facts.number(process::pid, run_.process);
    facts.bytes(process::name, run_.program);
    described.number(track::uuid, kProcessTrack);
    described.message(track::process, facts);
    message.message(packet::track, described);
    add(message);
  }

  void describe_thread(size_t n) {
    Message facts, described, message;
    facts.number(thread::pid, run_.process);
    facts.number(thread::tid, run_.tracks[n].id);
    facts.bytes(thread::name, run_.tracks[n].name);
    described.number(track::uuid, kFirstTrack + n);
    described.number(track::parent, kProcessTrack);
    described.message(track::thread, facts);
    message.message(packet::track, described);
    add(message);
  }

  // A number of 0 is none.
  Message function(size_t number) const {
    const TraceFunctions::Function &f = functions_[number];
    Message name, where, both;
    name.number(text::number, number + 1);
    name.bytes(text::value, f.name);
    both.message(interned::event_names, name);
    if (f.file.empty()) return both;
    where.number(place::number, number + 1);
    where.bytes(place::file, f.file);
    where.bytes(place::function, f.name);
    where.number(place::line, f.line);
    both.message(interned::places, where);
    return both;
  }

  void begin(size_t n, const analysis::TraceCall &call) {
    size_t number = functions_.number(run_.tracks[n], call.procedure);
    Message what, message;
    what.number(event::type, kBegins);
    what.number(event::name, number + 1);
    what.number(event::track, kFirstTrack + n);
    if (!functions_[number].file.empty()) what.number(event::place, number + 1);
    message.number_or_zero(packet::timestamp, run_.tracks[n].at(call.began));
    message.message(packet::event, what);
    if (!told_[number]) message.message(packet::interned, function(number));
    told_[number] = true;
    add(message);
  }

  void end(size_t n, uint64_t number) {
    Message what, message;
    what.number(event::type, kEnds);
    what.number(event::track, kFirstTrack + n);
    message.number_or_zero(packet::timestamp, run_.tracks[n].at(number));
    message.message(packet::event, what);
    add(message);
  }

  const TracedRun &run_;
  TraceFunctions functions_;
  std::vector<bool> told_;
  PiecewiseFile out_;
  bool first_ = true;
};

}  // namespace

std::vector<std::string> write_perfetto(const TracedRun &run, const TraceSink &sink) { return Writer(run, sink).write(); }

}  // namespace chord::exports
