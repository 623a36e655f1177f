// SPDX-License-Identifier: Apache-2.0
// The budget of every target: each input may take 40 times its size and 16 MiB of memory at once,
// and two seconds and some microseconds a byte. The linker puts this before the target (--wrap).
//
// Also, with libFuzzer, a mutator that now and then repeats a piece of an input until it is large:
// what is quadratic, or keeps too much, shows in megabytes and not in the few hundred bytes that
// coverage is found by.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#if defined(__SANITIZE_ADDRESS__)
#define FABRIC_COUNTS_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FABRIC_COUNTS_MEMORY 1
#endif
#endif

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the linker's and
// libFuzzer's names
extern "C" int __real_LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int __wrap_LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

#ifdef FABRIC_COUNTS_MEMORY
extern "C" std::size_t __sanitizer_get_allocated_size(const volatile void* p);
extern "C" int __sanitizer_install_malloc_and_free_hooks(
    void (*malloc_hook)(const volatile void*, std::size_t),
    void (*free_hook)(const volatile void*));
#endif

namespace {

// A corpus that is replayed, in a build that is not optimised and on a machine that has other work,
// has no limit of time: a verdict is not to be the clock's.
#ifdef FABRIC_LIBFUZZER
constexpr bool kIsTimed = true;
#else
constexpr bool kIsTimed = false;
#endif

constexpr std::size_t kMebibyte = std::size_t{1024} * 1024;
constexpr std::size_t kBytesPerByte = 40;
constexpr std::size_t kBytesFree = 16 * kMebibyte;
// In a build with sanitizers and coverage, on a machine that does other things as well.
constexpr double kSeconds = 4;
constexpr double kSecondsPerByte = 10e-6;

std::atomic<std::int64_t> live{0};
std::atomic<std::int64_t> peak{0};

#ifdef FABRIC_COUNTS_MEMORY
void on_malloc(const volatile void* /*memory*/, std::size_t size) {
  const std::int64_t now = live += static_cast<std::int64_t>(size);
  if (now > peak) peak = now;
}
void on_free(const volatile void* memory) {
  if (memory != nullptr) live -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(memory));
}
#endif

bool begin_counting() {
#ifdef FABRIC_COUNTS_MEMORY
  return __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) != 0;
#else
  return false;
#endif
}

// FABRIC_FUZZ_BYTES_FREE: of a target that holds much which is not the product's, as a made-up
// plan.
std::size_t bytes_free() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
  const char* given = std::getenv("FABRIC_FUZZ_BYTES_FREE");
  return given != nullptr ? std::strtoul(given, nullptr, 10) : kBytesFree;
}

double seconds_of_this_thread() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

extern "C" int __wrap_LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool counting = begin_counting();
  static const std::size_t free_bytes = bytes_free();
  // What is made once, as tables and compiled schemas, is nobody's cost.
  static const int once = __real_LLVMFuzzerTestOneInput(data, size);
  static_cast<void>(once);
  const std::int64_t before = live;
  peak = before;
  const double begin = seconds_of_this_thread();
  const int result = __real_LLVMFuzzerTestOneInput(data, size);
  const double seconds = seconds_of_this_thread() - begin;
  const std::int64_t bytes = peak - before;
  const auto most = static_cast<std::int64_t>(kBytesPerByte * size + free_bytes);
  if (counting && bytes > most) {
    std::fprintf(
        stderr,
        "budget: %zu bytes of input took %lld of memory\n",
        size,
        static_cast<long long>(bytes));
    std::abort();
  }
  if (kIsTimed && seconds > kSeconds + kSecondsPerByte * static_cast<double>(size)) {
    std::fprintf(stderr, "budget: %zu bytes of input took %.1f seconds\n", size, seconds);
    std::abort();
  }
  return result;
}

#ifdef FABRIC_LIBFUZZER
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(
    std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed) {
  constexpr unsigned kOneIn = 2000;
  constexpr std::size_t kPieceMost = 64;
  if (size == 0 || seed % kOneIn != 0) return LLVMFuzzerMutate(data, size, max_size);
  std::uint64_t random = seed * 0x9E3779B97F4A7C15ULL + 1;
  const auto below = [&](std::size_t bound) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>((random >> 33U) % bound);
  };
  // Mostly a quarter of a megabyte, at times all that is allowed.
  const std::size_t wanted = std::min(max_size, below(8) == 0 ? max_size : kMebibyte / 4);
  const std::size_t begin = below(size);
  const std::size_t piece = 1 + below(std::min(size - begin, kPieceMost));
  const std::size_t tail = size - begin - piece;
  if (wanted <= size) return size;
  const std::size_t room = (wanted - begin - tail) / piece * piece;
  std::copy_backward(data + begin + piece, data + size, data + begin + room + tail);
  for (std::size_t at = piece; at < room; at += piece)
    std::copy_n(data + begin, piece, data + begin + at);
  return begin + room + tail;
}
#endif
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
