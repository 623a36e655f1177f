// SPDX-License-Identifier: Apache-2.0
// The ports of a switch: their names in each kind of system, and their numbers in an InfiniBand
// subnet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/hardware.hpp"
#include "engine/model/platform.hpp"

namespace fabric {

// A port in its system's notation. Numbers are from 1.
struct SwitchPort {
  enum class Form : std::uint8_t {
    numbers,  // "7", "1/7", "1/7/2", "1/4/1/2"; "IB1/7" is "1/7", "etp7" of SONiC is "7"
    nvos,     // "sw4p1", "sw4p1s2" (split): cage, port, part
    split,    // "swp4s0" of Cumulus: port, part from 0; "swp4" is the number 4
    module    // "L16/U2/20", "S3/U1/7" of a director: leaf or spine, chip, port
  };
  Form form = Form::numbers;
  std::vector<std::int64_t> numbers;
  char module_kind = '\0';  // 'L' or 'S' for a director's module

  // Nullopt if no system writes its ports so. "07" and "7" are one port.
  static std::optional<SwitchPort> parse(std::string_view text);
  // The document's form: "1/7", "sw4p1", "L16/U2/20".
  std::string str() const;
};

// The port with the system's own name. `model`: "" = unknown.
SwitchPort as_called(SwitchPort port, PortNames names, std::string_view model);

// "ports of Cumulus Linux are called swp7 or swp7s0"
std::string how_called(const PlatformTraits& platform);

// Why `port`, that the document writes as `written`, can't be a port of such a switch: "QM8790 has
// ports 1 to 40"; "" = it can, or it is not known. `model`: "" = not given.
std::string why_no_port(
    const SwitchPort& port,
    std::string_view written,
    const PlatformTraits& platform,
    std::string_view model);

// What such a port of the switch reaches in Gb/s, by the most that its fastest ones do: of 100 Gb/s
// a part has 50, and the third of its parts 25.
std::uint32_t gbps_of_port(const SwitchPort& port, const SwitchModel& model, std::uint32_t fastest);

// By their numbers: "9" before "10". Any other port, by its text.
bool is_lower_port(std::string_view a, std::string_view b);

// The layout by the model (find_switch_model), or if that is unknown, by the number of ports in the
// subnet (0: unknown); one more than the cages have is the port of the aggregation node.
SwitchPorts switch_ports(std::string_view model, std::int64_t port_count);

// The number of the port in the subnet, or of a director's port at its chip. Nullopt if it is
// unknown: for split ports, whose numbers depend on how the switch is split, and for forms that
// this kind of switch does not use. A plain number is the subnet's own.
std::optional<std::int64_t> subnet_port_number(
    const SwitchPort& port, SwitchPorts ports, std::int64_t port_count);

// The reverse of subnet_port_number(), in the form of `like`: "1/4/2", "sw4p2", "1/7", "7".
std::string native_port_name(std::int64_t number, const SwitchPort& like, SwitchPorts ports);

}  // namespace fabric
