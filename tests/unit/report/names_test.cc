#include "report/tables/names.h"

#include <gtest/gtest.h>

namespace chord::report {
namespace {

TEST(Names, InnerArgumentsGoFirst) {
  std::string name = "outer<inner<int, long>, other<char>>::f(first, second)";
  EXPECT_EQ(fit_name(name, 100), name);
  EXPECT_EQ(fit_name(name, 50), "outer<inner<…>, other<…>>::f(first, second)");
  EXPECT_EQ(fit_name(name, 30), "outer<…>::f(first, second)");
  EXPECT_EQ(fit_name(name, 20), "outer<…>::f(…)");
  EXPECT_EQ(fit_name(name, 11), "outer<…>::f");
  EXPECT_EQ(fit_name(name, 10), "…::f(…)");
}

TEST(Names, WhatIsReturnedGoesBeforeTheName) {
  const char *name = "void std::sort<int*, less>(int*, int*) [.isra.0]";
  EXPECT_EQ(fit_name(name, 33), "void std::sort<…>(…) [.isra.0]");
  EXPECT_EQ(fit_name(name, 28), "std::sort<…>(…) [.isra.0]");
  EXPECT_EQ(fit_name(name, 20), "std::sort<…>(…)");
  EXPECT_EQ(fit_name("a<b> (anonymous namespace)::f<int>(int)", 15), "(…)::f<…>(…)");
  EXPECT_EQ(fit_name("sort(int*, int*) [.isra.0]  sort.h:7", 18), "sort(…)  sort.h:7");
  // Outer scopes go before letters of the name do.
  EXPECT_EQ(fit_name("leveldb::Block::Iter::ParseNextKey()", 29), "…::Block::Iter::ParseNextKey");
  EXPECT_EQ(fit_name("leveldb::Block::Iter::ParseNextKey()", 27), "…::Iter::ParseNextKey()");
  EXPECT_EQ(fit_name("leveldb::Block::Iter::ParseNextKey()", 20), "…::ParseNextKey()");
  EXPECT_EQ(fit_name("leveldb::Block::Iter::ParseNextKey()", 12), "…::Par…xtKey");
  EXPECT_EQ(fit_name("leveldb::(anonymous namespace)::Bytewise::Compare(leveldb::Slice const&) const", 24), "…::Bytewise::Compare(…)");
  EXPECT_EQ(fit_name("a::b::operator<(c::d const&) const", 22), "a::b::operator<(…)");
  EXPECT_EQ(fit_name("a::operator unsigned long() const", 20), "a::operato…gned long");
}

// Which class it is of says more than that it takes nothing and is const: methods of one name stay apart.
TEST(Names, AScopeIsWorthMoreThanParameters) {
  const char *name = "geometry::Circle::area() const";
  EXPECT_EQ(fit_name(name, 29), "geometry::Circle::area()");
  EXPECT_EQ(fit_name(name, 23), "geometry::Circle::area");
  EXPECT_EQ(fit_name(name, 17), "…::Circle::area()");
  EXPECT_EQ(fit_name(name, 15), "…::Circle::area");
  EXPECT_EQ(fit_name(name, 14), "…::area()");
  EXPECT_EQ(fit_name("void std::vector<int>::_M_realloc_insert<int>(int)", 20), "…::_M_realloc_insert");
  EXPECT_EQ(fit_name("a::S::operator()(int) const", 19), "a::S::operator()(…)");
  EXPECT_EQ(fit_name("a::S::operator()(int) const", 18), "a::S::operator()");
}

TEST(Names, OperatorsAreNoBrackets) {
  EXPECT_EQ(fit_name("a::operator<<(first, second)", 20), "a::operator<<(…)");
  EXPECT_EQ(fit_name("a::operator->(first, second)", 20), "a::operator->(…)");
  EXPECT_EQ(fit_name("a::operator()(first, second)", 20), "a::operator()(…)");
  EXPECT_EQ(fit_name("a::operator< <int>(first, second)", 24), "a::operator< <…>(…)");
}

// Whatever the name, it fits, and brackets that do not match do no harm.
TEST(Names, AlwaysFit) {
  for (const char *name : {"<<<<<<<<<<<<<<<<<<<<<<", ">>>>>>>>>>>>>>>>>>>>>", "operator", "a<b(c<d>)e<f", "((((((((((", "operator<operator<operator<<", "ä<öööööööööööö>ü"}) {
    for (size_t width = 1; width < 30; ++width) EXPECT_LE(display_width(fit_name(name, width)), width) << name;
  }
}

TEST(Names, Cuts) {
  EXPECT_EQ(cut_end("abcdef", 4), "abc…");
  EXPECT_EQ(cut_front("abcdef", 4), "…def");
  EXPECT_EQ(cut_middle("abcdef", 4), "ab…f");
  EXPECT_EQ(cut_middle("äöüäöü", 4), "äö…ü");
}

TEST(Names, Folders) {
  EXPECT_EQ(common_folder({"/a/b/c.c", "/a/b/d/e.c", "/usr/include/x.h", "local.c"}), "/a/b/");
  EXPECT_EQ(common_folder({"/a/bc/x.c", "/a/bd/y.c"}), "/a/");
  EXPECT_EQ(common_folder({"/a/x.c", "/b/y.c"}), "");
  EXPECT_EQ(common_folder({}), "");
  EXPECT_EQ(below("/a/b/c.c", "/a/b/"), "c.c");
  EXPECT_EQ(below("/x/c.c", "/a/b/"), "/x/c.c");
}

}  // namespace
}  // namespace chord::report
