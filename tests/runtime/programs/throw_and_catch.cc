/* Frames that an exception passes end at their calls; landing pads are entered.
 * calls: main=1 thrower=1000 middle=1000 destroyed=1000 passed=500 caught=500
 * link: -static
 */
#include <stdexcept>

#include "counted.h"
extern "C" {
COUNTED void destroyed(void) { TOUCH(); }
COUNTED void passed(void) { TOUCH(); }
COUNTED void caught(void) { TOUCH(); }
COUNTED void thrower(int i) {
  if (i % 2) throw std::runtime_error("odd");
  TOUCH();
}
struct Object {
  ~Object() { destroyed(); }
};
COUNTED void middle(int i) {
  Object object;
  thrower(i);
}
COUNTED void outer(int i) {
  middle(i);
  passed();
}
}
int main() {
  for (int i = 0; i < 1000; i++) try {
      outer(i);
    } catch (std::exception &) {
      caught();
    }
  return 0;
}
