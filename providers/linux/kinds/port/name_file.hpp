// SPDX-License-Identifier: Apache-2.0
// The file that gives one port's interface its name: of an Ethernet interface a .link file by PCI
// path; a udev rule by dev_port where both ports sit behind one PCI function (mlx4), and for IPoIB,
// whose P_Key children share path and type with their parent and must keep the names that the
// kernel gives them, and where the document does not say what the port is. The MAC address would
// tell ports apart as well, but it is not known before the port has been Ethernet once.
#pragma once

#include <optional>
#include <string>

#include "engine/platform/owned_file.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"

namespace fabric::providers {

struct NamedPort {
  const Card* card = nullptr;
  const AdapterPort* port = nullptr;
  // As the document wants it; nullopt: it does not say, and the name holds whichever it is.
  std::optional<bool> infiniband{};

  // Its interface of the wanted type is there.
  bool has_interface() const {
    return !port->netdev.empty() && (!infiniband || port->netdev_is_ethernet != *infiniband);
  }
};

// "/etc/systemd/network/10-fabric-cx5.1.link", "/etc/udev/rules.d/70-fabric-cx3.1.rules"
std::string name_path(const NamedPort& named, const ResourceAddress& address);
// Where the name of the same port stands while it is of the other type; the same path if both are
// rules.
std::string other_name_path(const NamedPort& named, const ResourceAddress& address);

// By a udev rule, not by a .link file.
bool is_named_by_rule(const NamedPort& named);
// The content of such a file, without a marker; of a .link file its section Link is the last.
std::string name_text(const NamedPort& named, const std::string& name);
// With the marker of the resource.
std::string name_file(const Resource& resource, const NamedPort& named, const std::string& name);

// The name that a file of fabric gives this port; "" if the file is about another one.
std::string name_in_file(std::string_view content, const NamedPort& named);

}  // namespace fabric::providers
