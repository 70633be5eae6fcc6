#include "base/cxx_names.h"

#include <gtest/gtest.h>

#include "base/function_names.h"

namespace chord::base {
namespace {

TEST(CxxNames, OfClones) {
  EXPECT_EQ(demangle("main"), "main");
  EXPECT_EQ(demangle("_Z3addii"), "add(int, int)");
  EXPECT_EQ(demangle("_Z3addii.cold"), "add(int, int) [.cold]");
  EXPECT_EQ(demangle("_Zgarbage!"), "_Zgarbage!");
}

// gfortran's names of what is in a module or submodule.
TEST(CxxNames, OfModules) {
  EXPECT_EQ(demangle("__grid_MOD_relax"), "grid::relax");
  EXPECT_EQ(demangle("__grid_MOD_relax.constprop.0"), "grid::relax [.constprop.0]");
  EXPECT_EQ(demangle("__grid.fast_MOD_relax"), "grid.fast::relax");
  for (const char *none : {"MAIN__", "dgemm_", "___MOD_", "___MOD_f", "__grid_MOD_", "__grid_MOD_.0", "grid_MOD_relax"}) EXPECT_EQ(demangle(none), none);
  for (const char *asked : {"__grid_MOD_relax", "grid::relax", "relax", "grid::*"}) EXPECT_TRUE(matches_function("__grid_MOD_relax", asked)) << asked;
}

// The mark of the newer ABI says nothing to a reader, whether std is in the name or not.
TEST(CxxNames, MarksOfTheAbiGo) { EXPECT_EQ(familiar_name("geometry::Circle::name[abi:cxx11]() const"), "geometry::Circle::name() const"); }

// What gcc makes of a coroutine; its frame is a type with the coroutine's linkage name.
TEST(CxxNames, OfCoroutines) {
  EXPECT_EQ(demangle("_Z4uptoPZ4uptoiE14_Z4uptoi.Frame.actor"), "upto(int) [.actor]");
  EXPECT_EQ(demangle("_Z4uptoPZ4uptoiE14_Z4uptoi.Frame.destroy"), "upto(int) [.destroy]");
  EXPECT_EQ(demangle("_Z4uptoPZ4uptoiE14_Z4uptoi.Frame.actor.cold"), "upto(int) [.actor.cold]");
  EXPECT_EQ(demangle("_ZN2ns2tfEPZNS_2tfIPFvvEEE1TT_E27_ZN2ns2tfIPFvvEEE1TT_.Frame.actor"), "T ns::tf<void (*)()>(void (*)()) [.actor]");
  EXPECT_EQ(demangle("_ZZ4mainENUliE_clEPZZ4mainENKS_clEiE26_ZZ4mainENKUliE_clEi.Frame.actor"), "main::{lambda(int)#1}::operator()(int) const [.actor]");
  for (const char *none : {"_Z4upto.Frame.actor", "_Z4uptoPZ4uptoiE13_Z4uptoi.Frame.actor", "_Z.Frame.", "_Z4uptoPZ4uptoiE14_Z4uptoi.Fram"}) {
    EXPECT_EQ(demangle(none).find("[.actor]"), std::string::npos) << none;
  }
}

TEST(FunctionNames, EachFormMatches) {
  const std::string name = "_ZN2ns1SIiE5totalERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
  for (const char *glob : {"_ZN2ns1SIiE5totalERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", "ns::S<int>::total(std::string const&)", "ns::S<int>::total", "total",
                           "ns::*", "*::total", "tot?l", "*string const&)"}) {
    EXPECT_TRUE(matches_function(name, glob)) << glob;
  }
  for (const char *glob : {"S", "ns::S", "tota", "ns", "S<int>::total", "main"}) EXPECT_FALSE(matches_function(name, glob)) << glob;
  EXPECT_TRUE(matches_function("main", "main"));
  EXPECT_FALSE(matches_function("main.cold", "main"));
}

// Names that are also patterns.
TEST(FunctionNames, OperatorsAreMeantLiterally) {
  EXPECT_TRUE(matches_function("_ZN1SixEi", "S::operator[]"));
  EXPECT_TRUE(matches_function("_ZmlRK1SS1_", "operator*"));
  EXPECT_TRUE(matches_function("_Z1fPA3_i", "f(int (*) [3])"));
}

TEST(FunctionNames, TheBestFitIsTold) {
  const std::string name = "_ZN2ns1S5totalEi";
  EXPECT_EQ(fit_of(name, name), Fit::exact);
  EXPECT_EQ(fit_of(name, "ns::S::total(int)"), Fit::exact);
  EXPECT_EQ(fit_of(name, "ns::S::total"), Fit::exact);
  EXPECT_EQ(fit_of(name, "S::total"), Fit::unqualified);
  EXPECT_EQ(fit_of(name, "total"), Fit::unqualified);
  EXPECT_EQ(fit_of(name, "ota"), Fit::partial);
  EXPECT_EQ(fit_of(name, "other"), Fit::none);
}

TEST(FunctionNames, AnswersAreRemembered) {
  const NamedFunctions named("total");
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(named.contains("_ZN2ns1S5totalEi"));
    EXPECT_FALSE(named.contains("main"));
  }
}

TEST(CxxNames, FamiliarForms) {
  EXPECT_EQ(familiar_name("f(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)"), "f(std::string const&)");
  EXPECT_EQ(familiar_name("std::vector<int, std::allocator<int> >::push_back(int&&)"), "std::vector<int>::push_back(int&&)");
  EXPECT_EQ(familiar_name("std::map<int, std::vector<char, std::allocator<char> >, std::less<int>, std::allocator<std::pair<int const, "
                          "std::vector<char, std::allocator<char> > > > >::~map()"),
            "std::map<int, std::vector<char>>::~map()");
  EXPECT_EQ(familiar_name("std::basic_ostream<char, std::char_traits<char> >& operator<<(int)"), "std::ostream& operator<<(int)");
  EXPECT_EQ(familiar_name("plain(int)"), "plain(int)");
}

// An allocator that somebody chose is not left out.
TEST(CxxNames, OwnAllocatorsStay) {
  EXPECT_EQ(familiar_name("std::vector<int, pool::allocator<int> >::f()"), "std::vector<int, pool::allocator<int>>::f()");
  EXPECT_EQ(familiar_name("X<int, std::allocator<int>, int>::std::f()"), "X<int, std::allocator<int>, int>::std::f()");
}

}  // namespace
}  // namespace chord::base
