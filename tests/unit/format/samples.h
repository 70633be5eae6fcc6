// Seeded random maps, profiles and anchors for round-trip tests and as seeds for
// the fuzz drivers. The maps keep every rule of format/map/map.h but mean nothing.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "chord_abi.h"
#include "format/map/map.h"
#include "format/profile/profile.h"

namespace chord::format {

class Sampler {
 public:
  explicit Sampler(uint64_t seed) : random_(seed) {}

  uint32_t below(uint32_t limit) { return limit == 0 ? 0 : static_cast<uint32_t>(random_() % limit); }
  uint64_t word() { return random_(); }

  std::string text() {
    static const std::vector<std::string> kTexts = {"movq\t%rax, %rbx",
                                                    "jne\t.L117",
                                                    "jmp\t*.L5(,%rax,8)",
                                                    "movl\t$-12, -8(%rbp)",
                                                    "call\tsqlite3_free@PLT",
                                                    "vpaddd\t%zmm3, %zmm1, %zmm2",
                                                    "",
                                                    "nop",
                                                    "mov eax, DWORD PTR [rsp+007]",
                                                    "jle\t.LBB12_9",
                                                    "addq\t$18446744073709551615, %rax"};
    if (below(8) != 0) {
      std::string chosen = kTexts[below(static_cast<uint32_t>(kTexts.size()))];
      return below(3) == 0 ? chosen + std::to_string(below(1000)) : chosen;
    }
    std::string bytes(below(12), ' ');
    for (char &c : bytes) c = static_cast<char>(below(256));
    return bytes;
  }

  UnitMap map() {
    UnitMap map;
    map.unit = "dir/unit.c";
    map.id = word();
    map.folder = "/home/x";
    for (uint32_t i = below(4) + 1; i > 0; --i) map.files.push_back("file" + std::to_string(i) + ".c");
    for (size_t i = below(2) != 0 ? map.files.size() : 0; i > 0; --i) map.hashes.push_back(below(3) * 0x123456789abcdefu);
    map.mnemonics = {"mov", "jne", "call", "nop"};
    for (uint32_t i = below(6); i > 0; --i) map.procedures.push_back(procedure(map));
    return map;
  }

  Segment segment() {
    Segment s;
    s.flags = below(4);
    s.pid = word();
    s.start_ns = word();
    s.threads = below(9);
    s.end = below(5);
    s.status = below(256);
    s.runs = 1 + below(3);
    s.executable = "/bin/sample";
    s.folder = "/tmp";
    s.label = below(2) != 0 ? "test 12" : "";
    s.arguments.resize(below(4), "arg with \"quotes\"\n");
    s.modules.resize(1 + below(3));
    for (ModuleProfile &m : s.modules) fill(m);
    for (uint32_t i = below(5); i > 0; --i) {
      uint32_t kind = below(CHORD_EXIT_REGISTER + CHORD_LAST_REGISTER + 1);
      uint64_t path = kind < CHORD_EXIT_REGISTER ? below(3) : 0;
      s.exits.push_back({word(), 1 + word() % 9, below(static_cast<uint32_t>(s.modules.size())), kind, path});
    }
    s.notes.resize(below(2), "out of space");
    for (uint32_t i = below(5); i > 0; --i) s.thread_events.push_back({1 + below(9), below(CHORD_EVENT_KINDS), word()});
    return s;
  }

 private:
  void fill(ModuleProfile &m) {
    m.path = "/lib/module.so";
    m.bias = word();
    for (uint32_t i = below(21); i > 0; --i) m.build_id.push_back(static_cast<char>(below(256)));
    for (uint32_t i = below(8); i > 0; --i) {
      ModuleProfile::Procedure &p = m.procedures.emplace_back();
      p.key = word();
      for (uint32_t n = below(12); n > 0; --n) p.counters.push_back(below(2) != 0 ? 0 : word() >> below(64));
      if (below(4) != 0) continue;
      p.counters.clear();
      p.by_number = true;
      for (uint64_t n = below(5), number = below(9); n > 0; --n, number += 1 + (word() >> (3 + below(60))))
        p.numbers.emplace_back(number, 1 + below(1000));
    }
  }

  Procedure procedure(const UnitMap &map) {
    Procedure p;
    p.key = word();
    p.name = "proc" + std::to_string(below(100));
    p.global = below(2) != 0;
    p.line = below(3);
    if (p.line != 0) p.file = below(static_cast<uint32_t>(map.files.size()));
    p.fragments = {{p.name, below(1000)}, {p.name + ".cold", 7}, {"other", 9}};
    if (below(4) == 0) {
      p.skipped = "unknown jump table";
      return p;
    }
    for (uint32_t i = below(20) + 1; i > 0; --i) p.instructions.push_back(instruction(map));
    graph(p);
    return p;
  }

  Instruction instruction(const UnitMap &map) {
    Instruction i;
    i.fragment = below(3);
    i.offset = below(5000);
    i.size = static_cast<uint8_t>(1 + below(15));
    i.traits = below(1u << 19);
    i.line = below(100);
    i.file = below(static_cast<uint32_t>(map.files.size()));
    i.mnemonic = below(static_cast<uint32_t>(map.mnemonics.size()));
    i.text = text();
    if (below(5) == 0) i.callee = "callee" + std::to_string(below(3));
    return i;
  }

  void graph(Procedure &p) {
    auto instructions = static_cast<uint32_t>(p.instructions.size());
    p.blocks = {{VertexKind::entry, 0, 0}, {VertexKind::exit, 0, 0}};
    for (uint32_t i = below(9) + 1; i > 0; --i) {
      uint32_t first = below(instructions);
      p.blocks.push_back({static_cast<VertexKind>(2 + below(3)), first, below(instructions - first + 1)});
    }
    auto blocks = static_cast<uint32_t>(p.blocks.size());
    p.edges = {{1, 0, EdgeKind::return_edge, 0, 0}};
    for (uint32_t i = below(15); i > 0; --i) {
      uint32_t first = below(instructions);
      p.edges.push_back({core::Vertex(below(blocks)), core::Vertex(below(blocks)), static_cast<EdgeKind>(1 + below(9)), first,
                         below(2) * below(instructions - first + 1)});
    }
    auto edges = static_cast<uint32_t>(p.edges.size());
    for (uint32_t i = below(6); i > 0; --i) p.marks.push_back(below(instructions));
    p.plan.placement = static_cast<core::Placement>(below(4));
    for (uint32_t i = below(6); i > 0; --i) {
      bool at_vertex = below(2) != 0;
      p.plan.counters.push_back(
          {at_vertex ? core::Site::vertex : core::Site::edge, below(at_vertex ? blocks : edges)});
    }
    for (uint32_t i = 0, sums = below(3); i < sums; ++i) {
      p.plan.counters.push_back({core::Site::sum, i});
      core::CounterSum &sum = p.plan.sums.emplace_back();
      sum.spared = {core::Site::edge, below(edges)};
      for (uint32_t b = below(3); b < blocks; b += 1 + below(4)) sum.terms.push_back({core::Vertex(b), static_cast<int32_t>(word())});
    }
    for (uint32_t i = below(3); i > 0; --i) p.plan.never.emplace_back(below(edges));
    if (below(3) == 0) p.plan.called = core::EdgeId(below(edges));
    for (uint32_t i = below(3); i > 0; --i) {
      MetricSums &sums = p.metrics.emplace_back();
      sums.metric = "metric" + std::to_string(i);
      sums.of = below(2) != 0 ? SumsOf::instructions : SumsOf::procedure;
      for (uint32_t at = below(4); sums.of == SumsOf::instructions && at < instructions; at += 1 + below(4)) sums.instructions.push_back(at);
      p.metrics_in_records = below(2) != 0;
    }
  }

  std::mt19937_64 random_;
};

// The bytes the weaver's assembler directives give for an anchor.
inline void put_places(base::ByteWriter &out, const std::vector<uint32_t> &places) {
  uint32_t last = 0;
  for (uint32_t place : places) {
    out.varint(place - last);
    last = place;
  }
}

inline std::string encode_anchor(const Anchor &anchor) {
  base::ByteWriter out;
  out.u64(anchor.key);
  out.u32(static_cast<uint32_t>(anchor.parts.size()));
  out.u32(0);
  for (const Anchor::Part &part : anchor.parts) {
    out.align(8);
    out.u64(part.address);
    out.u32(part.size);
    out.u32(static_cast<uint32_t>(part.marks.size()));
    put_places(out, part.marks);
    out.varint(part.spots.size());
    put_places(out, part.spots);
  }
  out.align(8);
  return out.take();
}

inline bool same_map(const UnitMap &a, const UnitMap &b) {
  return a.unit == b.unit && a.id == b.id && a.folder == b.folder && a.files == b.files && a.hashes == b.hashes &&
         a.mnemonics == b.mnemonics && a.procedures == b.procedures;
}

}  // namespace chord::format
