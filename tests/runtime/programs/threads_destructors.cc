/* What runs while a thread ends: thread_local objects, then keys, in rounds.
 * calls: main=1 run=8 object=8 key_destructor=24
 * flags: -pthread
 */
#include <pthread.h>

#include "counted.h"
static pthread_key_t key;
extern "C" COUNTED void object(void) { TOUCH(); }
extern "C" COUNTED void key_destructor(void *value) {
  long round = (long)value;
  if (round > 1) pthread_setspecific(key, (void *)(round - 1));
}
struct Object {
  int used = 0;
  ~Object() { object(); }
};
static thread_local Object mine;
extern "C" COUNTED void *run(void *argument) {
  mine.used = 1;
  pthread_setspecific(key, (void *)3);
  return argument;
}
int main() {
  pthread_key_create(&key, key_destructor);
  for (int i = 0; i < 8; i++) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
  }
  return 0;
}
