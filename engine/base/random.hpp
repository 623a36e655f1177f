// SPDX-License-Identifier: Apache-2.0
// Random: a small seeded generator (SplitMix64). std distributions differ between libraries, and a
// failing seed must fail on every machine.
#pragma once

#include <cstdint>

namespace fabric {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_{seed} {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }
  // 0 .. bound-1; the bias for small bounds is below 2^-40. REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  // True in `percent` of 100 draws.
  bool chance(std::uint64_t percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace fabric
