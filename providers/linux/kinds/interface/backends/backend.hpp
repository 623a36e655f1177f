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

// Foreign configuration of the same interface.
struct ForeignEntry {
  std::string path;
  std::size_t line = 1;
  // The last line, in a file with more content; 0: the whole file.
  std::size_t last_line = 0;
  std::string not_adoptable{};  // why it can't be taken over; "" = it can
  // The line that stays in the place of these, for what else the file says needs one. "" = none.
  std::string stub{};
};

struct ConfigFile {
  std::string path, content;
};

// Which of the files says that a port is a slave of a bond.
struct Membership {
  bool in_slave = false;
  bool in_bond = false;
};

// The running state of an interface whose files have just been written.
struct Activation {
  const LinkTarget& target;
  std::string device;  // what it is called now; "" = it does not exist yet
  // It has an option that only a new device takes.
  bool recreate = false;
  std::vector<std::string> slaves;  // of a bond: what its ports are called now
  std::vector<std::string> above;   // VLANs and children on it, which may go away with it
  std::string ipoib_mode;           // that it is to run with from now on; "" = it stays as it is
};

// Deletes a virtual interface if it is there: `$1` of `sh -c`.
inline constexpr const char* kDeleteIfThere =
    "! [ -e \"/sys/class/net/$1\" ] || ip link delete \"$1\"";

// `$1` interface, `$2` "connected" or "datagram". Children that were made over netlink have no such
// file (ipoib_vlan.c).
inline constexpr const char* kSetIpoibMode =
    "if [ -e \"/sys/class/net/$1/mode\" ]; then echo \"$2\" >\"/sys/class/net/$1/mode\"; "
    "else ip link set dev \"$1\" type ipoib mode \"$2\"; fi";

class NetworkBackend {
 public:
  virtual ~NetworkBackend() = default;
  virtual std::string_view name() const = 0;
  // Why this interface can't be configured here; "" if it can.
  virtual std::string obstacle(const LinkTarget& target, const LinkConfig& config) const = 0;
  // Whether it has rules for packets that come in by an interface, and routes of their tables.
  virtual bool can_route_transit() const { return false; }
  // All below REQUIRE: obstacle(target, ...) is "".
  // Every file that render() may give for this interface.
  virtual std::vector<std::string> paths(const LinkTarget& target) const = 0;
  virtual std::vector<ConfigFile> render(
      const LinkTarget& target, const LinkConfig& config) const = 0;
  // Nullopt: the files do not configure this interface (any more).
  virtual std::optional<LinkConfig> read(
      const LinkTarget& target, const FileTexts& files) const = 0;
  // What the files that are there say where read() misses others; where one file is all, nothing.
  virtual std::optional<LinkConfig> read_part(
      const LinkTarget& /*target*/, const FileTexts& /*files*/) const {
    return std::nullopt;
  }
  virtual std::vector<ForeignEntry> foreign(
      const LinkTarget& target, const FileTexts& files) const = 0;
  virtual Membership membership() const = 0;
  virtual std::uint32_t file_mode() const { return 0644; }
  // A file of ours, whichever of our resources it is of.
  virtual bool owns(std::string_view content) const { return is_owned(content); }
  // Why our files of this interface would not be read at all on this node; "" if they are.
  virtual std::string not_in_use(const LinkTarget& /*target*/, const FileTexts& /*files*/) const {
    return {};
  }
  // Whether activate() deletes what is no port and makes it anew.
  virtual bool remakes_virtual() const { return false; }
  // Makes the files' content run.
  virtual std::vector<remote::Argv> activate(const Activation& activation) const = 0;
  // Makes the files run as they are after a rollback, whether or not one is about these interfaces:
  // nothing of what ran before stays. They succeed if that was done.
  virtual std::vector<remote::Argv> restore(const Activation& activation) const = 0;
  // The same for all interfaces, after a boot on which their names may have changed.
  virtual std::vector<remote::Argv> restore_all() const = 0;
  // Whether a port has no address after release(): what is there for ports of any name may ask for
  // one by DHCP.
  virtual bool empties_ports(const LinkTarget& /*target*/, const FileTexts& /*files*/) const {
    return true;
  }
  // Leaves the interface as if there never had been files of ours; they are gone when it runs.
  virtual std::vector<remote::Argv> release(
      const LinkTarget& target, const std::string& device) const = 0;
};

}  // namespace fabric::providers
