// SPDX-License-Identifier: Apache-2.0
#include "engine/base/clock.hpp"

#include <ctime>

#include <fmt/format.h>

#include "engine/base/check.hpp"

namespace fabric {

// CLOCK_MONOTONIC, which std::chrono::steady_clock reads, stands still while the machine is
// suspended (clock_gettime(2)): a laptop that slept for an hour would take a lease of five minutes
// for one that is in force.
TimePoint SystemClock::now() const {
  timespec time{};
  FABRIC_CHECK(clock_gettime(CLOCK_BOOTTIME, &time) == 0, "Linux has CLOCK_BOOTTIME since 2.6.39");
  return TimePoint{std::chrono::duration_cast<Duration>(
      std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec})};
}

std::int64_t SystemClock::unix_milliseconds() const {
  return std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string format_utc(std::int64_t unix_milliseconds) {
  std::int64_t milliseconds = unix_milliseconds % 1000;
  if (milliseconds < 0) milliseconds += 1000;
  const auto seconds = static_cast<std::time_t>((unix_milliseconds - milliseconds) / 1000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format(
      "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
      utc.tm_year + 1900,
      utc.tm_mon + 1,
      utc.tm_mday,
      utc.tm_hour,
      utc.tm_min,
      utc.tm_sec,
      milliseconds);
}

std::string format_duration(Duration duration) {
  const std::int64_t ms = duration.count();
  if (ms < 1000) return fmt::format("{} ms", ms);
  if (ms < 60'000) return fmt::format("{}.{} s", ms / 1000, ms % 1000 / 100);
  const std::int64_t seconds = ms / 1000;
  const std::int64_t minutes = seconds / 60;
  if (seconds < 3600) {
    return seconds % 60 == 0 ? fmt::format("{} min", minutes)
                             : fmt::format("{} min {} s", minutes, seconds % 60);
  }
  return minutes % 60 == 0 ? fmt::format("{} h", minutes / 60)
                           : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace fabric
