/* Rethrown, thrown while another is handled, thrown in a destructor that catches it.
 * calls: main=1 first=100 second=100 inner=100 caught=300 after=0
 */
#include "counted.h"
extern "C" {
COUNTED void caught(void) { TOUCH(); }
COUNTED void first(void) { throw 1; }
COUNTED void inner(void) { throw 2L; }
struct Object {
  ~Object() {
    try {
      inner();
      after();
    } catch (long) {
      caught();
    }
  }
};
COUNTED void second(void) {
  Object object;
  try {
    first();
    after();
  } catch (int) {
    caught();
    throw;
  }
  after();
}
}
int main() {
  for (int i = 0; i < 100; i++) try {
      second();
      after();
    } catch (int) {
      caught();
    }
  return 0;
}
