#include "format/facts/branch_hints.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "core/graph/order.h"
#include "core/graph/post_dominators.h"

namespace chord::format {
namespace {

struct HeuristicFacts {
  const char *name;
  double probability;
};

// Chosen by measurement, for the increments and the instructions of counters so placed: over eleven
// programs (an interpreter, compressors, a database, a compiler, a chess player, an image codec,
// geometry, linear algebra, a parser, a solver), built by gcc and clang, and eight others (gzip, grep,
// sed, mawk, m4, bc, diff, xz). Each is less sure than its heuristic is right (`chord study branches`):
// several on one branch are seldom independent, and an edge that looks cheap by mistake is dear. What
// was tried and did not help: orders of values and constants, equality of two values, induction
// variables, results of calls, sizes and exits of loops, block sizes, alignment,
// distances, and boosted decision trees over eighty such facts. gcc's own estimates (-dA) placed
// counters worse than these.
constexpr std::array<HeuristicFacts, kHeuristics> kFacts = {{{"loop", 0.89},
                                                             {"inner", 0.60},
                                                             {"back", 0.57},
                                                             {"loop header", 0.67},
                                                             {"pointer", 0.58},
                                                             {"zero", 0.67},
                                                             {"value", 0.78},
                                                             {"mask", 0.63},
                                                             {"arithmetic", 0.56},
                                                             {"negative", 0.61},
                                                             {"call", 0.70},
                                                             {"leaves", 0.70},
                                                             {"store", 0.51},
                                                             {"load", 0.535},
                                                             {"floats", 0.76},
                                                             {"fall", 0.515},
                                                             {"out of line", 0.65},
                                                             {"merge", 0.512},
                                                             {"table", 0.86},
                                                             {"message", 0.80},
                                                             {"complaint", 0.83}}};
// However many agree.
constexpr double kSurest = 0.94;
// A block with more ways in is one that many ways lead to.
constexpr size_t kFewEdges = 3;

// What a conditional jump asks of the comparison before it: a relation, or its opposite.
enum class Relation : uint8_t { other, equal, less };
struct Condition {
  Relation relation = Relation::other;
  bool opposite = false;
};

Condition condition_of(std::string_view jump) {
  if (jump == "jz" || jump == "jnz") return {Relation::equal, jump == "jnz"};
  if (jump == "js" || jump == "jl" || jump == "jle") return {Relation::less, false};
  if (jump == "jns" || jump == "jnl" || jump == "jnle") return {Relation::less, true};
  return {};
}

bool leaves_flags_alone(std::string_view mnemonic) {
  return mnemonic.starts_with("mov") || mnemonic == "lea" || mnemonic.starts_with("cmov") ||
         mnemonic == "push" || mnemonic == "pop" || mnemonic == "nop" || mnemonic.starts_with("set");
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The two operands of a comparison; nothing if they cannot be told apart.
struct Operands {
  std::string_view first, second;
};
std::optional<Operands> operands_of(std::string_view text) {
  size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  text.remove_prefix(space);
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (text[i] == ',' && depth == 0)
      return Operands{trimmed(text.substr(0, i)), trimmed(text.substr(i + 1))};
  }
  return std::nullopt;
}

bool is_zero(std::string_view operand) { return operand == "$0" || operand == "0" || operand == "$0x0"; }

// AT&T marks constants; Intel's are bare numbers. So are displacements in memory operands.
bool is_constant(std::string_view operand) {
  if (operand.starts_with('$')) return true;
  bool number = !operand.empty() && std::isdigit(static_cast<unsigned char>(operand[0]));
  return number && operand.find_first_of("([:") == std::string_view::npos;
}

// Loads the address of something the compiler gave a local name: a text, mostly.
bool loads_literal(std::string_view mnemonic, std::string_view text) {
  size_t name = text.find(".L");
  if (name == std::string_view::npos || name == 0) return false;
  return mnemonic == "lea" || text[name - 1] == '$' || text.find("OFFSET") != std::string_view::npos;
}

// In the name of a function: it is called when something went wrong.
constexpr std::array<std::string_view, 12> kWordsOfErrors = {"error", "_err",  "err_",  "fail",      "abort",  "panic",
                                                             "assert", "throw", "warn", "fatal", "exception", "corrupt"};

bool names_error(std::string_view function) {
  std::string lower;
  for (char c : function) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::any_of(kWordsOfErrors.begin(), kWordsOfErrors.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

bool is_wide_register(std::string_view operand) {
  if (operand.starts_with('%')) operand.remove_prefix(1);
  if (!operand.starts_with('r') || operand.size() < 2) return false;
  char last = operand.back();
  return last != 'd' && last != 'w' && last != 'b' && last != 'l';
}

// One of them is a byte: of a register, or in memory.
bool compares_bytes(const Operands &operands, std::string_view text) {
  if (text.starts_with("cmpb") || text.starts_with("testb") || text.find("byte ptr") != std::string_view::npos ||
      text.find("BYTE PTR") != std::string_view::npos) {
    return true;
  }
  auto is_byte = [](std::string_view operand) {
    if (operand.starts_with('%')) operand.remove_prefix(1);
    return operand.size() >= 2 && operand.size() <= 4 && (operand.ends_with('l') || operand.ends_with('h') || (operand[0] == 'r' && operand.ends_with('b')));
  };
  return is_byte(operands.first) || is_byte(operands.second);
}

class Finder {
 public:
  Finder(const Procedure &p, std::span<const std::string> mnemonics)
      : p_(p),
        mnemonics_(mnemonics),
        graph_(p.graph()),
        order_(core::depth_first_order(graph_)),
        loops_(core::find_loops(graph_, order_)),
        after_(graph_) {}

  std::vector<Evidence> run() {
    for (core::Vertex b = 0; b < p_.blocks.size(); ++b) {
      if (p_.blocks[b].kind != VertexKind::code || p_.blocks[b].count == 0) continue;
      if (!find_edges(b)) continue;
      block_ = b;
      ask_loops();
      ask_comparison();
      ask_targets();
      ask_layout();
    }
    return std::move(found_);
  }

 private:
  const Instruction &last_of(core::Vertex b) const {
    return p_.instructions[p_.blocks[b].first + p_.blocks[b].count - 1];
  }
  std::span<const Instruction> instructions_of(core::Vertex b) const {
    return std::span(p_.instructions).subspan(p_.blocks[b].first, p_.blocks[b].count);
  }
  std::string_view mnemonic(const Instruction &i) const { return mnemonics_[i.mnemonic]; }

  // The two edges of a conditional jump, if the block ends in one.
  bool find_edges(core::Vertex b) {
    taken_ = fall_ = core::kNone;
    if ((last_of(b).traits & isa::kConditional) == 0) return false;
    for (core::EdgeId e : graph_.out(b)) {
      if (p_.edges[e].kind == EdgeKind::never) return false;
      core::EdgeId &edge = p_.edges[e].kind == EdgeKind::fall ? fall_ : taken_;
      if (edge != core::kNone) return false;
      edge = e;
    }
    return taken_ != core::kNone && fall_ != core::kNone;
  }

  void favour(core::EdgeId e, Heuristic heuristic) {
    found_.push_back({block_, e, e == taken_ ? fall_ : taken_, heuristic});
  }
  // The heuristic holds for one edge only, and speaks for or against it.
  void judge(bool taken, bool fall, bool good, Heuristic heuristic) {
    if (taken != fall) favour(taken == good ? taken_ : fall_, heuristic);
  }

  void ask_loops() {
    uint32_t loop = loops_.innermost[block_];
    if (loop != core::kNone) {
      bool taken_stays = loops_.contains(loop, graph_.edge(taken_).to), fall_stays = loops_.contains(loop, graph_.edge(fall_).to);
      judge(taken_stays, fall_stays, true, Heuristic::loop);
      if (loops_.loops[loop].parent != core::kNone) judge(taken_stays, fall_stays, false, Heuristic::inner);
      if (taken_stays && fall_stays) judge(order_.back[taken_], order_.back[fall_], true, Heuristic::back);
    }
    judge(enters_loop(taken_), enters_loop(fall_), true, Heuristic::loop_header);
  }

  // Leads to the header of a loop that the branch is not in, directly or by one block
  // that does nothing else, and there is a path past it.
  bool enters_loop(core::EdgeId e) const {
    core::Vertex v = graph_.edge(e).to;
    if (after_.dominates(v, block_)) return false;
    for (int step = 0; step < 2; ++step) {
      uint32_t headed = loops_.headed[v];
      if (headed != core::kNone) return !loops_.contains(headed, block_);
      if (graph_.out(v).size() != 1) return false;
      v = graph_.edge(graph_.out(v)[0]).to;
    }
    return false;
  }

  void ask_comparison() {
    const Block &block = p_.blocks[block_];
    uint32_t i = block.first + block.count - 1;
    Condition condition = condition_of(mnemonic(p_.instructions[i]));
    if (condition.relation == Relation::other) return;
    do {
      if (i == block.first) return;
      --i;
    } while (leaves_flags_alone(mnemonic(p_.instructions[i])));
    std::optional<Verdict> verdict = comparison(p_.instructions[i], condition.relation);
    if (verdict) favour(verdict->holds != condition.opposite ? taken_ : fall_, verdict->heuristic);
  }

  // Does the relation hold, most likely?
  struct Verdict {
    Heuristic heuristic;
    bool holds;
  };
  std::optional<Verdict> comparison(const Instruction &in, Relation relation) const {
    std::string_view name = mnemonic(in);
    if (name.find("comis") != std::string_view::npos) return std::nullopt;
    bool equality = relation == Relation::equal;
    if (name != "test" && name != "cmp") return Verdict{equality ? Heuristic::arithmetic : Heuristic::negative, false};
    std::optional<Operands> operands = operands_of(in.text);
    if (!operands) return std::nullopt;
    bool with_zero = name == "test" ? operands->first == operands->second
                                    : is_zero(operands->first) || is_zero(operands->second);
    if (!equality) return with_zero ? std::optional(Verdict{Heuristic::negative, false}) : std::nullopt;
    if (with_zero) return is_wide_register(operands->second) ? Verdict{Heuristic::pointer, false} : Verdict{Heuristic::zero, true};
    // Characters are compared with what they often are.
    if (compares_bytes(*operands, in.text)) return std::nullopt;
    if (name == "test") return Verdict{Heuristic::mask, true};
    bool with_constant = is_constant(operands->first) || is_constant(operands->second);
    return with_constant ? std::optional(Verdict{Heuristic::value, false}) : std::nullopt;
  }

  void ask_targets() {
    core::Vertex taken = graph_.edge(taken_).to, fall = graph_.edge(fall_).to;
    bool taken_meets = after_.dominates(taken, block_), fall_meets = after_.dominates(fall, block_);
    judge(!taken_meets && has(taken, isa::kCall), !fall_meets && has(fall, isa::kCall), false,
          Heuristic::call);
    judge(leaves(taken), leaves(fall), false, Heuristic::leaves);
    judge(!taken_meets && has(taken, isa::kStore), !fall_meets && has(fall, isa::kStore), true,
          Heuristic::store);
    judge(has(taken, isa::kLoad), has(fall, isa::kLoad), true, Heuristic::load);
    judge(has(taken, isa::kFloat), has(fall, isa::kFloat), true, Heuristic::floats);
    judge(graph_.in(taken).size() > kFewEdges, graph_.in(fall).size() > kFewEdges, false, Heuristic::merge);
    judge(dispatches(taken), dispatches(fall), true, Heuristic::table);
    judge(!taken_meets && speaks(taken), !fall_meets && speaks(fall), false, Heuristic::message);
    judge(!taken_meets && complains(taken), !fall_meets && complains(fall), false, Heuristic::complaint);
  }

  void ask_layout() {
    if ((last_of(block_).traits & isa::kBackward) != 0) return;
    favour(fall_, Heuristic::fall);
    core::Vertex target = graph_.edge(taken_).to;
    for (core::EdgeId e : graph_.in(target)) {
      if (p_.edges[e].kind == EdgeKind::fall) return;
    }
    favour(fall_, Heuristic::out_of_line);
  }

  bool has(core::Vertex b, isa::Traits trait) const {
    std::span<const Instruction> all = instructions_of(b);
    return std::any_of(all.begin(), all.end(), [&](const Instruction &i) {
      // A call stores its return address; that is no store of the program's.
      bool own = trait != isa::kStore || (i.traits & isa::kCall) == 0;
      return own && (i.traits & trait) != 0;
    });
  }

  bool dispatches(core::Vertex b) const {
    std::span<const core::EdgeId> out = graph_.out(b);
    return std::any_of(out.begin(), out.end(),
                       [&](core::EdgeId e) { return p_.blocks[graph_.edge(e).to].kind == VertexKind::dispatch; });
  }

  // Makes a call with the address of a literal, or runs straight into a block that does.
  bool speaks(core::Vertex b) const {
    for (int step = 0; step < 2; ++step) {
      bool literal = false;
      for (const Instruction &i : instructions_of(b)) {
        literal = literal || loads_literal(mnemonic(i), i.text);
        if (literal && (i.traits & isa::kCall) != 0) return true;
      }
      if (graph_.out(b).size() != 1) return false;
      b = graph_.edge(graph_.out(b)[0]).to;
    }
    return false;
  }

  bool complains(core::Vertex b) const {
    std::span<const Instruction> all = instructions_of(b);
    return std::any_of(all.begin(), all.end(), [](const Instruction &i) { return names_error(i.callee); });
  }

  // Returns, or runs straight into a block that does.
  bool leaves(core::Vertex b) const {
    for (int step = 0; step < 2; ++step) {
      if (graph_.out(b).size() != 1) return false;
      b = graph_.edge(graph_.out(b)[0]).to;
      if (b == graph_.exit()) return true;
    }
    return false;
  }

  const Procedure &p_;
  std::span<const std::string> mnemonics_;
  core::Graph graph_;
  core::Order order_;
  core::Loops loops_;
  core::PostDominators after_;
  core::Vertex block_ = 0;
  core::EdgeId taken_ = 0, fall_ = 0;
  std::vector<Evidence> found_;
};

std::vector<bool> cold_blocks(const Procedure &p) {
  std::vector<bool> cold(p.blocks.size());
  std::vector<bool> goes_on(p.blocks.size());
  for (size_t e = 1; e < p.edges.size(); ++e) {
    if (p.edges[e].kind != EdgeKind::never) goes_on[p.edges[e].from] = true;
  }
  for (uint32_t b = 2; b < p.blocks.size(); ++b) {
    const Block &block = p.blocks[b];
    if (block.kind == VertexKind::landing) cold[b] = true;
    if (block.kind != VertexKind::code) continue;
    bool cold_fragment =
        block.count != 0 && p.fragments[p.instructions[block.first].fragment].name.ends_with(".cold");
    cold[b] = !goes_on[b] || cold_fragment;
  }
  return cold;
}

}  // namespace

const char *name_of(Heuristic heuristic) { return kFacts[static_cast<size_t>(heuristic)].name; }
double probability_of(Heuristic heuristic) { return kFacts[static_cast<size_t>(heuristic)].probability; }

std::vector<Evidence> branch_evidence(const Procedure &procedure, std::span<const std::string> mnemonics) {
  return Finder(procedure, mnemonics).run();
}

core::BranchHints branch_hints(const Procedure &procedure, std::span<const std::string> mnemonics) {
  core::BranchHints hints;
  hints.cold = cold_blocks(procedure);
  hints.probability.assign(procedure.edges.size(), core::kNoHint);
  for (const Evidence &e : branch_evidence(procedure, mnemonics)) {
    double &favoured = hints.probability[e.favoured], &other = hints.probability[e.other];
    if (favoured == core::kNoHint) favoured = other = 0.5;
    double p = probability_of(e.heuristic);
    favoured = favoured * p / (favoured * p + other * (1 - p));
    other = 1 - favoured;
  }
  for (double &p : hints.probability) {
    if (p != core::kNoHint) p = std::clamp(p, 1 - kSurest, kSurest);
  }
  return hints;
}

}  // namespace chord::format
