// SPDX-License-Identifier: Apache-2.0
#include "providers/posix/machine/link_state.hpp"

#include "engine/base/text.hpp"

namespace fabric::platform {

namespace {

void read_attribute(NetDevice& device, std::string_view key, std::string_view value) {
  if (key == "pci") {
    // The last part of /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0; "virtio0" is no PCI
    // address.
    const std::size_t slash = value.rfind('/');
    const std::string_view last = slash == std::string_view::npos ? value : value.substr(slash + 1);
    if (Result<PciAddress> address = PciAddress::parse(last)) device.pci = *address;
  } else if (key == "address") {
    if (Result<MacAddress> mac = MacAddress::parse(value)) device.mac = *mac;
  } else if (key == "dev_port") {
    if (const auto number = parse_unsigned(value, 10)) {
      device.dev_port = static_cast<std::uint32_t>(*number);
    }
  } else if (key == "operstate") {
    device.operstate = std::string{value};
  } else if (key == "carrier") {
    if (value == "0" || value == "1") device.carrier = value == "1";
  } else if (key == "speed") {
    // -1 (or 4294967295 on old kernels) is how the kernel says "unknown".
    const auto number = parse_integer(value);
    if (number && *number > 0 && *number < 0xFFFFFFFF) device.speed_mbps = *number;
  } else if (key == "mtu") {
    device.mtu = parse_integer(value);
  } else if (key == "phys_port_name") {
    device.phys_port_name = std::string{value};
  } else if (key == "phys_switch_id") {
    device.phys_switch_id = std::string{value};
  }
}

std::vector<NetDevice> parse_link_state(std::string_view text) {
  std::vector<NetDevice> devices;
  for (const std::string_view line : split_lines(text)) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, blank);
    const std::string_view value = trim(line.substr(blank));
    if (key == "netdev") {
      devices.emplace_back().name = std::string{value};
    } else if (!devices.empty() && !value.empty()) {
      read_attribute(devices.back(), key, value);
    }
  }
  return devices;
}

}  // namespace

const std::vector<NetDevice>& devices_of(const NodeFacts& facts) {
  return facts.parsed_or_none(kLinkStateProbe, parse_link_state);
}

}  // namespace fabric::platform
