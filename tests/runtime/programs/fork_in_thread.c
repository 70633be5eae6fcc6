/* A threaded program forks; the child has one thread and starts from zero.
 * calls: main=1 run=4 in_child=4 busy=2
 * flags: -pthread
 * segments: 5
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counted.h"
static volatile int stop;
COUNTED void *busy(void *argument) {
  while (!stop) work(1);
  return argument;
}
COUNTED void in_child(void) { TOUCH(); }
COUNTED void *run(void *argument) {
  pid_t made = fork();
  if (made == 0) {
    in_child();
    _exit(0);
  }
  waitpid(made, 0, 0);
  return argument;
}
int main(void) {
  pthread_t others[2], threads[4];
  for (int i = 0; i < 2; i++) pthread_create(&others[i], 0, busy, 0);
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  stop = 1;
  for (int i = 0; i < 2; i++) pthread_join(others[i], 0);
  return 0;
}
