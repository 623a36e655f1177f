// SPDX-License-Identifier: Apache-2.0
// Flows between Linux hosts by perftest (RDMA) and iperf3 (TCP).
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "engine/platform/traffic.hpp"
#include "engine/remote/command.hpp"

namespace fabric::platform {

MeasuringTool measuring_tool(Traffic traffic);

// POSIX sh with timeout(1).
remote::Command server_command(const FlowOrder& order);
remote::Command client_command(const FlowOrder& order);

FlowAnswer parse_client(Traffic traffic, const remote::CommandOutput& client);
// PathTests::serving_failure
std::string parse_server(const remote::CommandOutput& server);

// Decimal numbers, as the measuring tools print them.
// The whole text as a number that is finite and not negative.
inline std::optional<double> parse_decimal(std::string_view text) {
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(number) || number < 0) return std::nullopt;
  return number;
}

}  // namespace fabric::platform
