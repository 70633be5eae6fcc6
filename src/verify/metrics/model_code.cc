#include "verify/metrics/model_code.h"

#include <chord_models.h>

#include <algorithm>

namespace chord::verify {

using Look = Machine::Look;

SumsOfInstructions::SumsOfInstructions(const ProcedureFacts &facts) : f_(facts) {
  const format::Procedure &map = facts.graph.map();
  uint64_t first = map.metrics_in_records ? map.plan.words() : 0;
  for (const format::MetricSums &sums : map.metrics) {
    if (sums.of == format::SumsOf::instructions) lists_[sums.metric] = {first, &sums.instructions};
    first += map.words(sums);
  }
}

uint32_t SumsOfInstructions::instruction(uint32_t about, std::string_view metric, const Value &index) const {
  auto list = lists_.find(metric);
  uint64_t at = list == lists_.end() || !index.is_number() ? UINT64_MAX : static_cast<uint64_t>(index.number) - list->second.first;
  uint32_t i = list == lists_.end() || at >= list->second.instructions->size() ? kNone : f_.graph.instruction((*list->second.instructions)[at]);
  if (i == kNone) throw Unproved{f_.program.instrs()[about].last, "a sum of another list"};
  return i;
}

ModelledCode::ModelledCode(const ProcedureFacts &facts, const SumsOfInstructions &sums) : f_(facts), sums_(sums), models_(facts.records.models) {
  for (const format::Block &b : facts.graph.map().blocks) {
    if (b.kind == format::VertexKind::code) cut(b);
  }
}

void ModelledCode::fail(uint32_t i, std::string what) const { throw Unproved{f_.program.instrs()[i].last, std::move(what)}; }

// A callee fetches code of its own: what comes after a call is another stretch.
void ModelledCode::cut(const format::Block &b) {
  Stretch now;
  auto finish = [&] {
    for (uint32_t i : now.instructions) stretch_of_[i] = static_cast<uint32_t>(stretches_.size());
    if (!now.instructions.empty()) stretches_.push_back(std::move(now));
    now = {};
  };
  for (uint32_t n = b.first; n < b.first + b.count; ++n) {
    uint32_t i = f_.graph.instruction(n);
    if (i == kNone) continue;  // padding is fetched with what is around it
    now.instructions.push_back(i);
    if (f_.program.instrs()[i].facts.flow == Flow::call) finish();
  }
  finish();
}

uint32_t ModelledCode::begins(uint32_t i) const {
  auto found = stretch_of_.find(i);
  return found != stretch_of_.end() && stretches_[found->second].instructions.front() == i ? found->second : kNone;
}

uint32_t ModelledCode::section(uint32_t i) const { return f_.program.source().statements[f_.program.instrs()[i].first].section; }

void ModelledCode::collect(uint32_t about, const Look &look) {
  Collected &c = looks_[look.statement];
  c.about = about;
  if (!look.missed) {
    if (c.all && *c.all != look.lines) fail(about, "other lines of code are looked for");
    c.all = look.lines;
    return;
  }
  if (!c.some.empty() && !(c.requests == look.requests)) fail(about, "a model is told different things");
  c.some.push_back(look.lines);
  c.requests = look.requests;
}

void ModelledCode::check() {
  for (auto &[statement, look] : looks_) check(look);
}

int64_t ModelledCode::address(uint32_t i) const {
  const std::optional<uint64_t> at = f_.places.address(f_.graph.map(), i);
  if (!at) fail(i, "a model is told of other code");
  return static_cast<int64_t>(*at);
}

void ModelledCode::check(Collected &look) {
  if (look.requests.empty() || !look.all || models_.code.sets == 0) fail(look.about, "a model is not told of code");
  std::vector<uint32_t> told;
  for (const Look::Request &r : look.requests) {
    uint32_t i = sums_.instruction(look.about, "sim:l1i", r.sum);
    if (!r.at.is_number() || !(r.what == constant(f_.program.instrs()[i].facts.size))) fail(i, "a model is told of other code");
    if (r.at.number != address(i)) fail(i, "the model is told of code at another address");
    told.push_back(i);
  }
  auto stretch = stretch_of_.find(told.front());
  if (stretch == stretch_of_.end()) fail(look.about, "a model is told of other code");
  look.stretch = stretch->second;
  // Which lines it comes to, in order, and by which instructions.
  const uint32_t bits = models_.code.line_bits;
  Lines lines;
  std::vector<uint32_t> coming;
  auto come = [&](int64_t line) {
    if (!lines.empty() && lines.back().first == line << bits) return false;
    lines.emplace_back(line << bits, 8 * (line & (int64_t{models_.code.sets} - 1)));
    return true;
  };
  for (uint32_t i : stretches_[look.stretch].instructions) {
    if (section(i) != section(told.front())) fail(look.about, "a stretch of code in two sections");
    int64_t at = address(i);
    bool first = come(at >> bits), last = come((at + f_.program.instrs()[i].facts.size - 1) >> bits);
    if (first || last) coming.push_back(i);
  }
  if (told != coming || *look.all != lines) fail(look.about, "a model is not told of all lines of the code");
  for (const Lines &some : look.some) {
    if (some.size() > lines.size() || !std::equal(some.begin(), some.end(), lines.begin())) fail(look.about, "other lines of code are looked for");
  }
}

uint32_t ModelledCode::stretch_of_look(uint32_t about, const Look &look) const {
  auto found = looks_.find(look.statement);
  if (found == looks_.end()) fail(about, "a model is not told of code");
  return found->second.stretch;
}

// number = (address << shift), or that xor the history: of both as many bits as the model has.
void ModelledCode::check_counter(uint32_t i, const Value &number) {
  const chord_prediction &model = models_.branch;
  const int64_t mask = (int64_t{1} << model.bits) - 1, history = ((int64_t{1} << model.history_bits) - 1) & mask;
  const Atoms &atoms = f_.flow.atoms();
  int64_t of_address = number.number;
  if (history != 0) {
    const AtomMeaning *both = number.terms.size() == 1 && number.is_atom(number.terms[0].first) ? atoms.meaning(number.terms[0].first) : nullptr;
    bool mixed = both != nullptr && both->kind == AtomMeaning::Kind::masked && both->name == "xor" && both->of.terms.size() == 1 && both->of.terms[0].second == 1;
    const AtomMeaning *masked = mixed ? atoms.meaning(both->of.terms[0].first) : nullptr;
    bool right = masked != nullptr && masked->kind == AtomMeaning::Kind::masked && masked->key == history && masked->of.terms.size() == 1 &&
                 masked->of.is_atom(masked->of.terms[0].first) && atoms.is(masked->of.terms[0].first, AtomMeaning::Kind::loaded, "history");
    if (!right) fail(i, "a branch is predicted by another history");
    of_address = both->of.number;
  } else if (!number.is_number()) {
    fail(i, "a branch is predicted by another counter");
  }
  const int64_t shifted = static_cast<int64_t>((static_cast<uint64_t>(address(i)) << model.address_shift) & static_cast<uint64_t>(mask));
  if (of_address != shifted) fail(i, "a branch is predicted by another counter");
}

}  // namespace chord::verify
