// flags: -std=c++20
// Coroutines of C++20 that hand on to each other (symmetric transfer), generators in generators, exceptions through a resumption, frames that are
// thrown away; and a comparison that throws out of a library.
#include <algorithm>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>
#define NOINLINE __attribute__((noinline))
static volatile int sink;
NOINLINE int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += sink + i;
  return sum;
}
struct Task {
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;
  struct Final {
    bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle h) noexcept;
    void await_resume() noexcept {}
  };
  struct promise_type {
    std::coroutine_handle<> waiting = std::noop_coroutine();
    std::exception_ptr error;
    int value = 0;
    Task get_return_object() { return Task{Handle::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    Final final_suspend() noexcept { return {}; }
    void return_value(int v) { value = v; }
    void unhandled_exception() { error = std::current_exception(); }
  };
  explicit Task(Handle h) : handle(h) {}
  Task(Task &&other) noexcept : handle(std::exchange(other.handle, {})) {}
  ~Task() {
    if (handle) handle.destroy();
  }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) {
    handle.promise().waiting = waiting;
    return handle;
  }
  int await_resume() {
    if (handle.promise().error) std::rethrow_exception(handle.promise().error);
    return handle.promise().value;
  }
  Handle handle;
};
std::coroutine_handle<> Task::Final::await_suspend(Handle h) noexcept { return h.promise().waiting; }
NOINLINE Task leaf(int n) {
  if (work(n) < 0 || n == 3) throw std::runtime_error("three");
  co_return work(n);
}
NOINLINE Task deep(int n) {
  int sum = 0;
  if (n > 0) sum += co_await deep(n - 1);
  try {
    sum += co_await leaf(n);
  } catch (const std::exception &) {
    sum += work(2);
  }
  co_return sum;
}
NOINLINE int run(int n) {
  Task task = deep(n);
  task.handle.resume();
  return task.handle.promise().value;
}
NOINLINE void thrown_away(int n) {
  Task never = deep(n);  // never resumed
  work(n);
}
struct Less {
  int limit;
  NOINLINE bool operator()(int a, int b) const {
    if (work(1) < 0 || a + b == limit) throw a;
    return a < b;
  }
};
NOINLINE int sorts(int limit) {
  std::vector<int> v = {5, 2, 8, 1, 9, 3};
  try {
    std::sort(v.begin(), v.end(), Less{limit});
  } catch (int x) {
    return run(x & 1);
  }
  return v[0];
}
int main() {
  int sum = run(4) + run(2);
  thrown_away(3);
  for (int i = 0; i < 12; i += 3) sum += sorts(i);
  std::printf("%d\n", sum);
}
