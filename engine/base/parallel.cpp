// SPDX-License-Identifier: Apache-2.0
#include "engine/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace fabric {

namespace {

// The work of one call of for_each_index.
class Division {
 public:
  Division(std::size_t count, std::size_t together, const std::function<void(std::size_t)>& work)
      : count_{count}, together_{together}, work_{work} {}

  void take_some() {
    try {
      while (true) {
        const std::size_t begin = next_.fetch_add(together_);
        if (begin >= count_) return;
        for (std::size_t index = begin; index < std::min(begin + together_, count_); ++index)
          work_(index);
      }
    } catch (...) {
      // There is no memory: the waiting caller gets that error, as if there were no threads.
      const std::lock_guard lock{mutex_};
      failure_ = std::current_exception();
      next_ = count_;
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  friend class Helpers;

  std::size_t count_;
  std::size_t together_;
  const std::function<void(std::size_t)>& work_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
  // These are used by Helpers, under its mutex.
  std::size_t wanted_ = 0;
  std::size_t helping_ = 0;
};

// Threads that live as long as the process: one that ends leaves its memory to the others, which
// look through it again and again. The caller that divides work does a share of it, so nothing
// waits for a thread that is busy elsewhere.
class Helpers {
 public:
  static Helpers& of_process() {
    // Never destroyed: its threads wait in it until the process ends.
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
    static Helpers& helpers = *new Helpers;
    return helpers;
  }

  void run(Division& division, std::size_t threads) {
    {
      const std::lock_guard lock{mutex_};
      start(threads);
      division.wanted_ = threads;
      open_.push_back(&division);
    }
    wake_.notify_all();
    division.take_some();
    std::unique_lock lock{mutex_};
    std::erase(open_, &division);
    left_.wait(lock, [&division] { return division.helping_ == 0; });
  }

 private:
  void start(std::size_t threads) {
    if (threads_ >= threads) return;
    // A signal is for the thread that waits for it.
    sigset_t all{};
    sigset_t before{};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      for (; threads_ < threads; ++threads_)
        std::thread{[this] {
          serve();
        }}.detach();
    } catch (const std::system_error&) {
      // A machine that gives no thread: those that there are do it.
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  [[noreturn]] void serve() {
    std::unique_lock lock{mutex_};
    while (true) {
      wake_.wait(lock, [this] { return !open_.empty(); });
      Division& division = *open_.front();
      ++division.helping_;
      if (--division.wanted_ == 0) open_.erase(open_.begin());
      lock.unlock();
      division.take_some();
      lock.lock();
      if (--division.helping_ == 0) left_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, left_;
  std::vector<Division*> open_;  // divisions that want a thread
  std::size_t threads_ = 0;
};

}  // namespace

void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work) {
  // More threads would wait for memory, and each holds some.
  constexpr std::size_t kMostThreads = 16;
  // Neighbours are often alike: one thread takes a few at a time, and few enough that none waits
  // long for another at the end.
  constexpr std::size_t kMostTogether = 16;
  constexpr std::size_t kSharesOfThread = 8;
  const std::size_t processors = std::max(std::thread::hardware_concurrency(), 1U);
  const std::size_t threads = std::min(processors, kMostThreads);
  const std::size_t together =
      std::clamp<std::size_t>(count / (threads * kSharesOfThread), 1, kMostTogether);
  const std::size_t pieces = (count + together - 1) / together;
  Division division{count, together, work};
  if (const std::size_t useful = std::min(threads, pieces); useful > 1) {
    Helpers::of_process().run(division, useful - 1);
  } else {
    division.take_some();
  }
  division.rethrow();
}

}  // namespace fabric
