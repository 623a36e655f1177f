// SPDX-License-Identifier: Apache-2.0
// ethtool -m, ethtool --show-fec: the module in a port, and the state of its link.
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "providers/linux/lab/commands/network/net_families.hpp"
#include "providers/linux/lab/kernel/ports.hpp"

namespace fabric::lab::commands {
namespace {

// Keys are padded to 42 (E-link-module).
std::string row(std::string_view key, std::string_view value) {
  return fmt::format("{:<42}: {}\n", key, value);
}

std::string power(double dbm) {
  if (std::isinf(dbm) || dbm <= -40) return "0.0000 mW / -inf dBm";
  return fmt::format("{:.4f} mW / {:.2f} dBm", std::pow(10, dbm / 10), dbm);
}

std::string celsius(double degrees) {
  return fmt::format("{:.2f} degrees C / {:.2f} degrees F", degrees, degrees * 9 / 5 + 32);
}

std::string optical(const Plug& plug) {
  constexpr double kUsualTemperature = 41;
  constexpr double kUsualPower = -0.5;
  const double temperature = plug.temperature.value_or(kUsualTemperature);
  std::string text = row("Connector", "0x0c (MPO Parallel Optic)");
  text += row("Transceiver type", "100G Ethernet: 100G Base-SR4 or 25GBase-SR");
  text += row("Transmitter technology", "0x00 (850 nm VCSEL)");
  text += row("Vendor name", "Mellanox");
  text += row("Vendor PN", "MMA1B00-C100D");
  text += row("Vendor SN", plug.serial);
  text += row("Module temperature", celsius(temperature));
  for (int lane = 1; lane <= 4; ++lane) {
    text +=
        row(fmt::format("Rcvr signal avg optical power(Channel {})", lane),
            power(plug.received_dbm.value_or(kUsualPower)));
  }
  text += row("Module temperature high alarm threshold", celsius(80));
  text += row("Module temperature high warning threshold", celsius(70));
  text += row("Laser rx power low alarm threshold", power(-13.3));
  text += row("Laser rx power low warning threshold", power(-10.3));
  return text;
}

std::string copper(const Plug& plug) {
  std::string text = row("Connector", "0x23 (No separable connector)");
  text += row("Transceiver type", "100G Base-CR4 or 25G Base-CR CA-L");
  text += row("Length (Copper or Active cable)", "2m");
  text += row("Transmitter technology", "0xa0 (Copper cable unequalized)");
  text += row("Vendor name", "Mellanox");
  text += row("Vendor PN", "MCP1600-C002E30N");
  return text + row("Vendor SN", plug.serial);
}

const CardPort* port_of(const LinuxHost& machine, const Interface& interface) {
  if (!interface.card) return nullptr;
  return &machine.state.cards[*interface.card].ports[interface.port - 1];
}

int unsupported(Process& process) {
  process.err("netlink error: Operation not supported\n");
  return 1;
}

}  // namespace

int ethtool_module(Process& process, const Interface& interface) {
  const CardPort* port = port_of(process.machine(), interface);
  if (port == nullptr || port->link_type == LinkType::infiniband) return unsupported(process);
  if (port->plug.serial.empty()) {
    process.err("netlink error: Input/output error\n");
    return 1;
  }
  process.out(row("Identifier", "0x11 (QSFP28)"));
  process.out(port->plug.is_optical() ? optical(port->plug) : copper(port->plug));
  return 0;
}

int ethtool_fec(Process& process, const Interface& interface, bool statistics) {
  const LinuxHost& machine = process.machine();
  const CardPort* port = port_of(machine, interface);
  if (port == nullptr || port->link_type == LinkType::infiniband) return unsupported(process);
  const std::uint32_t gbps = port_gbps(machine, *interface.card, interface.port);
  const bool linked = interface.up && has_carrier(process.session.network, machine, interface);
  const std::string usual = gbps == 40 || gbps <= 10 ? "Off" : "RS";
  process.out(fmt::format(
      "FEC parameters for {}:\nSupported/Configured FEC encodings: Auto Off RS BaseR\nActive FEC "
      "encoding: {}\n",
      interface.name,
      !linked                  ? "None"
      : port->plug.fec.empty() ? usual
                               : port->plug.fec));
  if (statistics) process.out("Statistics:\n  corrected_blocks: 0\n  uncorrectable_blocks: 0\n");
  return 0;
}

}  // namespace fabric::lab::commands
