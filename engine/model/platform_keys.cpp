// SPDX-License-Identifier: Apache-2.0
#include "engine/model/platform_keys.hpp"

#include <algorithm>
#include <set>

#include "engine/model/platform.hpp"

namespace fabric {

namespace {

using enum KeyUse;

// The keys that fabric itself works by, on every node.
constexpr KeyRow kOfFabric[] = {
    {"apiVersion"},
    {"name"},
    {"defaults"},
    {"profiles"},
    {"isolated"},
    {"rollout"},
    {"hooks"},
    {"nodes.*.address"},
    {"nodes.*.platform"},
    {"nodes.*.profiles"},
    {"nodes.*.labels"},
    {"nodes.*.ssh"},
    {"nodes.*.host"},
    {"nodes.*.hooks"},
    {"nodes.*.state"},
    {"networks.*.cables"},
    {"networks.*.ports"},
};

constexpr std::string_view kWriteForSwitch = "remove it, or correct `platform`";

constexpr std::string_view kMtuOfNetwork = "remove it, and write `mtu` at the network";

constexpr KeyRow kOfHosts[] = {
    {.key = "nodes.*.os.release",
     .use = compared,
     .example = "write what runs there, as debian-12, or correct `platform`"},
    {"nodes.*.mlag", refused, "two switches form such a pair", kWriteForSwitch},
    {"nodes.*.proof",
     refused,
     "the key belongs to a switch or a cable",
     "write it at the cables of the host: {ends: [A, B], proof: carrier}"},
    {"nodes.*.system_name",
     refused,
     "the key belongs to a switch",
     "remove it: a host is known by its own host name"},
    {"nodes.*.node_guid",
     refused,
     "the key identifies an unmanaged switch",
     "remove it, or give it to the adapter"},
    {"nodes.*.model", refused, "the key belongs to a switch", "write it at the adapter"},
    {"nodes.*.mtu", refused, "the key belongs to a switch", kMtuOfNetwork},
    {"nodes.*.os", compared},
    {"nodes.*.modules"},
    {"nodes.*.adapters", compared},
    {"networks.*.mode=infiniband"},
    {"networks.*.mode=ethernet"},
    {"networks.*.access_vlan", no_effect},
    {"networks.*.lag.port_channel", compared},
};

constexpr KeyRow kOfLinux[] = {
    {"nodes.*.adapters.*.firmware", compared},
    {"nodes.*.adapters.*.firmware.version"},
    {"nodes.*.adapters.*.firmware.image"},
    {"nodes.*.adapters.*.firmware.params"},
    {"nodes.*.adapters.*.firmware.recovery_mode",
     refused,
     "only the driver of ESXi has it",
     "remove it: the firmware tools see every card that is on the PCI bus"},
    {"nodes.*.adapters.*.sriov"},
    {"nodes.*.adapters.*.sriov.passthrough",
     refused,
     "the hypervisor hands a card to a guest",
     "remove it, and give the card to the guest where the guest is defined: `hostpci` of Proxmox, "
     "`hostdev` of libvirt"},
    {"nodes.*.adapters.*.names"},
    {"nodes.*.software", compared},
    {.key = "nodes.*.software.stack=inbox",
     .use = compared,
     .writes = "packages.mlnx-ofed-* packages.doca-*"},
    {.key = "nodes.*.software.stack=mlnx_ofed", .use = compared, .writes = "packages.doca-*"},
    {"nodes.*.software.bundles",
     refused,
     "bundles of drivers are installed on ESX 3.5 and 4",
     "remove it; packages of the distribution are `packages`"},
    {"nodes.*.packages"},
    {"nodes.*.network_backend"},
    {"nodes.*.adopt"},
    {"nodes.*.sysctl"},
    {"nodes.*.tuning"},
    {"nodes.*.restore"},
    {"networks.*.mode=chain"},
    {"networks.*.mode=lag"},
    {"networks.*.mtu"},
    {"networks.*.vswitch", no_effect},
    {"networks.*.ipv4"},
    {.key = "networks.*.ipv6",
     .writes =
         "sysctl.net.ipv6.conf.all.disable_ipv6=1 sysctl.net.ipv6.conf.default.disable_ipv6=1"},
    {"networks.*.loopback"},
    {.key = "networks.*.transit=static",
     .writes = "sysctl.net.ipv4.ip_forward=0 sysctl.net.ipv4.conf.all.forwarding=0"},
    {"networks.*.transit"},
    {"networks.*.transit=frr", refused, "", "", "", "transit-not-built"},
    {"networks.*.restore"},
    {"networks.*.vlans"},
    {"networks.*.vlans.*.tagging", no_effect},
    {"networks.*.lag"},
    {"networks.*.lag.made_by", no_effect},
    {"networks.*.qos"},
    {"networks.*.subnet_managers"},
    {"networks.*.subnet_manager"},
    {"networks.*.subnet_manager.external", compared},
    {"networks.*.subnet_manager.guid", compared},
    {"networks.*.partitions"},
    {"networks.*.ipoib"},
    {"networks.*.ipoib.bond"},
    {"networks.*.ipoib.uplinks", no_effect},
};

constexpr std::string_view kNoLinux = "remove it: drivers have options: `modules`";
constexpr std::string_view kNoChain = "chain-platform-unsupported";
constexpr std::string_view kNoManager = "sm-platform-unsupported";
constexpr std::string_view kInVcenter =
    "remove it from this network: addresses are given to the kernel's interfaces (vmk) in vCenter";
constexpr std::string_view kNoRouter = "only Linux hosts forward for others";

// ESXi and classic ESX.
constexpr KeyRow kOfEsx[] = {
    {"nodes.*.adapters.*.names", refused, "", "remove it: ESX names its NICs itself"},
    {"nodes.*.software", compared},
    {"nodes.*.software.stack",
     refused,
     "",
     "remove it: the drivers are those of the host or of the vendor's bundles"},
    {"nodes.*.packages",
     refused,
     "",
     "remove it: the drivers of the cards come in bundles of the vendor"},
    {"nodes.*.network_backend", refused, "", "remove it: ESX saves its own network settings"},
    {"nodes.*.adopt", refused, "", "remove it: fabric takes over no files of other programs there"},
    {"nodes.*.restore",
     refused,
     "",
     "remove it: fabric keeps no records there, so it does not know the former values"},
    {"nodes.*.sysctl", refused, "", kNoLinux},
    {"nodes.*.tuning", refused, "", kNoLinux},
    {"networks.*.mode=chain", refused, "", "", "", kNoChain},
    {"networks.*.loopback", refused, kNoRouter, "make it a network of Linux hosts"},
    {"networks.*.transit", refused, kNoRouter, "make it a network of Linux hosts"},
    {"networks.*.restore",
     refused,
     "fabric keeps no records there, so it does not know the former values",
     "remove it"},
    {"networks.*.lag", no_effect},
    {"networks.*.subnet_managers", refused, "", "", "", kNoManager},
    {"networks.*.subnet_manager", no_effect},
    {"networks.*.partitions", no_effect},
};

constexpr KeyRow kOfEsxi[] = {
    {"nodes.*.ssh.become",
     refused,
     "it has no sudo",
     "log in as root; `become: none` overrides `defaults` and profiles"},
    {.key = "nodes.*.os.release",
     .use = compared,
     .words = "esxi",
     .oldest = "5",
     .example = "write esxi-8, or a version: 8.0.3; hosts before ESXi 5 are `esx-classic`"},
    {"nodes.*.adapters.*.firmware.version",
     refused,
     "fabric burns no firmware there",
     "write `firmware.minimum`, which is checked, and burn it by the vendor's tools"},
    {"nodes.*.adapters.*.firmware.image",
     refused,
     "fabric burns no firmware there",
     "remove it, and burn it by the vendor's tools"},
    {"nodes.*.adapters.*.firmware.psid",
     refused,
     "fabric burns no firmware there",
     "remove it: `firmware.minimum` and `model` are checked"},
    {"nodes.*.adapters.*.firmware.params"},
    {"nodes.*.adapters.*.firmware.params.*=default",
     refused,
     "fabric does not read the default of a parameter there",
     "write the value, or reset the card by the vendor's tool"},
    {.key = "nodes.*.adapters.*.firmware.recovery_mode",
     .writes = "modules.nmlx5_core.mst_recovery"},
    {.key = "nodes.*.adapters.*.sriov", .writes = "modules.nmlx5_core.max_vfs"},
    {"nodes.*.software.minimum",
     refused,
     "",
     "remove it: the drivers are those of the host; `os.minimum` is checked"},
    {"nodes.*.software.mft", compared},
    {"nodes.*.software.bundles",
     refused,
     "",
     "remove it: vCenter's Lifecycle Manager or `esxcli software vib install` installs them"},
    {"networks.*.mode=lag",
     by_hand,
     "uplinks are bundled in vCenter, by LACP of a distributed switch",
     "write `lag: {policy: 802.3ad, made_by: vcenter}`: the switches get their side, and the host "
     "is left alone",
     "networks.*.lag.made_by"},
    {"networks.*.mtu",
     done,
     "a port has the MTU of its virtual switch",
     "name the virtual switch, `vswitch: vSwitch1`: it gets the MTU, with its uplinks and its vmk "
     "interfaces; or remove `mtu`",
     "networks.*.vswitch"},
    {"networks.*.vswitch"},
    {"networks.*.ipv4", refused, "its ports have no addresses of their own", kInVcenter},
    {"networks.*.ipv6", refused, "its ports have no addresses of their own", kInVcenter},
    {"networks.*.vlans",
     refused,
     "port groups of its virtual switch have the VLAN IDs, and are made in vCenter",
     "give the host's ports a network without `vlans`; in mode lag `lag: {made_by: vcenter}` makes "
     "the VLANs at the switches and leaves the host alone"},
    {"networks.*.lag.made_by", by_hand},
    {"networks.*.qos",
     refused,
     "its driver has options for it",
     "set PFC there by options of the driver: `modules`, nmlx5_core, pfctx and pfcrx"},
    {"networks.*.ipoib",
     refused,
     "its driver shows InfiniBand cards as Ethernet NICs and has no IPoIB",
     "name the ports with IPoIB, `ipoib: {ports: [...]}`, without those of this host; or remove "
     "`ipoib`"},
};

constexpr std::string_view kNoTool =
    "remove it: the driver sets the link types, and fabric uses no firmware tool there";

constexpr KeyRow kOfEsxClassic[] = {
    {.key = "nodes.*.os.release",
     .use = compared,
     .words = "esx vsphere vi",
     .oldest = "3",
     .example = "write \"VI 3.5\", \"vSphere 4.0\" or esx-4"},
    {"nodes.*.adapters.*.firmware.version", refused, "", kNoTool},
    {"nodes.*.adapters.*.firmware.params", refused, "", kNoTool},
    {"nodes.*.adapters.*.firmware.image", refused, "", kNoTool},
    {"nodes.*.adapters.*.firmware.psid", refused, "", kNoTool},
    {"nodes.*.adapters.*.firmware.recovery_mode",
     refused,
     "only the driver of ESXi has it",
     "remove it"},
    {"nodes.*.adapters.*.firmware.minimum", compared},
    {"nodes.*.adapters.*.sriov", refused, "", "remove it: ESX has no virtual functions"},
    {"nodes.*.software.minimum",
     refused,
     "",
     "remove it: name the bundles that have the drivers, `software.bundles`"},
    {"nodes.*.software.mft", refused, "", kNoTool},
    {"nodes.*.software.bundles"},
    {"networks.*.mode=lag",
     refused,
     "NICs are teamed at a virtual switch, in the VI client",
     "use `mode: ethernet`, and team the NICs by hand"},
    {"networks.*.mtu", by_hand},
    {"networks.*.vswitch", no_effect},
    {"networks.*.ipv4", by_hand},
    {"networks.*.ipv6", by_hand},
    {"networks.*.vlans", by_hand},
    {"networks.*.qos",
     refused,
     "its driver has no flow control by priority",
     "give the host's ports a network without `qos`"},
    {"networks.*.ipoib", by_hand},
    {"networks.*.ipoib.bond",
     refused,
     "its virtual switch fails over between the uplinks",
     "remove it, and order the uplinks at the virtual switch"},
    {.key = "networks.*.ipoib.uplinks",
     .writes = "modules.ib_ipoib.ipoib_uplink_num modules.ib_ipoib.UplinkNum"},
};

constexpr std::string_view kOwnSystem =
    "remove it; where it comes from `defaults`, write it in a profile of the hosts";

// Rows of managed switches.
constexpr KeyRow kOfSwitches[] = {
    {"nodes.*.adapters", refused, "", "ports of a switch are written leaf1/7, without an adapter"},
    {"nodes.*.os", compared},
    {"nodes.*.software", refused, "", kOwnSystem},
    {"nodes.*.modules", refused, "", kOwnSystem},
    {"nodes.*.packages", refused, "", kOwnSystem},
    {"nodes.*.network_backend", no_effect},
    {"nodes.*.adopt", no_effect},
    {"nodes.*.restore", no_effect},
    {"nodes.*.sysctl", refused, "", kOwnSystem},
    {"nodes.*.tuning", refused, "", kOwnSystem},
    {"nodes.*.mlag"},
    {"nodes.*.node_guid",
     refused,
     "the key identifies an unmanaged switch",
     "remove it, or give it to the adapter"},
    {"nodes.*.model", compared},
    {"nodes.*.mtu"},
    {"nodes.*.system_name"},
    {"nodes.*.proof"},
    {"networks.*.mode=chain", refused, "", "", "", kNoChain},
    {"networks.*.mode=lag"},
    {"networks.*.mtu"},
    {"networks.*.access_vlan"},
    {"networks.*.vswitch", no_effect},
    {"networks.*.ipv4", no_effect},
    {"networks.*.ipv6", no_effect},
    {"networks.*.loopback", no_effect},
    {"networks.*.transit", no_effect},
    {"networks.*.restore", no_effect},
    {"networks.*.vlans", no_effect},
    {"networks.*.vlans.*.id"},
    {"networks.*.lag", no_effect},
    {"networks.*.lag.policy"},
    {"networks.*.qos"},
    {"networks.*.ipoib", no_effect},
};

constexpr std::string_view kOnLinux =
    "remove it, or place the managers on Linux hosts: it is an option of OpenSM";
constexpr std::string_view kSwitchManager = "the switch's own manager has no such setting";

constexpr std::string_view kOnlyPairs = "its switches share bonds only as an MLAG pair";
constexpr std::string_view kUseLink =
    "remove it, and join the two by a link: mlag: {domain, peer, ipl, vip}";

constexpr KeyRow kOfMlnxOs[] = {
    {"nodes.*.ssh.become", no_effect},
    {.key = "nodes.*.os.release",
     .use = compared,
     .words = "mlnx-os onyx",
     .oldest = "3.6",
     .example = "write onyx-3, mlnx-os-3.10, or a version: 3.9.1014"},
    {"nodes.*.mlag",
     done,
     "the two switches of such a pair find each other by an address in the management network",
     "write it at both: mlag: {vip: 192.0.2.82/24}",
     "nodes.*.mlag.vip"},
    {"nodes.*.mlag.by=evpn", refused, kOnlyPairs, kUseLink},
    {"nodes.*.mlag.segment", refused, kOnlyPairs, kUseLink},
    {"networks.*.mode=infiniband"},
    {"networks.*.mode=ethernet"},
    {"networks.*.subnet_managers"},
    {"networks.*.subnet_manager"},
    {"networks.*.subnet_manager.routing_engine", refused, kSwitchManager, kOnLinux},
    {"networks.*.subnet_manager.subnet_prefix", refused, kSwitchManager, kOnLinux},
    {"networks.*.subnet_manager.roots", refused, kSwitchManager, kOnLinux},
    {"networks.*.subnet_manager.io", refused, kSwitchManager, kOnLinux},
    {"networks.*.subnet_manager.options", refused, kSwitchManager, kOnLinux},
    {"networks.*.subnet_manager.virtualization"},
    {"networks.*.subnet_manager.external", compared},
    {"networks.*.subnet_manager.guid", compared},
    {"networks.*.partitions"},
};

constexpr KeyRow kOfCumulus[] = {
    {.key = "nodes.*.os.release",
     .use = compared,
     .words = "cumulus",
     .oldest = "5",
     .example = "write cumulus-5, or a version: 5.9.1; fabric speaks to Cumulus Linux 5 and later"},
    {"nodes.*.mlag.vlan", no_effect},
    {"nodes.*.mlag.vip", refused, "its pair needs no address of its own", "remove it"},
    {"nodes.*.mlag.address", refused, "its pair is found by link-local addresses", "remove it"},
    {"networks.*.mode=infiniband",
     refused,
     "its ports are Ethernet",
     "use `mode: ethernet`, or correct `platform`: InfiniBand switches run nvos or mlnx-os"},
    {"networks.*.mode=ethernet"},
    {"networks.*.ipv4.per=cable"},
    {"networks.*.subnet_managers", no_effect},
    {"networks.*.subnet_manager", no_effect},
    {"networks.*.partitions", no_effect},
};

constexpr std::string_view kOnlyInfiniband = "its ports are InfiniBand";
constexpr std::string_view kUseCumulus =
    "use `mode: infiniband`, or correct `platform`: Ethernet switches run cumulus or mlnx-os";

constexpr KeyRow kOfNvos[] = {
    {.key = "nodes.*.os.release",
     .use = compared,
     .words = "nvos",
     .example = "write nvos-25, or a version: 25.02"},
    {"nodes.*.mlag", refused, kOnlyInfiniband, kWriteForSwitch},
    {"nodes.*.mtu", refused, kOnlyInfiniband, kMtuOfNetwork},
    {"networks.*.mode=infiniband"},
    {"networks.*.mode=ethernet", refused, kOnlyInfiniband, kUseCumulus},
    {"networks.*.mode=lag", refused, kOnlyInfiniband, kUseCumulus},
    {"networks.*.access_vlan", no_effect},
    {"networks.*.vlans.*.id", no_effect},
    {"networks.*.lag.policy", no_effect},
    {"networks.*.qos", no_effect},
    {"networks.*.subnet_managers"},
    {"networks.*.subnet_manager"},
    {"networks.*.subnet_manager.routing_engine", refused, kSwitchManager, kOnLinux},
    {"networks.*.subnet_manager.subnet_prefix", refused, kSwitchManager, kOnLinux},
    {"networks.*.subnet_manager.roots", refused, kSwitchManager, kOnLinux},
    {"networks.*.subnet_manager.io", refused, kSwitchManager, kOnLinux},
    {"networks.*.subnet_manager.options", refused, kSwitchManager, kOnLinux},
    {"networks.*.subnet_manager.virtualization", refused, kSwitchManager, kOnLinux},
    {"networks.*.subnet_manager.external", compared},
    {"networks.*.subnet_manager.guid", compared},
    {"networks.*.partitions",
     refused,
     "fabric makes no partitions at a manager of NVOS",
     "place the managers on Linux hosts, or remove `partitions`"},
};

// The switch has no login: the document describes the work of a person there.
constexpr KeyRow kOfUnmanaged[] = {
    {"nodes.*.ssh", no_effect},
    {"nodes.*.adapters", refused, "", "ports of a switch are written leaf1/7, without an adapter"},
    {"nodes.*.os", no_effect},
    {"nodes.*.software", no_effect},
    {"nodes.*.modules", no_effect},
    {"nodes.*.packages", no_effect},
    {"nodes.*.network_backend", no_effect},
    {"nodes.*.adopt", no_effect},
    {"nodes.*.restore", no_effect},
    {"nodes.*.sysctl", no_effect},
    {"nodes.*.tuning", no_effect},
    {"nodes.*.mlag", compared},
    {"nodes.*.node_guid", compared},
    {"nodes.*.model", compared},
    {"nodes.*.mtu",
     refused,
     "fabric does not log in to it",
     "remove it, and set the MTU of its ports there by hand"},
    {"nodes.*.system_name", compared},
    {"nodes.*.proof", compared},
    {"networks.*.mode", compared},
    {"networks.*.mode=chain", refused, "", "", "", kNoChain},
    {"networks.*.mtu", no_effect},
    {"networks.*.access_vlan",
     refused,
     "fabric does not log in to it",
     "remove it, and set the VLAN of its ports there by hand"},
    {"networks.*.vswitch", no_effect},
    {"networks.*.ipv4", no_effect},
    {"networks.*.ipv6", no_effect},
    {"networks.*.loopback", no_effect},
    {"networks.*.transit", no_effect},
    {"networks.*.restore", no_effect},
    {"networks.*.vlans", no_effect},
    {"networks.*.lag", no_effect},
    {"networks.*.lag.policy", by_hand},
    {"networks.*.qos", no_effect},
    {"networks.*.subnet_managers", refused, "", "", "", kNoManager},
    {"networks.*.subnet_manager", no_effect},
    {"networks.*.partitions", no_effect},
    {"networks.*.ipoib", no_effect},
};

// True if `key` is that of the row or below it.
bool is_below(std::string_view key, std::string_view row) {
  return key.starts_with(row) && (key.size() == row.size() || key[row.size()] == '.');
}

const KeyRow* longer(const KeyRow* found, std::span<const KeyRow> rows, std::string_view key) {
  for (const KeyRow& row : rows) {
    const bool fits = row.key.find('=') == std::string_view::npos && is_below(key, row.key);
    if (fits && (found == nullptr || row.key.size() > found->key.size())) found = &row;
  }
  return found;
}

const KeyRow* of_value(std::span<const KeyRow> rows, std::string_view key, std::string_view value) {
  for (const KeyRow& row : rows) {
    const bool fits = row.key.size() == key.size() + 1 + value.size() && row.key.starts_with(key) &&
                      row.key[key.size()] == '=' && row.key.ends_with(value);
    if (fits) return &row;
  }
  return nullptr;
}

}  // namespace

const KeyTable kLinuxKeys{{kOfLinux, kOfHosts, kOfFabric}};
const KeyTable kEsxiKeys{{kOfEsxi, kOfEsx, kOfHosts, kOfFabric}};
const KeyTable kEsxClassicKeys{{kOfEsxClassic, kOfEsx, kOfHosts, kOfFabric}};
const KeyTable kMlnxOsKeys{{kOfMlnxOs, kOfSwitches, kOfFabric}};
const KeyTable kCumulusKeys{{kOfCumulus, kOfSwitches, kOfFabric}};
const KeyTable kNvosKeys{{kOfNvos, kOfSwitches, kOfFabric}};
const KeyTable kUnmanagedKeys{{kOfUnmanaged, kOfFabric}};

std::string_view to_string(KeyUse use) {
  switch (use) {
    case done:
      return "done";
    case compared:
      return "compared";
    case by_hand:
      return "by hand";
    case refused:
      return "refused";
    case no_effect:
      return "no effect";
  }
  return "";
}

const KeyRow* find_key_row(
    const PlatformTraits& platform, std::string_view key, std::string_view value) {
  for (const std::span<const KeyRow> rows : platform.keys->rows) {
    if (const KeyRow* row = value.empty() ? nullptr : of_value(rows, key, value)) return row;
  }
  const KeyRow* found = nullptr;
  for (const std::span<const KeyRow> rows : platform.keys->rows)
    found = longer(found, rows, key);
  return found;
}

Value platform_key_table() {
  std::set<std::string_view> keys;
  for (const PlatformTraits& platform : platforms()) {
    for (const std::span<const KeyRow> rows : platform.keys->rows) {
      for (const KeyRow& row : rows)
        keys.insert(row.key);
    }
  }
  List table;
  for (const std::string_view written : keys) {
    const std::size_t equals = written.find('=');
    const std::string_view key = written.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view{} : written.substr(equals + 1);
    Map of_platforms;
    for (const PlatformTraits& platform : platforms()) {
      const KeyRow* row = find_key_row(platform, key, value);
      if (row == nullptr) continue;
      of_platforms.emplace(
          platform.name,
          Map{{"use", to_string(row->use)},
              {"why", row->why},
              {"instead", row->instead},
              {"needs", shown_key(row->needs)},
              {"rule", row->rule}});
    }
    table.emplace_back(Map{
        {"key", written}, {"shown", shown_key(written)}, {"platforms", std::move(of_platforms)}});
  }
  return table;
}

bool has_rows_below(const PlatformTraits& platform, std::string_view key) {
  const auto is_lower = [key](const KeyRow& row) {
    return row.key.size() > key.size() && is_below(row.key, key);
  };
  const KeyTable& table = *platform.keys;
  return std::any_of(table.rows.begin(), table.rows.end(), [&](std::span<const KeyRow> rows) {
    return std::any_of(rows.begin(), rows.end(), is_lower);
  });
}

std::string shown_key(std::string_view key) {
  std::string shown;
  const std::size_t root = key.find("*.");
  for (std::size_t i = root == std::string_view::npos ? 0 : root + 2; i < key.size(); ++i) {
    if (key.substr(i).starts_with(".*")) {
      ++i;
    } else if (key[i] == '=') {
      shown += ": ";
    } else {
      shown += key[i];
    }
  }
  return shown;
}

}  // namespace fabric
