#include "verify/flow/constants.h"

#include "verify/evidence/liveness.h"

namespace chord::verify {
namespace {

Known meet(const Known &a, const Known &b) {
  Known out;
  for (const auto &[atom, number] : a) {
    auto found = b.find(atom);
    if (found != b.end() && found->second == number) out.emplace(atom, number);
  }
  return out;
}

}  // namespace

Known known_at_end(const Known &start, const Machine &machine) {
  Known out = start;
  for (const auto &[atom, value] : machine.changed()) {
    Value v = with_known(value, start);
    if (v.is_number()) {
      out[atom] = v.number;
    } else {
      out.erase(atom);
    }
  }
  return out;
}

bool changes(const Facts &x, Atom atom) {
  Set reg = atom < 16 ? general(atom) : vector(atom % 16);
  return (x.writes & reg) || x.unknown || (x.flow == Flow::call && !(kPreserved & reg));
}

Constants::Constants(const Program &program, const std::vector<Transition> &transitions) : p_(program) {
  std::map<uint32_t, std::vector<const Transition *>> out;
  std::vector<const Transition *> waiting;
  bool sets_any = false;
  for (const Transition &t : transitions) {
    for (const Machine &m : t.ends) {
      for (const auto &[atom, value] : m.changed()) sets_any = sets_any || value.is_number();
    }
  }
  if (!sets_any) return;
  for (const Transition &t : transitions) {
    if (t.from == kNone) waiting.push_back(&t);
    else out[t.from].push_back(&t);
  }
  while (!waiting.empty()) {
    const Transition &t = *waiting.back();
    waiting.pop_back();
    if (t.to == kNone) continue;
    Known start = t.from == kNone ? Known{} : behind(t.from);
    Known end = t.ends.empty() ? start : known_at_end(start, t.ends[0]);
    for (size_t k = 1; k < t.ends.size(); ++k) end = meet(end, known_at_end(start, t.ends[k]));
    auto [at, first] = before_.emplace(t.to, end);
    if (!first) {
      Known both = meet(at->second, end);
      if (both == at->second) continue;
      at->second = std::move(both);
    }
    for (const Transition *next : out[t.to]) waiting.push_back(next);
  }
}

const Known &Constants::before(uint32_t i) const {
  static const Known kNothing;
  auto found = before_.find(i);
  return found == before_.end() ? kNothing : found->second;
}

Known Constants::behind(uint32_t i) const {
  Known out = before(i);
  std::erase_if(out, [&](const auto &k) { return changes(p_.instrs()[i].facts, k.first); });
  return out;
}

}  // namespace chord::verify
