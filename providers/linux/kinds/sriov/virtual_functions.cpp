// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/sriov/virtual_functions.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "providers/linux/kinds/interface/link/running_state.hpp"

namespace fabric::providers {

namespace {

const IpLink* find_link(const std::vector<IpLink>* links, const std::string& name) {
  if (links == nullptr || name.empty()) return nullptr;
  const auto found = std::find_if(
      links->begin(), links->end(), [&name](const IpLink& each) { return each.name == name; });
  return found == links->end() ? nullptr : &*found;
}

// How the host uses the function's interface; "" if it does not.
std::string use_of_interface(const IpLink& link) {
  if (!link.master.empty()) return fmt::format("{} is a port of {}", link.name, link.master);
  const auto address = std::ranges::find_if(link.addresses, [](const IpAddressEntry& entry) {
    return entry.scope != "link" && entry.scope != "host";
  });
  return address == link.addresses.end()
             ? std::string{}
             : fmt::format("{} has the address {}", link.name, address->address);
}

std::string use_of(const VirtualFunction& function, const std::vector<IpLink>* links) {
  const bool own_driver = function.driver.starts_with("mlx");
  if (!function.driver.empty() && !own_driver)
    return fmt::format("{} is with {}", function.address.str(), function.driver);
  constexpr std::string_view kEthernet = "0x0200";
  if (own_driver && function.netdevs.empty() && function.pci_class.starts_with(kEthernet))
    return fmt::format(
        "the interface of {} is in another network namespace", function.address.str());
  for (const std::string& name : function.netdevs) {
    const IpLink* link = find_link(links, name);
    if (link == nullptr) continue;
    if (std::string use = use_of_interface(*link); !use.empty()) return use;
  }
  return {};
}

std::string settings_of(const IpFunction& function) {
  std::string text;
  if (!function.address.empty())
    text = fmt::format("virtual function {} has the address {}", function.number, function.address);
  if (function.vlan == 0) return text;
  return text.empty()
             ? fmt::format("virtual function {} has the VLAN {}", function.number, function.vlan)
             : fmt::format("{} and the VLAN {}", text, function.vlan);
}

}  // namespace

std::vector<std::string> used_functions(const AdapterPort& port, const NodeFacts& facts) {
  const std::vector<IpLink>* links = links_by_ip(facts);
  std::vector<std::string> uses;
  for (const VirtualFunction& function : port.functions) {
    if (std::string use = use_of(function, links); !use.empty()) uses.push_back(std::move(use));
  }
  const IpLink* link = find_link(links, port.netdev);
  if (link == nullptr || port.sriov_vfs.value_or(0) == 0) return uses;
  for (const IpFunction& function : link->functions) {
    if (std::string set = settings_of(function); !set.empty()) uses.push_back(std::move(set));
  }
  return uses;
}

}  // namespace fabric::providers
