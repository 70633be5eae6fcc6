// Static locals with guards, global constructors and destructors, thread-local objects.
#include <cstdio>
#include <string>

struct Trace {
  explicit Trace(const char *name) : name(name) { std::printf("+%s ", name); }
  ~Trace() { std::printf("-%s ", name); }
  const char *name;
};
static Trace first("first");
Trace second("second");

static int counter() {
  static int calls;
  return ++calls;
}
static const std::string &cached(int n) {
  static const std::string text = std::string(static_cast<std::size_t>(n), 'q') + std::to_string(counter());
  return text;
}
static int &per_thread() {
  thread_local int value = counter() * 100;
  return value;
}
static Trace &lazy() {
  static Trace trace("lazy");
  return trace;
}
__attribute__((constructor)) static void early() { std::printf("early "); }
__attribute__((destructor)) static void late() { std::printf("late\n"); }

int main() {
  for (int i = 0; i < 5; i++) per_thread() += counter();
  std::printf("%s %s %d %s\n", cached(3).c_str(), cached(9).c_str(), per_thread(), lazy().name);
}
