// SPDX-License-Identifier: Apache-2.0
// Every real capture and data set of this area is read, or refused with a line. They are not part
// of the project: where ../shared is not there, there is nothing to test.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/json.hpp"
#include "providers/esx/parsers/esxcfg_module.hpp"
#include "providers/esxi/parsers/esxcli_lists.hpp"
#include "providers/infiniband/parsers/iblinkinfo.hpp"
#include "providers/infiniband/parsers/ibnetdiscover.hpp"
#include "providers/infiniband/parsers/opensm.hpp"
#include "providers/linux/kinds/interface/link_observer.hpp"
#include "providers/parsers.hpp"
#include "providers/parsers/proc_bonding.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

const std::string kShared = FABRIC_SOURCE_DIR "/../shared/domain/";

// The files of a folder whose names have `part`, in order.
std::vector<std::string> files(const std::string& folder, const std::string& part = "") {
  std::vector<std::string> paths;
  if (!std::filesystem::is_directory(kShared + folder)) return paths;
  for (const auto& entry : std::filesystem::directory_iterator{kShared + folder}) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name.find(part) != std::string::npos)
      paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<Value> parse(const std::string& kind, const std::string& text) {
  for (const Parser& parser : parsers()) {
    if (parser.kind == kind) return parser.parse(text);
  }
  FAIL("no parser " << kind);
  return Value{};
}

struct Collection {
  std::string kind, folder, part;
  // Names of those that are refused, with the line: what they are is said in their MANIFEST.
  std::map<std::string, std::string> refused;
};

std::vector<Collection> collections() {
  return {
      {"proc-bonding",
       "datasets/bonding",
       "",
       {{"insights-bondinfo_unknown_bond_mode.txt", "line 1: "},
        {"insights-bondinfo_mode_4.txt", "line 31: "}}},
      {"proc-bonding", "captures/linux", "proc-net-bonding", {}},
      {"proc-bonding", "captures/seeds", "proc-net-bonding", {}},
      {"interfaces", "captures/netcfg/ifupdown", "interfaces", {}},
      {"interfaces", "captures/seeds", "ifupdown-bond0", {}},
      {"ifcfg", "captures/netcfg/ifcfg", "", {}},
      // nmcli's warning stands above the file.
      {"nm-keyfile",
       "captures/netcfg/nm-keyfile",
       "onnection",
       {{"bond0-port1.nmconnection", "line 1: "}}},
      {"nm-keyfile", "captures/netcfg/nm-keyfile", "Test_Write", {}},
      // A transcript with the command and several files.
      {"netplan",
       "captures/netcfg/netplan",
       "",
       {{"netplan-generate-networkd-and-nm.txt", "line "}}},
      {"netplan",
       "captures/netcfg/nmstate",
       "",
       {{"infiniband_pkey_ipoib_create.yml", "line 1: "},
        {"infiniband_pkey_ipoib_delete.yml", "line 1: "}}},
      // A transcript of several tools, and the output of another one.
      {"ibstat",
       "captures/linux",
       "ibstat",
       {{"ibstat-and-tools-without-hardware.txt", "line 1: "},
        {"ibstatus-cx3-mixed.txt", "line 1: "}}},
      {"ibstat", "captures/seeds", "ibstat", {{"ibstat-cx7-vf.txt", "line 1: "}}},
      {"ibstat", "datasets/ibstat", "", {{"azure-ibstatus.out", "line 1: "}}},
      // The simulator speaks first.
      {"ibstat", "datasets/sim-captures/b2b", "ibstat", {{"ibstat.txt", "line 1: "}}},
      {"ibstat", "datasets/sim-captures/ring3", "ibstat", {{"ibstat.txt", "line 1: "}}},
      {"ibstat", "datasets/sim-captures/2sw4hca", "ibstat", {{"ibstat.txt", "line 1: "}}},
      {"ibstat", "datasets/sim-captures/ft2-k36-648", "ibstat", {{"ibstat.txt", "line 1: "}}},
      {"ibv-devinfo", "captures/linux", "ibv_devinfo", {}},
      {"rdma-link-json",
       "captures/linux",
       "rdma-link",
       {{"rdma-link-show-lines.txt", "line 1, column 1: "}}},
      {"rdma-link-json", "captures/linux", "rdma-j-link", {}},
      {"ip-link-json", "captures/linux", "ip-j-link", {}},
      {"lspci-link", "captures/linux", "lspci", {}},
      {"lspci-link", "captures/seeds", "lspci", {{"lspci-v-cx3.txt", "line "}}},
      // Without -vv; ESXi's own forms.
      {"lspci-link",
       "captures/esxi",
       "lspci",
       {{"lspci.txt", "line 3: no 'LnkSta:' line"},
        {"lspci-n.txt", "line 20: no 'LnkSta:' line"},
        {"lspci-p.txt", "line 16: no 'LnkSta:' line"},
        {"lspci-p-passthru-row-esxi8.txt", "line 1: no 'LnkSta:' line"}}},
      {"mstflint-query", "captures/esxi", "flint-q", {}},
      {"mstflint-query", "captures/mlxconfig", "flint-q", {}},
      // A node without a link is not all that the tool printed.
      {"ibnetdiscover",
       "datasets/ibnetdiscover",
       "",
       {{"topograph-bad.ibnd", "line 10, column 1: "}}},
      {"ibnetdiscover", "captures/ib", "ibnetdiscover", {}},
      {"iblinkinfo", "captures/ib", "iblinkinfo", {}},
      {"sminfo", "captures/ib", "sminfo", {}},
      {"sminfo", "captures/seeds", "pf-sminfo", {}},
      {"sminfo", "captures/seeds", "vf-sminfo", {}},
      {"opensm-conf", "captures/opensm", "opensm.conf", {}},
      {"opensm-conf", "datasets/opensm", "-opensm.conf", {}},
      {"opensm-log", "captures/opensm", "opensm.log", {}},
      // The prose of the documentation.
      {"partitions-conf",
       "captures/opensm",
       "partition-config",
       {{"partition-config.txt", "line 1: "}}},
      // Lines that a search picked, without what follows them.
      {"partitions-conf",
       "datasets/opensm",
       "partitions.conf",
       {{"rxe-selinux-partitions.conf", "line 1: "}}},
      {"onyx-show",
       "captures/onyx",
       "",
       {{"show-dcb-pfc.txt", "line 1: "},
        {"sm-virt-enable-session.txt", "line 1: "},
        {"show-roce-3.10-spacing-lost.txt", "line 19: a table"},
        {"ssh-exec-refused.txt", "line 1: "}}},
      // A table.
      {"onyx-show", "captures/onyx/ansible", "", {{"onyx_ospf_interfaces_show.cfg", "line 2: "}}},
      // A table.
      {"onyx-show",
       "captures/onyx/napalm",
       "",
       {{"test_get_facts__show_interface_status.txt", "line "}}},
      {"onyx-show", "datasets/opensm", "sx6012", {}},
      // Transcripts with the prompts.
      {"onyx-show",
       "captures/seeds",
       "onyx-show-ib-sm",
       {{"onyx-show-ib-sm-and-virt.txt", "line 1: "}}},
      {"esxcli-vib-list",
       "captures/seeds",
       "esxcli-vib-list",
       {{"esxcli-vib-list-nmlx5-ocr.txt", "line 1: "}}},
      {"esxcli-module-parameters",
       "captures/esxi",
       "module-parameters",
       {{"module-parameters-list-whitespace-collapsed.txt", "line 1: "}}},
      // The guide lost the gaps between the columns, and shows the command.
      {"esxcli-nic-list",
       "captures/esxi",
       "network-nic-list",
       {{"network-nic-list-cx5ex.txt", "line 1: "},
        // By a formatter that fabric does not ask for.
        {"network-nic-list-esxi8-REDUCED.xml", "line 1: "}}},
      {"esxcli-pci-list", "captures/esxi", "hardware-pci-list", {}},
      // A transcript of three commands without the gaps.
      {"esxcli-rdma-list",
       "captures/esxi",
       "rdma-device-list",
       {{"rdma-device-list-cisco-guide.txt", "line 1, column 2: "}}},
      // With the command above it.
      {"esxcli-vf-list",
       "captures/esxi",
       "sriovnic-vf-list",
       {{"sriovnic-vf-list.txt", "line 1: "}}},
      // A transcript of three commands.
      {"esxcli-vswitch-list",
       "captures/esxi",
       "network-vswitch-standard-session",
       {{"network-vswitch-standard-session.txt", "line "}}},
      {"mst-status",
       "captures/esxi",
       "mst-status",
       {{"mst-status.txt", "line 2: "}, {"mst-status-vv-whitespace-collapsed.txt", "line 1: "}}},
      {"mlnx-qos", "captures/qos", "mlnx_qos-i", {}},
      {"onyx-roce", "captures/onyx", "show-roce", {}},
      {"ethtool-module", "captures/link", "ethtool-m-", {}},
      // With the command above it, as a transcript has it.
      {"ethtool-fec", "captures/link", "show-fec", {{"ethtool-I-show-fec.txt", "line 1: "}}},
      {"mlxlink", "captures/link", "mlxlink-m", {}},
      {"mlxlink", "captures/mlxlink", "cx5-ib-sdr", {}},
      {"esxcfg-module", "captures/esxi", "esxcfg-module", {{"esxcfg-module-g.txt", "line 1: "}}},
      {"mlxconfig-query",
       "captures/esxi",
       "mlxconfig",
       {{"mlxconfig-q-whitespace-collapsed.txt", "line 10: the blanks"},
        {"mlxconfig-set-whitespace-collapsed.txt", "line 11: the blanks"}}},
      // With the prompt and the command above them.
      {"esxcli-vib-list",
       "captures/esxi",
       "software-vib-list",
       {{"software-vib-list-esxi50-EXCERPT.txt", "line 1: "}}},
      {"esxupdate-query",
       "captures/esxi",
       "esxupdate",
       {{"esxupdate-query-esxi41.txt", "line 1: "}}},
      {"esxcfg-nics", "captures/esxi", "esxcfg-nics", {}},
      {"lspci-numbers", "captures/esxi", "lspci-n.txt", {}},
      {"onyx-channels", "captures/onyx/manual-layout", "port-channel-summary", {}},
      // What the web interface answers.
      {"onyx-channels",
       "captures/onyx/json",
       "mlag-port-channel",
       {{"mlag-port-channel.json", "line 1: "}}},
      {"onyx-lldp", "captures/onyx/json", "lldp", {}},
      {"onyx-lldp", "captures/onyx/napalm", "show_lldp_remote", {}},
      {"onyx-show", "captures/onyx/manual-layout", "show-version", {}},
      {"onyx-partitions",
       "captures/onyx/stacki-m7800",
       "partition",
       {{"show-ib-partition-before-3.6.8010.txt", "line 1: "},
        {"show-ib-partition-from-3.6.8010.txt", "line 1: "}}},
  };
}

TEST_CASE("every capture is read, or refused with its line", "[providers]") {
  for (const Collection& collection : collections()) {
    for (const std::string& path : files(collection.folder, collection.part)) {
      const std::string name = std::filesystem::path{path}.filename().string();
      const auto value = parse(collection.kind, remote::test::read_text(path));
      INFO(collection.kind << " " << name << ": " << (value ? "" : value.error().message));
      const auto refused = collection.refused.find(name);
      CHECK(value.has_value() == (refused == collection.refused.end()));
      if (!value && refused != collection.refused.end())
        CHECK(value.error().message.find(refused->second) == 0);
    }
  }
}

// The same subnets by two tools, on nets of 2 to 684 nodes.
TEST_CASE("nets of the simulator are read from all three tools", "[providers]") {
  const std::string folder = "datasets/sim-captures/";
  for (const char* net : {"b2b", "ring3", "2sw4hca", "ft2-k36-648"}) {
    if (!std::filesystem::is_directory(kShared + folder + net)) return;
    const auto text = [&](const char* name) {
      return remote::test::read_text(kShared + folder + net + "/" + name);
    };
    INFO(net);
    const auto topology = parse_ibnetdiscover(text("ibnetdiscover.txt"));
    const auto ports = parse_ibnetdiscover(text("ibnetdiscover-p.txt"));
    const auto links = parse_iblinkinfo(text("iblinkinfo.txt"));
    INFO((topology ? "" : topology.error().message) << (ports ? "" : ports.error().message));
    INFO((links ? "" : links.error().message));
    REQUIRE((topology && ports && links));
    const auto cables = [](const ObservedTopology& subnet) {
      std::size_t ends = 0;
      for (const IbNode& node : subnet.nodes)
        ends += static_cast<std::size_t>(
            std::count_if(node.ports.begin(), node.ports.end(), [](const IbPort& port) {
              return port.peer.has_value();
            }));
      return ends;
    };
    CHECK(cables(*topology) > 0);
    CHECK(cables(*topology) == cables(*ports));
    CHECK(cables(*topology) == cables(*links));
    const auto manager = parse_sminfo(text("sminfo.txt"));
    REQUIRE(manager);
    CHECK(manager->manager->state == SmState::master);
  }
}

// Real output below a line that shows the command.
TEST_CASE("what stands below the prompts of transcripts is read", "[providers]") {
  const auto without = [](const std::string& name, const std::string& prompt) {
    std::string kept;
    const std::string text = remote::test::read_text(kShared + name);
    for (const std::string_view line : split_lines(std::string_view{text})) {
      if (!line.starts_with(prompt)) kept += std::string{line} + "\n";
    }
    return kept;
  };
  if (!std::filesystem::is_directory(kShared + "captures")) return;
  const auto modules = parse_esxcfg_module(without("captures/esxi/esxcfg-module-g.txt", "#"));
  REQUIRE(modules);
  CHECK(modules->size() == 2);
  const auto functions =
      parse("esxcli-vf-list", without("captures/esxi/sriovnic-vf-list.txt", "#"));
  CHECK(functions->find("functions")->as_list()->size() == 4);
  const auto wide =
      parse("mst-status", without("captures/esxi/mst-status-vv-whitespace-collapsed.txt", "/opt/"));
  INFO((wide ? "" : wide.error().message));
  REQUIRE(wide);
  CHECK(wide->find("devices")->as_list()->size() == 2);
  const std::string session =
      without("captures/esxi/network-vswitch-standard-session.txt", "[root@");
  const auto switches =
      parse("esxcli-vswitch-list", session.substr(0, session.find("Name                ")));
  INFO((switches ? "" : switches.error().message));
  REQUIRE(switches);
  CHECK(to_json(*switches).find(R"j("name":"storage")j") != std::string::npos);
  CHECK(parse("esxupdate-query", without("captures/esxi/esxupdate-query-esxi41.txt", "~ #")));
  for (const char* release : {"before", "from"}) {
    const std::string name =
        fmt::format("captures/onyx/stacki-m7800/show-ib-partition-{}-3.6.8010.txt", release);
    const auto partitions = parse("onyx-partitions", without(name, "M7800-"));
    INFO(name << ": " << (partitions ? "" : partitions.error().message));
    REQUIRE(partitions);
    CHECK(to_json(*partitions).find("e4:1d:2d:03:00:15:6e:80") != std::string::npos);
  }
  const std::string facts =
      remote::test::read_text(kShared + "captures/esxi/host-facts-esxi703.txt");
  const std::size_t nics = facts.find("Name    PCI Device");
  CHECK(parse("esxcli-nic-list", facts.substr(nics, facts.find("##", nics) - nics)));
  const auto vibs =
      parse_esxcli_vib_list(without("captures/seeds/esxcli-vib-list-nmlx5-ocr.txt", "<pre>"));
  INFO((vibs ? "" : vibs.error().message));
  REQUIRE(vibs);
  CHECK(vibs->size() == 3);
  for (const char* net : {"b2b", "ring3", "ft2-k36-648"}) {
    const std::string name = fmt::format("datasets/sim-captures/{}/ibstat.txt", net);
    if (!std::filesystem::exists(kShared + name)) continue;
    const auto devices = parse("ibstat", without(name, "ibwarn: "));
    INFO(net << ": " << (devices ? "" : devices.error().message));
    REQUIRE(devices);
    REQUIRE(devices->find("devices") != nullptr);
    CHECK(to_json(*devices->find("devices")).find("\"name\":\"ibsim0\"") != std::string::npos);
  }
  // This one was run on a switch, whose ports have no CA.
  const std::string on_switch = "datasets/sim-captures/2sw4hca/ibstat.txt";
  if (!std::filesystem::exists(kShared + on_switch)) return;
  const auto ports = parse("ibstat", without(on_switch, "ibwarn: "));
  REQUIRE_FALSE(ports);
  CHECK(ports.error().message.starts_with("line 1: expected CA 'NAME'"));
}

TEST_CASE("firmware of real cards is read", "[providers]") {
  const auto said = [](const std::string& name) {
    const auto query = parse("mstflint-query", remote::test::read_text(kShared + name));
    if (!query) return query.error().message;
    return query->string_or_empty("fw_version") + " " + query->string_or_empty("psid") + " " +
           query->string_or_empty("base_guid");
  };
  if (!std::filesystem::is_directory(kShared + "captures")) return;
  CHECK(said("captures/esxi/flint-q-cx4lx.txt") == "14.22.1002 MT_2420110034 0c42a103008c51a8");
  CHECK(said("captures/mlxconfig/flint-q-cx7.txt") == "28.43.1014 MT_0000001244 e09d730300126474");
}

TEST_CASE("real bonds are judged as their owners found them", "[providers]") {
  const auto ailments = [](const std::string& name) -> std::string {
    const std::string path = kShared + name;
    if (!std::filesystem::exists(path)) return "not here";
    const auto bond = parse_proc_bonding(remote::test::read_text(path));
    if (!bond) return bond.error().message;
    std::string text;
    for (const BondAilment& each : bond_ailments(*bond))
      text += each.text + "; ";
    return text;
  };
  if (!std::filesystem::is_directory(kShared + "captures")) return;
  CHECK(ailments("captures/seeds/proc-net-bonding-802.3ad.txt").empty());
  CHECK(ailments("captures/seeds/proc-net-bonding-active-backup.txt").empty());
  CHECK(ailments("captures/linux/proc-net-bonding-lacp-good-truncated.txt").empty());
  CHECK(
      ailments("captures/linux/proc-net-bonding-lacp-no-partner.txt")
          .find("LACP is up but nothing is aggregated") == 0);
}

}  // namespace
}  // namespace fabric::providers
