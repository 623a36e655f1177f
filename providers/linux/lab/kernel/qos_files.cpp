// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/kernel_files.hpp"
#include "providers/linux/lab/kernel/ports.hpp"

namespace fabric::lab {
namespace {

constexpr std::string_view kFolder = "/sys/kernel/config/rdma_cm/";
constexpr std::uint32_t kPriorities = 8;

// Follows the setting of the firmware, until a program writes another one.
bool ecn_of(
    const LinuxHost& machine,
    std::size_t card,
    std::uint32_t port,
    const std::string& side,
    std::uint32_t priority) {
  const Card& hardware = machine.state.cards[card];
  const auto& set = hardware.ports[port - 1].qos.ecn;
  if (const auto found = set.find(side); found != set.end()) {
    if (const auto each = found->second.find(priority); each != found->second.end())
      return each->second;
  }
  return ((hardware.current_of(fmt::format("ROCE_CC_PRIO_MASK_P{}", port)) >> priority) & 1U) == 1U;
}

FileError take(std::string_view text, std::uint64_t most, std::uint32_t& number) {
  const auto value = parse_unsigned(trim(text), 10);
  if (!value || *value > most) return FileError::invalid;
  number = static_cast<std::uint32_t>(*value);
  return FileError::none;
}

// Ports of a card whose RDMA device has that name; its number on the device.
struct DevicePort {
  std::size_t card = 0;
  std::uint32_t port = 1, on_device = 1;
};

std::vector<DevicePort> ports_of(const LinuxHost& machine, const std::string& device) {
  std::vector<DevicePort> found;
  for (std::size_t card = 0; card < machine.state.cards.size(); ++card) {
    const Card& hardware = machine.state.cards[card];
    for (const CardPort& port : hardware.ports) {
      if (port.number > 1 && roce_bond(machine, card) != nullptr) continue;
      if (rdma_name(machine, card, port.number) == device)
        found.push_back({card, port.number, hardware.mlx4() ? port.number : 1});
    }
  }
  return found;
}

void install_folder(LinuxHost& machine, const std::string& device) {
  for (const DevicePort& each : ports_of(machine, device)) {
    const std::string folder = fmt::format("{}{}/ports/{}", kFolder, device, each.on_device);
    const auto qos = [owner = &machine, each]() -> PortQos& {
      return owner->state.cards[each.card].ports[each.port - 1].qos;
    };
    machine.state.files.install_generated(
        folder + "/default_roce_tos",
        [qos] { return fmt::format("{}\n", qos().tos); },
        [qos, owner = &machine](std::string_view value) {
          owner->note_change();
          return take(value, 255, qos().tos);
        });
    machine.state.files.install_generated(
        folder + "/default_roce_mode", [] { return std::string{"RoCE v2\n"}; });
  }
}

}  // namespace

void install_ecn_files(
    LinuxHost& machine, const std::string& folder, std::size_t card, std::uint32_t port) {
  if (machine.profile.ofed.empty() || machine.state.cards[card].mlx4()) return;
  const auto qos = [owner = &machine, card, port]() -> PortQos& {
    return owner->state.cards[card].ports[port - 1].qos;
  };
  for (const std::string side : {"np", "rp"}) {
    for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
      machine.state.files.install_generated(
          fmt::format("{}/ecn/roce_{}/enable/{}", folder, side, priority),
          [owner = &machine, card, port, side, priority] {
            return std::string{ecn_of(*owner, card, port, side, priority) ? "1\n" : "0\n"};
          },
          [qos, owner = &machine, side, priority](std::string_view value) {
            std::uint32_t number = 0;
            const FileError error = take(value, 1, number);
            if (error == FileError::none) qos().ecn[side][priority] = number == 1;
            owner->note_change();
            return error;
          });
    }
  }
  machine.state.files.install_generated(
      folder + "/ecn/roce_np/cnp_dscp",
      [owner = &machine, qos, card, port] {
        const auto usual = owner->state.cards[card].current_of(fmt::format("CNP_DSCP_P{}", port));
        return fmt::format("{}\n", qos().cnp_dscp.value_or(static_cast<std::uint32_t>(usual)));
      },
      [qos, owner = &machine](std::string_view value) {
        std::uint32_t number = 0;
        const FileError error = take(value, 63, number);
        if (error == FileError::none) qos().cnp_dscp = number;
        owner->note_change();
        return error;
      });
}

void install_class_file(
    LinuxHost& machine, const std::string& folder, std::size_t card, std::uint32_t port) {
  if (machine.profile.ofed.empty() || machine.state.cards[card].mlx4()) return;
  const auto qos = [owner = &machine, card, port]() -> PortQos& {
    return owner->state.cards[card].ports[port - 1].qos;
  };
  machine.state.files.install_generated(
      folder + "/tc/1/traffic_class",
      [qos] {
        const auto forced = qos().forced_class;
        return forced ? fmt::format("Global tclass={}\n", *forced) : std::string{};
      },
      [qos, owner = &machine](std::string_view value) {
        std::uint32_t number = 0;
        const FileError error = take(value, 255, number);
        if (error == FileError::none) qos().forced_class = number;
        owner->note_change();
        return error;
      });
}

void install_rdma_cm_files(LinuxHost& machine) {
  machine.state.files.install_directory(kFolder.substr(0, kFolder.size() - 1));
  for (std::size_t card = 0; card < machine.state.cards.size(); ++card) {
    for (const CardPort& port : machine.state.cards[card].ports) {
      if (port.qos.tos_folder) install_folder(machine, rdma_name(machine, card, port.number));
    }
  }
}

bool make_rdma_cm_folder(LinuxHost& machine, const std::string& device) {
  const std::vector<DevicePort> ports = ports_of(machine, device);
  for (const DevicePort& each : ports)
    machine.state.cards[each.card].ports[each.port - 1].qos.tos_folder = true;
  install_folder(machine, device);
  machine.note_change();
  return !ports.empty();
}

std::string rdma_cm_device(const std::string& path) {
  if (!path.starts_with(kFolder)) return {};
  std::string name = path.substr(kFolder.size());
  return name.find('/') == std::string::npos ? name : std::string{};
}

}  // namespace fabric::lab
