#include "weave/sim/model_choice.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <vector>

#include "base/diagnostics.h"

namespace chord::weave {
namespace {

struct Cache {
  uint32_t size, ways, line;
};
struct Core {
  const char *name;
  Cache data, second;
};

// First-level data cache and second-level cache of one core, from the vendors' optimisation manuals.
constexpr std::array<Core, 11> kCores = {{
    {"nehalem", {32768, 8, 64}, {262144, 8, 64}},
    {"haswell", {32768, 8, 64}, {262144, 8, 64}},
    {"skylake", {32768, 8, 64}, {262144, 4, 64}},
    {"skylake-server", {32768, 8, 64}, {1048576, 16, 64}},
    {"icelake", {49152, 12, 64}, {524288, 8, 64}},
    {"golden-cove", {49152, 12, 64}, {1310720, 10, 64}},
    {"zen2", {32768, 8, 64}, {524288, 8, 64}},
    {"zen3", {32768, 8, 64}, {524288, 8, 64}},
    {"zen4", {32768, 8, 64}, {1048576, 8, 64}},
    {"cortex-a72", {32768, 2, 64}, {1048576, 16, 64}},
    {"neoverse-n1", {65536, 4, 64}, {1048576, 8, 64}},
}};
constexpr const char *kUsual = "haswell";

struct Kind {
  std::string_view name;
  chord_geometry chord_models::*geometry;
  Cache Core::*of_core;
};
constexpr std::array<Kind, 2> kCaches = {{{"sim:l1d", &chord_models::data, &Core::data},
                                          {"sim:l2", &chord_models::second, &Core::second}}};

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

}  // namespace

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
  throw base::UsageError(fmt::format("{}: no such model", word), "sim:l1d, sim:l2");
}

void check_models(const chord_models &models) {
  if (has_cache(models.second) && !has_cache(models.data)) throw base::UsageError("sim:l2 is behind sim:l1d, which is not asked for");
}

}  // namespace chord::weave
