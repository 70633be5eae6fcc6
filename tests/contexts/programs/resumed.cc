// flags: -std=c++20
// Coroutines of C++20: resumed from several places, one by another, ended by an exception, and left unfinished.
#include <coroutine>
#include <cstdio>
#include <exception>
#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += sink + i;
  return sum;
}
struct Numbers {
  struct promise_type {
    int value = 0;
    std::exception_ptr failure;
    Numbers get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int v) {
      value = work(v);
      return {};
    }
    void return_void() {}
    void unhandled_exception() { failure = std::current_exception(); }
  };
  std::coroutine_handle<promise_type> handle;
};
static Numbers count(int n) {
  for (int i = 0; i < n; i++) {
    co_yield i;
    if (i == 3) throw i;
  }
}
static Numbers nested(int n) {
  Numbers inner = count(n);
  while (!inner.handle.done()) {
    inner.handle.resume();
    co_yield inner.handle.promise().value % 4 + work(1);
  }
  inner.handle.destroy();
}
NOINLINE int take(Numbers &numbers) {
  numbers.handle.resume();
  return numbers.handle.promise().value;
}
NOINLINE int drain(Numbers &numbers) {
  int sum = 0;
  while (!numbers.handle.done()) sum += take(numbers);
  return sum;
}
int main() {
  int sum = 0;
  for (int n = 1; n < 7; n++) {
    Numbers one = count(n), two = nested(n);
    sum += take(one) + take(two) + drain(two);
    if (n % 2 == 0) sum += drain(one);
    if (one.handle.promise().failure) sum += work(3);
    one.handle.destroy();
    two.handle.destroy();
  }
  std::printf("%d\n", sum);
}
