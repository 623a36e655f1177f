// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/backends/ifcfg_claim.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/kinds/interface/backends/spellings.hpp"

namespace fabric::providers {

namespace {

// "ens1", "ens1:0"; a range of addresses is "ens1-range0".
bool names(std::string_view word, const std::string& name) {
  if (name.empty() || !word.starts_with(name)) return false;
  const std::string_view rest = word.substr(name.size());
  return rest.empty() || rest.starts_with(':') || rest.starts_with("-range");
}

// Words of NetworkManager's list, as its keyfiles have them.
Spelling matches(const IfcfgFile& file, std::string_view key, const std::string& text) {
  std::string list = file.value(key);
  std::replace(list.begin(), list.end(), ' ', ';');
  return list.empty() ? Spelling{true, false} : manager_pattern(list, text);
}

// For a file without DEVICE and HWADDR.
Spelling means_any(const LinkTarget& target, const IfcfgFile& file) {
  const std::string type = to_lower(file.value("TYPE"));
  const bool same_type = type.empty() || type == (target.infiniband ? "infiniband" : "ethernet");
  if (target.kind != LinkKind::port || !same_type) return {};
  const Spelling by_name = matches(file, "MATCH_INTERFACE_NAME", target.name);
  const Spelling by_path = matches(file, "MATCH_PATH", path_of(target));
  const Spelling by_driver = matches(file, "MATCH_DRIVER", driver_of(target));
  return {by_name.fits && by_path.fits && by_driver.fits, by_name.alone || by_path.alone};
}

bool has_match(const IfcfgFile& file) {
  return std::ranges::any_of(
      file.entries, [](const IfcfgEntry& entry) { return entry.key.starts_with("MATCH_"); });
}

}  // namespace

std::optional<ForeignEntry> ifcfg_claim(
    const LinkTarget& target,
    const std::string& path,
    const std::string& suffix,
    const IfcfgFile& file,
    bool manager) {
  const std::string device = file.value("DEVICE");
  const std::string address = file.value("HWADDR");
  if (names(device, target.name)) return ForeignEntry{path, file.line("DEVICE")};
  if (!address.empty() && target.kind == LinkKind::port && is_address_of(address, target))
    return ForeignEntry{path, file.line("HWADDR")};
  const std::string ports = file.value("BOND_IFACES");
  const std::vector<std::string_view> taken = split_words(ports);
  if (target.kind == LinkKind::port && std::ranges::find(taken, target.name) != taken.end()) {
    return ForeignEntry{
        path,
        file.line("BOND_IFACES"),
        0,
        fmt::format("it belongs to {}, which fabric did not write", device)};
  }
  if (!device.empty() || !address.empty()) return std::nullopt;
  if (!has_match(file) && names(suffix, target.name)) return ForeignEntry{path, 1};
  const Spelling meant = manager ? means_any(target, file) : Spelling{};
  if (!meant.fits) return std::nullopt;
  return ForeignEntry{path, 1, 0, meant.alone ? std::string{} : "it is for other interfaces too"};
}

}  // namespace fabric::providers
