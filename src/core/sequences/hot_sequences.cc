#include "core/sequences/hot_sequences.h"

#include <stddef.h>

#include <algorithm>
#include <unordered_map>

namespace chord::core {
namespace {

struct HashOfSymbols {
  size_t operator()(const std::vector<uint32_t> &symbols) const {
    uint64_t h = symbols.size();
    for (uint32_t s : symbols) h = (h ^ s) * UINT64_C(0x9e3779b97f4a7c15), h ^= h >> 29;
    return h;
  }
};

// The beginning and the end of what a rule generates, `reach` symbols each; all of it if it is no longer than both.
struct Ends {
  std::vector<uint32_t> head, tail;
  bool whole = true;  // head is all of it, tail is empty
};

// What a rule generates, with gaps where only the inside of one of its parts is.
struct Spread {
  struct Item {
    uint32_t symbol;
    uint32_t part;  // index in the rule
  };
  std::vector<std::vector<Item>> runs{{}};
};

Spread spread(const std::vector<uint32_t> &rule, const std::vector<Ends> &ends) {
  Spread out;
  auto add = [&out](const std::vector<uint32_t> &symbols, uint32_t part) {
    for (uint32_t s : symbols) out.runs.back().push_back({s, part});
  };
  for (uint32_t i = 0; i < rule.size(); ++i) {
    if (!Grammar::is_rule(rule[i])) {
      out.runs.back().push_back({rule[i], i});
      continue;
    }
    const Ends &part = ends[Grammar::rule_of(rule[i])];
    add(part.head, i);
    if (part.whole) continue;
    out.runs.emplace_back();
    add(part.tail, i);
  }
  return out;
}

Ends ends_of(const Spread &spread, size_t reach) {
  const auto &first = spread.runs.front();
  const auto &last = spread.runs.back();
  Ends out;
  out.whole = spread.runs.size() == 1 && first.size() <= 2 * reach;
  size_t head = out.whole ? first.size() : std::min(reach, first.size());
  for (size_t i = 0; i < head; ++i) out.head.push_back(first[i].symbol);
  if (out.whole) return out;
  for (size_t i = last.size() - std::min(reach, last.size()); i < last.size(); ++i) out.tail.push_back(last[i].symbol);
  return out;
}

}  // namespace

std::vector<Sequence> count_sequences(const Grammar &grammar, uint32_t length) {
  std::vector<uint64_t> uses = grammar.uses();
  std::vector<Ends> ends(grammar.rules.size());
  std::unordered_map<std::vector<uint32_t>, uint64_t, HashOfSymbols> counts;
  std::vector<uint32_t> window(length);
  for (uint32_t rule : grammar.bottom_up()) {
    Spread all = spread(grammar.rules[rule], ends);
    ends[rule] = ends_of(all, length - 1);
    for (const auto &run : all.runs) {
      for (size_t i = 0; i + length <= run.size(); ++i) {
        if (run[i].part == run[i + length - 1].part) continue;  // counted in that part
        for (size_t k = 0; k < length; ++k) window[k] = run[i + k].symbol;
        counts[window] += uses[rule];
      }
    }
  }
  std::vector<Sequence> out;
  out.reserve(counts.size());
  for (auto &[symbols, count] : counts) out.push_back({symbols, count});
  return out;
}

uint64_t weight_of(const Sequence &sequence, const std::vector<uint64_t> &weights) {
  uint64_t sum = 0;
  for (uint32_t s : sequence.symbols) sum += weights[s];
  return sum;
}

uint64_t total_weight(const Grammar &grammar, const std::vector<uint64_t> &weights) {
  std::vector<uint64_t> uses = grammar.uses();
  uint64_t sum = 0;
  for (uint32_t rule = 0; rule < grammar.rules.size(); ++rule) {
    for (uint32_t s : grammar.rules[rule]) {
      if (!Grammar::is_rule(s)) sum += uses[rule] * weights[s];
    }
  }
  return sum;
}

namespace {

using Symbols = std::vector<uint32_t>;
template <class T>
using BySymbols = std::unordered_map<Symbols, T, HashOfSymbols>;

bool begins_as_it_ends(const Symbols &s) {
  for (size_t n = 1; n < s.size(); ++n) {
    if (std::equal(s.begin(), s.begin() + static_cast<ptrdiff_t>(n), s.end() - static_cast<ptrdiff_t>(n))) return true;
  }
  return false;
}

Symbols least_rotation(const Symbols &s) {
  Symbols least = s, turned = s;
  for (size_t i = 1; i < s.size(); ++i) {
    std::rotate(turned.begin(), turned.begin() + 1, turned.end());
    least = std::min(least, turned);
  }
  return least;
}

bool is_heavier(const Sequence &a, const Sequence &b, const std::vector<uint64_t> &weights) {
  uint64_t wa = a.count * weight_of(a, weights), wb = b.count * weight_of(b, weights);
  return wa != wb ? wa > wb : a.symbols < b.symbols;
}

// All of one length that have the share and do not overlap with themselves.
std::vector<Sequence> hot_of_length(const Grammar &grammar, const std::vector<uint64_t> &weights, uint32_t length, double least) {
  std::vector<Sequence> out = count_sequences(grammar, length);
  std::erase_if(out, [&](const Sequence &s) {
    bool crosses = std::any_of(s.symbols.begin(), s.symbols.end(), [&](uint32_t symbol) { return weights[symbol] == 0; });
    bool light = static_cast<double>(s.count) * static_cast<double>(weight_of(s, weights)) < least;
    return crosses || light || s.count < 2 || begins_as_it_ends(s.symbols);
  });
  return out;
}

}  // namespace

std::vector<Sequence> hot_sequences(const Grammar &grammar, const std::vector<uint64_t> &weights, const HotSequences &wanted) {
  const double least = wanted.least_share * static_cast<double>(total_weight(grammar, weights));
  BySymbols<Sequence> kept;    // by least rotation
  BySymbols<uint64_t> inside;  // hot ones without their first or last symbol, of the length above: their greatest count
  for (uint32_t length = wanted.longest; length >= 2; --length) {
    BySymbols<uint64_t> parts;
    for (Sequence &s : hot_of_length(grammar, weights, length, least)) {
      for (ptrdiff_t first : {0, 1}) {
        uint64_t &most = parts[Symbols(s.symbols.begin() + first, s.symbols.end() - 1 + first)];
        most = std::max(most, s.count);
      }
      auto longer = inside.find(s.symbols);
      if (longer != inside.end() && longer->second == s.count) continue;
      Sequence &best = kept[least_rotation(s.symbols)];
      if (best.symbols.empty() || is_heavier(s, best, weights)) best = std::move(s);
    }
    inside = std::move(parts);
  }
  std::vector<Sequence> out;
  for (auto &[rotation, s] : kept) out.push_back(std::move(s));
  std::sort(out.begin(), out.end(), [&](const Sequence &a, const Sequence &b) { return is_heavier(a, b, weights); });
  return out;
}

}  // namespace chord::core
