// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/cables/link_rate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/verify/cables/speed_text.hpp"

namespace fabric::verify {

namespace {

constexpr std::int64_t kLanesOfCable = 4;

std::string rate_text(const WirePort& port) {
  return fmt::format("{}x{}", *port.lanes, speed_name(*port.speed));
}

double gbps_of(const WirePort& port) {
  return static_cast<double>(*port.lanes) * lane_gbps(*port.speed);
}

// The signalling rate is what names are rounded from: 4xEDR is 103.125 Gb/s and called 100.
bool is_slower(const WirePort& port, const std::string& declared) {
  if (const auto mbps = declared_speed_mbps(declared))
    return gbps_of(port) * 1000 < static_cast<double>(*mbps);
  const auto speed = speed_of_name(declared);
  return speed && (*port.speed < *speed || *port.lanes < kLanesOfCable);
}

}  // namespace

std::string link_lack(const std::string& declared, const WirePort& a, const WirePort& b) {
  const bool a_known = a.lanes && a.speed;
  const bool b_known = b.lanes && b.speed;
  if (a_known && b_known && (a.lanes != b.lanes || a.speed != b.speed))
    return fmt::format("its ends report different rates: {} and {}", rate_text(a), rate_text(b));
  const WirePort& port = a_known ? a : b;
  const std::string& could_be = a.could_be.empty() ? b.could_be : a.could_be;
  if (!a_known && !b_known) return could_be.empty() ? "" : "it could be " + could_be;
  if (!declared.empty() && is_slower(port, declared))
    return fmt::format("expected {}, found {}", declared, rate_text(port));
  if (!could_be.empty())
    return fmt::format("found {}, but it could be {}", rate_text(port), could_be);
  if (declared.empty() && *port.lanes == 1)
    return fmt::format("expected {} lanes, found {}", kLanesOfCable, rate_text(port));
  return {};
}

}  // namespace fabric::verify
