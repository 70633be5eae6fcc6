#include "verify/evidence/returning.h"

#include <string_view>
#include <unordered_set>

namespace chord::verify {
namespace {

// The function that a call or jump enters, or kNone.
uint32_t entered(const Program &p, const Instr &in) {
  const uint32_t g = in.target == kNone ? kNone : p.instrs()[in.target].function;
  return g != kNone && p.functions()[g].entry == in.target ? g : kNone;
}

// Linkers may take another definition of these.
std::unordered_set<std::string_view> weak_names(const assembly::Source &source) {
  std::unordered_set<std::string_view> out;
  for (const assembly::Statement &s : source.statements) {
    if (s.kind != assembly::StatementKind::directive || s.name != ".weak") continue;
    for (std::string_view name : assembly::split_operands(s.operands)) out.insert(assembly::trim(name));
  }
  return out;
}

// Is there a path from the entry to where it is left?
class Search {
 public:
  Search(const Program &p, const Jumps &jumps, const std::vector<bool> &returning, uint32_t f) : p_(p), jumps_(jumps), returning_(returning), f_(f) {}

  bool run() {
    add(p_.functions()[f_].entry);
    for (uint32_t i : p_.functions()[f_].landings) add(i);
    while (!left_ && !waiting_.empty()) {
      const uint32_t i = waiting_.back();
      waiting_.pop_back();
      follow(i);
    }
    return left_;
  }

 private:
  void add(uint32_t i) {
    if (i == kNone || p_.instrs()[i].function != f_)
      left_ = true;
    else if (seen_.insert(i).second)
      waiting_.push_back(i);
  }

  void follow(uint32_t i) {
    const Instr &in = p_.instrs()[i];
    const Facts &x = in.facts;
    if (x.flow == Flow::leave || x.unknown) left_ = true;
    if (x.flow == Flow::next || x.flow == Flow::conditional) add(in.next);
    if (x.flow == Flow::call) follow_call(in);
    if (x.flow == Flow::conditional || (x.flow == Flow::jump && !x.indirect)) jump(in);
    if (x.flow != Flow::jump || !x.indirect) return;
    if (!jumps_.stays(i)) left_ = true;
    for (uint32_t to : jumps_.targets(i)) add(to);
  }

  // What ends in a call that does not return is followed by somebody else's code.
  void follow_call(const Instr &in) {
    const bool ends = in.next == kNone || p_.instrs()[in.next].function != f_;
    if (!ends && comes_back(p_, returning_, in)) add(in.next);
  }

  void jump(const Instr &in) {
    if (entered(p_, in) == f_ || comes_back(p_, returning_, in)) add(in.target);
  }

  const Program &p_;
  const Jumps &jumps_;
  const std::vector<bool> &returning_;
  uint32_t f_;
  std::unordered_set<uint32_t> seen_;
  std::vector<uint32_t> waiting_;
  bool left_ = false;
};

}  // namespace

bool comes_back(const Program &p, const std::vector<bool> &returning, const Instr &call) {
  const uint32_t g = entered(p, call);
  if (g == kNone || returning[g]) return true;
  // Through the linker's table it may be a function of another module.
  return p.functions()[g].global && p.source().statements[call.last].operands.find('@') != std::string_view::npos;
}

// From "none comes back" on, until nothing changes: one comes back only if there is a path on which it does.
std::vector<bool> find_returning(const Program &p, const Jumps &jumps) {
  const std::unordered_set<std::string_view> weak = weak_names(p.source());
  std::vector<bool> returning(p.functions().size());
  for (uint32_t f = 0; f < returning.size(); ++f) returning[f] = p.functions()[f].entry == kNone || weak.contains(p.functions()[f].name);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t f = 0; f < returning.size(); ++f) {
      if (returning[f] || !Search(p, jumps, returning, f).run()) continue;
      returning[f] = more = true;
    }
  }
  return returning;
}

}  // namespace chord::verify
