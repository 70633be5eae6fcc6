#include "verify/claims/records.h"

#include <chord_abi.h>
#include <chord_gauges.h>
#include <chord_models.h>
#include <fmt/core.h>

#include <array>

#include "format/text/event_names.h"
#include "verify/claims/x86_64_probe.h"

namespace chord::verify {

using assembly::Statement;
using assembly::StatementKind;

namespace {

class Reader {
 public:
  explicit Reader(const Pairing &pairing) : pairing_(pairing), source_(pairing.woven()) {}

  Records run() {
    for (uint32_t s = pairing_.first_record(); s < source_.statements.size(); ++s) {
      const Statement &x = source_.statements[s];
      if (x.kind == StatementKind::label) {
        label(s, x.name);
      } else if (x.name == ".zero" && !label_.empty()) {
        if (auto size = number(x.operands)) out_.sizes[label_] = *size;
        label_ = {};
      } else if (source_.sections[x.section].name == CHORD_PROCS_SECTION && x.kind == StatementKind::directive) {
        word(x);
      }
    }
    check();
    return std::move(out_);
  }

 private:
  static std::optional<uint64_t> number(std::string_view text) {
    auto value = read_expression(assembly::trim(text));
    if (!value || !value->symbol.empty() || !value->minus.empty()) return std::nullopt;
    return static_cast<uint64_t>(value->number);
  }

  void label(uint32_t s, std::string_view name) {
    label_ = name;
    constexpr std::string_view kEvent = "__chord_event.";
    for (size_t kind = 0; kind < format::kEventNames.size(); ++kind) {
      if (!name.starts_with(kEvent) || name.substr(kEvent.size()) != format::kEventNames[kind]) continue;
      out_.event_kinds |= 1u << kind;
      event(s, kind);
    }
    if (name == CHORD_MODELS_SYMBOL) models(s);
    if (name != ".Lchord_low" && name != ".Lchord_high") return;
    bool low = name == ".Lchord_low";
    uint32_t next = pairing_.next(s);
    bool right = next != kNone && source_.statements[next].name == ".quad" && source_.statements[next].operands == (low ? "-1,0" : "0,-1");
    if (!right) out_.fault = "the constants that count halves are wrong";
    out_.has_halves = true;
  }

  // .quad kind, key; .long 1, CHORD_COUNTERS_EVENT
  void event(uint32_t s, size_t kind) {
    auto numbers = [&](std::string_view directive) {
      s = s == kNone ? kNone : pairing_.next(s);
      std::vector<std::string_view> o;
      if (s != kNone && source_.statements[s].name == directive) o = assembly::split_operands(source_.statements[s].operands);
      return o.size() == 2 ? std::pair(number(o[0]), number(o[1])) : std::pair<std::optional<uint64_t>, std::optional<uint64_t>>();
    };
    auto what = numbers(".quad"), shape = numbers(".long");
    bool right = what.first == kind && what.second == kind + 1 && shape.first == 1u && shape.second == uint64_t{CHORD_COUNTERS_EVENT};
    if (!right) out_.fault = "the record of a kind of event is not as the runtime reads it";
  }

  // Three caches: .long sets, ways, line bits, 0; then the predictor: .long bits, bits of history, shift of addresses, 0.
  void models(uint32_t s) {
    std::array<uint32_t, 16> words{};
    for (size_t row = 0; row < 4; ++row) {
      s = s == kNone ? kNone : pairing_.next(s);
      std::vector<std::string_view> o;
      if (s != kNone && source_.statements[s].name == ".long") o = assembly::split_operands(source_.statements[s].operands);
      for (size_t k = 0; k < 4; ++k) {
        std::optional<uint64_t> word = o.size() == 4 ? number(o[k]) : std::nullopt;
        if (!word || *word > UINT32_MAX) out_.fault = "what is modelled is not as the runtime reads it";
        words[4 * row + k] = static_cast<uint32_t>(word.value_or(0));
      }
    }
    auto cache = [&](size_t at) { return chord_geometry{words[at], words[at + 1], words[at + 2], words[at + 3]}; };
    out_.models = {cache(0), cache(4), cache(8), {words[12], words[13], words[14], words[15]}};
    auto odd = [](const chord_geometry &g) { return g.sets != 0 && ((g.sets & (g.sets - 1)) != 0 || g.line_bits > CHORD_CACHE_MOST_LINE_BITS || g.line_bits < CHORD_CACHE_LEAST_LINE_BITS || g.reserved != 0); };
    const chord_prediction &b = out_.models.branch;
    bool odd_branches = b.bits > CHORD_PREDICTOR_MOST_BITS || b.history_bits > CHORD_PREDICTOR_MOST_HISTORY || b.address_shift > CHORD_PREDICTOR_MOST_HISTORY;
    if (odd(out_.models.data) || odd(out_.models.second) || odd(out_.models.code) || odd_branches) out_.fault = "what is modelled is not as the runtime reads it";
  }

  // Three directives make a record: the counters' place, the key, their number and kind.
  void word(const Statement &x) {
    if (x.name == ".balign") {
      field_ = 0;
      now_ = {};
      label_ = {};
      key_ = 0;
      return;
    }
    if (x.name != ".quad" && x.name != ".long") return;
    std::vector<std::string_view> o = assembly::split_operands(x.operands);
    switch (field_++) {
      case 0:
        now_.label = label_;
        return place(x, o);
      case 1:
        if (auto key = number(x.operands)) key_ = *key;
        return;
      case 2: return finish(o);
      default: return;
    }
  }

  void place(const Statement &x, const std::vector<std::string_view> &o) {
    auto value = o.empty() ? std::nullopt : read_expression(o[0]);
    if (!value) return;
    now_.counters = value->symbol;
    thread_ = x.name == ".long" && value->relocation == "tpoff" && value->number == 0 && o.size() == 2 && o[1] == "-1";
    relative_ = x.name == ".quad" && value->minus == "." && value->number == 0;
  }

  void finish(const std::vector<std::string_view> &o) {
    auto count = o.size() == 2 ? number(o[0]) : std::nullopt, kind = o.size() == 2 ? number(o[1]) : std::nullopt;
    if (!count || !kind) return;
    now_.count = static_cast<uint32_t>(*count);
    now_.kind = static_cast<uint32_t>(*kind);
    if (*kind == CHORD_COUNTERS_EVENT || *kind > CHORD_COUNTERS_FLAGS) out_.fault = "a record of no kind that a procedure's is";
    bool clock = key_ == CHORD_CLOCK_KEY, faults = key_ == CHORD_GAUGE_KEY;
    if ((clock || faults) && (now_.counters != (clock ? CHORD_CLOCK_SYMBOL : CHORD_GAUGE_FAULTS_SYMBOL) || (*kind != CHORD_COUNTERS_SHARED && *kind != CHORD_COUNTERS_DELTA))) out_.fault = "the record of what meters say of themselves is not as the runtime reads it";
    bool right = *kind == CHORD_COUNTERS_THREAD ? thread_ : relative_;
    if (!right) out_.fault = "a record does not tell where its counters are";
    if (*kind == CHORD_COUNTERS_NUMBERS) {
      numbers_[key_] = now_.counters;
      return;
    }
    if (!out_.by_key.emplace(key_, now_).second) out_.fault = "two records of one procedure";
  }

  void check() {
    for (auto &[key, record] : out_.by_key) {
      if (auto numbers = numbers_.find(key); numbers != numbers_.end()) record.numbers = numbers->second;
      if (record.kind == CHORD_COUNTERS_RECORD) continue;  // verify/context_procs.h
      auto size = out_.sizes.find(record.counters);
      if (size == out_.sizes.end() || size->second != 8 * uint64_t{record.count}) out_.fault = "a record has other counters than there are";
    }
  }

  const Pairing &pairing_;
  const assembly::Source &source_;
  Records out_;
  std::string_view label_;
  Record now_;
  uint64_t key_ = 0;
  int field_ = 3;
  bool thread_ = false, relative_ = false;
  std::map<uint64_t, std::string_view> numbers_;
};

}  // namespace

Records read_records(const Pairing &pairing) { return Reader(pairing).run(); }

}  // namespace chord::verify
