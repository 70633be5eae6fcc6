/* Children are made while another thread writes segments: each process keeps to its own
 * counts, file and locks.
 * calls: main=1 dump=1 in_child=100
 * flags: -pthread
 * segments: any
 */
#include <chord/chord.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counted.h"
static volatile int stop;
COUNTED void in_child(void) { TOUCH(); }
COUNTED void *dump(void *argument) {
  while (!stop) {
    work(1);
    chord_dump();
  }
  return argument;
}
int main(void) {
  pthread_t thread;
  int bad = 0, status;
  pthread_create(&thread, 0, dump, 0);
  for (int i = 0; i < 100; i++) {
    pid_t made = fork();
    if (made == 0) {
      in_child();
      _exit(7);
    }
    waitpid(made, &status, 0);
    bad += WEXITSTATUS(status) != 7;
  }
  stop = 1;
  pthread_join(thread, 0);
  return bad;
}
