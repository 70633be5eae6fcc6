#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "base/hash.h"
#include "format/map/map_codec.h"
#include "format/map/map_streams.h"
#include "format/map/statement_shapes.h"

namespace chord::format {
namespace {

struct WrittenForm {
  std::string shape;
  std::string callee;
  uint32_t mnemonic = 0;
  isa::Traits traits = 0;
  bool operator==(const WrittenForm &) const = default;
};

struct FormHash {
  size_t operator()(const WrittenForm &f) const {
    return base::Hash().add(f.shape).add(f.callee).add(f.mnemonic).add(uint64_t{f.traits}).value();
  }
};

// All forms of a unit, and for each instruction its form and slot values.
struct Dictionary {
  std::vector<WrittenForm> forms;        // by falling frequency
  std::vector<uint32_t> form_of;  // per instruction of the unit, in order
  std::vector<std::vector<Slot>> slots;
};

Dictionary collect_forms(const UnitMap &map) {
  Dictionary dictionary;
  std::unordered_map<WrittenForm, uint32_t, FormHash> numbers;
  std::vector<WrittenForm> forms;
  std::vector<uint64_t> uses;
  for (const Procedure &procedure : map.procedures) {
    for (const Instruction &i : procedure.instructions) {
      SplitStatement split = split_statement(i.text);
      WrittenForm form{std::move(split.shape), i.callee, i.mnemonic, i.traits};
      auto [at, fresh] = numbers.try_emplace(form, static_cast<uint32_t>(forms.size()));
      if (fresh) {
        forms.push_back(std::move(form));
        uses.push_back(0);
      }
      ++uses[at->second];
      dictionary.form_of.push_back(at->second);
      dictionary.slots.push_back(std::move(split.slots));
    }
  }
  std::vector<uint32_t> order(forms.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return uses[a] > uses[b]; });
  std::vector<uint32_t> rank(forms.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = i;
    dictionary.forms.push_back(std::move(forms[order[i]]));
  }
  for (uint32_t &form : dictionary.form_of) form = rank[form];
  return dictionary;
}

class Encoder {
 public:
  explicit Encoder(const UnitMap &map) : map_(map), dictionary_(collect_forms(map)) {}

  std::string run() {
    head();
    last_size_.assign(dictionary_.forms.size(), 0);
    for (const Procedure &procedure : map_.procedures) encode(procedure);
    return out_.take();
  }

 private:
  void head() {
    base::ByteWriter &unit = out_[kUnit];
    unit.string(map_.unit);
    unit.u64(map_.id);
    unit.string(map_.folder);
    unit.varint(map_.files.size());
    for (const std::string &file : map_.files) unit.string(file);
    unit.varint(map_.hashes.size());
    for (uint64_t hash : map_.hashes) unit.u64(hash);
    unit.varint(map_.mnemonics.size());
    for (const std::string &mnemonic : map_.mnemonics) unit.string(mnemonic);
    unit.varint(dictionary_.forms.size());
    for (const WrittenForm &form : dictionary_.forms) {
      out_[kFormShapes].string(form.shape);
      out_[kFormShapes].string(form.callee);
      out_[kFormKinds].varint(form.mnemonic);
      out_[kFormKinds].varint(form.traits);
    }
    unit.varint(map_.procedures.size());
  }

  void encode(const Procedure &p) {
    out_[kKeys].u64(p.key);
    base::ByteWriter &names = out_[kNames];
    names.string(p.name);
    names.string(p.skipped);
    base::ByteWriter &counts = out_[kCounts];
    counts.u8(p.global ? 1 : 0);
    counts.varint(p.line);
    if (p.line != 0) counts.varint(p.file);
    counts.varint(p.fragments.size());
    for (const Fragment &fragment : p.fragments) {
      // Nearly always the procedure's own name, or one that begins with it.
      bool prefixed = fragment.name.starts_with(p.name);
      counts.u8(prefixed ? 1 : 0);
      names.string(prefixed ? std::string_view(fragment.name).substr(p.name.size()) : fragment.name);
      counts.varint(fragment.size);
    }
    instructions(p);
    blocks(p);
    edges(p);
    plan(p);
    held(p);
    spots(p);
    metrics(p);
  }

  void metrics(const Procedure &p) {
    out_[kCounts].varint(p.metrics.size());
    if (!p.metrics.empty()) out_[kCounts].u8(p.metrics_in_records ? 1 : 0);
    for (const MetricSums &sums : p.metrics) {
      out_[kNames].string(sums.metric);
      out_[kCounts].u8(static_cast<uint8_t>(sums.of));
      ascending(kMetrics, sums.instructions);
    }
  }

  void instructions(const Procedure &p) {
    out_[kCounts].varint(p.instructions.size());
    int64_t fragment = 0, expected = 0;
    for (const Instruction &i : p.instructions) {
      uint32_t form = dictionary_.form_of[next_];
      out_[kFormLow].u8(static_cast<uint8_t>(form));
      out_[kFormHigh].varint(form >> 8);
      for (const Slot &slot : dictionary_.slots[next_]) encode(slot);
      ++next_;
      out_[kSizes].u8(static_cast<uint8_t>(i.size - last_size_[form]));
      last_size_[form] = i.size;
      out_[kFragments].svarint(i.fragment - fragment);
      out_[kOffsets].svarint(i.offset - expected);
      fragment = i.fragment;
      expected = int64_t{i.offset} + i.size;
      out_[kFiles].svarint(int64_t{i.file} - file_);
      out_[kLines].svarint(int64_t{i.line} - line_);
      file_ = i.file;
      line_ = i.line;
    }
  }

  void encode(const Slot &slot) {
    if (!slot.label) {
      out_[kNumbers].varint(slot.value);
      return;
    }
    out_[kLabels].svarint(static_cast<int64_t>(slot.value) - label_);
    label_ = static_cast<int64_t>(slot.value);
  }

  void blocks(const Procedure &p) {
    out_[kCounts].varint(p.blocks.size());
    int64_t expected = 0;
    for (const Block &b : p.blocks) {
      out_[kBlockKinds].u8(static_cast<uint8_t>(b.kind));
      out_[kBlockFirsts].svarint(b.first - expected);
      out_[kBlockCounts].varint(b.count);
      expected = int64_t{b.first} + b.count;
    }
  }

  void edges(const Procedure &p) {
    out_[kCounts].varint(p.edges.size());
    int64_t from = 0, padding = 0;
    for (const Edge &e : p.edges) {
      out_[kEdgeFroms].svarint(e.from - from);
      out_[kEdgeTos].svarint(int64_t{e.to} - e.from - 1);
      out_[kEdgeKinds].u8(static_cast<uint8_t>(e.kind));
      out_[kEdgePaddings].varint(e.padding_count);
      out_[kEdgePaddings].svarint(e.padding_count == 0 ? e.padding_first : e.padding_first - padding);
      from = e.from;
      if (e.padding_count != 0) padding = int64_t{e.padding_first} + e.padding_count;
    }
  }

  void plan(const Procedure &p) {
    ascending(kMarks, p.marks);
    out_[kCounts].u8(static_cast<uint8_t>(p.plan.placement));
    size_t sums = p.plan.sums.size();
    out_[kCounts].varint(p.plan.counters.size() - sums);
    int64_t last = 0;
    auto place = [&](const core::Counter &counter) {
      out_[kCounters].svarint((counter.id - last) * 2 + static_cast<int64_t>(counter.site));
      last = counter.id;
    };
    for (const core::Counter &counter : std::span(p.plan.counters).first(p.plan.counters.size() - sums)) place(counter);
    out_[kCounts].varint(sums);
    for (const core::CounterSum &sum : p.plan.sums) {
      place(sum.spared);
      terms(sum);
    }
    ascending(kNevers, p.plan.never);
    out_[kCounts].varint(p.plan.called == core::kNone ? 0 : uint64_t{p.plan.called} + 1);
    out_[kNames].string(p.no_paths);
    if (p.plan.placement == core::Placement::paths) paths(p.plan.paths);
    if (p.plan.placement == core::Placement::chosen_paths) chosen_paths(p.plan.paths);
    if (p.plan.placement == core::Placement::trace) trace(p.plan);
  }

  void trace(const core::Plan &plan) {
    out_[kPaths].varint(static_cast<uint64_t>(plan.encoding));
    if (plan.encoding == core::TraceEncoding::witness) ascending(kPaths, plan.witnesses);
    if (plan.encoding == core::TraceEncoding::paths) ascending(kPaths, plan.starts);
    ascending(kPaths, plan.late);
    out_[kPaths].varint((plan.compares ? 1 : 0) | (plan.names ? 2 : 0) | (plan.own_calls.empty() ? 0 : 4));
    if (!plan.own_calls.empty()) own_calls(plan.own_calls);
    addresses(plan.addresses);
  }

  void own_calls(const std::vector<core::OwnCall> &calls) {
    out_[kCounts].varint(calls.size());
    int64_t last = 0;
    for (const core::OwnCall &call : calls) {
      out_[kPaths].svarint(call.instruction - last);
      out_[kPaths].varint(call.mark);
      last = call.instruction;
    }
  }

  void addresses(const core::AddressPlan &plan) {
    out_[kPaths].varint(plan.written ? 1 : 0);
    if (!plan.written) return;
    ascending(kPaths, plan.recorded);
    for (uint32_t known : plan.known) out_[kPaths].varint(known);
    out_[kPaths].varint(plan.kept);
  }

  void terms(const core::CounterSum &sum) {
    std::vector<core::Vertex> vertices;
    for (const core::CounterSum::Term &t : sum.terms) vertices.push_back(t.vertex);
    ascending(kHeldBlocks, vertices);
    for (const core::CounterSum::Term &t : sum.terms) out_[kHeld].svarint(t.times);
  }

  void chosen_paths(const core::PathPlan &plan) {
    base::ByteWriter &out = out_[kPaths];
    numbers(plan);
    out.varint(plan.words);
    out.varint(plan.chosen.size());
    for (size_t k = 0; k < plan.chosen.size(); ++k) {
      out.varint(plan.chosen[k]);
      out.varint(plan.slots[k]);
    }
  }

  void numbers(const core::PathPlan &plan) {
    out_[kPaths].varint(plan.paths);
    out_[kPaths].varint((plan.except_noise ? kExceptNoise : 0) | (plan.by_number ? kByNumber : 0) | (plan.in_records ? kInRecords : 0));
    ascending(kPaths, plan.cuts);
  }

  void paths(const core::PathPlan &plan) {
    numbers(plan);
    for (int64_t sum : plan.partial) out_[kPaths].svarint(sum);
  }

  void held(const Procedure &p) {
    out_[kCounts].varint(p.held.size());
    for (const Held &h : p.held) {
      base::ByteWriter &out = out_[kHeld];
      out.varint(h.counter);
      out.u8(h.place);
      out.svarint(h.step);
      ascending(kHeldBlocks, h.updates);
      ascending(kHeldBlocks, h.due);
      ascending(kHeldBlocks, h.blocks);
    }
  }

  void spots(const Procedure &p) {
    out_[kCounts].varint(p.spots.size());
    int64_t fragment = 0, instruction = 0;
    for (const Spot &s : p.spots) {
      out_[kSpots].svarint(s.fragment - fragment);
      out_[kSpots].svarint(s.instruction - instruction);
      fragment = s.fragment;
      instruction = s.instruction;
      out_[kCounts].varint(s.lacks.size());
      for (const Spot::Lack &lack : s.lacks) {
        out_[kSpotLacks].varint(lack.counter);
        out_[kSpotLacks].svarint(lack.count);
      }
      ascending(kSpotHeld, s.held);
      if (is_path_placement(p.plan.placement)) spot_path(s.path);
    }
  }

  void spot_path(const Spot::Path &path) {
    base::ByteWriter &out = out_[kSpotPaths];
    out.u8(path.fixed ? 1 : 0);
    out.svarint(static_cast<int64_t>(path.sum));
    out.varint(path.counts.size());
    for (const Spot::Path::Count &c : path.counts) {
      out.u8(c.fixed ? 1 : 0);
      out.svarint(static_cast<int64_t>(c.number));
      out.svarint(c.count);
    }
  }

  template <class Number>
  void ascending(Stream stream, const std::vector<Number> &values) {
    out_[kCounts].varint(values.size());
    int64_t last = 0;
    for (uint32_t value : values) {
      out_[stream].svarint(value - last);
      last = value;
    }
  }

  const UnitMap &map_;
  Dictionary dictionary_;
  StreamWriter out_;
  size_t next_ = 0;  // instruction of the unit
  std::vector<uint8_t> last_size_;
  int64_t file_ = 0, line_ = 0, label_ = 0;
};

}  // namespace

std::string encode_payload(const UnitMap &map) { return Encoder(map).run(); }

}  // namespace chord::format
