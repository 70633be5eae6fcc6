#include "report/compare/why.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/cxx_names.h"
#include "base/diagnostics.h"
#include "report/compare/differing_contexts.h"
#include "report/compare/match.h"
#include "report/tables/listings.h"
#include "report/tables/table.h"

namespace chord::report {
namespace {

using analysis::CountedProcedure;
using analysis::Program;
using core::kNone;

struct Difference {
  const CountedProcedure *a = nullptr, *b = nullptr;
  uint32_t block = kNone;
  bool decision = false;
};

bool differ(const CountedProcedure &a, const CountedProcedure &b) {
  return a.counts.edge != b.counts.edge || a.executed != b.executed || a.calls != b.calls;
}

// The least executed decision of the procedure that differs.
uint32_t differing_decision(const CountedProcedure &a, const CountedProcedure &b) {
  std::map<uint32_t, bool> leaves_otherwise;
  for (size_t e = 0; e < a.counts.edge.size(); ++e) {
    if (a.counts.edge[e] != b.counts.edge[e]) leaves_otherwise[a.map->edges[e].from] = true;
  }
  uint32_t found = kNone;
  for (auto [block, yes] : leaves_otherwise) {
    bool same = a.map->blocks[block].count != 0 && a.counts.vertex[block] == b.counts.vertex[block] && a.counts.vertex[block] != 0;
    if (same && (found == kNone || a.counts.vertex[block] < a.counts.vertex[found])) found = block;
  }
  return found;
}

uint32_t first_differing_block(const CountedProcedure &a, const CountedProcedure &b) {
  for (uint32_t block = 0; block < a.map->blocks.size(); ++block) {
    if (a.map->blocks[block].count != 0 && a.counts.vertex[block] != b.counts.vertex[block]) return block;
  }
  return kNone;
}

bool better(const Difference &one, const Difference &other) {
  if (other.block == kNone) return true;
  auto rank = [](const Difference &p) { return (p.decision ? 0 : 2) + (p.a->calls == p.b->calls ? 0 : 1); };
  if (rank(one) != rank(other)) return rank(one) < rank(other);
  return std::min(one.a->counts.vertex[one.block], one.b->counts.vertex[one.block]) <
         std::min(other.a->counts.vertex[other.block], other.b->counts.vertex[other.block]);
}

std::string place_name(const CountedProcedure &p, uint32_t block) {
  while (p.map->blocks[block].count == 0) {
    auto next = std::find_if(p.map->edges.begin(), p.map->edges.end(), [&](const format::Edge &e) { return e.from == block; });
    if (next == p.map->edges.end() || next->to <= 1) return "the end of the function";
    block = next->to;
  }
  const format::Instruction &at = p.map->instructions[p.map->blocks[block].first];
  return at.line == 0 ? fmt::format("+{:#x}", at.offset) : fmt::format("{}:{}", p.unit->files[at.file], at.line);
}

std::string describe(const Difference &place) {
  const CountedProcedure &a = *place.a, &b = *place.b;
  const format::Block &block = a.map->blocks[place.block];
  const format::Instruction &last = a.map->instructions[block.first + block.count - 1];
  std::string out = fmt::format("the runs part in {} at {} (block {}, {}+{:#x})\n", base::demangle(a.map->name), place_name(a, place.block), place.block,
                                a.map->fragments[last.fragment].name, last.offset);
  if (!place.decision) {
    return out + fmt::format("  executed {}, then {}\n", counted(a.counts.vertex[place.block], "time"), group_digits(b.counts.vertex[place.block]));
  }
  out += fmt::format("  executed {} in both, and left\n", counted(a.counts.vertex[place.block], "time"));
  for (size_t e = 0; e < a.map->edges.size(); ++e) {
    if (a.map->edges[e].from != place.block || a.counts.edge[e] == b.counts.edge[e]) continue;
    out += fmt::format("  to {} {}, then {}\n", place_name(a, a.map->edges[e].to), counted(a.counts.edge[e], "time"), group_digits(b.counts.edge[e]));
  }
  return out;
}

std::string describe_path(const CountedProcedure &a, const CountedProcedure &b) {
  std::map<uint64_t, std::pair<int64_t, int64_t>> counts;
  for (const analysis::CountedPath &p : a.paths) {
    if (!p.partial) counts[p.number].first = p.count;
  }
  for (const analysis::CountedPath &p : b.paths) {
    if (!p.partial) counts[p.number].second = p.count;
  }
  for (const auto &[number, both] : counts) {
    if (both.first != both.second) {
      return fmt::format("  path {}: {} times, then {} (chord paths show '{}' {})\n", number, both.first, both.second, a.map->name, number);
    }
  }
  return "";
}

// What the program calls that makes runs differ.
std::vector<std::string> causes_of(const Program &program, const CountedProcedure &where) {
  struct Suspect {
    const char *cause;
    std::set<std::string_view> names;
  };
  static const Suspect kSuspects[] = {
      {"time: it calls {}", {"time", "clock", "clock_gettime", "gettimeofday", "times", "getrusage", "nanosleep", "usleep", "sleep", "_ZNSt6chrono3_V212system_clock3nowEv", "_ZNSt6chrono3_V212steady_clock3nowEv"}},
      {"random numbers: it calls {}", {"getrandom", "getentropy", "arc4random", "random_r", "_ZNSt13random_device9_M_getvalEv", "getpid"}},
      {"threads: it calls {}", {"pthread_create", "thrd_create", "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE", "GOMP_parallel"}},
      {"waiting for something outside: it calls {}", {"poll", "select", "epoll_wait", "waitpid", "recv", "accept", "pthread_cond_wait", "pthread_mutex_trylock"}},
  };
  std::set<std::string_view> called, called_there;
  for (const CountedProcedure &p : program.procedures) {
    for (size_t i = 0; i < p.executed.size(); ++i) {
      const format::Instruction &at = p.map->instructions[i];
      if (at.callee.empty() || p.executed[i] == 0) continue;
      called.insert(at.callee);
      if (&p == &where) called_there.insert(at.callee);
    }
  }
  std::vector<std::string> near, far;
  for (const Suspect &suspect : kSuspects) {
    for (std::string_view name : suspect.names) {
      if (!called.contains(name)) continue;
      std::string text = fmt::format(fmt::runtime(suspect.cause), base::demangle(std::string(name)));
      (called_there.contains(name) ? near : far).push_back(text + (called_there.contains(name) ? ", in this very function" : ""));
    }
  }
  near.insert(near.end(), far.begin(), far.end());
  near.push_back(near.empty() ? "addresses: it calls no clock, no random numbers and no threads, so something is hashed or ordered by address; "
                                "run it with `setarch -R` to see, and compare the input and environment"
                              : "addresses: something is hashed or ordered by address; run it with `setarch -R` to see");
  return near;
}

Parting parting_at(const Program &program, const CountedProcedure &p, uint32_t block, std::string text) {
  const format::Instruction &first = p.map->instructions[p.map->blocks[block].first];
  return Parting{p.map->name, first.line != 0 ? p.unit->files[first.file] : std::string(file_of(p)), first.line, block, first.offset, std::move(text),
                 causes_of(program, p)};
}

uint32_t first_block(const CountedProcedure &p) {
  auto found = std::find_if(p.map->blocks.begin(), p.map->blocks.end(), [](const format::Block &b) { return b.count != 0; });
  return static_cast<uint32_t>(found - p.map->blocks.begin());
}

// All blocks and edges agree, and still a path may be taken, or a function called by address from elsewhere, in one run only.
std::optional<Parting> part_beyond_blocks(const Program &a, const Program &b, const std::vector<Match> &matches, const DifferingContexts &contexts) {
  for (const Match &m : matches) {
    const CountedProcedure &one = a.procedures[m.before], &other = b.procedures[m.after];
    std::string paths = one.exact() && other.exact() ? describe_path(one, other) : "";
    if (paths.empty()) continue;
    std::string text = fmt::format("the runs part in {}: every block and edge agrees, the paths do not\n", base::demangle(one.map->name));
    return parting_at(a, one, first_block(one), text + paths + contexts.of(one.map->name));
  }
  const CountedProcedure *called = contexts.first();
  if (called == nullptr) return std::nullopt;
  std::string text = fmt::format("the runs part where {} is called: every block and edge agrees, the calling contexts do not\n", base::demangle(called->map->name));
  return parting_at(a, *called, first_block(*called), text + contexts.of(called->map->name));
}

}  // namespace

std::optional<Parting> find_parting(const Program &a, const Program &b) {
  Difference best;
  const std::vector<Match> matches = match_procedures(a, b);
  for (const Match &m : matches) {
    if (m.before == kNone || m.after == kNone || m.certainty != Certainty::build) {
      throw base::Error("the profiles are of different builds", "chord diff compares those");
    }
    const CountedProcedure &one = a.procedures[m.before], &other = b.procedures[m.after];
    if (!one.exact() || !other.exact() || !differ(one, other)) continue;
    Difference place{&one, &other, differing_decision(one, other), true};
    if (place.block == kNone) place = {&one, &other, first_differing_block(one, other), false};
    if (place.block != kNone && better(place, best)) best = place;
  }
  const DifferingContexts contexts(a, b);
  if (best.block == kNone) return part_beyond_blocks(a, b, matches, contexts);
  return parting_at(a, *best.a, best.block, describe(best) + describe_path(*best.a, *best.b) + contexts.of(best.a->map->name));
}

std::vector<std::string> differing_circumstances(const format::Profile &a, const format::Profile &b) {
  std::vector<std::string> out;
  auto arguments = [](const format::Profile &p) {
    std::set<std::vector<std::string>> all;
    for (const format::Segment &s : p.segments) {
      if (!s.arguments.empty()) all.emplace(s.arguments.begin() + 1, s.arguments.end());
    }
    return all;
  };
  auto threads = [](const format::Profile &p) {
    uint64_t most = 0;
    for (const format::Segment &s : p.segments) most = std::max(most, s.threads / std::max<uint64_t>(s.runs, 1));
    return most;
  };
  if (arguments(a) != arguments(b)) out.push_back("arguments: the runs had different ones");
  if (threads(a) > 1 || threads(b) > 1) out.push_back(fmt::format("threads: the runs had {} and {}, and the order they run in changes", threads(a), threads(b)));
  return out;
}

}  // namespace chord::report
