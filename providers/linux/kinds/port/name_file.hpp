// SPDX-License-Identifier: Apache-2.0
// The file that names one port's interface: a .link file by PCI path for an Ethernet interface; a
// udev rule where both ports have one PCI function (mlx4, by dev_port), where the document does not
// say the port's type, and for IPoIB, whose P_Key children share path and type with their parent
// and must keep the names that the kernel gives them. The MAC address would tell ports apart as
// well, but it is unknown before the port has been Ethernet once.
#pragma once

#include <optional>
#include <string>

#include "engine/platform/owned_file.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"

namespace fabric::providers {

struct NamedPort {
  const Card* card = nullptr;
  const AdapterPort* port = nullptr;
  // The type that the document wants; nullopt: it wants none, and the name holds for both types.
  std::optional<bool> infiniband{};

  // True if the port's interface of the wanted type exists.
  bool has_interface() const {
    return !port->netdev.empty() && (!infiniband || port->netdev_is_ethernet != *infiniband);
  }
};

// "/etc/systemd/network/10-fabric-cx5.1.link", "/etc/udev/rules.d/70-fabric-cx3.1.rules"
std::string name_path(const NamedPort& named, const ResourceAddress& address);
// The path of the name file for the port's other type; the same path if both are rules.
std::string other_name_path(const NamedPort& named, const ResourceAddress& address);

// True if the port is named by a udev rule, not by a .link file.
bool is_named_by_rule(const NamedPort& named);
// The content of a name file without a marker; a .link file ends with its section Link.
std::string name_text(const NamedPort& named, const std::string& name);
// The content with the marker of the resource.
std::string name_file(const Resource& resource, const NamedPort& named, const std::string& name);

// The name that a file of fabric gives this port; "" if the file is about another one.
std::string name_in_file(std::string_view content, const NamedPort& named);

}  // namespace fabric::providers
