#include "mutation/mutants.h"
#include "mutation/wanted.h"

#include <algorithm>
#include <cctype>
#include <functional>

namespace chord::mutation {

using assembly::Statement;
using assembly::StatementKind;

namespace {

class OtherMutants : Maker {
 public:
  using Maker::Maker;

  std::optional<Mutant> drop_original() {
    const uint32_t *s = pick(s_.originals);
    if (s == nullptr) return std::nullopt;
    return Mutant{"dropped '" + s_.words(*s) + "'", {replace(*s, "")}, "", {}};
  }

  // In the woven text only, as a probe and as what it is.
  std::optional<Mutant> double_original() {
    const uint32_t *s = pick(s_.originals);
    if (s == nullptr) return std::nullopt;
    Edit again = after(*s, s_.words(*s));
    again.inserted = number(2) == 0;
    bool idle = s_.at(*s).name == "endbr64" && again.inserted;
    return Mutant{"twice '" + s_.words(*s) + "'", {again}, idle ? "same" : "", {}};
  }

  std::optional<Mutant> swap_originals() {
    const uint32_t *s = pick(s_.originals);
    if (s == nullptr) return std::nullopt;
    uint32_t next = s_.next_code(*s);
    if (next == kNowhere || s_.is_inserted(next) || !s_.instruction(next) || s_.words(*s) == s_.words(next)) return std::nullopt;
    return Mutant{"swapped '" + s_.words(*s) + "' and '" + s_.words(next) + "'", {replace(*s, s_.words(next)), replace(next, s_.words(*s))}, "", {}};
  }

  std::optional<Mutant> encode_anew() {
    const uint32_t *s = pick(s_.originals);
    if (s == nullptr) return std::nullopt;
    std::string text = s_.words(*s), with = text;
    size_t at = text.find('%');
    if (at != std::string::npos && number(2)) {
      unsigned r = number(16);
      size_t end = at + 1;
      while (end < with.size() && std::isalnum(static_cast<unsigned char>(with[end]))) ++end;
      with.replace(at + 1, end - at - 1, with[at + 1] == 'e' ? kHalf[r] : kWhole[r]);
    } else if (auto changed = change_number(text, 0, 1)) {
      with = *changed;
    }
    if (with == text) return std::nullopt;
    return Mutant{with + " for '" + text + "'", {replace(*s, with)}, "", {}};
  }

  std::optional<Mutant> lead_elsewhere() {
    std::vector<uint32_t> all = s_.jumps;
    for (uint32_t s : s_.probes) {
      if (s_.at(s).name == "jmp") all.push_back(s);
    }
    const uint32_t *s = pick(all), *label = pick(s_.labels);
    if (s == nullptr || label == nullptr) return std::nullopt;
    std::string text = s_.words(*s), target(s_.at(*label).name), operand(s_.at(*s).operands);
    if (operand == target) return std::nullopt;
    // The same place under another name, or by way of an inserted jump and nothing else.
    std::function<uint32_t(std::string_view)> place = [&](std::string_view name) -> uint32_t {
      for (uint32_t k = 0; k < s_.tail(); ++k) {
        if (s_.at(k).kind != StatementKind::label || s_.at(k).name != name) continue;
        uint32_t code = s_.next_code(k);
        bool jumps_on = code != kNowhere && s_.is_inserted(code) && s_.at(code).name == "jmp" && code != *s;
        return jumps_on ? place(s_.at(code).operands) : code;
      }
      return kNowhere;
    };
    Mutant m{target + " for '" + text + "'", {replace(*s, std::string(s_.at(*s).name) + "\t" + target)}, "", {}};
    if (place(operand) == place(target)) m.equivalent = "unchanged";
    return m;
  }

  std::optional<Mutant> lead_table_elsewhere() {
    const uint32_t *s = pick(s_.data), *label = pick(s_.labels);
    if (s == nullptr || label == nullptr) return std::nullopt;
    std::string text = s_.words(*s), target(s_.at(*label).name);
    std::string_view symbol = assembly::first_symbol(s_.at(*s).operands);
    if (symbol == target) return std::nullopt;
    size_t at = static_cast<size_t>(symbol.data() - s_.text().data()) - s_.at(*s).begin;
    std::string with = text;
    with.replace(at, symbol.size(), target);
    return Mutant{with + " for '" + text + "'", {replace(*s, with)}, "", {}};
  }

  std::optional<Mutant> change_rule() {
    const uint32_t *s = pick(s_.rules);
    if (s == nullptr) return std::nullopt;
    std::string text = s_.words(*s);
    size_t comma = text.find(',');
    auto changed = change_number(text, comma == std::string::npos ? text.find_first_of(" \t") : comma + 1, number(2) ? 8 : -8);
    if (!changed) return std::nullopt;
    return Mutant{*changed + " for '" + text + "'", {replace(*s, *changed)}, "", {}};
  }

  std::optional<Mutant> drop_rule() {
    const uint32_t *s = pick(s_.rules);
    if (s == nullptr) return std::nullopt;
    return Mutant{"dropped '" + s_.words(*s) + "'", {replace(*s, "")}, "", {}};
  }

  std::optional<Mutant> change_record() {
    const uint32_t *s = pick(s_.records);
    if (s == nullptr) return std::nullopt;
    std::string text = s_.words(*s);
    size_t at = number(2) ? text.find_first_of(" \t") + 1 : text.find(',') + 1;
    auto changed = change_number(text, at, 1);
    if (!changed) return std::nullopt;
    return Mutant{*changed + " for '" + text + "'", {replace(*s, *changed)}, "", {}};
  }

  std::optional<Mutant> drop_personality() {
    const uint32_t *s = pick(s_.personalities);
    if (s == nullptr) return std::nullopt;
    return Mutant{"dropped '" + s_.words(*s) + "'", {replace(*s, "")}, "", {}};
  }

  // The label stands one instruction later.
  std::optional<Mutant> move_label(const std::vector<uint32_t> &labels) {
    const uint32_t *s = pick(labels);
    if (s == nullptr) return std::nullopt;
    uint32_t code = s_.next_code(*s);
    // Past a count, or an instruction of the program.
    auto counts = [&](uint32_t k) { return std::find(s_.counts.begin(), s_.counts.end(), k) != s_.counts.end(); };
    while (code != kNowhere && s_.is_inserted(code) && !counts(code)) code = s_.next_code(code);
    if (code == kNowhere || s_.at(code).begin <= s_.at(*s).begin) return std::nullopt;
    Mutant m{"'" + std::string(s_.at(*s).name) + ":' after '" + s_.words(code) + "'", {}, "", {}};
    // Regions of exceptions end at calls; inserted code throws nothing.
    if (s_.at(*s).name.starts_with(".LEH") && s_.is_inserted(code)) m.equivalent = "unchanged";
    m.edits.push_back(replace(*s, ""));
    m.edits.push_back({s_.at(code).end, s_.at(code).end, "\n" + std::string(s_.at(*s).name) + ":\n", s_.is_inserted(*s)});
    return m;
  }
  std::optional<Mutant> move_mark() { return move_label(s_.marks); }
  std::optional<Mutant> move_own_label() { return move_label(s_.labels); }

  // The map says something else than the text.
  std::optional<Mutant> change_map() {
    const std::vector<format::Procedure> &all = s_.woven_case().woven.map.procedures;
    uint32_t p = number(static_cast<unsigned>(all.size()));
    if (!all[p].skipped.empty()) return std::nullopt;
    switch (number(4)) {
      case 0: return change_counter(all[p], p);
      case 1: return change_held(all[p], p);
      case 2: return change_edge(all[p], p);
      default: return change_instruction(all[p], p);
    }
  }


 private:
  std::optional<Mutant> change_counter(const format::Procedure &p, uint32_t n) {
    if (p.plan.counters.empty()) return std::nullopt;
    uint32_t k = number(static_cast<unsigned>(p.plan.counters.size()));
    core::Counter with = p.plan.counters[k];
    if (with.site == core::Site::sum) return std::nullopt;
    uint32_t most = static_cast<uint32_t>(with.site == core::Site::edge ? p.edges.size() : p.blocks.size());
    with.id = number(most);
    if (with.id == p.plan.counters[k].id) return std::nullopt;
    bool alike = with.site == core::Site::vertex ? passes_both(p, with.id, p.plan.counters[k].id) : meet(p, with.id, p.plan.counters[k].id);
    auto nowhere = [&](uint32_t id) { return is_unreached(p, with.site == core::Site::edge ? uint32_t{p.edges[id].from} : id); };
    const bool never = nowhere(with.id) && nowhere(p.plan.counters[k].id);
    return Mutant{"counter " + std::to_string(k) + " is of " + std::to_string(with.id) + " for " + std::to_string(p.plan.counters[k].id), {}, alike ? "alongside" : never ? "unreached" : "",
                  [=](format::UnitMap &m) { m.procedures[n].plan.counters[k] = with; }};
  }
  // All that passes one vertex passes the other right after or before, and one of them has no code.
  static bool passes_both(const format::Procedure &p, uint32_t a, uint32_t b) {
    if (p.blocks[a].count != 0 && p.blocks[b].count != 0) return false;
    auto follows = [&](uint32_t v, uint32_t w) {
      return std::all_of(p.edges.begin() + 1, p.edges.end(), [&](const format::Edge &e) { return (e.from == v) == (e.to == w); });
    };
    return follows(a, b) || follows(b, a);
  }
  // One edge leads to the other by vertices that have no other edges.
  static bool meet(const format::Procedure &p, uint32_t a, uint32_t b) { return leads_to(p, a, b) || leads_to(p, b, a); }
  static bool leads_to(const format::Procedure &p, uint32_t e, uint32_t goal) {
    for (size_t steps = 0; steps < p.edges.size() && e != goal; ++steps) {
      uint32_t v = p.edges[e].to, in = 0, out = 0, next = e;
      for (uint32_t k = 0; k < p.edges.size(); ++k) {
        in += p.edges[k].to == v;
        out += p.edges[k].from == v;
        if (p.edges[k].from == v) next = k;
      }
      if (in != 1 || out != 1) return false;
      e = next;
    }
    return e == goal;
  }

  std::optional<Mutant> change_held(const format::Procedure &p, uint32_t n) {
    if (p.held.empty()) return std::nullopt;
    uint32_t k = number(static_cast<unsigned>(p.held.size()));
    bool place = number(2) == 0;
    return Mutant{place ? "a counter held in another register" : "a counter held with another step", {}, "", [=](format::UnitMap &m) {
                    format::Held &h = m.procedures[n].held[k];
                    if (place) h.place = static_cast<uint8_t>((h.place + 1) % 16);
                    else h.step += 1;
                  }};
  }
  std::optional<Mutant> change_edge(const format::Procedure &p, uint32_t n) {
    const uint32_t e = number(static_cast<unsigned>(p.edges.size()));
    const core::Vertex to(number(static_cast<unsigned>(p.blocks.size())));
    if (e == 0 || p.edges[e].to == to || p.edges[e].kind == format::EdgeKind::never) return std::nullopt;
    // A vertex without code is left out, or passed as well.
    auto only_leads_to = [&](uint32_t v, uint32_t w) {
      return p.blocks[v].kind == format::VertexKind::join &&
             std::all_of(p.edges.begin() + 1, p.edges.end(), [&](const format::Edge &x) { return x.from != v || x.to == w; });
    };
    bool alike = only_leads_to(p.edges[e].to, to) || only_leads_to(to, p.edges[e].to);
    return Mutant{"edge " + std::to_string(e) + " of kind " + std::to_string(static_cast<int>(p.edges[e].kind)) + " from " + std::to_string(p.edges[e].from) + " to " + std::to_string(to) + " for " + std::to_string(p.edges[e].to), {}, alike ? "alongside" : "", [=](format::UnitMap &m) { m.procedures[n].edges[e].to = to; }};
  }
  std::optional<Mutant> change_instruction(const format::Procedure &p, uint32_t n) {
    uint32_t i = number(static_cast<unsigned>(p.instructions.size()));
    return Mutant{"instruction " + std::to_string(i) + " one byte later", {}, "", [=](format::UnitMap &m) { ++m.procedures[n].instructions[i].offset; }};
  }
};

template <std::optional<Mutant> (OtherMutants::*kMake)()>
std::optional<Mutant> make(const Subject &s, std::mt19937 &random) {
  return (OtherMutants(s, random).*kMake)();
}

}  // namespace

std::vector<MutantKind> kinds_of_other_mutants() {
  return {
      {"original dropped", make<&OtherMutants::drop_original>},
      {"original doubled", make<&OtherMutants::double_original>},
      {"originals swapped", make<&OtherMutants::swap_originals>},
      {"original re-encoded", make<&OtherMutants::encode_anew>},
      {"jump led elsewhere", make<&OtherMutants::lead_elsewhere>},
      {"table led elsewhere", make<&OtherMutants::lead_table_elsewhere>},
      {"label moved", make<&OtherMutants::move_own_label>},
      {"mark moved", make<&OtherMutants::move_mark>},
      {"rule changed", make<&OtherMutants::change_rule>},
      {"rule dropped", make<&OtherMutants::drop_rule>},
      {"personality dropped", make<&OtherMutants::drop_personality>},
      {"record changed", make<&OtherMutants::change_record>},
      {"map changed", make<&OtherMutants::change_map>},
  };
}

}  // namespace chord::mutation
