#include "report/compare/match.h"

#include <map>
#include <string>

#include "base/hash.h"
#include "core/graph/graph.h"

namespace chord::report {
namespace {

using analysis::CountedProcedure;
using analysis::Program;
using core::kNone;

uint64_t shape_of(const CountedProcedure &p) {
  base::Hash hash;
  for (const format::Instruction &i : p.map->instructions) {
    hash.add(std::string_view(p.unit->mnemonics[i.mnemonic]));
    hash.add(uint64_t{i.size});
    hash.add(uint64_t{i.traits});
  }
  for (const format::Edge &e : p.map->edges) {
    hash.add(uint64_t{e.from});
    hash.add(uint64_t{e.to});
    hash.add(static_cast<uint64_t>(e.kind));
  }
  return hash.value();
}

// Below this, functions of one shape are often different ones.
constexpr size_t kTelling = 8;

class Matcher {
 public:
  Matcher(const Program &before, const Program &after) : before_(before), after_(after), taken_(after.procedures.size()), matched_(before.procedures.size()) {}

  std::vector<Match> run() {
    match_by([](const CountedProcedure &p) { return p.map->name + "\n" + p.unit->unit; });
    match_by([](const CountedProcedure &p) { return p.map->name; });
    match_by_shape();
    for (uint32_t n = 0; n < matched_.size(); ++n) {
      if (!matched_[n]) out_.push_back({n, kNone, Certainty::name});
    }
    for (uint32_t n = 0; n < taken_.size(); ++n) {
      if (!taken_[n]) out_.push_back({kNone, n, Certainty::name});
    }
    return std::move(out_);
  }

 private:
  template <class Key>
  void match_by(Key key) {
    std::map<std::string, std::vector<uint32_t>> waiting;
    for (uint32_t n = 0; n < taken_.size(); ++n) {
      if (!taken_[n]) waiting[key(after_.procedures[n])].push_back(n);
    }
    for (uint32_t n = 0; n < matched_.size(); ++n) {
      if (matched_[n]) continue;
      auto found = waiting.find(key(before_.procedures[n]));
      if (found == waiting.end() || found->second.empty()) continue;
      uint32_t other = found->second.front();
      found->second.erase(found->second.begin());
      match(n, other, certainty(before_.procedures[n], after_.procedures[other]));
    }
  }

  Certainty certainty(const CountedProcedure &a, const CountedProcedure &b) const {
    const std::string &one = before_.modules[a.module].build_id, &other = after_.modules[b.module].build_id;
    if (!one.empty() && one == other) return Certainty::build;
    return shape_of(a) == shape_of(b) ? Certainty::shape : Certainty::name;
  }

  void match_by_shape() {
    std::map<uint64_t, std::pair<std::vector<uint32_t>, std::vector<uint32_t>>> shapes;
    for (uint32_t n = 0; n < matched_.size(); ++n) {
      if (!matched_[n] && before_.procedures[n].executed.size() >= kTelling) shapes[shape_of(before_.procedures[n])].first.push_back(n);
    }
    for (uint32_t n = 0; n < taken_.size(); ++n) {
      if (!taken_[n] && after_.procedures[n].executed.size() >= kTelling) shapes[shape_of(after_.procedures[n])].second.push_back(n);
    }
    for (const auto &[shape, both] : shapes) {
      if (both.first.size() == 1 && both.second.size() == 1) match(both.first[0], both.second[0], Certainty::moved);
    }
  }

  void match(uint32_t before, uint32_t after, Certainty certainty) {
    out_.push_back({before, after, certainty});
    matched_[before] = taken_[after] = true;
  }

  const Program &before_, &after_;
  std::vector<bool> taken_, matched_;
  std::vector<Match> out_;
};

}  // namespace

std::string_view certainty_name(Certainty certainty) {
  constexpr std::string_view kNames[] = {"build", "shape", "name", "moved"};
  return kNames[static_cast<size_t>(certainty)];
}

std::vector<Match> match_procedures(const Program &before, const Program &after) { return Matcher(before, after).run(); }

}  // namespace chord::report
