#include "dap/session.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/diagnostics.h"
#include "dap/breakpoints.h"
#include "dap/messages.h"
#include "dap/stepper.h"

namespace chord::dap {
namespace {

using nlohmann::json;

constexpr int kMomentScope = 1;  // numbers of scopes, per frame: frame * 2 + these
constexpr int kLocalsScope = 2;

// Instructions have no addresses in a recording of several builds' code; this names them in the protocol's way.
std::string reference_of(const Location &at) { return fmt::format("{:#x}", uint64_t{at.function} << 32 | at.offset); }

uint64_t location_reference(const std::string &text) {
  uint64_t out = 0;
  auto [end, failed] = std::from_chars(text.data() + (text.starts_with("0x") ? 2 : 0), text.data() + text.size(), out, 16);
  if (failed != std::errc() || end != text.data() + text.size()) throw base::Error(fmt::format("{}: no instruction of the recorded program", text));
  return out;
}

class Session {
 public:
  Session(std::istream &in, std::ostream &out, const OpenRecording &open) : in_(in), out_(out), open_(open) {}

  void run() {
    while (std::optional<json> message = read_message(in_)) {
      if (message->value("type", "") != "request") continue;
      if (!answer(*message)) return;
    }
  }

 private:
  using Handler = json (Session::*)(const json &arguments);

  // False after the last request.
  bool answer(const json &request) {
    const std::string command = request.value("command", "");
    json response = {{"type", "response"}, {"request_seq", request.value("seq", 0)}, {"command", command}, {"success", true}};
    try {
      response["body"] = dispatch(command, request.value("arguments", json::object()));
    } catch (const base::Error &e) {
      response["success"] = false;
      response["message"] = e.what();
    } catch (const json::exception &e) {
      response["success"] = false;
      response["message"] = fmt::format("{}: wrong arguments: {}", command, e.what());
    }
    send(std::move(response));
    for (json &event : std::exchange(due_, {})) send(std::move(event));
    return command != "disconnect" && command != "terminate";
  }

  json dispatch(const std::string &command, const json &arguments) {
    static const std::map<std::string, Handler> kHandlers = {
        {"initialize", &Session::initialize},
        {"launch", &Session::launch},
        {"attach", &Session::launch},
        {"configurationDone", &Session::configuration_done},
        {"setBreakpoints", &Session::set_breakpoints},
        {"setFunctionBreakpoints", &Session::set_function_breakpoints},
        {"setExceptionBreakpoints", &Session::nothing},
        {"threads", &Session::threads},
        {"stackTrace", &Session::stack_trace},
        {"scopes", &Session::scopes},
        {"variables", &Session::variables},
        {"evaluate", &Session::evaluate},
        {"disassemble", &Session::disassemble},
        {"continue", &Session::go_on},
        {"reverseContinue", &Session::go_back},
        {"next", &Session::next},
        {"stepIn", &Session::step_in},
        {"stepOut", &Session::step_out},
        {"stepBack", &Session::step_back},
        {"pause", &Session::nothing},
        {"disconnect", &Session::nothing},
        {"terminate", &Session::nothing},
    };
    auto handler = kHandlers.find(command);
    if (handler == kHandlers.end()) throw base::Error(fmt::format("{}: a recorded run cannot do that", command));
    return (this->*handler->second)(arguments);
  }

  void send(json message) {
    message["seq"] = ++sequence_;
    write_message(out_, message);
  }
  void send_later(const char *event, json body) { due_.push_back({{"type", "event"}, {"event", event}, {"body", std::move(body)}}); }

  json nothing(const json &) { return json::object(); }

  // ---- beginning ----

  json initialize(const json &) {
    send_later("initialized", json::object());
    return {{"supportsConfigurationDoneRequest", true}, {"supportsFunctionBreakpoints", true},
            {"supportsHitConditionalBreakpoints", true}, {"supportsStepBack", true},
            {"supportsSteppingGranularity", true},       {"supportsDisassembleRequest", true},
            {"supportsTerminateRequest", true},          {"supportsEvaluateForHovers", false}};
  }

  json launch(const json &arguments) {
    recording_ = open_(arguments.value("trace", ""));
    if (recording_->thread_count() == 0) throw base::Error("the trace holds no thread");
    from_end_ = arguments.value("stopAtEnd", false);
    moments_.assign(recording_->thread_count(), 0);
    if (from_end_) {
      for (size_t t = 0; t < moments_.size(); ++t) moments_[t] = last_moment(t);
    }
    return json::object();
  }

  json configuration_done(const json &) {
    recording();
    stopped("entry", 0, std::nullopt);
    return json::object();
  }

  Recording &recording() {
    if (!recording_) throw base::Error("no trace is open", "send launch first");
    return *recording_;
  }

  uint64_t last_moment(size_t thread) const {
    uint64_t length = recording_->length(thread);
    return length == 0 ? 0 : length - 1;
  }

  // ---- breakpoints ----

  json set_breakpoints(const json &arguments) {
    breakpoints_.set_lines(recording(), arguments);
    stepper_.reset();
    return {{"breakpoints", breakpoints_.answers()}};
  }

  json set_function_breakpoints(const json &arguments) {
    breakpoints_.set_functions(recording(), arguments);
    stepper_.reset();
    return {{"breakpoints", breakpoints_.answers()}};
  }

  // ---- looking ----

  size_t thread_of(const json &arguments) {
    int64_t id = arguments.at("threadId").get<int64_t>();
    if (id < 1 || static_cast<uint64_t>(id) > recording().thread_count()) throw base::Error(fmt::format("there is no thread {}", id));
    return static_cast<size_t>(id - 1);
  }

  json threads(const json &) {
    json list = json::array();
    for (size_t t = 0; t < recording().thread_count(); ++t) list.push_back({{"id", t + 1}, {"name", recording_->thread_name(t)}});
    return {{"threads", list}};
  }

  json frame_at(const Location &at, uint64_t id) {
    json frame = {{"id", id}, {"name", recording_->function_name(at.function)}, {"line", at.line}, {"column", 0}, {"instructionPointerReference", reference_of(at)}};
    if (at.has_line()) {
      std::string path = recording_->file_name(at.file);
      frame["source"] = {{"name", path.substr(path.rfind('/') + 1)}, {"path", path}};
    }
    return frame;
  }

  json stack_trace(const json &arguments) {
    size_t thread = thread_of(arguments);
    std::vector<Location> stack = recording_->stack(thread, moments_[thread]);
    size_t first = std::min<size_t>(arguments.value("startFrame", uint64_t{0}), stack.size());
    size_t levels = arguments.value("levels", uint64_t{0});
    size_t end = levels == 0 ? stack.size() : first + std::min(levels, stack.size() - first);
    json frames = json::array();
    for (size_t i = first; i < end; ++i) {
      frames_.push_back({thread, stack[i], stack.size() - i - 1});
      frames.push_back(frame_at(stack[i], frames_.size()));
    }
    return {{"stackFrames", frames}, {"totalFrames", stack.size()}};
  }

  struct SeenFrame {
    size_t thread = 0;
    Location at;
    size_t depth = 0;
  };

  const SeenFrame &seen_frame(uint64_t id) const {
    if (id < 1 || id > frames_.size()) throw base::Error(fmt::format("there is no frame {} any more", id));
    return frames_[id - 1];
  }

  json scopes(const json &arguments) {
    uint64_t id = arguments.at("frameId").get<uint64_t>();
    seen_frame(id);
    return {{"scopes",
             {{{"name", "Moment"}, {"variablesReference", id * 4 + kMomentScope}, {"expensive", false}},
              {{"name", "Locals"}, {"presentationHint", "locals"}, {"variablesReference", id * 4 + kLocalsScope}, {"expensive", false}}}}};
  }

  json variables(const json &arguments) {
    uint64_t reference = arguments.at("variablesReference").get<uint64_t>();
    const SeenFrame &frame = seen_frame(reference / 4);
    auto variable = [](const char *name, std::string value) { return json{{"name", name}, {"value", std::move(value)}, {"variablesReference", 0}}; };
    if (reference % 4 == kLocalsScope) return {{"variables", {variable("(values)", "not recorded: a trace holds the control flow alone")}}};
    return {{"variables",
             {variable("instructions before", fmt::format("{}", moments_[frame.thread])),
              variable("instructions in all", fmt::format("{}", recording_->length(frame.thread))),
              variable("depth", fmt::format("{}", frame.depth)),
              variable("instruction", fmt::format("{} + {:#x}", recording_->function_name(frame.at.function), frame.at.offset))}}};
  }

  // The console: a number, or "goto N", moves the thread there.
  json evaluate(const json &arguments) {
    std::string text = arguments.at("expression").get<std::string>();
    size_t thread = arguments.contains("frameId") ? seen_frame(arguments["frameId"].get<uint64_t>()).thread : last_thread_;
    std::string digits = text.starts_with("goto ") ? text.substr(5) : text;
    bool number = !digits.empty() && digits.size() <= 18 && digits.find_first_not_of("0123456789") == std::string::npos;
    if (!number) throw base::Error("values are not recorded; `goto N` goes to the moment after N instructions");
    uint64_t moment = std::stoull(digits);
    if (moment > last_moment(thread)) throw base::Error(fmt::format("the thread executed {} instructions", recording().length(thread)));
    moments_[thread] = moment;
    stopped("goto", thread, std::nullopt);
    return {{"result", fmt::format("at {}", moment)}, {"variablesReference", 0}};
  }

  json disassemble(const json &arguments) {
    uint64_t reference = location_reference(arguments.at("memoryReference").get<std::string>());
    int64_t wanted = arguments.at("instructionCount").get<int64_t>();
    int64_t skipped = arguments.value("instructionOffset", int64_t{0});
    if (wanted < 0 || wanted > 100000) throw base::Error("disassemble: so many instructions are not shown at once");
    std::vector<CodeLine> code = recording().code(static_cast<uint32_t>(reference >> 32));
    uint32_t offset = static_cast<uint32_t>(reference) + static_cast<uint32_t>(arguments.value("offset", 0));
    auto first = std::lower_bound(code.begin(), code.end(), offset, [](const CodeLine &c, uint32_t o) { return c.at.offset < o; });
    json out = json::array();
    for (int64_t i = first - code.begin() + skipped, n = 0; n < wanted; ++i, ++n) {
      bool exists = i >= 0 && static_cast<uint64_t>(i) < code.size();
      out.push_back(exists ? shown_code(code[static_cast<size_t>(i)]) : json{{"address", "0x0"}, {"instruction", ""}, {"presentationHint", "invalid"}});
    }
    return {{"instructions", out}};
  }

  json shown_code(const CodeLine &c) {
    json out = {{"address", reference_of(c.at)}, {"instruction", c.text}};
    if (c.at.offset == 0) out["symbol"] = recording_->function_name(c.at.function);
    if (c.at.has_line()) {
      out["line"] = c.at.line;
      out["location"] = {{"path", recording_->file_name(c.at.file)}};
    }
    return out;
  }

  // ---- moving ----

  Stepper &stepper() {
    if (!stepper_) stepper_.emplace(recording(), breakpoints_.all());
    return *stepper_;
  }

  static Granularity granularity(const json &arguments) {
    return arguments.value("granularity", "statement") == "instruction" ? Granularity::instruction : Granularity::line;
  }

  void stopped(const char *reason, size_t thread, std::optional<uint32_t> breakpoint) {
    frames_.clear();
    last_thread_ = thread;
    json body = {{"reason", reason}, {"threadId", thread + 1}, {"allThreadsStopped", true}};
    if (breakpoint) body["hitBreakpointIds"] = {*breakpoint};
    if (!breakpoint && moments_[thread] == 0) body["text"] = "the beginning of the recording";
    if (!breakpoint && moments_[thread] == last_moment(thread)) body["text"] = "the end of the recording";
    send_later("stopped", std::move(body));
  }

  json move(const json &arguments, const char *reason, const std::function<Stop(size_t thread, uint64_t number)> &step) {
    size_t thread = thread_of(arguments);
    if (recording_->length(thread) == 0) throw base::Error("the thread executed no instruction that was recorded");
    Stop stop = step(thread, moments_[thread]);
    moments_[thread] = stop.number;
    stopped(stop.breakpoint ? "breakpoint" : reason, thread, stop.breakpoint);
    return json::object();
  }

  json go_on(const json &arguments) {
    move(arguments, "pause", [&](size_t t, uint64_t n) { return stepper().run(t, n, Direction::forward); });
    return {{"allThreadsContinued", false}};
  }
  json go_back(const json &arguments) {
    return move(arguments, "pause", [&](size_t t, uint64_t n) { return stepper().run(t, n, Direction::backward); });
  }
  json next(const json &arguments) {
    return move(arguments, "step", [&](size_t t, uint64_t n) { return stepper().step_over(t, n, granularity(arguments), Direction::forward); });
  }
  json step_back(const json &arguments) {
    return move(arguments, "step", [&](size_t t, uint64_t n) { return stepper().step_over(t, n, granularity(arguments), Direction::backward); });
  }
  json step_in(const json &arguments) {
    return move(arguments, "step", [&](size_t t, uint64_t n) { return stepper().step_in(t, n, granularity(arguments)); });
  }
  json step_out(const json &arguments) {
    return move(arguments, "step", [&](size_t t, uint64_t n) { return stepper().step_out(t, n); });
  }

  std::istream &in_;
  std::ostream &out_;
  const OpenRecording &open_;
  int64_t sequence_ = 0;
  std::vector<json> due_;  // events that follow the answer
  std::unique_ptr<Recording> recording_;
  bool from_end_ = false;
  std::vector<uint64_t> moments_;  // by thread
  size_t last_thread_ = 0;
  std::vector<SeenFrame> frames_;  // shown since the last stop; ids are indices plus one
  Breakpoints breakpoints_;
  std::optional<Stepper> stepper_;
};

}  // namespace

void serve(std::istream &in, std::ostream &out, const OpenRecording &open) { Session(in, out, open).run(); }

}  // namespace chord::dap
