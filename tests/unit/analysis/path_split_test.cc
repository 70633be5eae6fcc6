#include "analysis/paths/path_split.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/diagnostics.h"
#include "unit/analysis/sample_paths.h"

namespace chord::analysis {
namespace {

// Parts as text, shapes left out: "t 0-3 | t 4-7".
std::string show(const std::vector<PathGroup> &parts) {
  std::string out;
  for (const PathGroup &part : parts) {
    if (&part != &parts[0]) out += " | ";
    std::string choices;
    for (const format::PathChoice &choice : part.choices) {
      std::string line = format::write_path_choice(choice);
      choices += (choices.empty() ? "" : "; ") + line.substr(0, line.find(" shape="));
    }
    out += choices.empty() ? "nothing" : choices;
  }
  return out;
}

std::vector<PathGroup> split(const Program &program, size_t groups, const char *wanted = nullptr) {
  std::vector<std::string> only_ran;
  format::PathSelection selection;
  if (wanted != nullptr) selection = format::read_path_selection(wanted, "wanted");
  std::vector<PathGroup> parts = split_paths(program, wanted == nullptr ? nullptr : &selection, groups, only_ran);
  EXPECT_TRUE(only_ran.empty());
  return parts;
}

// How often each path of each function is named.
std::map<std::pair<std::string, uint64_t>, int> times_named(const std::vector<PathGroup> &parts) {
  std::map<std::pair<std::string, uint64_t>, int> times;
  for (const PathGroup &part : parts) {
    for (const format::PathChoice &choice : part.choices) {
      for (auto [first, last] : choice.numbers) {
        for (uint64_t n = first; n <= last; ++n) ++times[{choice.function, n}];
      }
    }
  }
  return times;
}

Program even_tree(bool common_end) { return program_of({{tree("t", 3, common_end), std::vector<uint64_t>(8, 100)}}); }

TEST(PathSplit, FunctionsWithinAnEvenShareStayWhole) {
  std::vector<Ran> functions;
  for (char name = 'a'; name <= 'h'; ++name) functions.push_back({diamonds({name}, 2), {10, 10, 10, 10}});
  std::vector<PathGroup> parts = split(program_of(functions), 4);
  EXPECT_EQ(show(parts), "a 0-3; e 0-3 | b 0-3; f 0-3 | c 0-3; g 0-3 | d 0-3; h 0-3");
  // 40 calls of each function: the number is set, counted, and added to on one side of two.
  for (const PathGroup &part : parts) {
    EXPECT_EQ(part.paths, 8u);
    EXPECT_NEAR(part.cost, 2 * (40 + 40 + 20 + 20), 0.1);
  }
}

// Cutting a row of questions saves nothing: each path has to be told from all others.
TEST(PathSplit, WhatDoesNotGetCheaperStaysWhole) {
  EXPECT_EQ(show(split(program_of({{diamonds("four", 4), std::vector<uint64_t>(16, 100)}}), 3)), "four 0-15 | nothing | nothing");
}

// Answers to the first questions are what the paths of a part have in common.
TEST(PathSplit, SharedPrefixesStayTogether) {
  Program program = even_tree(true);
  EXPECT_EQ(show(split(program, 1)), "t 0-7");
  EXPECT_EQ(show(split(program, 2)), "t 0-3 | t 4-7");
  std::vector<PathGroup> parts = split(program, 4);
  EXPECT_EQ(show(parts), "t 0-1 | t 4-5 | t 2-3 | t 6-7");
  // Set and counted 800 times each; added to where one of two is left, and the other half of the rest.
  for (const PathGroup &part : parts) EXPECT_NEAR(part.cost, 800 + 800 + 200, 0.1);
}

// With an end of its own a path is counted there, and nothing has to be added.
TEST(PathSplit, PathsThatEndApartAreCutThere) {
  for (size_t groups : {1, 2, 4, 8}) {
    for (const PathGroup &part : split(even_tree(false), groups)) {
      EXPECT_EQ(part.paths, 8 / groups);
      EXPECT_NEAR(part.cost, 800.0 / static_cast<double>(groups), 0.1);
    }
  }
}

TEST(PathSplit, OneHotPathIsAlone) {
  std::vector<PathGroup> parts = split(program_of({{tree("t", 3, false), {1000, 1, 1, 1, 1, 1, 1, 1}}}), 2);
  EXPECT_EQ(show(parts), "t 0 | t 1-7");
}

Program mixed() {
  std::vector<Ran> functions;
  for (uint64_t i = 0; i < 6; ++i) {
    std::vector<uint64_t> counts;
    for (uint64_t path = 0; path < 16; ++path) counts.push_back(1 + (path * 7 + i * 13) % 50 * (i + 1));
    functions.push_back({tree("own" + std::to_string(i), 4, false), counts});
    functions.push_back({tree("common" + std::to_string(i), 4, true), counts});
    functions.push_back({diamonds("row" + std::to_string(i), 3), {counts.begin(), counts.begin() + 8}});
  }
  functions.push_back({counted_loop("rounds"), {9, 1, 991, 9}});
  return program_of(functions);
}

TEST(PathSplit, EveryPathIsInExactlyOnePart) {
  Program program = mixed();
  uint64_t all = 0;
  for (const CountedProcedure &p : program.procedures) all += p.map->plan.paths.paths;
  for (size_t groups : {1, 2, 3, 5, 8, 16, 40}) {
    std::vector<PathGroup> parts = split(program, groups);
    ASSERT_EQ(parts.size(), groups);
    auto times = times_named(parts);
    EXPECT_EQ(times.size(), all) << groups;
    for (const auto &[path, n] : times) EXPECT_EQ(n, 1) << path.first << ' ' << path.second << " of " << groups;
    uint64_t named = 0;
    for (const PathGroup &part : parts) named += part.paths;
    EXPECT_EQ(named, all);
  }
}

// The last piece that the dearest part got went to it when it had least: what it had without
// that piece is at most an even share. No piece costs more than the dearest function.
TEST(PathSplit, NoPartHasMoreThanItsShareAndOnePiece) {
  Program program = mixed();
  double dearest = 0;
  for (const CountedProcedure &p : program.procedures) {
    std::string only = p.map->name + " *\n";
    dearest = std::max(dearest, split(program, 1, only.c_str())[0].cost);
  }
  for (size_t groups : {2, 3, 5, 8, 16}) {
    double total = 0, most = 0;
    for (const PathGroup &part : split(program, groups)) {
      total += part.cost;
      most = std::max(most, part.cost);
    }
    EXPECT_LE(most, total / static_cast<double>(groups) + dearest) << groups;
  }
}

TEST(PathSplit, OnlyWhatIsWanted) {
  Program program = mixed();
  format::PathChoice some;
  some.function = "own0";
  some.shape = format::path_shape(*program.procedures[0].map, numbering_of(*program.procedures[0].map));
  some.numbers = {{2, 4}, {9, 9}};
  std::string wanted = format::write_path_choice(some) + "\nrow? *\n";
  std::vector<PathGroup> parts = split(program, 3, wanted.c_str());
  std::set<std::pair<std::string, uint64_t>> expected = {{"own0", 2}, {"own0", 3}, {"own0", 4}, {"own0", 9}};
  for (uint64_t i = 0; i < 6; ++i) {
    for (uint64_t n = 0; n < 8; ++n) expected.emplace("row" + std::to_string(i), n);
  }
  std::set<std::pair<std::string, uint64_t>> named;
  for (const auto &[path, times] : times_named(parts)) named.insert(path);
  EXPECT_EQ(named, expected);
  EXPECT_THROW(split(program, 3, "own0 1 shape=1\n"), base::Error);
}

// More than can be listed: whole while one part can pay for it, else what ran is divided.
TEST(PathSplit, ManyPaths) {
  Program cheap = program_of({{diamonds("many", 15), {1}}, {tree("t", 3, false), std::vector<uint64_t>(8, 100)}});
  EXPECT_EQ(show(split(cheap, 2)), "many *; t 1,3,5,7 | t 0,2,4,6");
  Program dear = program_of({{diamonds("many", 15), {100, 7}}});
  std::vector<std::string> only_ran;
  std::vector<PathGroup> parts = split_paths(dear, nullptr, 2, only_ran);
  EXPECT_EQ(only_ran, (std::vector<std::string>{"many"}));
  EXPECT_EQ(times_named(parts), (std::map<std::pair<std::string, uint64_t>, int>{{{"many", 0}, 1}, {{"many", 1}, 1}}));
}

TEST(PathSplit, ProfilesOfPartsAddUp) {
  Program first = program_of({{diamonds("two", 2), {1, 2, 0, 0}}, {diamonds("only", 1), {5, 5}}});
  Program second = program_of({{diamonds("two", 2), {10, 0, 30, 0}}, {diamonds("two", 1), {7, 0}}});
  first.procedures[0].memory = {32, 8};
  second.procedures[0].memory = {16, 0};
  add_paths(first, std::move(second));
  ASSERT_EQ(first.procedures.size(), 3u);  // another shape is another function
  std::map<uint64_t, int64_t> counts;
  for (const CountedPath &path : first.procedures[0].paths) counts[path.number] += path.count;
  EXPECT_EQ(counts, (std::map<uint64_t, int64_t>{{0, 11}, {1, 2}, {2, 30}}));
  EXPECT_EQ(first.procedures[0].memory.thread, 48u);
  EXPECT_EQ(first.procedures[0].memory.shared, 8u);
  EXPECT_EQ(first.runs, 2u);
}

}  // namespace
}  // namespace chord::analysis
