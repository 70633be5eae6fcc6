// Virtual calls, multiple inheritance with its thunks, virtual bases, pure interfaces.
#include <cstdio>
#include <memory>
#include <vector>

struct Shape {
  virtual ~Shape() = default;
  virtual long area() const = 0;
  virtual const char *name() const { return "shape"; }
};
struct Named {
  virtual ~Named() = default;
  virtual int label(int n) const { return n; }
  long extra = 5;
};
struct Square : Shape, Named {
  explicit Square(long side) : side(side) {}
  long area() const override { return side * side; }
  const char *name() const override { return "square"; }
  int label(int n) const override { return n + static_cast<int>(side + extra); }
  long side;
};
struct Rectangle : Square {
  Rectangle(long a, long b) : Square(a), other(b) {}
  long area() const override { return side * other; }
  int label(int n) const override { return Square::label(n) * 2; }
  long other;
};
struct Base {
  virtual ~Base() { std::printf("~Base "); }
  int value = 1;
};
struct Left : virtual Base {
  ~Left() override { value += 2; }
};
struct Right : virtual Base {
  ~Right() override { value += 4; }
};
struct Both : Left, Right {
  ~Both() override { std::printf("%d ", value); }
};

static long total(const std::vector<std::unique_ptr<Shape>> &shapes) {
  long sum = 0;
  for (const auto &shape : shapes) {
    sum += shape->area();
    if (auto *named = dynamic_cast<const Named *>(shape.get())) sum += named->label(3);
    sum += shape->name()[0];
  }
  return sum;
}

int main() {
  std::vector<std::unique_ptr<Shape>> shapes;
  for (int i = 0; i < 40; i++) {
    if (i % 3 == 0) shapes.push_back(std::make_unique<Square>(i));
    else shapes.push_back(std::make_unique<Rectangle>(i, i + 1));
  }
  std::printf("%ld\n", total(shapes));
  long (Shape::*method)() const = &Shape::area;
  std::printf("%ld\n", (shapes[7].get()->*method)());
  for (int i = 0; i < 3; i++) {
    Both both;
    std::unique_ptr<Base> owned = std::make_unique<Left>();
  }
  std::printf("\n");
}
