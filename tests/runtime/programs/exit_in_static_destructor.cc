/* Static objects are destroyed before the counts are written.
 * calls: main=1 work=3
 */
#include "counted.h"
struct Object {
  Object() { work(1); }
  ~Object() { work(2); }
};
static Object first;
struct Other {
  ~Other() { work(3); }
};
int main() {
  static Other other;
  return 0;
}
