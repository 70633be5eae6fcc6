#include <limits>

#include "format/map/map_codec.h"
#include "format/map/map_streams.h"
#include "format/map/statement_shapes.h"

namespace chord::format {
namespace {

struct ReadForm {
  std::string_view shape;
  std::string_view callee;
  uint32_t mnemonic = 0;
  isa::Traits traits = 0;
  std::vector<bool> slots;
  uint8_t last_size = 0;
};

class Decoder {
 public:
  Decoder(std::string_view payload, bool texts, UnitMap &map) : in_(payload), texts_(texts), map_(map) {}

  // False if the payload is damaged.
  bool run() {
    if (!in_.ok()) return false;
    size_t procedures = head();
    for (size_t i = 0; i < procedures && in_.ok(); ++i) decode(map_.procedures.emplace_back());
    return in_.ok() && in_.at_end();
  }

 private:
  uint32_t u32(int64_t value) {
    if (value < 0 || value > std::numeric_limits<uint32_t>::max()) {
      in_[kCounts].fail();
      return 0;
    }
    return static_cast<uint32_t>(value);
  }
  // The guess plus the difference stored in the stream. The sum is taken modulo
  // 2^64, so a damaged difference is out of range and not undefined.
  uint32_t next(Stream stream, int64_t guess) {
    uint64_t sum = static_cast<uint64_t>(guess) + static_cast<uint64_t>(in_[stream].svarint());
    return u32(static_cast<int64_t>(sum));
  }

  void strings(std::vector<std::string> &list) {
    base::ByteReader &unit = in_[kUnit];
    list.resize(in_.length(kUnit, kUnit));
    for (std::string &s : list) s = unit.string();
  }

  size_t head() {
    base::ByteReader &unit = in_[kUnit];
    map_.unit = unit.string();
    map_.id = unit.u64();
    map_.folder = unit.string();
    strings(map_.files);
    map_.hashes.resize(in_.length(kUnit, kUnit));
    for (uint64_t &hash : map_.hashes) hash = in_[kUnit].u64();
    strings(map_.mnemonics);
    forms_.resize(in_.length(kUnit, kFormShapes));
    for (ReadForm &form : forms_) {
      form.shape = in_[kFormShapes].string();
      form.callee = in_[kFormShapes].string();
      form.mnemonic = u32(static_cast<int64_t>(in_[kFormKinds].bounded(UINT32_MAX)));
      form.traits = u32(static_cast<int64_t>(in_[kFormKinds].bounded(UINT32_MAX)));
      form.slots = slots_of(form.shape);
    }
    return in_.length(kUnit, kKeys);
  }

  void decode(Procedure &p) {
    p.key = in_[kKeys].u64();
    p.name = in_[kNames].string();
    p.skipped = in_[kNames].string();
    p.global = in_[kCounts].bounded(1) != 0;
    p.line = static_cast<uint32_t>(in_[kCounts].bounded(UINT32_MAX));
    if (p.line != 0) p.file = static_cast<uint32_t>(in_[kCounts].bounded(UINT32_MAX));
    p.fragments.resize(in_.length(kCounts, kNames));
    for (Fragment &fragment : p.fragments) {
      if (in_[kCounts].bounded(1) != 0) fragment.name = p.name;
      fragment.name += in_[kNames].string();
      fragment.size = static_cast<uint32_t>(in_[kCounts].bounded(UINT32_MAX));
    }
    instructions(p);
    blocks(p);
    edges(p);
    plan(p);
    held(p);
    spots(p);
    metrics(p);
  }

  void metrics(Procedure &p) {
    p.metrics.resize(in_.length(kCounts, kNames));
    if (!p.metrics.empty()) p.metrics_in_records = in_[kCounts].bounded(1) != 0;
    for (MetricSums &sums : p.metrics) {
      sums.metric = in_[kNames].string();
      sums.of = static_cast<SumsOf>(in_[kCounts].u8());
      ascending(kMetrics, sums.instructions);
    }
  }

  void instructions(Procedure &p) {
    p.instructions.resize(in_.length(kCounts, kFormLow));
    int64_t fragment = 0, expected = 0;
    for (Instruction &i : p.instructions) {
      uint64_t number = in_[kFormHigh].bounded(UINT32_MAX) * 256 + in_[kFormLow].u8();
      if (number >= forms_.size()) {
        in_[kFormLow].fail();
        return;
      }
      ReadForm &form = forms_[number];
      statement(form, i);
      i.size = form.last_size = static_cast<uint8_t>(in_[kSizes].u8() + form.last_size);
      i.fragment = next(kFragments, fragment);
      i.offset = next(kOffsets, expected);
      fragment = i.fragment;
      expected = int64_t{i.offset} + i.size;
      i.file = next(kFiles, file_);
      i.line = next(kLines, line_);
      file_ = i.file;
      line_ = i.line;
    }
  }

  void statement(const ReadForm &form, Instruction &i) {
    i.mnemonic = form.mnemonic;
    i.traits = form.traits;
    i.callee = form.callee;
    values_.clear();
    for (bool label : form.slots) {
      if (label) label_ += static_cast<uint64_t>(in_[kLabels].svarint());
      values_.push_back(label ? label_ : in_[kNumbers].varint());
    }
    if (texts_) i.text = join_statement(form.shape, values_);
  }

  void blocks(Procedure &p) {
    p.blocks.resize(in_.length(kCounts, kBlockKinds));
    int64_t expected = 0;
    for (Block &b : p.blocks) {
      b.kind = static_cast<VertexKind>(in_[kBlockKinds].u8());
      b.first = next(kBlockFirsts, expected);
      b.count = static_cast<uint32_t>(in_[kBlockCounts].bounded(UINT32_MAX));
      expected = int64_t{b.first} + b.count;
    }
  }

  void edges(Procedure &p) {
    p.edges.resize(in_.length(kCounts, kEdgeKinds));
    int64_t from = 0, padding = 0;
    for (Edge &e : p.edges) {
      e.from = core::Vertex(next(kEdgeFroms, from));
      e.to = core::Vertex(next(kEdgeTos, int64_t{e.from} + 1));
      e.kind = static_cast<EdgeKind>(in_[kEdgeKinds].u8());
      e.padding_count = static_cast<uint32_t>(in_[kEdgePaddings].bounded(UINT32_MAX));
      e.padding_first = next(kEdgePaddings, e.padding_count == 0 ? 0 : padding);
      from = e.from;
      if (e.padding_count != 0) padding = int64_t{e.padding_first} + e.padding_count;
    }
  }

  void plan(Procedure &p) {
    ascending(kMarks, p.marks);
    p.plan.placement = static_cast<core::Placement>(in_[kCounts].u8());
    p.plan.counters.resize(in_.length(kCounts, kCounters));
    int64_t last = 0;
    auto place = [&](core::Counter &counter) {
      int64_t value = in_[kCounters].svarint();
      counter.site = static_cast<core::Site>(value & 1);
      counter.id = u32(static_cast<int64_t>(static_cast<uint64_t>(last) + static_cast<uint64_t>(value >> 1)));
      last = counter.id;
    };
    for (core::Counter &counter : p.plan.counters) place(counter);
    p.plan.sums.resize(in_.length(kCounts, kCounters));
    for (uint32_t s = 0; s < p.plan.sums.size(); ++s) {
      p.plan.counters.push_back({core::Site::sum, s});
      place(p.plan.sums[s].spared);
      terms(p.plan.sums[s]);
    }
    ascending(kNevers, p.plan.never);
    p.plan.called = core::EdgeId(in_[kCounts].bounded(UINT32_MAX) - 1);  // kNone is 0
    p.no_paths = in_[kNames].string();
    if (p.plan.placement == core::Placement::paths) paths(p);
    if (p.plan.placement == core::Placement::chosen_paths) chosen_paths(p.plan.paths);
    if (p.plan.placement == core::Placement::trace) trace(p);
  }

  void trace(Procedure &p) {
    core::Plan &plan = p.plan;
    plan.encoding = static_cast<core::TraceEncoding>(in_[kPaths].bounded(static_cast<uint64_t>(core::TraceEncoding::paths)));
    if (plan.encoding == core::TraceEncoding::witness) ascending(kPaths, plan.witnesses);
    if (plan.encoding == core::TraceEncoding::paths) ascending(kPaths, plan.starts);
    ascending(kPaths, plan.late);
    const uint64_t calls = in_[kPaths].bounded(7);
    plan.compares = (calls & 1) != 0;
    plan.names = (calls & 2) != 0;
    if ((calls & 4) != 0) own_calls(plan.own_calls);
    addresses(p);
  }

  void own_calls(std::vector<core::OwnCall> &calls) {
    calls.resize(in_.length(kCounts, kPaths));
    int64_t last = 0;
    for (core::OwnCall &call : calls) {
      last = call.instruction = u32(next(kPaths, last));
      call.mark = u32(static_cast<int64_t>(in_[kPaths].bounded(UINT32_MAX)));
    }
  }

  void addresses(Procedure &p) {
    base::ByteReader &in = in_[kPaths];
    core::AddressPlan &plan = p.plan.addresses;
    plan.written = in.bounded(1) != 0;
    if (!plan.written) return;
    ascending(kPaths, plan.recorded);
    for (size_t b = 0; b < p.blocks.size() && in.ok(); ++b) plan.known.push_back(static_cast<uint32_t>(in.bounded(UINT16_MAX)));
    plan.kept = static_cast<uint32_t>(in.bounded(UINT16_MAX));
  }

  void terms(core::CounterSum &sum) {
    std::vector<core::Vertex> vertices;
    ascending(kHeldBlocks, vertices);
    for (core::Vertex v : vertices) {
      int64_t times = in_[kHeld].svarint();
      sum.terms.push_back({v, static_cast<int32_t>(times)});
      if (sum.terms.back().times != times) in_[kHeld].fail();
    }
  }

  void chosen_paths(core::PathPlan &plan) {
    base::ByteReader &in = in_[kPaths];
    numbers(plan);
    plan.words = static_cast<uint32_t>(in.bounded(UINT32_MAX));
    uint64_t count = in.bounded(in.remaining());
    for (uint64_t k = 0; k < count && in.ok(); ++k) {
      plan.chosen.push_back(in.varint());
      plan.slots.push_back(in.varint());
    }
  }

  void numbers(core::PathPlan &plan) {
    base::ByteReader &in = in_[kPaths];
    plan.paths = in.varint();
    uint64_t flags = in.bounded(kLastPathFlag);
    plan.except_noise = (flags & kExceptNoise) != 0;
    plan.by_number = (flags & kByNumber) != 0;
    plan.in_records = (flags & kInRecords) != 0;
    ascending(kPaths, plan.cuts);
  }

  void paths(Procedure &p) {
    numbers(p.plan.paths);
    if (p.blocks.size() > in_[kPaths].remaining()) in_[kPaths].fail();
    if (!in_[kPaths].ok()) return;
    p.plan.paths.partial.resize(p.blocks.size());
    for (int64_t &sum : p.plan.paths.partial) sum = in_[kPaths].svarint();
  }

  void held(Procedure &p) {
    p.held.resize(in_.length(kCounts, kHeld));
    for (Held &h : p.held) {
      base::ByteReader &in = in_[kHeld];
      h.counter = static_cast<uint32_t>(in.bounded(UINT32_MAX));
      h.place = in.u8();
      int64_t step = in.svarint();
      h.step = static_cast<int32_t>(step);
      if (h.step != step) in.fail();
      ascending(kHeldBlocks, h.updates);
      ascending(kHeldBlocks, h.due);
      ascending(kHeldBlocks, h.blocks);
    }
  }

  void spots(Procedure &p) {
    p.spots.resize(in_.length(kCounts, kSpots));
    int64_t fragment = 0, instruction = 0;
    for (Spot &s : p.spots) {
      fragment = s.fragment = next(kSpots, fragment);
      instruction = s.instruction = next(kSpots, instruction);
      s.lacks.resize(in_.length(kCounts, kSpotLacks));
      for (Spot::Lack &lack : s.lacks) {
        lack.counter = static_cast<uint32_t>(in_[kSpotLacks].bounded(UINT32_MAX));
        int64_t count = in_[kSpotLacks].svarint();
        lack.count = static_cast<int32_t>(count);
        if (lack.count != count) in_[kSpotLacks].fail();
      }
      ascending(kSpotHeld, s.held);
      if (is_path_placement(p.plan.placement)) spot_path(s.path);
    }
  }

  void spot_path(Spot::Path &path) {
    base::ByteReader &in = in_[kSpotPaths];
    path.fixed = in.bounded(1) != 0;
    path.sum = static_cast<uint64_t>(in.svarint());
    path.counts.resize(in.bounded(in.remaining()));
    for (Spot::Path::Count &c : path.counts) {
      c.fixed = in.bounded(1) != 0;
      c.number = static_cast<uint64_t>(in.svarint());
      int64_t count = in.svarint();
      c.count = static_cast<int32_t>(count);
      if (c.count != count) in.fail();
    }
  }

  template <class Number>
  void ascending(Stream stream, std::vector<Number> &values) {
    values.resize(in_.length(kCounts, stream));
    int64_t last = 0;
    for (Number &value : values) last = value = Number(next(stream, last));
  }

  StreamReader in_;
  bool texts_;
  UnitMap &map_;
  std::vector<ReadForm> forms_;
  std::vector<uint64_t> values_;
  int64_t file_ = 0, line_ = 0;
  uint64_t label_ = 0;
};

}  // namespace

std::string decode_payload(std::string_view payload, bool texts, UnitMap &map) {
  map = {};
  if (!Decoder(payload, texts, map).run()) return "the payload is damaged";
  return defect(map);
}

}  // namespace chord::format
