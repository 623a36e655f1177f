// NetworkBackend: one way in which a node keeps its network configuration. Pure text in and out;
// the interface provider knows no format, a back end knows no layers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/remote/command.hpp"
#include "providers/adapter/inventory.hpp"
#include "providers/owned_file.hpp"

namespace fabric::providers {

// What is wanted of an interface, or what a file makes of it.
struct InterfaceConfig {
  std::optional<std::int64_t> mtu;
  std::vector<std::string> addresses;  // "10.30.0.1/24", in order of address
};

// The port that a file is about.
struct InterfaceTarget {
  ResourceAddress address;
  const Card& card;
  const AdapterPort& port;
  // What the interface is called after the next boot; "" if nobody can know (InfiniBand becomes
  // Ethernet and no name is given).
  std::string name;
};

// Somebody else's configuration of the same interface.
struct ForeignEntry {
  std::string path;
  std::size_t line = 1;
};

class NetworkBackend {
 public:
  virtual ~NetworkBackend() = default;
  virtual std::string_view name() const = 0;
  // Why this port can't be configured here; "" if it can.
  virtual std::string obstacle(const InterfaceTarget& target) const = 0;
  // All below REQUIRE: obstacle(target) is "".
  virtual std::string path(const InterfaceTarget& target) const = 0;
  virtual std::string render(
      const InterfaceTarget& target, const InterfaceConfig& config) const = 0;
  // Nullopt: the file does not configure this port (any more).
  virtual std::optional<InterfaceConfig> read(
      const InterfaceTarget& target, std::string_view content) const = 0;
  virtual std::vector<ForeignEntry> foreign(
      const InterfaceTarget& target, const FileTexts& files) const = 0;
  // Why files of ours would not be read at all on this node; "" if they are.
  virtual std::string not_in_use(const FileTexts& files) const = 0;
  // Makes the file's content run on the interface now called `device`.
  virtual std::vector<remote::Argv> activate(const std::string& device) const = 0;
  // Makes the files run as they are after a rollback, whether or not one is about `device`: nothing
  // of what ran before stays. They succeed if that was done.
  virtual std::vector<remote::Argv> restore(const std::string& device) const = 0;
  // The same for all interfaces, after a boot on which their names may have changed.
  virtual std::vector<remote::Argv> restore_all() const = 0;
};

const NetworkBackend& networkd_backend();
const NetworkBackend& ifupdown_backend();
const NetworkBackend& ifupdown2_backend();

}  // namespace fabric::providers
