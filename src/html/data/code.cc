#include "html/data/code.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "html/text/json.h"

namespace chord::html {
namespace {

using analysis::CountedPath;
using analysis::CountedProcedure;

// Paths of a function beyond these are counted but not listed.
constexpr size_t kMostPaths = 400;

class CodeWriter {
 public:
  CodeWriter(std::string &out, const Facts &facts, const CountedProcedure &p) : out_(out), facts_(facts), p_(p) {
    const std::vector<format::Instruction> &all = p.map->instructions;
    order_.resize(all.size());
    std::iota(order_.begin(), order_.end(), 0u);
    // Padding is after the blocks in the map; here it goes where it lies.
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
      return all[a].fragment != all[b].fragment ? all[a].fragment < all[b].fragment : all[a].offset < all[b].offset;
    });
    place_.resize(all.size());
    for (uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
  }

  void write(const CountedProcedure *old) {
    Object o(out_);
    o.member("fragments");
    put_array(out_, p_.map->fragments, [&](const format::Fragment &f) { put_json(out_, f.name); });
    instructions(o);
    inlined(o);
    blocks(o);
    edges(o);
    counts(o, p_);
    if (!p_.paths.empty()) paths(o);
    if (!p_.map->no_paths.empty()) o.member("noPaths", std::string_view(p_.map->no_paths));
    if (old != nullptr) {
      o.member("old");
      Object inner(out_);
      counts(inner, *old);
      inner.end();
    }
    o.end();
  }

 private:
  template <class Get>
  void instruction_column(Object &o, std::string_view key, Get get) {
    o.member(key);
    put_array(out_, order_, [&](uint32_t i) { put_json_signed(out_, get(p_.map->instructions[i])); });
  }

  // Files and lines as differences to the instruction before, offsets only where an instruction does not begin where the one
  // before it ends: small numbers pack better, and none packs best.
  void instructions(Object &o) {
    if (p_.map->fragments.size() > 1) {
      instruction_column(o, "fragment", [](const format::Instruction &i) { return i.fragment; });
    }
    int64_t before = 0;
    auto difference = [&](int64_t value) { return value - std::exchange(before, value); };
    offsets(o);
    instruction_column(o, "size", [](const format::Instruction &i) { return i.size; });
    instruction_column(o, "file", [&](const format::Instruction &i) {
      return difference(i.line == 0 ? -1 : static_cast<int64_t>(facts_.files.number(*p_.unit, i.file)));
    });
    before = 0;
    instruction_column(o, "line", [&](const format::Instruction &i) { return difference(i.line); });
    o.member("text");
    put_array(out_, order_, [&](uint32_t i) { put_json(out_, std::string_view(p_.map->instructions[i].text)); });
  }

  // The calls that were inlined, those around others first, and where in the order of addresses a run of instructions begins that come from
  // one of them (-1: from none).
  void inlined(Object &o) {
    const std::vector<std::vector<uint32_t>> chains = facts_.chains.of(p_);
    std::unordered_map<uint32_t, int64_t> numbers;
    std::vector<uint32_t> calls;
    std::vector<int64_t> parents, at, call;
    int64_t last = -1, last_at = 0;
    for (uint32_t place = 0; place < order_.size(); ++place) {
      int64_t innermost = -1;
      for (uint32_t c : chains[order_[place]]) {
        auto [known, fresh] = numbers.try_emplace(c, static_cast<int64_t>(calls.size()));
        if (fresh) {
          calls.push_back(c);
          parents.push_back(innermost);
        }
        innermost = known->second;
      }
      if (innermost == last) continue;
      last = innermost;
      at.push_back(place - std::exchange(last_at, int64_t{place}));
      call.push_back(innermost);
    }
    if (calls.empty()) return;
    o.member("inlined");
    Object inner(out_);
    auto column = [&](std::string_view key, const auto &values, auto get) {
      inner.member(key);
      put_array(out_, values, [&](auto value) { put_json_signed(out_, static_cast<int64_t>(get(value))); });
    };
    auto itself = [](int64_t value) { return value; };
    column("parent", parents, itself);
    column("function", calls, [&](uint32_t c) { return facts_.inlined_row.at(facts_.chains.call(p_, c).function); });
    column("site", calls, [&](uint32_t c) { return facts_.chains.site(p_, c) >> 32; });
    column("line", calls, [&](uint32_t c) { return facts_.chains.site(p_, c) & UINT32_MAX; });
    column("at", at, itself);
    column("call", call, itself);
    inner.end();
  }

  void offsets(Object &o) {
    std::vector<uint32_t> jumps;
    uint64_t end = 0;
    for (uint32_t i : order_) {
      const format::Instruction &instruction = p_.map->instructions[i];
      if (instruction.offset != end) jumps.push_back(i);
      end = uint64_t{instruction.offset} + instruction.size;
    }
    o.member("jumpAt");
    put_array(out_, jumps, [&](uint32_t i) { put_json(out_, uint64_t{place_[i]}); });
    o.member("jumpTo");
    put_array(out_, jumps, [&](uint32_t i) { put_json(out_, uint64_t{p_.map->instructions[i].offset}); });
  }

  // Where a block begins, as the difference to where the one before it ends.
  void blocks(Object &o) {
    const std::vector<format::Block> &all = p_.map->blocks;
    o.member("blockKind");
    put_array(out_, all, [&](const format::Block &b) { put_json(out_, uint64_t{static_cast<uint8_t>(b.kind)}); });
    o.member("blockFirst");
    int64_t end = 0;
    put_array(out_, all, [&](const format::Block &b) {
      const int64_t first = b.count == 0 ? end : int64_t{place_[b.first]};
      put_json_signed(out_, first - std::exchange(end, first + int64_t{b.count}));
    });
    o.member("blockLength");
    put_array(out_, all, [&](const format::Block &b) { put_json(out_, uint64_t{b.count}); });
  }

  // From where, as the difference to the edge before; to where, as the difference to that.
  void edges(Object &o) {
    const std::vector<format::Edge> &all = p_.map->edges;
    o.member("edgeFrom");
    int64_t before = 0;
    put_array(out_, all, [&](const format::Edge &e) { put_json_signed(out_, int64_t{e.from} - std::exchange(before, int64_t{e.from})); });
    o.member("edgeTo");
    put_array(out_, all, [&](const format::Edge &e) { put_json_signed(out_, int64_t{e.to} - int64_t{e.from}); });
    o.member("edgeKind");
    put_array(out_, all, [&](const format::Edge &e) { put_json(out_, uint64_t{static_cast<uint8_t>(e.kind)}); });
  }

  // Instructions that ran as often as their block began are not listed: only an activation that ended
  // early, and padding, make a difference.
  void counts(Object &o, const CountedProcedure &p) {
    const bool known = p.exact() && !p.counts_chosen_paths();
    o.member("blockCount");
    put_array(out_, p.counts.vertex, [&](uint64_t count) { put_json_if(out_, known, count); });
    o.member("edgeCount");
    std::vector<uint32_t> edges(p.counts.edge.size());
    std::iota(edges.begin(), edges.end(), 0u);
    put_array(out_, edges, [&](uint32_t e) { put_json_if(out_, known && p.counts.edge_known[e], p.counts.edge[e]); });
    std::vector<bool> differs(p.executed.size(), true);
    for (size_t b = 0; b < p.map->blocks.size(); ++b) {
      const format::Block &block = p.map->blocks[b];
      for (uint32_t i = block.first; i < block.first + block.count; ++i) differs[i] = p.executed[i] != p.counts.vertex[b];
    }
    std::vector<uint32_t> others;
    for (uint32_t i : order_) {
      if (differs[i]) others.push_back(i);
    }
    o.member("otherAt");
    put_array(out_, others, [&](uint32_t i) { put_json(out_, uint64_t{place_[i]}); });
    o.member("otherCount");
    put_array(out_, others, [&](uint32_t i) { put_json_if(out_, known, p.executed[i]); });
  }

  void paths(Object &o) {
    std::vector<const CountedPath *> ran;
    for (const CountedPath &path : p_.paths) {
      if (path.count > 0) ran.push_back(&path);
    }
    o.member("pathsRan", uint64_t{ran.size()});
    o.member("pathsPossible", analysis::possible_paths(*p_.map));
    auto executed = [&](const CountedPath *path) {
      return static_cast<uint64_t>(path->count) * analysis::length_of(*p_.map, *path);
    };
    std::stable_sort(ran.begin(), ran.end(), [&](auto *a, auto *b) { return executed(a) > executed(b); });
    if (ran.size() > kMostPaths) ran.resize(kMostPaths);
    o.member("paths");
    put_array(out_, ran, [&](const CountedPath *path) { put_path(*path); });
  }

  void put_path(const CountedPath &path) {
    Object o(out_);
    if (path.partial) {
      o.member("partial", uint64_t{path.instruction < place_.size() ? place_[path.instruction] : 0});
      o.member("executed", uint64_t{path.executed});
    } else {
      o.member("number", path.number);
    }
    o.member("count", static_cast<uint64_t>(path.count));
    o.member("length", analysis::length_of(*p_.map, path));
    const bool landing = p_.map->blocks[path.path.first].kind == format::VertexKind::landing;
    o.member("start", std::string_view(landing ? "landing" : path.path.from_entry ? "entry" : "loop"));
    o.member("end", std::string_view(path.running ? "running" : path.partial ? "partial" : path.path.to_exit ? "exit" : "loop"));
    o.member("blocks");
    put_array(out_, analysis::blocks_of(*p_.map, path), [&](uint32_t b) { put_json(out_, uint64_t{b}); });
    o.member("edges");
    put_array(out_, path.path.edges, [&](uint32_t e) { put_json(out_, uint64_t{e}); });
    o.end();
  }

  std::string &out_;
  const Facts &facts_;
  const CountedProcedure &p_;
  std::vector<uint32_t> order_;  // instructions by address
  std::vector<uint32_t> place_;  // by instruction: its index in `order_`
};

}  // namespace

void put_code(std::string &out, const Facts &facts, const CountedProcedure &procedure, const CountedProcedure *old) {
  CodeWriter(out, facts, procedure).write(old);
}

}  // namespace chord::html
