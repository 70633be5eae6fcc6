#include "weave/sim/model_choice.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "weave/options.h"

namespace chord::weave {
namespace {

struct Cache {
  uint32_t size, ways, line;
};
struct Core {
  const char *name;
  Cache data, second, code;
};

// First-level data cache, second-level cache and first-level instruction cache of one core, as commonly published; any other is given by its size.
// Where an integrator chooses sizes (cortex-a53, cortex-a72, neoverse-n1), usual ones. Of apple-m1, its performance cores, the second level is what four of them share.
constexpr std::array<Core, 15> kCores = {{
    {"nehalem", {32768, 8, 64}, {262144, 8, 64}, {32768, 4, 64}},
    {"haswell", {32768, 8, 64}, {262144, 8, 64}, {32768, 8, 64}},
    {"skylake", {32768, 8, 64}, {262144, 4, 64}, {32768, 8, 64}},
    {"skylake-server", {32768, 8, 64}, {1048576, 16, 64}, {32768, 8, 64}},
    {"icelake", {49152, 12, 64}, {524288, 8, 64}, {32768, 8, 64}},
    {"golden-cove", {49152, 12, 64}, {1310720, 10, 64}, {32768, 8, 64}},
    {"zen", {32768, 8, 64}, {524288, 8, 64}, {65536, 4, 64}},
    {"zen2", {32768, 8, 64}, {524288, 8, 64}, {32768, 8, 64}},
    {"zen3", {32768, 8, 64}, {524288, 8, 64}, {32768, 8, 64}},
    {"zen4", {32768, 8, 64}, {1048576, 8, 64}, {32768, 8, 64}},
    {"zen5", {49152, 12, 64}, {1048576, 16, 64}, {32768, 8, 64}},
    {"apple-m1", {131072, 8, 64}, {12582912, 12, 128}, {196608, 6, 64}},
    {"cortex-a53", {32768, 4, 64}, {524288, 16, 64}, {32768, 2, 64}},
    {"cortex-a72", {32768, 2, 64}, {1048576, 16, 64}, {49152, 3, 64}},
    {"neoverse-n1", {65536, 4, 64}, {1048576, 8, 64}, {65536, 4, 64}},
}};
constexpr const char *kUsual = "haswell";

struct Kind {
  std::string_view name;
  chord_geometry chord_models::*geometry;
  Cache Core::*of_core;
};
constexpr std::array<Kind, 3> kCaches = {{{"sim:l1d", &chord_models::data, &Core::data},
                                          {"sim:l2", &chord_models::second, &Core::second},
                                          {"sim:l1i", &chord_models::code, &Core::code}}};

enum class Scheme : uint8_t { bimodal, gshare, gselect };
struct Predictor {
  const char *name;
  Scheme scheme;
  uint32_t bits, history;
};
constexpr std::array<std::pair<std::string_view, Scheme>, 3> kSchemes = {
    {{"bimodal", Scheme::bimodal}, {"gshare", Scheme::gshare}, {"gselect", Scheme::gselect}}};
constexpr Predictor kUsualPredictor = {"", Scheme::gshare, 14, 12};
// Kinds and sizes as their makers published them. Those of later cores are combinations that nobody has.
constexpr std::array<Predictor, 5> kPredictors = {{
    {"cachegrind", Scheme::gselect, 14, 7},
    {"r10000", Scheme::bimodal, 9, 0},
    {"ppc604", Scheme::bimodal, 9, 0},
    {"alpha-21164", Scheme::bimodal, 11, 0},
    {"ultrasparc-iii", Scheme::gshare, 14, 12},
}};

chord_geometry make_geometry(const Cache &cache, bool first_level, const std::string &word) {
  auto refuse = [&](const std::string &why) { throw base::UsageError(fmt::format("{}: {}", word, why), "SIZE,WAYS,LINE in bytes, such as 32768,8,64"); };
  const uint32_t least = 1u << CHORD_CACHE_LEAST_LINE_BITS, most = 1u << CHORD_CACHE_MOST_LINE_BITS;
  if (!std::has_single_bit(cache.line) || cache.line < least || cache.line > most)
    refuse(fmt::format("a line has a power of two of bytes, from {} to {}", least, most));
  if (cache.ways == 0 || cache.ways > CHORD_CACHE_MOST_WAYS) refuse(fmt::format("a cache has 1 to {} ways", CHORD_CACHE_MOST_WAYS));
  uint64_t set = uint64_t{cache.ways} * cache.line, sets = cache.size / set;
  if (cache.size % set != 0 || !std::has_single_bit(sets)) refuse("the size is not ways times line times a power of two");
  if (sets * cache.ways > CHORD_CACHE_MOST_LINES || (first_level && sets > CHORD_CACHE_MOST_SETS)) refuse("a cache of so many sets is not modelled");
  return {static_cast<uint32_t>(sets), cache.ways, static_cast<uint32_t>(std::countr_zero(cache.line)), 0};
}

bool read_number(std::string_view text, uint32_t &out) {
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
  return failed == std::errc() && end == text.data() + text.size();
}

const Core *find_core(std::string_view name) {
  for (const Core &core : kCores) {
    if (name == core.name) return &core;
  }
  return nullptr;
}

Cache read_cache(const Kind &kind, std::string_view value, const std::string &word) {
  if (const Core *core = find_core(value)) return core->*kind.of_core;
  std::array<uint32_t, 3> numbers{};
  size_t found = 0;
  for (std::string_view rest = value; found < numbers.size(); ++found) {
    size_t comma = rest.find(',');
    if (!read_number(rest.substr(0, comma), numbers[found])) break;
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    if (comma == std::string_view::npos && found == 2) return {numbers[0], numbers[1], numbers[2]};
  }
  std::vector<std::string_view> names;
  for (const Core &core : kCores) names.emplace_back(core.name);
  throw base::UsageError(fmt::format("{}: no such cache", word), fmt::format("SIZE,WAYS,LINE in bytes, or the core it is of: {}", fmt::join(names, ", ")));
}

// The numbers after the first word, as many as there are; false if one is none.
bool read_numbers(std::string_view text, std::vector<uint32_t> &out) {
  while (!text.empty()) {
    size_t comma = text.find(',');
    uint32_t number = 0;
    if (!read_number(text.substr(0, comma), number)) return false;
    out.push_back(number);
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
    if (text.empty()) return false;
  }
  return true;
}

[[noreturn]] void refuse_predictor(const std::string &word) {
  std::vector<std::string_view> names;
  for (const Predictor &p : kPredictors) names.emplace_back(p.name);
  throw base::UsageError(fmt::format("{}: no such predictor", word),
                         fmt::format("bimodal, gshare or gselect, then ,BITS of its table and ,HISTORY in bits; or that of {}", fmt::join(names, ", ")));
}

Predictor read_predictor(std::string_view value, const std::string &word) {
  if (value.empty()) return kUsualPredictor;
  for (const Predictor &p : kPredictors) {
    if (value == p.name) return p;
  }
  size_t comma = value.find(',');
  for (const auto &[name, scheme] : kSchemes) {
    if (value.substr(0, comma) != name) continue;
    std::vector<uint32_t> numbers;
    bool good = comma == std::string_view::npos || (comma + 1 < value.size() && read_numbers(value.substr(comma + 1), numbers));
    if (!good || numbers.size() > (scheme == Scheme::bimodal ? 1u : 2u)) refuse_predictor(word);
    uint32_t bits = numbers.empty() ? kUsualPredictor.bits : numbers[0];
    uint32_t usual_history = scheme == Scheme::gselect ? bits / 2 : std::min(bits, kUsualPredictor.history);
    uint32_t history = scheme == Scheme::bimodal ? 0 : numbers.size() == 2 ? numbers[1] : usual_history;
    return {"", scheme, bits, history};
  }
  refuse_predictor(word);
}

chord_prediction make_prediction(const Predictor &p, const std::string &word) {
  auto refuse = [&](const std::string &why) { throw base::UsageError(fmt::format("{}: {}", word, why), "such as gshare,14,12"); };
  if (p.bits < CHORD_PREDICTOR_LEAST_BITS || p.bits > CHORD_PREDICTOR_MOST_BITS)
    refuse(fmt::format("a table has 2 to {} counters, so 1 to {} bits", 1u << CHORD_PREDICTOR_MOST_BITS, CHORD_PREDICTOR_MOST_BITS));
  if (p.history > p.bits) refuse("the history has at most as many bits as the number of a counter");
  if (p.scheme != Scheme::bimodal && p.history == 0) refuse("without a history it is bimodal");
  return {p.bits, p.history, p.scheme == Scheme::gselect ? p.history : 0, 0};
}

}  // namespace

std::vector<ModelledCore> modelled_cores() {
  auto text = [](const Cache &c) { return fmt::format("{},{},{}", c.size, c.ways, c.line); };
  std::vector<ModelledCore> out;
  for (const Core &core : kCores) out.push_back({core.name, text(core.data), text(core.second), text(core.code)});
  return out;
}

bool names_model(std::string_view word) { return word.starts_with("sim:"); }

void choose_model(std::string_view text, chord_models &models) {
  const std::string word(text);
  size_t equals = text.find('=');
  std::string_view name = text.substr(0, equals), value = equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  for (const Kind &kind : kCaches) {
    if (name != kind.name) continue;
    Cache cache = read_cache(kind, value.empty() ? kUsual : value, word);
    models.*kind.geometry = make_geometry(cache, kind.geometry != &chord_models::second, word);
    return;
  }
  if (name == "sim:branch") {
    models.branch = make_prediction(read_predictor(value, word), word);
    return;
  }
  throw base::UsageError(fmt::format("{}: no such model", word), "sim:l1d, sim:l2, sim:l1i, sim:branch");
}

void check_models(const chord_models &models) {
  if (has_cache(models.second) && !has_cache(models.data)) throw base::UsageError("sim:l2 is behind sim:l1d, which is not asked for");
}

}  // namespace chord::weave
