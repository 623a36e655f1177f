// SPDX-License-Identifier: Apache-2.0
#include "engine/model/platform.hpp"

#include <algorithm>

#include "engine/base/check.hpp"
#include "engine/model/platform_keys.hpp"

namespace fabric {

namespace {

constexpr PlatformTraits kPlatforms[] = {
    {.platform = Platform::linux,
     .name = "linux",
     .called = "a Linux host",
     .keys = &kLinuxKeys,
     .system = "linux",
     .linux_host = true},
    {.platform = Platform::esxi,
     .name = "esxi",
     .called = "an ESXi host",
     .keys = &kEsxiKeys,
     .system = "esxi",
     .maintenance_mode = true,
     .virtual_switches = true,
     .infiniband_as_ethernet = true,
     .ports_over_all_cards = true,
     .driver_recovery = true},
    {.platform = Platform::esx_classic,
     .name = "esx-classic",
     .called = "an ESX host",
     .keys = &kEsxClassicKeys,
     .system = "esx-classic",
     .maintenance_mode = true,
     .service_console = true},
    {.platform = Platform::mlnx_os,
     .name = "mlnx-os",
     .called = "a switch (mlnx-os)",
     .keys = &kMlnxOsKeys,
     .system = "prompt",
     .is_switch = true,
     .keeps_when_told = true,
     .own_hooks_only = true,
     .pair_mac = "00:00:5e:00:01",
     .port_names = PortNames::in_slot,
     .largest_mtu = 9216},
    {.platform = Platform::cumulus,
     .name = "cumulus",
     .called = "a switch (cumulus)",
     .keys = &kCumulusKeys,
     .system = "nvue",
     .is_switch = true,
     .routes_ports = true,
     .pair_mac = "44:38:39:ff",
     .port_prefix = "swp",
     .largest_mtu = 9216},
    {.platform = Platform::nvos,
     .name = "nvos",
     .called = "a switch (nvos)",
     .keys = &kNvosKeys,
     .system = "nvue",
     .is_switch = true,
     .pair_mac = "44:38:39:ff",
     .port_names = PortNames::cage_and_port},
    {.platform = Platform::unmanaged,
     .name = "unmanaged",
     .called = "an unmanaged switch",
     .keys = &kUnmanagedKeys,
     .is_switch = true,
     .is_managed = false,
     .pair_mac = "44:38:39:ff"},
};

}  // namespace

std::span<const PlatformTraits> platforms() {
  return kPlatforms;
}

const PlatformTraits& traits(Platform platform) {
  const auto found = std::find_if(
      std::begin(kPlatforms), std::end(kPlatforms), [platform](const PlatformTraits& each) {
        return each.platform == platform;
      });
  FABRIC_CHECK(found != std::end(kPlatforms), "each platform has its traits");
  return *found;
}

std::string_view to_string(Platform platform) {
  return traits(platform).name;
}

std::optional<Platform> platform_of(std::string_view written) {
  for (const PlatformTraits& each : kPlatforms) {
    if (each.name == written) return each.platform;
  }
  return std::nullopt;
}

bool is_switch(Platform platform) {
  return traits(platform).is_switch;
}

}  // namespace fabric
