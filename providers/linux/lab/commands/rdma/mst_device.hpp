// SPDX-License-Identifier: Apache-2.0
// Device names of the mst tools, and the layout that each version of them prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/lab/card/parameters.hpp"
#include "providers/linux/lab/shell/process.hpp"

namespace fabric::lab::commands {

struct MstDevice {
  std::size_t card = 0;
  std::string name;  // as it was given
};

// "05:00.0", "0000:05:00.0", and after `mst start` of MFT "/dev/mst/mt4119_pciconf0" or bare.
std::optional<MstDevice> find_device(const LinuxHost& machine, const std::string& name);
// One device for each PCI function, second functions first, as the tools list them.
std::vector<MstDevice> all_devices(const LinuxHost& machine);
// The path of a port's function: "/dev/mst/mt4119_pciconf0.1".
std::string mst_path(const LinuxHost& machine, std::size_t card, std::uint32_t port);

struct Layout {
  int label = 16;  // "Device type:    "
  int indent = 9;  // before the name of a parameter
  int name = 36;
  int value = 16;
  int header_single = 45;   // column of "Next Boot" when it stands alone
  bool old_header = false;  // "PCI device:" alone
  bool ends_align = false;  // titles end where a column does, and blanks fill the last column
};
Layout layout_of(std::uint32_t tool_version);

// True if the card is too old for the tool (ConnectX-3 from 4.26 on).
bool too_old(const LinuxHost& machine, const Card& card);

}  // namespace fabric::lab::commands
