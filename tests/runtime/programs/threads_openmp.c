/* OpenMP: its threads wait for more work when the process exits.
 * calls: main=1 work=200000
 * flags: -fopenmp
 */
#include <stdio.h>

#include "counted.h"
int main(void) {
  long sum = 0;
  for (int round = 0; round < 2; round++) {
#pragma omp parallel for reduction(+ : sum) num_threads(4)
    for (int i = 0; i < 100000; i++) sum += work(i);
  }
  printf("%ld\n", sum);
  return 0;
}
