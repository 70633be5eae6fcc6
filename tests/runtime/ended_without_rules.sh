#!/bin/sh
# A thread ended early in code without unwind information cannot be told where it stood: every
# report says so, and none where it can, or where no thread is ended early. Beside cleanup handlers of C
# a longjmp, too: what pthread_exit ends there is exact, of a cancellation it is said.
. "$(dirname "$0")/../e2e/common.inc"
cat >early.c <<'SOURCE'
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>
static const char *way;
static jmp_buf home;
static volatile int reached, cleaned;
static int is(const char *name) { return strcmp(way, name) == 0; }
static void cleanup(void *argument) { cleaned += argument == &home; }
static void jump(void) { longjmp(home, 1); }
static void end(void) {
  if (is("return")) return;
  if (is("exit") || is("jump_exit")) pthread_exit(NULL);
  if (is("thrd_exit")) thrd_exit(0);
  for (;;) pause();
}
static void *run(void *argument) {
  pthread_cleanup_push(cleanup, &home);
  if (strncmp(way, "jump", 4) == 0 && setjmp(home) == 0) jump();
  end();
  reached = 1; /* behind the end */
  pthread_cleanup_pop(0);
  return argument;
}
int main(int argc, char **argv) {
  pthread_t thread;
  way = argv[argc - 1];
  pthread_create(&thread, NULL, run, NULL);
  if (is("cancel") || is("jump_cancel")) {
    usleep(20000);
    pthread_cancel(thread);
  }
  pthread_join(thread, NULL);
  return cleaned != !is("return");
}
SOURCE
# end_by WAY EXPECTED: how often the line behind the end ran, or whether there is a note
end_by() {
  rm -f early.chord
  ./early "$1" || fail "$build $1: the handler did not run once"
  "$CHORD" report --by=line --csv early.chord >lines 2>err
  if [ "$2" = noted ]; then
    expect_contains "$build $1" "a thread was ended by pthread_exit or a cancellation" err
  else
    expect_equal "$build $1: warnings" "" "$(cat err)"
    [ "$2" != unnoted ] || return 0
    line=$(grep -n 'behind the end' early.c | cut -d: -f1)
    expect_equal "$build $1: the line behind" "$2" "$(tr -d '\r' <lines | grep "early.c,$line," | cut -d, -f3)"
  fi
}
for compiler in gcc clang; do
  for level in -O0 -O2; do
    build="$compiler $level"
    "$CHORD" $build -g early.c -o early -pthread
    end_by return 1
    end_by exit 0
    end_by thrd_exit 0
    end_by cancel 0
    end_by jump_exit 0
    end_by jump_cancel noted
    build="$build -fno-asynchronous-unwind-tables -fno-unwind-tables"
    "$CHORD" $build -g early.c -o early -pthread # the debugger's is used
    end_by return 1
    end_by exit 0
    end_by cancel 0
    "$CHORD" $build early.c -o early -pthread
    end_by return unnoted
    end_by exit noted
    end_by thrd_exit noted
    end_by cancel noted
  done
done
