// SPDX-License-Identifier: Apache-2.0
// Time as a dependency: all code that waits or stamps gets a Clock, so that tests and rehearsals
// run in virtual time.
#pragma once

#include <chrono>
#include <string>

namespace fabric {

using Duration = std::chrono::milliseconds;
// A monotonic time that goes on while the machine is suspended; comparable only within one Clock.
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;
  // Wall-clock time as milliseconds since 1970-01-01 UTC.
  virtual std::int64_t unix_milliseconds() const = 0;
};

// The only real time in the program.
class SystemClock final : public Clock {
 public:
  TimePoint now() const override;
  std::int64_t unix_milliseconds() const override;
};

// "2026-11-20T10:12:27.123Z"
std::string format_utc(std::int64_t unix_milliseconds);
// "850 ms", "4.2 s", "3 min 10 s", "2 h 5 min"
std::string format_duration(Duration duration);

}  // namespace fabric
