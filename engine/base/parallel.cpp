// SPDX-License-Identifier: Apache-2.0
#include "engine/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace fabric {

namespace {

class Division {
 public:
  Division(std::size_t count, const std::function<void(std::size_t)>& work)
      : count_{count}, work_{work} {}

  void run() {
    // More would wait for memory, and each holds some.
    constexpr std::size_t kMostThreads = 16;
    const std::size_t processors = std::max(std::thread::hardware_concurrency(), 1U);
    const std::size_t pieces = (count_ + kTogether - 1) / kTogether;
    std::vector<std::thread> others;
    try {
      for (std::size_t each = 1; each < std::min({processors, kMostThreads, pieces}); ++each)
        others.emplace_back([this] { take_some(); });
    } catch (const std::system_error&) {
      // A machine that gives no thread: those that there are do it.
    }
    take_some();
    for (std::thread& other : others)
      other.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  // Neighbours are often alike: one thread takes a few at a time.
  static constexpr std::size_t kTogether = 16;

  void take_some() {
    try {
      while (true) {
        const std::size_t begin = next_.fetch_add(kTogether);
        if (begin >= count_) return;
        for (std::size_t index = begin; index < std::min(begin + kTogether, count_); ++index)
          work_(index);
      }
    } catch (...) {
      // There is no memory: whoever waits for all of it hears of that, as if it had no threads.
      const std::lock_guard lock{mutex_};
      failure_ = std::current_exception();
      next_ = count_;
    }
  }

  std::size_t count_;
  const std::function<void(std::size_t)>& work_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work) {
  Division{count, work}.run();
}

}  // namespace fabric
