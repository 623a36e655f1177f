// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/network/network_files.hpp"

#include <string_view>

#include "engine/value/digest.hpp"

namespace fabric::lab {

std::string network_files_digest(const LinuxHost& machine) {
  const FileTree& files = machine.state.files;
  std::string all;
  const auto add = [&](const std::string& path) {
    std::string content;
    if (files.read(path, "root", content) == FileError::none) all += path + "\n" + content + "\n";
  };
  add("/etc/network/interfaces");
  for (const std::string_view folder :
       {"/etc/network/interfaces.d",
        "/etc/sysconfig/network-scripts",
        "/etc/systemd/network",
        "/etc/netplan",
        "/etc/NetworkManager/system-connections"}) {
    for (const std::string& name : files.list(folder)) {
      // udev's .link files only name a port, and only a boot applies them.
      if (!name.ends_with(".link")) add(std::string{folder} + "/" + name);
    }
  }
  return sha256(std::string_view{all});
}

void note_network_in_force(LinuxHost& machine) {
  machine.state.network_in_force = network_files_digest(machine);
}

}  // namespace fabric::lab
