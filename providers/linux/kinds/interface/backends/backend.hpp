// SPDX-License-Identifier: Apache-2.0
// NetworkBackend: one way in which a node keeps its network configuration. Pure text in and out;
// the providers know no format, a back end knows no layers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/platform/owned_file.hpp"
#include "engine/remote/command.hpp"
#include "providers/linux/kinds/interface/link/link_config.hpp"

namespace fabric::providers {

// Configuration of the same interface that is not fabric's.
struct ForeignEntry {
  std::string path;
  std::size_t line = 1;
  // The last line of the entry in a file with more content; 0: the whole file.
  std::size_t last_line = 0;
  std::string not_adoptable{};  // why it can't be taken over; "" = it can
  // The line that replaces the entry where the rest of the file needs one; "" = none.
  std::string stub{};
  // A file of other interfaces too: it stays where it is, and no longer counts for this one.
  bool stays = false;
  bool has(std::string_view file, std::size_t at) const {
    return path == file && (last_line == 0 || (at >= line && at <= last_line));
  }
};

struct ConfigFile {
  std::string path, content;
};

// Says which files tell that a port is a slave of a bond.
struct Membership {
  bool in_slave = false;
  bool in_bond = false;
};

// An interface whose files have just been written and are to be activated.
struct Activation {
  const LinkTarget& target;
  std::string device;  // its present name; "" = it does not exist yet
  // An option of it changes that only a new device takes.
  bool recreate = false;
  std::vector<std::string> slaves;  // of a bond: the present names of its ports
  std::vector<std::string> above;   // VLANs and children on it, which may go away with it
  std::string ipoib_mode;           // the mode to run with; "" = unchanged
};

// Deletes a virtual interface if it is there: `$1` of `sh -c`.
inline constexpr const char* kDeleteIfThere =
    "! [ -e \"/sys/class/net/$1\" ] || ip link delete \"$1\"";

// `$1` interface, `$2` "connected" or "datagram". Children made over netlink have no such file
// (ipoib_vlan.c).
inline constexpr const char* kSetIpoibMode =
    "if [ -e \"/sys/class/net/$1/mode\" ]; then echo \"$2\" >\"/sys/class/net/$1/mode\"; "
    "else ip link set dev \"$1\" type ipoib mode \"$2\"; fi";

class NetworkBackend {
 public:
  virtual ~NetworkBackend() = default;
  virtual std::string_view name() const = 0;
  // Why this back end can't configure the interface so; "" if it can.
  virtual std::string obstacle(const LinkTarget& target, const LinkConfig& config) const = 0;
  // True if the back end has rules for packets that come in by an interface, and tables for them.
  virtual bool can_route_transit() const { return false; }
  // REQUIRED by all functions below: obstacle(target, ...) is "".
  // Every file that render() may write for this interface.
  virtual std::vector<std::string> paths(const LinkTarget& target) const = 0;
  virtual std::vector<ConfigFile> render(
      const LinkTarget& target, const LinkConfig& config) const = 0;
  // The configuration in the files; nullopt: they do not configure this interface (any more).
  virtual std::optional<LinkConfig> read(
      const LinkTarget& target, const FileTexts& files) const = 0;
  // The configuration in existing files while others are missing; none with a single file.
  virtual std::optional<LinkConfig> read_part(
      const LinkTarget& /*target*/, const FileTexts& /*files*/) const {
    return std::nullopt;
  }
  virtual std::vector<ForeignEntry> foreign(
      const LinkTarget& target, const FileTexts& files) const = 0;
  virtual Membership membership() const = 0;
  virtual std::uint32_t file_mode() const { return 0644; }
  // True for a file of fabric, of any resource.
  virtual bool owns(std::string_view content) const { return is_owned(content); }
  // Why this node would not read fabric's files of this interface at all; "" if it reads them.
  virtual std::string not_in_use(const LinkTarget& /*target*/, const FileTexts& /*files*/) const {
    return {};
  }
  // True if activate() deletes a virtual interface and makes it anew.
  virtual bool remakes_virtual() const { return false; }
  // The commands that make the interface run as the files say.
  virtual std::vector<remote::Argv> activate(const Activation& activation) const = 0;
  // The commands that make the interfaces run as the files are after a rollback, also without a
  // file: no former running state stays. They succeed only if that was done.
  virtual std::vector<remote::Argv> restore(const Activation& activation) const = 0;
  // As restore() for all interfaces, after a boot on which their names may have changed.
  virtual std::vector<remote::Argv> restore_all() const = 0;
  // True if a port has no address after release(). False where configuration for ports of any name
  // may get one by DHCP.
  virtual bool empties_ports(const LinkTarget& /*target*/, const FileTexts& /*files*/) const {
    return true;
  }
  // Clears what fabric's files gave the interface. REQUIRES: the files are gone when it runs.
  virtual std::vector<remote::Argv> release(
      const LinkTarget& target, const std::string& device) const = 0;
};

// Adds "KEY=VALUE"; nothing for no value.
inline void put(std::string& text, std::string_view key, const std::string& value) {
  if (!value.empty()) text.append(key).append("=").append(value).append("\n");
}
inline void put(std::string& text, std::string_view key, const std::optional<std::int64_t>& value) {
  if (value) put(text, key, std::to_string(*value));
}

}  // namespace fabric::providers
