/* An exception that reaches noexcept ends the process while it is being unwound:
 * frames it passed are still on the stack, and must not be counted twice.
 * calls: main=1 sealed=1 middle=1 thrower=1 destroyed=1 work=1 after=0
 * status: signal 6
 */
#include <cstdlib>
#include <exception>

#include "counted.h"
extern "C" {
COUNTED void destroyed(void) { TOUCH(); }
struct Object {
  ~Object() { destroyed(); }
};
COUNTED void thrower(void) { throw 1; }
COUNTED void middle(void) {
  thrower();
  after();
}
COUNTED void sealed(void) noexcept {
  middle();
  after();
}
COUNTED void with_object(void) {
  Object object;
  try {
    throw 1;
  } catch (int) {
  }
}
}
static void stop() {
  work(1);
  abort();
}
int main() {
  std::set_terminate(stop);
  with_object();
  sealed();
  after();
  return 0;
}
