// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/commands/rdma/mst_device.hpp"

#include <fmt/format.h>

namespace fabric::lab::commands {

std::string mst_path(const LinuxHost& machine, std::size_t card, std::uint32_t port) {
  const Card& here = machine.state.cards[card];
  std::size_t number = 0;  // of the cards of one kind
  for (std::size_t i = 0; i < card; ++i) {
    if (machine.state.cards[i].mst_name() == here.mst_name()) ++number;
  }
  const std::string function = here.mlx4() || port == 1 ? "" : fmt::format(".{}", port - 1);
  return fmt::format("/dev/mst/{}_pciconf{}{}", here.mst_name(), number, function);
}

std::optional<MstDevice> find_device(const LinuxHost& machine, const std::string& name) {
  const bool mft = machine.profile.tool == "mlxconfig";
  for (std::size_t card = 0; card < machine.state.cards.size(); ++card) {
    for (const CardPort& port : machine.state.cards[card].ports) {
      const std::string function = machine.state.cards[card].function_of(port.number);
      const bool without_domain = function.rfind("0000:", 0) == 0 && name == function.substr(5);
      const std::string path = mst_path(machine, card, port.number);
      const bool by_mst =
          mft && machine.state.mst_started && (name == path || "/dev/mst/" + name == path);
      if (name == function || without_domain || by_mst) return MstDevice{card, name};
    }
  }
  return std::nullopt;
}

std::vector<MstDevice> all_devices(const LinuxHost& machine) {
  std::vector<MstDevice> devices;
  const bool by_mst = machine.profile.tool == "mlxconfig" && machine.state.mst_started;
  for (std::size_t card = 0; card < machine.state.cards.size(); ++card) {
    const Card& here = machine.state.cards[card];
    const auto functions = static_cast<std::uint32_t>(here.mlx4() ? 1 : here.ports.size());
    for (std::uint32_t port = functions; port >= 1; --port) {
      devices.push_back(
          MstDevice{card, by_mst ? mst_path(machine, card, port) : here.function_of(port)});
    }
  }
  return devices;
}

// The columns by version of the tool (E-mlxconfig-columns).
Layout layout_of(std::uint32_t tool_version) {
  Layout layout;
  if (tool_version < tool_version_number("4.9")) layout.old_header = true;
  if (tool_version >= tool_version_number("4.22")) {
    layout.name = 44;
    layout.header_single = 53;
  }
  if (tool_version >= tool_version_number("4.26")) {
    layout.label = 20;
    layout.indent = 8;
    layout.value = 21;
    layout.header_single = 57;
  }
  layout.ends_align = tool_version >= tool_version_number("4.31");
  if (tool_version >= tool_version_number("4.35")) {
    layout.ends_align = false;
    layout.name = 48;
    layout.value = 34;
  }
  return layout;
}

bool too_old(const LinuxHost& machine, const Card& card) {
  if (card.hardware.tool_last_version.empty()) return false;
  return tool_version_number(machine.profile.tool_version) >
         tool_version_number(card.hardware.tool_last_version);
}

}  // namespace fabric::lab::commands
