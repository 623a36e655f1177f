// SPDX-License-Identifier: Apache-2.0
#include "engine/base/parallel.hpp"

#include <atomic>
#include <cstddef>
#include <new>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"

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

}  // namespace
}  // namespace fabric
