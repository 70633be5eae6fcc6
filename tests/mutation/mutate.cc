// Breaks correct weavings at random, in the ways a weaver can be wrong, and asks the proof.
//   mutate [--seed=N] [--each=N] [--mode=NAME] [--kind=NAME]… FILE.s…
//
// Each mutant must be refused, or do what the correct weaving does by a rule of mutation/equivalence.h. Everything else that the
// proof accepts is a survivor: reported, and an error.
//
// What is drawn from a text depends on the seed, the mode, the kind and the text's name alone, and so does its turn: a text that is
// added takes the place of those whose turn comes last, and changes nothing about the others. A survivor comes again with
// its file alone.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "base/file.h"
#include "mutation/mutants.h"
#include "mutation/woven_case.h"

namespace chord::mutation {
namespace {

struct Tally {
  unsigned mutants = 0, refused = 0, survivors = 0;
  std::map<std::string, unsigned> equivalent;
};

class Run {
 public:
  Run(unsigned seed, unsigned each, std::set<std::string> kinds) : seed_(seed), each_(each), kinds_(std::move(kinds)) {}

  void mode(const std::string &mode, const std::vector<std::unique_ptr<WovenCase>> &cases) {
    std::vector<std::unique_ptr<Subject>> subjects;
    for (const auto &c : cases) subjects.push_back(std::make_unique<Subject>(*c));
    std::vector<MutantKind> kinds = kinds_of_probe_mutants(), others = kinds_of_other_mutants();
    kinds.insert(kinds.end(), others.begin(), others.end());
    for (const auto &[name, make] : kinds) {
      if (!kinds_.empty() && !kinds_.contains(name)) continue;
      Tally tally;
      std::vector<Turn> turns = order(mode, name, subjects);
      for (unsigned round = 0; tally.mutants < each_ && round < kRounds; ++round) {
        for (size_t t = 0; t < turns.size() && tally.mutants < each_; ++t) {
          std::optional<Mutant> m;
          for (unsigned tries = 0; !m && tries < kTries; ++tries) m = make(*turns[t].subject, turns[t].random);
          if (m) judge(*turns[t].subject, name, *m, tally);
        }
      }
      report(mode, name, tally);
    }
  }

  unsigned survivors() const { return survivors_; }
  unsigned mutants() const { return mutants_; }

 private:
  static constexpr unsigned kRounds = 40, kTries = 6;

  // A text, with the generator that its mutants of one kind are drawn with.
  struct Turn {
    const Subject *subject = nullptr;
    uint64_t hash = 0;
    std::mt19937 random;
  };

  std::vector<Turn> order(const std::string &mode, const std::string &kind, const std::vector<std::unique_ptr<Subject>> &subjects) const {
    std::vector<Turn> turns;
    for (const auto &s : subjects) {
      const std::string &path = s->woven_case().name;
      uint64_t hash = hash_of(std::to_string(seed_) + "/" + mode + "/" + kind + "/" + path.substr(path.rfind('/') + 1));
      std::seed_seq halves = {static_cast<uint32_t>(hash), static_cast<uint32_t>(hash >> 32)};
      turns.push_back({s.get(), hash, std::mt19937(halves)});
    }
    std::sort(turns.begin(), turns.end(), [](const Turn &a, const Turn &b) { return a.hash < b.hash; });
    return turns;
  }

  // FNV-1a, and then mixed: names that differ in one letter are far apart.
  static uint64_t hash_of(const std::string &name) {
    uint64_t hash = 0xcbf29ce484222325;
    for (unsigned char c : name) hash = (hash ^ c) * 0x100000001b3;
    hash = (hash ^ (hash >> 32)) * 0x9e3779b97f4a7c15;
    return hash ^ (hash >> 29);
  }

  void judge(const Subject &subject, const std::string &kind, const Mutant &m, Tally &tally) {
    const WovenCase &c = subject.woven_case();
    std::vector<verify::TextRange> ranges = c.inserted;
    std::string text = apply(c.woven.text, m.edits, ranges);
    ++tally.mutants;
    ++mutants_;
    format::UnitMap changed;
    if (m.remap) m.remap(changed = c.woven.map);
    if (!verify::prove({c.source, c.unit.layout, text, ranges, m.remap ? changed : c.woven.map, c.atomic()}).empty()) {
      ++tally.refused;
    } else if (std::string rule = equivalence(subject, m); !rule.empty()) {
      ++tally.equivalent[rule];
    } else {
      ++tally.survivors;
      ++survivors_;
      if (tally.survivors > 20) return;
      auto line = [&](uint32_t at) { return 1 + std::count(c.woven.text.begin(), c.woven.text.begin() + at, '\n'); };
      std::string where = m.edits.empty() ? "" : ":" + std::to_string(line(m.edits[0].begin));  // of what build/tests/weave_text prints
      std::printf("SURVIVOR %s, %s, %s%s: %s\n", c.mode.c_str(), kind.c_str(), c.name.c_str(), where.c_str(), m.what.c_str());
    }
  }

  void report(const std::string &mode, const std::string &name, const Tally &t) {
    std::printf("%-11s %-27s %5u mutants, %5u refused", mode.c_str(), name.c_str(), t.mutants, t.refused);
    for (const auto &[rule, many] : t.equivalent) std::printf(", %u equivalent (%s)", many, rule.c_str());
    if (t.survivors) std::printf(", %u SURVIVE", t.survivors);
    std::printf("\n");
    std::fflush(stdout);
  }

  unsigned seed_, each_;
  std::set<std::string> kinds_;
  unsigned survivors_ = 0, mutants_ = 0;
};

}  // namespace
}  // namespace chord::mutation

int main(int argc, char **argv) {
  using namespace chord;
  unsigned seed = 1, each = 20;
  std::string only;
  std::set<std::string> kind;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    std::string a = argv[i];
    if (a.starts_with("--seed=")) seed = static_cast<unsigned>(std::stoul(a.substr(7)));
    else if (a.starts_with("--each=")) each = static_cast<unsigned>(std::stoul(a.substr(7)));
    else if (a.starts_with("--mode=")) only = a.substr(7);
    else if (a.starts_with("--kind=")) kind.insert(a.substr(7));
    else files.push_back(a);
  }
  mutation::Run run(seed, each, kind);
  for (const std::string &mode : mutation::all_modes()) {
    if (!only.empty() && mode != only) continue;
    std::vector<std::unique_ptr<mutation::WovenCase>> cases;
    for (const std::string &file : files) {
      auto c = mutation::weave_case(file, base::read_file(file), mode);
      if (c) cases.push_back(std::move(c));
    }
    run.mode(mode, cases);
  }
  std::printf("%u mutants, %u survivors\n", run.mutants(), run.survivors());
  return run.survivors() != 0;
}
