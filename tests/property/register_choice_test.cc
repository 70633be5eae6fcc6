// core/register_choice against trying everything.
#include "core/paths/register_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace chord::core {
namespace {

RegisterProblem random_problem(std::mt19937 &random, uint32_t registers) {
  auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  RegisterProblem p;
  uint32_t loops = 1 + below(4);
  for (uint32_t l = 0; l < loops; ++l) {
    RegisterProblem::Loop loop;
    if (l != 0 && below(4) != 0) loop.parent = below(l);
    for (uint32_t kind = 0; kind < kRegisterClasses; ++kind) {
      loop.free[kind] = below(1u << registers);
      // What is free in a loop is free in those inside it.
      loop.cost[kind] = below(10);
    }
    p.loops.push_back(loop);
  }
  for (uint32_t l = 0; l < loops; ++l) {
    for (uint32_t kind = 0; kind < kRegisterClasses; ++kind) {
      if (p.loops[l].parent != kNone) p.loops[l].free[kind] |= p.loops[p.loops[l].parent].free[kind];
    }
  }
  uint32_t counters = below(5);
  for (uint32_t c = 0; c < counters; ++c) {
    p.counters.push_back({below(loops), {double(below(20)), double(below(20))}});
  }
  return p;
}

bool contains(const RegisterProblem &p, uint32_t outer, uint32_t inner) {
  for (; inner != kNone; inner = p.loops[inner].parent) {
    if (inner == outer) return true;
  }
  return false;
}

double saved_by(const RegisterProblem &p, uint32_t counter, const RegisterChoice &c) {
  return c.loop == kNone ? 0 : p.counters[counter].saved[c.kind] - p.loops[c.loop].cost[c.kind];
}

bool clash(const RegisterProblem &p, const RegisterChoice &a, const RegisterChoice &b) {
  if (a.loop == kNone || b.loop == kNone || a.kind != b.kind) return false;
  bool nested = contains(p, a.loop, b.loop) || contains(p, b.loop, a.loop);
  if (a.reg == b.reg || !nested || !p.halves[a.kind]) return a.reg == b.reg && nested;
  // Two halves of one register: the low one's loop must not reach beyond the other's.
  if (a.reg + kHighHalves == b.reg) return !contains(p, b.loop, a.loop);
  return b.reg + kHighHalves == a.reg && !contains(p, a.loop, b.loop);
}

// Of the second class both halves of each register.
RegisterProblem in_halves(RegisterProblem p) {
  p.halves[1] = true;
  for (RegisterProblem::Loop &loop : p.loops) loop.free[1] |= loop.free[1] << kHighHalves;
  return p;
}

// The most any valid choice saves.
double best_of_all(const RegisterProblem &p, std::vector<RegisterChoice> &made) {
  auto counter = static_cast<uint32_t>(made.size());
  if (counter == p.counters.size()) {
    double sum = 0;
    for (uint32_t i = 0; i < counter; ++i) sum += saved_by(p, i, made[i]);
    return sum;
  }
  made.push_back({});
  double best = best_of_all(p, made);
  for (uint32_t l = p.counters[counter].loop; l != kNone; l = p.loops[l].parent) {
    for (uint32_t kind = 0; kind < kRegisterClasses; ++kind) {
      for (uint32_t reg = 0; reg < 64 && p.loops[l].free[kind] >> reg != 0; ++reg) {
        made.back() = {l, kind, reg};
        bool valid = p.loops[l].free[kind] >> reg & 1;
        for (uint32_t i = 0; i < counter; ++i) valid = valid && !clash(p, made[i], made.back());
        if (valid) best = std::max(best, best_of_all(p, made));
      }
    }
  }
  made.pop_back();
  return best;
}

void expect_valid(const RegisterProblem &p, const std::vector<RegisterChoice> &chosen) {
  ASSERT_EQ(chosen.size(), p.counters.size());
  for (uint32_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i].loop == kNone) continue;
    EXPECT_TRUE(contains(p, chosen[i].loop, p.counters[i].loop));
    EXPECT_TRUE(p.loops[chosen[i].loop].free[chosen[i].kind] >> chosen[i].reg & 1);
    EXPECT_GT(saved_by(p, i, chosen[i]), 0);
    for (uint32_t k = 0; k < i; ++k) EXPECT_FALSE(clash(p, chosen[k], chosen[i]));
  }
}

double sum_of(const RegisterProblem &p, const std::vector<RegisterChoice> &chosen) {
  double sum = 0;
  for (uint32_t i = 0; i < chosen.size(); ++i) sum += saved_by(p, i, chosen[i]);
  return sum;
}

TEST(RegisterChoice, IsValidAndNeverMakesThingsWorse) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    RegisterProblem p = random_problem(random, 2);
    std::vector<RegisterChoice> chosen = choose_registers(p), none;
    expect_valid(p, chosen);
    EXPECT_LE(sum_of(p, chosen), best_of_all(p, none)) << "seed " << seed;
    if (HasFailure()) return;
  }
}

TEST(RegisterChoice, TakesHalvesInTheRightOrder) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    RegisterProblem p = in_halves(random_problem(random, seed % 2 == 0 ? 1 : 2));
    std::vector<RegisterChoice> chosen = choose_registers(p), none;
    expect_valid(p, chosen);
    EXPECT_EQ(saved_by(p, chosen), sum_of(p, chosen));
    EXPECT_LE(sum_of(p, chosen), best_of_all(p, none)) << "seed " << seed;
    if (HasFailure()) return;
  }
}

TEST(RegisterChoice, KeepsTheOuterLoopsCounterInTheHighHalf) {
  RegisterProblem p;
  p.loops.push_back({kNone, {}, {}});
  p.loops.push_back({0, {}, {}});
  p.loops[0].free[1] = p.loops[1].free[1] = 1;
  p.loops[0].cost[1] = 10;
  p.counters = {{0, {0, 20}}, {1, {0, 9}}};
  EXPECT_EQ(choose_registers(in_halves(p)), (std::vector<RegisterChoice>{{0, 1, kHighHalves}, {1, 1, 0}}));
  EXPECT_EQ(choose_registers(p), (std::vector<RegisterChoice>{{0, 1, 0}, {}}));
}

TEST(RegisterChoice, IsBestWhereRegistersDoNotRunOut) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    RegisterProblem p = random_problem(random, 2);
    for (RegisterProblem::Loop &loop : p.loops) loop.free = {0x3f, 0x3f};
    std::vector<RegisterChoice> chosen = choose_registers(p);
    expect_valid(p, chosen);
    // Each alone could not do better.
    double alone = 0;
    for (uint32_t i = 0; i < p.counters.size(); ++i) {
      RegisterProblem one{p.loops, {p.counters[i]}};
      std::vector<RegisterChoice> none;
      alone += best_of_all(one, none);
    }
    EXPECT_EQ(sum_of(p, chosen), alone) << "seed " << seed;
    if (HasFailure()) return;
  }
}

TEST(RegisterChoice, PrefersTheOuterLoopAndFallsBackToInnerOnes) {
  RegisterProblem p;
  p.loops = {{kNone, {1, 0}, {1, 0}}, {0, {3, 0}, {10, 0}}};
  p.counters = {{1, {100, 0}}, {1, {90, 0}}, {1, {80, 0}}};
  EXPECT_EQ(choose_registers(p), (std::vector<RegisterChoice>{{0, 0, 0}, {1, 0, 1}, {}}));
}

}  // namespace
}  // namespace chord::core
