#include "verify/flow/symbolic.h"

#include <algorithm>

namespace chord::verify {
namespace {

int64_t plus(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }
int64_t product(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); }

}  // namespace

int64_t Value::factor(Atom atom) const {
  auto found = std::find_if(terms.begin(), terms.end(), [&](const auto &t) { return t.first == atom; });
  return found == terms.end() ? 0 : found->second;
}

Value constant(int64_t number) { return {{}, number}; }
Value atom_value(Atom atom) { return {{{atom, 1}}, 0}; }

Value sum(const Value &a, const Value &b) {
  Value out;
  out.number = plus(a.number, b.number);
  auto x = a.terms.begin(), y = b.terms.begin();
  while (x != a.terms.end() || y != b.terms.end()) {
    if (y == b.terms.end() || (x != a.terms.end() && x->first < y->first)) {
      out.terms.push_back(*x++);
    } else if (x == a.terms.end() || y->first < x->first) {
      out.terms.push_back(*y++);
    } else {
      if (int64_t f = plus(x->second, y->second); f != 0) out.terms.push_back({x->first, f});
      ++x, ++y;
    }
  }
  return out;
}

Value times(const Value &a, int64_t factor) {
  Value out;
  if (factor == 0) return out;
  out.number = product(a.number, factor);
  for (const auto &[atom, f] : a.terms) {
    if (int64_t g = product(f, factor); g != 0) out.terms.push_back({atom, g});
  }
  return out;
}

Value difference(const Value &a, const Value &b) { return sum(a, times(b, -1)); }

Value with_known(const Value &a, const std::map<Atom, int64_t> &known) {
  Value out = constant(a.number);
  for (const auto &[atom, f] : a.terms) {
    auto found = known.find(atom);
    out = sum(out, times(found == known.end() ? atom_value(atom) : constant(found->second), f));
  }
  return out;
}

Atom Atoms::make(AtomMeaning meaning) {
  Atom atom = kRegisterAtoms + static_cast<Atom>(meanings_.size());
  if (meaning.kind != AtomMeaning::Kind::fresh) by_name_[{meaning.kind, meaning.name}].push_back(atom);
  meanings_.push_back(std::move(meaning));
  return atom;
}

const AtomMeaning *Atoms::meaning(Atom atom) const {
  return atom < kRegisterAtoms ? nullptr : &meanings_[atom - kRegisterAtoms];
}

Atom Atoms::find(AtomMeaning::Kind kind, std::string_view name, int64_t key) {
  for (Atom atom : by_name_[{kind, name}]) {
    if (meaning(atom)->key == key) return atom;
  }
  return make({kind, name, key, {}});
}

Atom Atoms::find_of(AtomMeaning::Kind kind, const Value &of, std::string_view name, int64_t key) {
  for (Atom atom : by_name_[{kind, name}]) {
    if (meaning(atom)->key == key && meaning(atom)->of == of) return atom;
  }
  return make({kind, name, key, of});
}

}  // namespace chord::verify
