/* std::thread, whose library starts threads out of woven code's sight.
 * calls: main=1 work=40000
 * flags: -pthread
 */
#include <thread>
#include <vector>

#include "counted.h"
int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; i++)
    threads.emplace_back([] {
      for (int k = 0; k < 5000; k++) work(k);
    });
  for (std::thread &thread : threads) thread.join();
  return 0;
}
