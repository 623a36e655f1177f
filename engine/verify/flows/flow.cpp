// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/flows/flow.hpp"

#include <cmath>

namespace fabric::verify {

namespace {

constexpr double kRdmaShare = 0.8;
constexpr double kTcpShare = 0.5;
constexpr double kPerForwardingCard = 0.9;

}  // namespace

std::string_view to_string(FlowState state) {
  switch (state) {
    case FlowState::untested:
      return "untested";
    case FlowState::failed:
      return "failed";
    case FlowState::measured:
      return "measured";
  }
  return "untested";
}

double least_gbps(const Flow& flow) {
  const double share = flow.traffic == Traffic::tcp ? kTcpShare : kRdmaShare;
  const auto cards = static_cast<double>(flow.transit.size());
  return flow.limit_gbps * share * std::pow(kPerForwardingCard, cards);
}

}  // namespace fabric::verify
