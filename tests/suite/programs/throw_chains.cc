// suite-except: unwind-free   (exceptions need what it leaves out)
// Exceptions that are rethrown, kept and thrown again, nested in handlers, thrown while
// others unwind (in destructors that catch them), and out of function-try-blocks.
#include <cstdio>
#include <exception>
#include <stdexcept>

static int closed;
struct Closer {
  explicit Closer(int n) : n(n) {}
  ~Closer() {
    try {
      if (n % 2) throw n;
      closed += 1;
    } catch (int value) {
      closed += value * 10;
    }
  }
  int n;
};
struct Thrower {
  explicit Thrower(bool armed) : armed(armed) {}
  ~Thrower() noexcept(false) {
    if (armed && std::uncaught_exceptions() == 0) throw 7L;
    closed++;
  }
  bool armed;
};
struct Base {
  explicit Base(int n) {
    if (n % 4 == 0) throw std::length_error("base");
  }
};
struct Derived : Base {
  explicit Derived(int n) try : Base(n), first(n), second(n + 1) {
    if (n % 4 == 1) throw n;
  } catch (const std::length_error &) {
    throw std::domain_error("derived");
  }
  Closer first, second;
};

__attribute__((noinline)) static int sink(int n) {
  Closer closer(n);
  if (n > 3) throw std::runtime_error("deep");
  return sink(n + 1) + 1;
}
__attribute__((noinline)) static int relay(int n, int times) {
  try {
    return times == 0 ? sink(n) : relay(n, times - 1);
  } catch (const std::logic_error &) {
    return -1;
  } catch (...) {
    closed++;
    throw;
  }
}
__attribute__((noinline)) static std::exception_ptr keep(int n) {
  try {
    relay(n % 3, n);
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}
__attribute__((noinline)) static int release(const std::exception_ptr &kept) {
  try {
    std::rethrow_exception(kept);
  } catch (const std::exception &error) {
    return error.what()[0];
  }
}
__attribute__((noinline)) static int from_destructor(bool armed, bool unwinding) {
  try {
    Thrower thrower(armed);
    if (unwinding) throw 'c';
    return 0;
  } catch (long value) {
    return static_cast<int>(value);
  } catch (char value) {
    return value;
  }
}
__attribute__((noinline)) static int wrap(int n) {
  try {
    try {
      relay(0, n);
    } catch (...) {
      std::throw_with_nested(std::out_of_range("outer"));
    }
  } catch (const std::out_of_range &outer) {
    try {
      std::rethrow_if_nested(outer);
    } catch (const std::runtime_error &inner) {
      return outer.what()[0] * 1000 + inner.what()[0];
    }
  }
  return 0;
}
__attribute__((noinline)) static int construct(int n) {
  try {
    Derived derived(n);
    return derived.first.n;
  } catch (const std::domain_error &) {
    return 100;
  } catch (int value) {
    return 200 + value;
  }
}

int main() {
  int sum = 0;
  for (int i = 0; i < 8; i++) {
    std::exception_ptr kept = keep(i);
    for (int again = 0; again < 3; again++) sum += release(kept);
    sum += wrap(i) + construct(i);
  }
  for (int i = 0; i < 4; i++) sum += from_destructor(i % 2, i / 2);
  std::printf("%d closed %d\n", sum, closed);
}
