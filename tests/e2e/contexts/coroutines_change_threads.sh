#!/bin/sh
# Coroutines that go on in other threads count in no record that another thread counts in at the same time. All counts follow from arithmetic.
. "$(dirname "$0")/../common.inc"

# Stacks of their own: all are begun by one call, some go on in the thread that began them and some in others, all at once, and change places
# again and again. One stack is used by one coroutine after the other.
cat >stacks.c <<'SOURCE'
#include <pthread.h>
#include <ucontext.h>
#define NOINLINE __attribute__((noinline))
enum { STACKS = 8, ROUNDS = 6, TURNS = 100000, AGAIN = 1000 };
static ucontext_t context[STACKS + 1], back[STACKS];
static char memory[STACKS + 1][65536];
static pthread_barrier_t barrier;
NOINLINE void leaf(void) { __asm__ volatile(""); }
NOINLINE void step(void) { leaf(); __asm__ volatile(""); }
static int on[STACKS + 1];  // the worker that goes on with it
NOINLINE void leave(int i) { swapcontext(&context[i], &back[on[i]]); __asm__ volatile(""); }
static void body(int i) {
  leave(i);
  for (int r = 0; r < ROUNDS; r++) {
    for (int n = 0; n < TURNS; n++) step();
    leave(i);
  }
}
static void once(void) { leaf(); }
NOINLINE void begin(int i, void (*function)(void)) {
  getcontext(&context[i]);
  context[i].uc_stack.ss_sp = memory[i];
  context[i].uc_stack.ss_size = sizeof memory[i];
  context[i].uc_link = &back[0];
  makecontext(&context[i], function, 1, i);
  swapcontext(&back[0], &context[i]);
  __asm__ volatile("");
}
NOINLINE void *worker(void *number) {
  int own = (int)(long)number;
  for (int r = 0; r < ROUNDS; r++) {
    int i = (own + r) % STACKS;
    on[i] = own;
    swapcontext(&back[own], &context[i]);
    pthread_barrier_wait(&barrier);
  }
  return number;
}
int main(void) {
  pthread_t threads[STACKS];
  pthread_barrier_init(&barrier, 0, STACKS);
#pragma GCC unroll 1
  for (int i = 0; i < STACKS; i++) begin(i, (void (*)(void))body);
  for (long i = 1; i < STACKS; i++) pthread_create(threads + i, 0, worker, (void *)i);
  worker((void *)0L);
  for (int i = 1; i < STACKS; i++) pthread_join(threads[i], 0);
#pragma GCC unroll 1
  for (int n = 0; n < AGAIN; n++) begin(STACKS, once);
  return 0;
}
SOURCE
# chains FILE.json: contexts as chains of names with their calls.
chains() {
  python3 - "$1" <<'PYTHON'
import json, sys
rows = {r["id"]: r for r in json.load(open(sys.argv[1]))["rows"]}
def chain(r):
    return (chain(rows[r["parent"]]) + ">" if r["parent"] else "") + r["function"]
print(*sorted(f"{chain(r)}:{r['calls']}" for r in rows.values()))
PYTHON
}
for mode in --context "--context --paths"; do
  for build in "gcc -O1" "clang -O1 -fPIC -pie"; do
    rm -f ./*.chord
    "$CHORD" $mode $build stacks.c -o stacks -pthread
    ./stacks
    "$CHORD" contexts --function=step --json >step.json
    expect_equal "$mode $build: steps" "4800000" "$(python3 -c '
import json
print(sum(r["calls"] for r in json.load(open("step.json"))["rows"]))')"
    "$CHORD" contexts --json >contexts.json
    # The two calls of leave are two contexts; who goes on with a stack in a thread does not call what runs there.
    expect_equal "$mode $build" "main:1 main>begin:1000 main>begin:8 main>begin>body:8 main>begin>body>leave:48 main>begin>body>leave:8 \
main>begin>body>step:4800000 main>begin>body>step>leaf:4800000 main>begin>once:1000 main>begin>once>leaf:1000 main>worker:1 worker:7" \
      "$(chains contexts.json)"
  done
done

# A limit is one of what records take, not of what is mapped for the trees of sixteen threads and stacks.
rm -f ./*.chord
CHORD_CONTEXT_MEMORY=1 ./stacks
"$CHORD" contexts --json >contexts.json 2>err
expect_equal "a limit of one megabyte" "" "$(cat err)"

# A thread that pauses does not count on other stacks either, and goes on with them after.
cat >pause.c <<'SOURCE'
#include <ucontext.h>
#include <chord/chord.h>
#define NOINLINE __attribute__((noinline))
static ucontext_t context, back;
static char stack[65536];
NOINLINE void leaf(void) { __asm__ volatile(""); }
NOINLINE void seen(void) { leaf(); __asm__ volatile(""); }
static void body(int n) { for (int i = 0; i < n; i++) leaf(); }
NOINLINE void begin(int n) {
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = sizeof stack;
  context.uc_link = &back;
  makecontext(&context, (void (*)(void))body, 1, n);
  swapcontext(&back, &context);
  __asm__ volatile("");
}
int main(void) {
  begin(3);
  chord_pause();
  begin(100);
  seen();
  chord_resume();
  seen();
  begin(5);
  return 0;
}
SOURCE
rm -f ./*.chord
"$CHORD" --context gcc -O1 -I"$root/runtime/include" pause.c -o pause
./pause
"$CHORD" contexts --json >contexts.json
expect_equal "paused" "main:1 main>begin:1 main>begin:1 main>begin>body:1 main>begin>body:1 main>begin>body>leaf:3 main>begin>body>leaf:5 main>seen:1 main>seen>leaf:1" \
  "$(chains contexts.json)"

# Coroutines of C++20 hold nothing of the thread that left them: what resumes them is their caller.
cat >resumed.cc <<'SOURCE'
#include <coroutine>
#include <thread>
#define NOINLINE __attribute__((noinline))
NOINLINE void leaf() { __asm__ volatile(""); }
struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<> handle;
};
static Task work() {
  for (int r = 0; r < 4; r++) {
    for (int i = 0; i < 100000; i++) leaf();
    co_await std::suspend_always{};
  }
}
NOINLINE void go_on(Task &task) {
  task.handle.resume();
  __asm__ volatile("");
}
int main() {
  Task tasks[2] = {work(), work()};
  for (int r = 0; r < 4; r++) {
    std::thread other([&] { go_on(tasks[r % 2]); });
    go_on(tasks[1 - r % 2]);
    other.join();
  }
  for (Task &task : tasks) task.handle.destroy();
  return 0;
}
SOURCE
rm -f ./*.chord
"$CHORD" --context g++ -std=c++20 -O1 resumed.cc -o resumed -pthread
./resumed
"$CHORD" contexts --function=leaf --by-thread --json >contexts.json
expect_equal "resumed in other threads" "400000 100000 100000 100000 100000" "$(python3 -c '
import json
rows = json.load(open("contexts.json"))["rows"]
print(*(r["calls"] for r in sorted(rows, key=lambda r: r["thread"]) if "leaf" in r["function"]))')"
