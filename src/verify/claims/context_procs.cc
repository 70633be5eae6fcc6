#include "verify/claims/context_procs.h"

#include <chord_abi.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "verify/claims/x86_64_probe.h"

namespace chord::verify {
namespace {

using Operands = std::vector<std::string_view>;

class Reader {
 public:
  Reader(const Pairing &pairing, const Records &records) : pairing_(pairing), records_(records) {}

  ContextProcs run() {
    for (const auto &[key, record] : records_.by_key) {
      if (record.kind == CHORD_COUNTERS_RECORD && !read(record)) out_.fault = "a procedure's record of contexts is not as the runtime reads it";
    }
    return std::move(out_);
  }

 private:
  // .quad chord_proc-.; .quad spare-.; .long id, -1; .long sites + 65,536 * span, frame, 0, kept; .quad 0
  bool read(const Record &record) {
    at_ = pairing_.label(record.counters, 0);
    Operands proc = next(".quad"), spare = next(".quad"), id = next(".long"), numbers = next(".long"), module = next(".quad");
    if (proc.size() != 1 || spare.size() != 1 || id.size() != 2 || numbers.size() != 4 || module.size() != 1) return false;
    auto back = relative(proc[0]), other = relative(spare[0]);
    auto both = number(numbers[0]), frame = number(numbers[1]), first = number(numbers[2]), kept = number(numbers[3]);
    if (!back || !other || !both || *both < 0 || *both > UINT32_MAX || !frame || first != 0 || !kept || number(module[0]) != 0) return false;
    const auto sites = static_cast<uint32_t>(*both & 0xffff), span = static_cast<uint32_t>(*both >> 16);
    uint64_t size = CHORD_CONTEXT_COUNTERS + 8 * uint64_t{record.count} + CHORD_CONTEXT_SLOT * uint64_t{sites};
    auto room = records_.sizes.find(*other);
    if (*back != record.label || room == records_.sizes.end() || size > CHORD_CONTEXT_LARGEST || span > 31) return false;
    // The runtime aligns those that it makes, and this one where that takes more than a page.
    if (room->second != size + CHORD_CONTEXT_SPARE_ROOM(span)) return false;
    if (span != 0 && alignment(*other) % (int64_t{1} << std::min<uint32_t>(span, CHORD_CONTEXT_PAGE_BITS)) != 0) return false;
    ContextProc p{thread_offset(id), sites, span, *frame, *kept};
    if (p.id.empty() && (number(id[0]) != 0 || number(id[1]) != 0)) return false;
    if (!p.id.empty() && !out_.names.emplace(p.id, record.counters).second) return false;
    out_.names.emplace(record.counters, record.counters);
    return out_.by_label.emplace(record.counters, p).second;
  }

  // Of what follows a label: by the directive in front of it; 1: nothing is said of it.
  int64_t alignment(std::string_view label) const {
    uint32_t s = pairing_.label(label, 0);
    if (s == kNone || s == 0 || pairing_.next(s - 1) != s || pairing_.woven().statements[s - 1].name != ".balign") return 1;
    return number(pairing_.woven().statements[s - 1].operands).value_or(1);
  }

  Operands next(std::string_view directive) {
    if (at_ != kNone) at_ = pairing_.next(at_);
    if (at_ == kNone || pairing_.woven().statements[at_].name != directive) return {};
    return assembly::split_operands(pairing_.woven().statements[at_].operands);
  }

  static std::optional<int64_t> number(std::string_view text) {
    auto value = read_expression(assembly::trim(text));
    return value && value->symbol.empty() && value->minus.empty() ? std::optional(value->number) : std::nullopt;
  }

  static std::optional<std::string_view> relative(std::string_view text) {
    auto value = read_expression(assembly::trim(text));
    return value && value->minus == "." && value->number == 0 && !value->symbol.empty() ? std::optional(value->symbol) : std::nullopt;
  }

  static std::string_view thread_offset(const Operands &o) {
    auto value = read_expression(assembly::trim(o[0]));
    bool right = value && value->relocation == "tpoff" && value->number == 0 && value->minus.empty() && number(o[1]) == -1;
    return right ? value->symbol : std::string_view();
  }

  const Pairing &pairing_;
  const Records &records_;
  ContextProcs out_;
  uint32_t at_ = kNone;
};

}  // namespace

ContextProcs read_context_procs(const Pairing &pairing, const Records &records) { return Reader(pairing, records).run(); }

}  // namespace chord::verify
