// systemd-networkd and udev's .link files, as far as addresses, MTU and names go.
#pragma once

#include <string>
#include <vector>

#include "engine/lab/host/machine.hpp"

namespace fabric::lab {

// [Section] Key=value files: sections in order, each with its keys in order.
struct IniSection {
  std::string name;
  std::vector<std::pair<std::string, std::string>> keys;
};
std::vector<IniSection> parse_ini(std::string_view content);

// What udev's files say of a new interface.
struct LinkSettings {
  std::string name;  // "" = keep
  std::optional<std::uint32_t> mtu;
};
LinkSettings link_settings(const Machine& machine, const Interface& interface);

// The .network files as they are now, in the order that counts.
std::vector<NetworkFile> read_network_files(const Machine& machine);
// By the files networkd has read. Null: unmanaged.
const NetworkFile* network_file_for(const Machine& machine, const Interface& interface);
// Configures the interface as its file says.
void networkd_configure(Machine& machine, Interface& interface);
// Start or reload: reads the files; configures each interface whose file changed (all on start).
void networkd_start(Machine& machine);
void networkd_reload(Machine& machine);

// "pci-0000:01:00.0"
std::string udev_path(const Machine& machine, const Interface& interface);

}  // namespace fabric::lab
