#include "providers/linux/systemd_match.hpp"

#include <fmt/format.h>

namespace fabric::providers {

std::string systemd_match(const Card& card, const AdapterPort& port) {
  if (!card.shares_function()) {
    return fmt::format("Path=pci-{}\nType=ether\n", port.function.str());
  }
  if (!port.permanent_mac) return {};
  return fmt::format("PermanentMACAddress={}\nType=ether\n", port.permanent_mac->str());
}

}  // namespace fabric::providers
