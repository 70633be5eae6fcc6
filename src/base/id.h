// Numbers that name things, told apart by what they name.
//
// An id is an index: it is a number wherever one is read. The other direction is explicit: a number
// becomes an id only where somebody says so (`Vertex(n)`), apart from literals and kNone; and one
// kind of id never becomes another, nor is it compared with one.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>

namespace chord {

// No such thing: as an id of any kind, or as the number that stands for it in files.
struct None {
  constexpr operator uint32_t() const { return UINT32_MAX; }
};
inline constexpr None kNone;

template <class Named>
class Id {
 public:
  constexpr Id() = default;
  constexpr Id(None none) : number_(none) {}
  consteval Id(int number) : number_(static_cast<uint32_t>(number)) {}
  template <std::unsigned_integral Number>
  explicit constexpr Id(Number number) : number_(static_cast<uint32_t>(number)) {}
  template <class Other>
  explicit constexpr Id(Id<Other>) = delete;

  constexpr operator uint32_t() const { return number_; }
  constexpr Id &operator++() {
    number_++;
    return *this;
  }
  constexpr Id operator++(int) {
    Id before = *this;
    number_++;
    return before;
  }

 private:
  uint32_t number_ = 0;
};

template <class A, class B>
  requires(!std::same_as<A, B>)
bool operator==(Id<A>, Id<B>) = delete;
template <class A, class B>
  requires(!std::same_as<A, B>)
std::strong_ordering operator<=>(Id<A>, Id<B>) = delete;

}  // namespace chord
