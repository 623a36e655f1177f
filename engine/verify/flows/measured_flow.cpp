// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/flows/measured_flow.hpp"

#include <fmt/format.h>

namespace fabric::verify {

FlowReport report_of(
    const Flow& flow, const platform::FlowAnswer& client, const std::string& server) {
  FlowReport report{flow, FlowState::failed, client.gbps, client.complaint};
  using State = platform::FlowAnswer::State;
  if (client.state == State::cut_short) {
    report.state = FlowState::untested;
    report.detail = fmt::format("the answer of {} was cut short", flow.client.port.node.str());
    return report;
  }
  if (client.state == State::measured) {
    report.state = FlowState::measured;
    return report;
  }
  if (client.timed_out && report.detail.empty()) report.detail = "no end within its time";
  // The client only knows that it gets no answer; the reason stands at the server.
  if (client.nobody_listened && !server.empty())
    report.detail = fmt::format("{} (on {})", server, flow.server.port.node.str());
  if (report.detail.empty()) report.detail = fmt::format("exit status {}", client.exit_status);
  return report;
}

}  // namespace fabric::verify
