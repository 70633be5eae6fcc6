#include "verify/claims/anchors.h"

#include <chord_abi.h>

#include "verify/claims/x86_64_probe.h"

namespace chord::verify {

using assembly::Statement;

namespace {

// The anchors' section, directive by directive.
class Reader {
 public:
  explicit Reader(const Pairing &pairing) : pairing_(pairing) {
    const assembly::Source &w = pairing.woven();
    for (uint32_t s = pairing.first_record(); s < w.statements.size(); ++s) {
      const Statement &x = w.statements[s];
      bool word = x.name == ".quad" || x.name == ".long" || x.name == ".uleb128";
      if (word && w.sections[x.section].name == CHORD_ANCHOR_SECTION) words_.push_back(&x);
    }
  }

  Anchors run() {
    while (at_ < words_.size() && out_.fault.empty()) anchor();
    return std::move(out_);
  }

 private:
  Expression next(std::string_view directive, size_t operand = 0) {
    if (at_ >= words_.size() || words_[at_]->name != directive) {
      out_.fault = "an anchor is damaged";
      return {};
    }
    std::vector<std::string_view> o = assembly::split_operands(words_[at_]->operands);
    auto value = operand < o.size() ? read_expression(o[operand]) : std::nullopt;
    if (!value) out_.fault = "an anchor is damaged";
    return value.value_or(Expression{});
  }

  std::vector<std::string_view> places(int64_t count, std::string_view previous) {
    std::vector<std::string_view> labels;
    for (int64_t k = 0; k < count && out_.fault.empty(); ++k, ++at_) {
      Expression e = next(".uleb128");
      if (e.minus != previous || e.number != 0) out_.fault = "places of an anchor do not follow each other";
      labels.push_back(e.symbol);
      previous = e.symbol;
    }
    return labels;
  }

  void anchor() {
    auto key = static_cast<uint64_t>(next(".quad").number);
    ++at_;
    int64_t parts = next(".long").number;
    ++at_;
    std::vector<AnchorPart> &anchor = out_.by_key[key];
    for (int64_t k = 0; k < parts && out_.fault.empty(); ++k) {
      AnchorPart part;
      part.start = next(".quad").symbol;
      ++at_;
      Expression size = next(".long");
      int64_t marks = next(".long", 1).number;
      ++at_;
      part.end = size.symbol;
      if (size.minus != part.start || size.number != 0) out_.fault = "an anchor does not say how long its code is";
      part.marks = places(marks, part.start);
      int64_t spots = next(".uleb128").number;
      ++at_;
      part.spots = places(spots, part.start);
      anchor.push_back(std::move(part));
    }
  }

  const Pairing &pairing_;
  std::vector<const Statement *> words_;
  size_t at_ = 0;
  Anchors out_;
};

}  // namespace

Anchors read_anchors(const Pairing &pairing) { return Reader(pairing).run(); }

}  // namespace chord::verify
