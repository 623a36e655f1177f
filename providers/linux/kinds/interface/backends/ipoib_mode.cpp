// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/backends/ipoib_mode.hpp"

#include <fmt/format.h>

#include "providers/linux/kinds/port/port_match.hpp"

namespace fabric::providers {

namespace {

constexpr const char* kConnected = "connected";

bool is_infiniband_port(const LinkTarget& target) {
  return target.kind == LinkKind::port && target.infiniband && target.port != nullptr;
}

}  // namespace

std::string ipoib_mode_path(const LinkTarget& target) {
  return fmt::format("/etc/udev/rules.d/90-fabric-ipoib-{}.rules", target.address.name);
}

// Not by ATTR: the kernel requires a newline after the word, and udev writes none (seen on Debian
// 12). After 80-net-setup-link.rules, so that $name is the final name when the command runs.
std::optional<ConfigFile> ipoib_mode_rule(const LinkTarget& target, const LinkConfig& config) {
  if (!is_infiniband_port(target) || config.ipoib_mode != kConnected) return std::nullopt;
  return ConfigFile{
      ipoib_mode_path(target),
      fmt::format(
          "{}{}RUN+=\"/bin/sh -c 'echo {} >/sys/class/net/$name/mode'\"\n",
          target.marker,
          udev_port_match(*target.card, *target.port, true),
          kConnected)};
}

std::string ipoib_mode_at_boot(
    const LinkTarget& target, const FileTexts& files, const std::string& written) {
  if (!is_infiniband_port(target) || written.empty()) return written;
  return files.contains(ipoib_mode_path(target)) ? kConnected : "datagram";
}

bool lacks_ipoib_mode_rule(
    const LinkTarget& target, const FileTexts& files, const std::string& written) {
  return written == kConnected && ipoib_mode_at_boot(target, files, written) != kConnected;
}

std::vector<remote::Argv> set_ipoib_mode(const Activation& activation) {
  if (activation.ipoib_mode.empty() || activation.device.empty() || activation.recreate) return {};
  return {{"sh", "-c", kSetIpoibMode, "fabric", activation.device, activation.ipoib_mode}};
}

}  // namespace fabric::providers
