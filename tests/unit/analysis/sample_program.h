// A small procedure made by hand, with its map, anchor and counters, to check every
// number by arithmetic:
//
//   line  block  instruction              offset
//    1      2    0  push                    0
//    2      2    1  mov                     1
//    2      2    2  jmp  -> 4               4
//    3      3    3  call helper             6
//    4      3    4  inc                    11
//    2      4    5  cmp                    14
//    2      4    6  jl   -> 3              17
//    5      5    7  pop                    19
//    5      5    8  ret                    20
//
// Edges: 0 exit->entry, 1 entry->2, 2 2->4 (jump), 3 3->4 (fall), 4 4->3 (taken),
// 5 4->5 (fall), 6 5->exit. Counters on edges 1 and 4. The woven code has a probe of 8
// bytes before instruction 3 and one of 9 bytes before instruction 0.
#pragma once

#include <string>
#include <vector>

#include "analysis/objects/object.h"
#include "format/map/map.h"
#include "format/profile/profile.h"

namespace chord::analysis {

inline constexpr uint64_t kLoopKey = 0x1111;
inline constexpr uint64_t kLoopAddress = 0x401000;
inline constexpr uint32_t kEntryProbe = 9, kBodyProbe = 8;

inline format::Procedure loop_procedure() {
  format::Procedure p;
  p.key = kLoopKey;
  p.name = "loop";
  p.global = true;
  p.fragments = {{"loop", 21}};
  auto add = [&](uint32_t offset, uint8_t size, uint32_t line, uint32_t mnemonic, isa::Traits traits,
                 const char *text) {
    p.instructions.push_back({0, offset, size, traits, 0, line, mnemonic, text, ""});
  };
  add(0, 1, 1, 0, isa::kStore, "push %rbx");
  add(1, 3, 2, 1, 0, "mov $0, %ebx");
  add(4, 2, 2, 2, isa::kJump, "jmp .L2");
  add(6, 5, 3, 3, isa::kCall | isa::kStore, "call helper");
  add(11, 3, 4, 4, 0, "inc %ebx");
  add(14, 3, 2, 5, isa::kLoad, "cmp n, %ebx");
  add(17, 2, 2, 6, isa::kConditional | isa::kBackward, "jl .L3");
  add(19, 1, 5, 7, isa::kLoad, "pop %rbx");
  add(20, 1, 5, 8, isa::kReturn, "ret");
  using format::EdgeKind;
  using format::VertexKind;
  p.blocks = {{VertexKind::entry, 0, 0}, {VertexKind::exit, 0, 0}, {VertexKind::code, 0, 3},
              {VertexKind::code, 3, 2},  {VertexKind::code, 5, 2}, {VertexKind::code, 7, 2}};
  p.edges = {{1, 0, EdgeKind::return_edge, 0, 0}, {0, 2, EdgeKind::enter, 0, 0}, {2, 4, EdgeKind::jump, 0, 0},
             {3, 4, EdgeKind::fall, 0, 0},        {4, 3, EdgeKind::taken, 0, 0}, {4, 5, EdgeKind::fall, 0, 0},
             {5, 1, EdgeKind::leave, 0, 0}};
  p.marks = {0, 3};
  p.plan.counters = {{core::Site::edge, 1}, {core::Site::edge, 4}};
  return p;
}

inline format::Anchor loop_anchor() {
  // Woven length: 21 original bytes and both probes.
  return {kLoopKey,
          {{kLoopAddress, 21 + kEntryProbe + kBodyProbe, {kEntryProbe, 6 + kEntryProbe + kBodyProbe}}}};
}

inline format::UnitMap loop_unit() {
  format::UnitMap unit;
  unit.unit = "loop.c";
  unit.id = 42;
  unit.folder = "/src";
  unit.files = {"loop.c"};
  unit.mnemonics = {"push", "mov", "jmp", "call", "inc", "cmp", "jl", "pop", "ret", "nop"};
  unit.procedures = {loop_procedure()};
  return unit;
}

inline Object loop_object() {
  Object object;
  object.path = "/bin/loop";
  object.build_id = "build";
  object.units = {loop_unit()};
  object.anchors = {loop_anchor()};
  return object;
}

// `calls` activations with `rounds` loop rounds in all.
inline format::Segment loop_segment(uint64_t calls, uint64_t rounds) {
  format::Segment s;
  s.pid = 7;
  s.threads = 1;
  s.executable = "/bin/loop";
  s.folder = "/";
  format::ModuleProfile &m = s.modules.emplace_back();
  m.path = "/bin/loop";
  m.build_id = "build";
  m.procedures = {{kLoopKey, {calls, rounds}}};
  return s;
}

}  // namespace chord::analysis
