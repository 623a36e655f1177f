// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/settings/disturbed_ports.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/text.hpp"
#include "engine/provider/action_methods.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kLinkType = "LINK_TYPE_P";

// What hands frames from port to port, and what gives a port its function. SR-IOV adds functions
// and leaves the ports alone.
bool is_of_all_ports(std::string_view parameter) {
  return parameter == "HOST_CHAINING_MODE" || parameter == "NUM_OF_PF";
}

bool disturbs(const AttributeChange& change, const AdapterPort& port) {
  // What runs already is only set back for the next boot.
  if (change.observed.running && change.observed.running->equals(change.desired)) return false;
  const std::string_view parameter = change.attribute;
  if (is_of_all_ports(parameter)) return true;
  return parameter.starts_with(kLinkType) &&
         parse_unsigned(parameter.substr(kLinkType.size()), 10) == port.number;
}

std::vector<std::string> disturbed_ports(const Change& change, const Card& card) {
  std::set<std::string> devices;
  for (const AttributeChange& attribute : change.attributes) {
    for (const AdapterPort& port : card.ports) {
      if (!port.netdev.empty() && disturbs(attribute, port)) devices.insert(port.netdev);
    }
  }
  return {devices.begin(), devices.end()};
}

}  // namespace

void add_disturbed_ports(const Change& change, const Card& card, bool reboot_planned, Work& work) {
  std::vector<std::string> devices = disturbed_ports(change, card);
  if (devices.empty()) return;
  if (!work.actions.empty()) {
    work.actions.back().disturbs = std::move(devices);
  } else if (reboot_planned) {
    ActionDraft draft;
    draft.kind = methods::kSettingsLoad;
    draft.stage = Stage::activate;
    draft.disturbs = std::move(devices);
    work.actions.push_back(std::move(draft));
  }
}

}  // namespace fabric::providers
