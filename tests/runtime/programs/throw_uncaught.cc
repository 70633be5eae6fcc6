/* An exception nobody catches: nothing is unwound, everything ends where it stands.
 * calls: main=1 middle=1 thrower=1 after=0
 * status: signal 6
 */
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "counted.h"
extern "C" {
COUNTED void thrower(void) { throw 1; }
COUNTED void middle(void) {
  thrower();
  after();
}
}
int main() {
  std::set_terminate([] { abort(); });
  middle();
  return 0;
}
