// Virtual calls, exceptions at every depth and through libraries, destructors and constructors.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>
#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += sink + i;
  return sum;
}
struct Guard {
  int n;
  NOINLINE explicit Guard(int k) : n(k) { work(k); }
  NOINLINE ~Guard() { work(n + 1); }
};
struct Shape {
  virtual ~Shape() = default;
  virtual int area(int n) = 0;
};
struct Square : Shape {
  NOINLINE int area(int n) override { return work(n * n % 5); }
};
struct Circle : Shape {
  NOINLINE int area(int n) override {
    if (n % 4 == 3) throw n;
    return work(n) + 1;
  }
};
NOINLINE int thrower(int n, int depth) {
  Guard guard(depth);
  if (depth == n) throw std::runtime_error("deep");
  return thrower(n, depth + 1) + work(1);
}
NOINLINE int caught(int n) {
  try {
    return thrower(n, 0);
  } catch (const std::exception &) {
    return work(n);
  }
}
static int throwing(const void *a, const void *b) {
  if (*static_cast<const int *>(a) == 2) throw 5;
  return work(*static_cast<const int *>(b));
}
NOINLINE int through_library() {
  int a[4] = {1, 2, 3, 4};
  try {
    std::qsort(a, 4, sizeof *a, throwing);
  } catch (int n) {
    return work(n);
  }
  return 0;
}
static Guard global(4);
int main() {
  std::vector<std::unique_ptr<Shape>> shapes;
  for (int i = 0; i < 6; i++) i % 2 ? shapes.push_back(std::make_unique<Square>()) : shapes.push_back(std::make_unique<Circle>());
  int sum = 0;
  for (int i = 0; i < 6; i++) {
    try {
      for (auto &s : shapes) sum += s->area(i);
    } catch (int n) {
      sum += caught(n);
    }
  }
  for (int i = 0; i < 5; i++) sum += caught(i);
  sum += through_library() + through_library();
  std::sort(shapes.begin(), shapes.end(), [](auto &a, auto &b) { return a->area(1) < b->area(2); });
  std::printf("%d\n", sum);
}
