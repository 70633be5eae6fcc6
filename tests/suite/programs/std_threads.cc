// suite-link: -pthread
// std::thread, thread_local objects with destructors, an exception inside a thread.
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

struct Tally {
  ~Tally() { *into += value * 2; }
  long value = 0;
  long *into = nullptr;
};
static thread_local Tally tally;

__attribute__((noinline)) static void add(int n) {
  if (n % 50 == 49) throw std::runtime_error("fifty");
  tally.value += n;
}
static void work(int n, long *result) {
  tally.into = result;
  for (int i = 0; i < n; i++) {
    try {
      add(i);
    } catch (const std::runtime_error &) {
      tally.value -= 1;
    }
  }
}

int main() {
  std::vector<long> results(6);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < results.size(); i++) threads.emplace_back(work, static_cast<int>(100 + 60 * i), &results[i]);
  for (auto &thread : threads) thread.join();
  long total = 0;
  for (long result : results) total = total * 3 + result;
  std::printf("%ld\n", total);
}
