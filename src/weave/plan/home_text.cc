#include "weave/plan/home_text.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include "isa/code_text.h"

namespace chord::weave {
namespace {

std::string section(std::string_view kind, std::string_view flags, bool bits, std::string_view name, std::string_view group) {
  return fmt::format("\t.section .{0}.{3},\"{1}G\",@{2},{4},comdat\n\t.balign 8\n", kind, flags, bits ? "progbits" : "nobits", name, group);
}

std::string defined(std::string_view name) { return fmt::format("\t.weak {0}\n\t.hidden {0}\n{0}:\n", name); }

std::string content(std::string_view initial, uint64_t size) { return initial.empty() ? fmt::format("\t.zero {}\n", size) : std::string(initial); }

std::string thread_local_text(std::string_view name, uint64_t size, std::string_view initial) {
  const std::string offset = std::string(name) + CHORD_OFFSET_SUFFIX, home = std::string(name) + CHORD_HOME_SUFFIX;
  return section(initial.empty() ? "tbss" : "tdata", "awT", !initial.empty(), name, name) + defined(name) + content(initial, size) +
         section("text", "ax", true, offset, name) + fmt::format("\t.type {},@function\n", offset) + defined(offset) +
         isa::return_thread_offset(name) + fmt::format("\t.size {0},.-{0}\n", offset) +
         section("data", "aw", true, home, home) + defined(home) + fmt::format("\t.quad 0\n\t.long {}@tpoff, -1\n\t.quad 0, 0\n", name);
}

std::string shared_text(std::string_view name, uint64_t size, std::string_view initial) {
  const std::string home = std::string(name) + CHORD_HOME_SUFFIX, copy = fmt::format(".L{}_copy", name), image = fmt::format(".L{}_initial", name);
  std::string out = section("data", "aw", true, home, home) + defined(home) +
                    fmt::format("\t.quad {}, {}, {}, {}\n", CHORD_ZERO_WORD, copy, size, initial.empty() ? "0" : image);
  out += section(initial.empty() ? "bss" : "data", "aw", !initial.empty(), std::string(name) + "_copy", home) + copy + ":\n" + content(initial, size);
  if (!initial.empty()) out += section("data.rel.ro", "aw", true, std::string(name) + "_initial", home) + image + ":\n" + std::string(initial);
  return out;
}

}  // namespace

std::string home_text(const Options &options, std::string_view name, uint64_t size, std::string_view initial) {
  return options.position_independent ? shared_text(name, size, initial) : thread_local_text(name, size, initial);
}

}  // namespace chord::weave
