// A plan: what to count, and where. The only thing that leaves core/ toward the
// weaver, and, written into the map, all that reconstruction needs besides the
// graph and the measured numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/graph/graph.h"

namespace chord::core {

enum class Placement : uint8_t {
  optimal,      // eprof(ecnt): counters on the chords of a maximum spanning tree
  redundant,    // one counter per vertex that holds code
  vertex,       // vprof(vcnt): vertex counters, Knuth-Stevenson
  vertex_edge,  // vprof(ecnt): vertex counts from fewer edge counters
  none,         // nothing is counted, and nothing can be told
  paths,        // one counter per acyclic path (core/paths/path_numbering.h)
  chosen_paths,  // some paths alone (core/paths/chosen_paths.h); edges cannot be told
  trace,         // nothing is counted: control flow is written down (core/sequences/trace_tokens.h)
  coverage,      // flags that say what ran at all (core/counters/coverage_flags.h)
};

inline bool counts_anything(Placement placement) { return placement != Placement::none && placement != Placement::trace; }

// Placement::trace: which edges write (core/sequences/).
enum class TraceEncoding : uint8_t {
  bits,     // each out of a branch (trace_tokens.h)
  witness,  // some, from which the others follow (witnesses.h)
  paths,    // each adds to the number of its path (path_tokens.h)
};

enum class Site : uint8_t { edge, vertex, sum };

// A counter that goes up by one each time its edge (vertex) is executed, or holds a sum.
struct Counter {
  Site site = Site::edge;
  uint32_t id = 0;  // EdgeId, Vertex, or index in Plan::sums
  EdgeId edge() const { return EdgeId(id); }
  Vertex vertex() const { return Vertex(id); }
  bool operator==(const Counter &) const = default;
};

// The most sums of a plan: each is another row to eliminate.
inline constexpr size_t kMostSums = 16;

// A counter that changes by `times` each time a vertex is executed (core/counters/counter_sums.h).
struct CounterSum {
  struct Term {
    Vertex vertex = 0;
    int32_t times = 0;
    bool operator==(const Term &) const = default;
  };
  std::vector<Term> terms;  // vertices ascending
  Counter spared;           // with this one in its place the plan would tell as much

  int32_t times_at(Vertex v) const {
    auto found = std::find_if(terms.begin(), terms.end(), [&](const Term &t) { return t.vertex == v; });
    return found == terms.end() ? 0 : found->times;
  }
  bool operator==(const CounterSum &) const = default;
};

// What turns numbers of paths back into paths.
struct PathPlan {
  uint64_t paths = 0;            // numbers are 0 .. paths-1
  std::vector<EdgeId> cuts;      // edges that end a path; they determine the numbering
  std::vector<int64_t> partial;  // by vertex: path register + this = values so far
  bool except_noise = false;     // paths that never return have no numbers
  // Placement::chosen_paths, which has no `partial`: numbers of the paths, ascending, and the
  // index of each one's counter.
  std::vector<uint64_t> chosen;
  std::vector<uint64_t> slots;
  uint32_t words = 0;   // chosen_paths: indices are below
  // There would be too many counters: those that are needed are found by hashing, and a
  // profile says by number which they are. Indices (of chosen paths: slots) have no bound.
  bool by_number = false;
  bool in_records = false;  // counted in each calling context by itself
  bool operator==(const PathPlan &) const = default;
};

// Placement::trace: which addresses of accesses to memory are written, and which a reader knows from registers that it has followed since.
struct AddressPlan {
  // Slots of an instruction: registers, whose values are written before it; the place of its operand, or of a string's source; that on the stack, or of a
  // string's target; how often it is repeated.
  static constexpr uint32_t kRegister = 0, kOperand = 16, kOther = 17, kCount = 18, kSlots = 19;
  bool written = false;             // any of the procedure's are
  std::vector<uint32_t> recorded;   // kSlots * instruction + slot, ascending
  std::vector<uint32_t> known;      // by vertex: registers whose values are known where it begins, a bit each
  uint32_t kept = 0;                // registers that calls leave as they were
  bool operator==(const AddressPlan &) const = default;
};

// A call that leaves a mark which is not made of the name that it calls (format/facts/call_marks.h).
struct OwnCall {
  uint32_t instruction = 0, mark = 0;
  bool operator==(const OwnCall &) const = default;
};

struct Plan {
  Placement placement = Placement::optimal;
  // Index = number of the counter in memory; those of sums last. Of paths: the edges on which activations and second returns begin,
  // where these are counted as well, after the counters of the paths (analysis/program/path_counts.h).
  std::vector<Counter> counters;
  std::vector<EdgeId> never;      // edges that control cannot take: known to be 0
  PathPlan paths;                 // Placement::paths and chosen_paths only
  // The edge by which activations start, where their number is that of the calls in
  // other procedures, which are counted there; else kNone.
  EdgeId called = kNone;
  std::vector<CounterSum> sums;  // in the order of their counters
  // Placement::trace only.
  TraceEncoding encoding = TraceEncoding::bits;
  std::vector<EdgeId> witnesses;  // TraceEncoding::witness: the edges that write, ascending
  std::vector<Vertex> starts;     // TraceEncoding::paths: the vertices that paths start at, ascending
  std::vector<uint32_t> late;     // tokens that wait (format/facts/late_tokens.h), ascending
  bool compares = false;          // an activation that was expected says only that (format/facts/call_marks.h)
  bool names = false;             // calls say whom they expect to enter
  std::vector<OwnCall> own_calls; // likewise, of procedures that only their file can name; by instruction, ascending
  AddressPlan addresses;

  // Counters of the plan that are known by index; those of paths come first.
  uint64_t words() const { return path_words() + counters.size(); }
  uint64_t path_words() const {
    if (placement == Placement::chosen_paths) return paths.words;
    return placement == Placement::paths && !paths.by_number ? paths.paths : 0;
  }
};

// What the planner must know about a place besides the graph.
struct Costs {
  // Expected cost of a counter on each edge (frequency times price of a probe
  // there); infinity where no code can be put. The return edge is always so.
  std::vector<double> edge;
  // The same for a counter at the start of each vertex.
  std::vector<double> vertex;
  // Edges that control cannot take (they only make the exit reachable, as after
  // a call that never returns): count 0, no counter, and not in any tree.
  std::vector<bool> never;
  // Edges whose own count is asked for, whatever the placement (something is
  // executed on them); empty means none. Placements that leave edges open count
  // such an edge as if a vertex stood on it.
  std::vector<bool> wanted;
};

}  // namespace chord::core
