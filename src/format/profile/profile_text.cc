#include <fmt/core.h>
#include <fmt/format.h>

#include <iterator>

#include "chord_abi.h"
#include "format/profile/profile.h"
#include "format/text/event_names.h"
#include "format/text/text_form.h"

namespace chord::format {
namespace {

const std::vector<std::string_view> kEnds = {"exit", "signal", "quick", "exec", "dump"};
const std::vector<std::string_view> kExitKinds = {"call", "pc", "check"};
const std::vector<std::string_view> kContextKinds = {"called", "signal", "overflow"};
const std::vector<std::string_view> kKinds(kEventNames.begin(), kEventNames.end());

std::string hex(std::string_view bytes) {
  std::string out;
  for (unsigned char c : bytes) out += fmt::format("{:02x}", c);
  return quote(out);
}

std::string read_hex(TextReader &in) {
  std::string digits = in.string(), out;
  if (digits.size() % 2 != 0 || digits.find_first_not_of("0123456789abcdef") != std::string::npos) {
    in.fail("a build id is hexadecimal digits");
    return out;
  }
  for (size_t i = 0; i < digits.size(); i += 2) {
    out.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return out;
}

void write(std::string &out, const ModuleProfile &m) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "module {} {} {:#x}\n", quote(m.path), hex(m.build_id), m.bias);
  for (const ModuleProfile::Procedure &p : m.procedures) {
    fmt::format_to(to, "{} {:#x}", p.by_number ? "numbers" : "counts", p.key);
    for (auto [number, count] : p.numbers) fmt::format_to(to, " {} {}", number, count);
    for (uint64_t counter : p.counters) fmt::format_to(to, " {}", counter);
    out.push_back('\n');
  }
}

void write(std::string &out, const Segment &s) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "segment {:#x}\n", s.flags);
  fmt::format_to(to, "process {} {} {} {} {}\n", s.pid, s.parent, s.start_ns, s.end_ns, s.threads);
  if (s.end < kEnds.size()) {
    fmt::format_to(to, "end {} {}\n", kEnds[s.end], s.status);
  } else {
    fmt::format_to(to, "end-code {} {}\n", s.end, s.status);
  }
  if (s.runs != 1) fmt::format_to(to, "runs {}\n", s.runs);
  fmt::format_to(to, "executable {}\nfolder {}\nlabel {}\n", quote(s.executable), quote(s.folder),
                 quote(s.label));
  for (const std::string &argument : s.arguments) fmt::format_to(to, "argument {}\n", quote(argument));
  for (const ModuleProfile &m : s.modules) write(out, m);
  for (const EarlyExit &e : s.exits) {
    if (e.kind == CHORD_EXIT_PATH) {
      fmt::format_to(to, "path {:#x} {} {} {}\n", e.pc, e.count, e.module, e.path);
    } else if (e.kind >= CHORD_EXIT_REGISTER) {
      fmt::format_to(to, "register {} {:#x} {} {}{}\n", e.kind - CHORD_EXIT_REGISTER, e.pc, e.count, e.module,
                     e.path == 0 ? "" : fmt::format(" {}", e.path));
    } else {
      fmt::format_to(to, "left {} {:#x} {} {} {}\n", kExitKinds[e.kind], e.pc, e.count, e.module, e.path);
    }
  }
  for (const ThreadEvents &e : s.thread_events) fmt::format_to(to, "thread {} {} {}\n", e.thread, kKinds[e.kind], e.count);
  for (const ContextCounts &c : s.contexts) {
    fmt::format_to(to, "context {} {} {:#x} {} {:#x} {} {:#x}", c.thread, c.module, c.procedure, kContextKinds[c.kind], c.parent, c.site, c.key);
    for (uint64_t counter : c.counters) fmt::format_to(to, " {}", counter);
    out.push_back('\n');
  }
  for (const std::string &note : s.notes) fmt::format_to(to, "note {}\n", quote(note));
}

void read_process(TextReader &in, Segment &s) {
  s.pid = in.number();
  s.parent = in.number();
  s.start_ns = in.number();
  s.end_ns = in.number();
  s.threads = in.number();
}

void read_exit(TextReader &in, Segment &s) {
  EarlyExit e;
  bool is_register = in.keyword() == "register", is_path = in.keyword() == "path";
  e.kind = is_path       ? CHORD_EXIT_PATH
           : is_register ? CHORD_EXIT_REGISTER + static_cast<uint32_t>(in.number(CHORD_LAST_REGISTER))
                         : static_cast<uint32_t>(in.choice(kExitKinds));
  e.pc = in.number();
  e.count = in.number();
  e.module = in.number32();
  if (!is_register || !in.at_line_end()) e.path = in.number();
  if (e.module >= s.modules.size()) in.fail("no such module");
  s.exits.push_back(e);
}

void read_counts(TextReader &in, Segment &s) {
  if (s.modules.empty()) {
    in.fail("counts before any module");
    return;
  }
  ModuleProfile::Procedure &p = s.modules.back().procedures.emplace_back();
  p.by_number = in.keyword() == "numbers";
  p.key = in.number();
  while (!in.at_line_end()) {
    uint64_t value = in.number();
    if (!p.by_number) {
      p.counters.push_back(value);
      continue;
    }
    if (!p.numbers.empty() && p.numbers.back().first >= value) in.fail("numbers are to ascend");
    p.numbers.emplace_back(value, in.number());
  }
}

void read_context(TextReader &in, Segment &s) {
  ContextCounts &c = s.contexts.emplace_back();
  c.thread = in.number32();
  c.module = in.number32();
  c.procedure = in.number();
  c.kind = static_cast<uint32_t>(in.choice(kContextKinds));
  c.parent = in.number();
  c.site = in.number32();
  c.key = in.number();
  while (!in.at_line_end()) c.counters.push_back(in.number());
  if (c.module >= s.modules.size()) in.fail("no such module");
}

// False if the keyword is none of a segment's.
bool read_line(TextReader &in, Segment &s) {
  const std::string &keyword = in.keyword();
  if (keyword == "process") {
    read_process(in, s);
  } else if (keyword == "end") {
    s.end = static_cast<uint32_t>(in.choice(kEnds));
    s.status = in.number32();
  } else if (keyword == "end-code") {
    s.end = in.number32();
    s.status = in.number32();
  } else if (keyword == "runs") {
    s.runs = in.number();
  } else if (keyword == "executable") {
    s.executable = in.string();
  } else if (keyword == "folder") {
    s.folder = in.string();
  } else if (keyword == "label") {
    s.label = in.string();
  } else if (keyword == "argument") {
    s.arguments.push_back(in.string());
  } else if (keyword == "module") {
    ModuleProfile &m = s.modules.emplace_back();
    m.path = in.string();
    m.build_id = read_hex(in);
    m.bias = in.number();
  } else if (keyword == "counts" || keyword == "numbers") {
    read_counts(in, s);
  } else if (keyword == "left" || keyword == "register" || keyword == "path") {
    read_exit(in, s);
  } else if (keyword == "thread") {
    ThreadEvents &e = s.thread_events.emplace_back();
    e.thread = in.number32();
    e.kind = static_cast<uint32_t>(in.choice(kKinds));
    e.count = in.number();
  } else if (keyword == "context") {
    read_context(in, s);
  } else if (keyword == "note") {
    s.notes.push_back(in.string());
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string to_text(const Profile &profile) {
  std::string out;
  for (const std::string &warning : profile.warnings) out += fmt::format("# {}\n", warning);
  for (const Segment &segment : profile.segments) write(out, segment);
  return out;
}

bool profile_from_text(std::string_view text, Profile &out, std::string &error) {
  out = {};
  TextReader in(text);
  while (in.next_line()) {
    if (in.keyword() == "segment") {
      out.segments.emplace_back().flags = in.number32();
    } else if (out.segments.empty() || !read_line(in, out.segments.back())) {
      in.fail(out.segments.empty() ? "a segment must come first" : "unknown keyword");
    }
  }
  error = in.error();
  return error.empty();
}

}  // namespace chord::format
