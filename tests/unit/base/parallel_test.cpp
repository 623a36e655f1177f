// SPDX-License-Identifier: Apache-2.0
#include "engine/base/parallel.hpp"

#include <atomic>
#include <cstddef>
#include <new>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.hpp"

// Which ends a child of a process with threads that starts one of its own.
#if defined(__SANITIZE_THREAD__)
#define FABRIC_HAS_TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FABRIC_HAS_TSAN
#endif
#endif

namespace fabric {
namespace {

std::size_t sum_below(std::size_t count) {
  std::atomic<std::size_t> sum{0};
  for_each_index(count, [&sum](std::size_t index) { sum += index; });
  return sum;
}

TEST_CASE("each number is worked on once, however many there are") {
  for (const std::size_t count : {0U, 1U, 2U, 15U, 16U, 17U, 65U, 1'000U, 4'321U}) {
    std::vector<int> calls(count);
    for_each_index(count, [&calls](std::size_t index) { ++calls[index]; });
    CHECK(calls == std::vector<int>(count, 1));
  }
}

TEST_CASE("work that is divided may divide its own, in several threads at once") {
  std::vector<std::thread> threads;
  std::atomic<std::size_t> right{0};
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&right] {
      for_each_index(50, [&right](std::size_t index) {
        if (sum_below(index) == index * (index - (index == 0 ? 0 : 1)) / 2) ++right;
      });
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  CHECK(right == 200);
}

TEST_CASE("who waits for divided work hears that there was no memory") {
  std::atomic<std::size_t> calls{0};
  CHECK_THROWS_AS(
      for_each_index(
          100'000,
          [&calls](std::size_t) {
            if (++calls == 100) throw std::bad_alloc{};
          }),
      std::bad_alloc);
  CHECK(calls < 100'000);
  CHECK(sum_below(1'000) == 499'500);
}

#ifndef FABRIC_HAS_TSAN
TEST_CASE("a child process divides work, though the threads are its parent's") {
  REQUIRE(sum_below(1'000) == 499'500);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a child that waits for ever would be a test that does
    _exit(sum_below(1'000) == 499'500 && sum_below(77) == 2'926 ? 0 : 1);
  }
  REQUIRE(child > 0);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
#endif

}  // namespace
}  // namespace fabric
