// SPDX-License-Identifier: Apache-2.0
// The probes, run by real shells over a small copy of a node's file tree.
#include "providers/builtin.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/firmware/card_firmware.hpp"
#include "providers/linux/kinds/module/module_files.hpp"
#include "providers/linux/kinds/module/running_modules.hpp"
#include "providers/linux/kinds/settings/told_settings.hpp"

#include "tests/unit/providers/fixture.hpp"
#include "tests/unit/providers/probes/probe_tree.hpp"

namespace fabric::providers {
namespace {

using namespace test;
using remote::test::Scratch;

void add_card(Tree& tree) {
  const std::string device = "/sys/bus/pci/devices/0000:01:00.0/";
  tree.file(device + "vendor", "0x15b3\n");
  tree.file(device + "class", "0x020000\n");
  tree.file(device + "device", "0x1017\n");
  tree.file(
      device + "vpd",
      std::string{
          "\x90\x0c\x00SN\x04"
          "1234PN\x02"
          "AB\x78",
          16});
  tree.file(device + "sriov_totalvfs", "8\n");
  tree.file(device + "net/enp1s0np0/type", "1\n");
  tree.file(device + "net/enp1s0np0/address", "0c:42:a1:8c:51:a8\n");
  tree.file(device + "net/enp1s0np0/mtu", "1500\n");
  tree.file(device + "infiniband/mlx5_0/fw_ver", "16.35.2000\n");
  tree.file(device + "infiniband/mlx5_0/ports/1/link_layer", "Ethernet\n");
  tree.file("/sys/bus/pci/devices/0000:02:00.0/vendor", "0x8086\n");
  tree.file("/sys/bus/pci/devices/0000:02:00.0/class", "0x020000\n");
  tree.file("/sys/bus/pci/devices/0000:03:00.0/vendor", "0x15b3\n");
  tree.file("/sys/bus/pci/devices/0000:03:00.0/class", "0x060400\n");
}

TEST_CASE(
    "every shell finds the cards, their settings, files and kernel parameters", "[providers]") {
  for (const auto& shell : remote::test::shells()) {
    INFO(shell.name);
    Tree tree;
    add_card(tree);
    tree.file("/proc/sys/kernel/random/boot_id", std::string{kBootNow} + "\n");
    tree.file("/proc/sys/net/ipv4/conf/all/arp_ignore", "1\n");
    tree.file(
        "/var/lib/fabric/settings/0000:01:00.0.record", "# managed by fabric: x\nSRIOV_EN=1\n");
    tree.file("/etc/systemd/network/10-x.network", "[Match]\n\nName=a:b\n");
    tree.file("/etc/network/interfaces", "auto lo\n");
    tree.file("/etc/sysctl.d/90-x.conf", "a = 1\n");
    tree.program(
        "mstconfig",
        "[ \"$1\" = -v ] && echo 'mstconfig, mstflint 4.21.0' && exit 0\n"
        "echo \"asked: $*\"\necho 'Configurations:  Next Boot'\nprintf ' SRIOV_EN True(1)'\nexit "
        "3\n");
    tree.program(
        "mstflint",
        "[ \"$1\" = -v ] && echo 'mstflint, mstflint 4.21.0' && exit 0\n"
        "echo \"asked: $*\"\nprintf 'FW Version: 16.35.2000\\nPSID: MT_0000000008'\n");
    tree.file("/var/lib/fabric/firmware/upload-0000:01:00.0-9f86d081884c7d65", "test");
    for (const char* backup : {"1234-MT_0000000008-16.35.2000", "earlier-boot", "torn"}) {
      const std::string path = std::string{"/var/lib/fabric/firmware/backup-"} + backup + ".bin";
      const bool earlier = std::string_view{backup} == "earlier-boot";
      tree.file(path, std::string_view{backup} == "torn" ? "" : "flash");
      tree.file(path + ".settings", "Configurations:\n");
      tree.file(path + ".boot", std::string{earlier ? kBootBefore : kBootNow} + "\n");
    }
    tree.file("/var/lib/fabric/firmware/0000:01:00.0.burning", "77\n");
    tree.file("/proc/77/cmdline", std::string{"sh\0-c\0script\0fabric-burn\0", 24});
    tree.file("/var/lib/fabric/firmware/0000:02:00.0.burning", "78\n");
    tree.program(
        "ethtool", "[ \"$1\" = -P ] && echo 'Permanent address: 0c:42:a1:8c:51:a8'; exit 0\n");
    tree.file("/run/systemd/system/session-1.scope", "");  // systemd runs
    tree.program(
        "systemctl",
        "shift; for u; do if [ $u = systemd-networkd ]; then echo active; else echo inactive; fi; "
        "done; exit 3\n");
    tree.file("/proc/sys/kernel/osrelease", "6.1.0-26-amd64\n");
    tree.file(
        "/proc/modules", "bonding 229376 0 - Live 0x0\nmlx5_core 1662976 1 mlx5_ib, Live 0x0\n");
    tree.file("/sys/module/bonding/parameters/num_grat_arp", "1\n");
    tree.file("/etc/modprobe.d/fabric-mlx5_core.conf", "options mlx5_core prof_sel=3\n");
    tree.file("/boot/initrd.img-6.1.0-26-amd64", "");
    tree.file("/var/lib/dpkg/status", "");
    tree.file("/var/lib/dpkg/updates/0001", "");
    tree.program("dpkg-query", "printf '%s\\n' \"asked: $*\"; exit 2\n");
    tree.program(
        "ip", "[ \"$1\" = -j ] && exit 255; echo '1: lo    inet 127.0.0.1/8 scope host lo'\n");
    const NodeFacts facts = tree.run(shell);
    for (const auto& [id, output] : facts.probes) {
      INFO(id << ": " << output.standard_output);
      CHECK(output.exit_status == 0);
      CHECK(output.standard_error.empty());
    }

    const std::vector<Card> cards = inventory_of(facts);
    REQUIRE(cards.size() == 1);
    CHECK(cards[0].serial == "1234");
    CHECK(cards[0].part_number == "AB");
    CHECK(cards[0].firmware == "16.35.2000");
    REQUIRE(cards[0].ports.size() == 1);
    CHECK(cards[0].ports[0].netdev == "enp1s0np0");
    CHECK(cards[0].ports[0].permanent_mac->str() == "0c:42:a1:8c:51:a8");
    CHECK(cards[0].ports[0].sriov_total == 8);

    const CardSettings settings = settings_of(facts, cards[0].address);
    CHECK(settings.tool == "mstconfig");
    CHECK(
        facts.probes.at("mlxconfig").standard_output.str().find("asked: -d 0000:01:00.0 -e q\n") !=
        std::string::npos);
    CHECK(
        facts.probes.at("mlxconfig").standard_output.str().find("== status 3\n") !=
        std::string::npos);
    CHECK(
        facts.probes.at("mlxconfig").standard_output.str().find("0000:03:00.0") ==
        std::string::npos);
    REQUIRE(settings.table != nullptr);
    CHECK(settings.table->find("SRIOV_EN")->next_boot == "True(1)");
    CHECK(settings.boot_id == kBootNow);
    CHECK(settings.record.values.at("SRIOV_EN") == "1");

    const CardFirmware firmware = firmware_of(facts, cards[0]);
    CHECK(firmware.tool == "mstflint");
    CHECK(
        facts.probes.at("flint").standard_output.str().find("asked: -d 0000:01:00.0 q\n") !=
        std::string::npos);
    CHECK(firmware.flash == "16.35.2000");
    CHECK(firmware.burning);
    CHECK(firmware.uploads.size() == 1);
    CHECK(
        firmware.uploads.at("/var/lib/fabric/firmware/upload-0000:01:00.0-9f86d081884c7d65") ==
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08");
    CHECK(firmware.backups.size() == 1);
    CHECK(firmware.backups.contains(backup_path(cards[0], firmware)));

    CHECK(
        facts.probes.at("network-files").standard_output ==
        "/etc/systemd/network/10-x.network:[Match]\n/etc/systemd/network/10-x.network:\n"
        "/etc/systemd/network/10-x.network:Name=a:b\n/etc/network/interfaces:auto lo\n");
    CHECK(
        facts.probes.at("network-backends")
            .standard_output.str()
            .find("unit systemd-networkd active\n") != std::string::npos);
    CHECK(
        facts.probes.at("network-backends")
            .standard_output.str()
            .find("unit NetworkManager inactive\n") != std::string::npos);
    CHECK(
        facts.probes.at("sysctl").standard_output == "/proc/sys/net/ipv4/conf/all/arp_ignore:1\n");
    CHECK(facts.probes.at("sysctl-files").standard_output == "/etc/sysctl.d/90-x.conf:a = 1\n");
    CHECK(
        facts.probes.at("packages")
            .standard_output.str()
            .find("== interrupted\n== list dpkg\nasked: -W -f "
                  "${db:Status-Abbrev}\\t${Package}\\t${Version}\\n\n== status 2\n") == 0);
    const RunningModules modules = running_modules(facts);
    CHECK(modules.loaded.size() == 2);
    REQUIRE(modules.parameter("bonding", "num_grat_arp") != nullptr);
    CHECK(modules.parameter("bonding", "num_grat_arp")->value == "1");
    CHECK(modules.parameter("bonding", "num_grat_arp")->writable);
    const ModuleFiles files = module_files(facts);
    CHECK(files.has_boot_image);
    REQUIRE(files.of("mlx5_core").options.size() == 1);
    CHECK(files.of("mlx5_core").options[0].value == "3");
    // BusyBox built with PREFER_APPLETS takes its own `ip` whatever PATH says; it must be read too.
    CHECK(
        facts.probes.at("ip-addr").standard_output.str().find(
            "1: lo    inet 127.0.0.1/8 scope host lo") != std::string::npos);
  }
}

TEST_CASE("no secret of a netplan file is printed, and what is none stays", "[providers]") {
  const std::string kept =
      "# managed by fabric: keycloak1/interface/keystone\n"
      "# resource: {\"attributes\":[\"addresses\",\"mtu\"],\"beneath\":[\"bond/password\"]}\n"
      "network:\n  version: 2\n  vlans:\n    \"key\":\n      id: 7\n      link: \"passkey\"\n"
      "    keystone:\n      id: 8\n      link: monkey\n\n";
  const std::string secrets =
      "  ethernets:\n    eno1:\n      auth: {key-management: eap, password: \"CANARY\"}\n"
      "      mtu: 1500\n    eno2:\n      auth:\n        password: >-\n          CANARY\n\n"
      "          # CANARY\n        'client-key-password' : CANARY\n"
      "        \"client-key\":\n          -----BEGIN CANARY\n        identity: me\n"
      "    # password: CANARY\n    #psk: CANARY\n"
      "  tunnels:\n    wg0:\n      mode: wireguard\n      key: CANARY\n      peers:\n"
      "        - keys:\n            public: x\n# a note\n            shared: CANARY\n          "
      "mtu: 9\n"
      "    wg1:\n      keys: {\n        private:\n        CANARY\n      }\n      mtu: 1420\n"
      "  wifis:\n    w:\n      access-points:\n        \"x\": {PASSWORD: CANARY}\n        y:\n"
      "          - psk: \"CANARY\n              CANARY\"\n"
      "  modems:\n    cdc0:\n      pin: CANARY\n      networkmanager:\n        passthrough:\n"
      "          gsm.password-raw: CANARY\n          x.wep-key0: CANARY\n        name: z\n"
      "  bridges:\n    br0:\n      addresses:\n        - 10.99.0.1/24\n        - 1:2::3/64\n";
  for (const auto& shell : remote::test::shells()) {
    INFO(shell.name);
    Tree tree;
    tree.file("/etc/netplan/90-fabric-keystone.yaml", kept + secrets);
    const FileTexts files = file_texts(tree.run(shell).probes.at("network-files").standard_output);
    const std::string& text = files.at("/etc/netplan/90-fabric-keystone.yaml");
    INFO(text);
    CHECK(text.starts_with(kept));
    CHECK(text.find("CANARY") == std::string::npos);
    CHECK(
        std::count(text.begin(), text.end(), '\n') ==
        std::count(kept.begin(), kept.end(), '\n') +
            std::count(secrets.begin(), secrets.end(), '\n'));
    for (const char* harmless :
         {"      mtu: 1500\n",
          "        identity: me\n",
          "# a note\n",
          "      mode: wireguard\n",
          "          mtu: 9\n",
          "      mtu: 1420\n",
          "        name: z\n",
          "        - 10.99.0.1/24\n        - 1:2::3/64\n"})
      CHECK(text.find(harmless) != std::string::npos);
  }
}

TEST_CASE("a node with no card, no tool and no file tells just that", "[providers]") {
  for (const auto& shell : remote::test::shells()) {
    INFO(shell.name);
    const Tree empty;
    const NodeFacts facts = empty.run(shell);
    CHECK(inventory_of(facts).empty());
    CHECK(facts.probes.at("pci").standard_output.empty());
    CHECK(facts.probes.at("settings-records").standard_output.empty());
    CHECK(facts.probes.at("network-files").standard_output.empty());
    CHECK(facts.probes.at("sysctl").exit_status == 0);
  }
}

TEST_CASE(
    "whatever the probes print, everything is observed and nothing is invented", "[providers]") {
  Registry registry;
  add_builtin_providers(registry);
  const Map port = adapter_binding({{"port", 1}, {"backend", "auto"}});
  const std::vector<Resource> resources{
      resource("pve1/adapter/cx5", adapter_binding(), {{"firmware_minimum", "16.1.1"}}),
      resource("pve1/firmware/cx5", adapter_binding(), {{"version", "16.35.4030"}}),
      resource("pve1/interface/cx5.1", port, {{"mtu", 9000}, {"addresses", List{"10.0.0.1/24"}}}),
      resource("pve1/link_name/cx5.1", port, {{"name", "eth0"}}),
      resource("pve1/module/bonding", {}, {{"loaded", true}, {"max_bonds", "2"}}),
      resource("pve1/os/os", {}, {{"release", "debian-12"}, {"minimum", "5.10"}}),
      resource("pve1/software/stack", {}, {{"stack", "inbox"}, {"minimum", "5"}, {"mft", "4"}}),
      resource("pve1/tuning/40g", {}, {{"net.core.rmem_max", "4194304"}}),
      resource("pve1/package/bash", {}, {{"installed", true}}),
      resource("pve1/settings/cx5", adapter_binding(), {{"LINK_TYPE_P1", 2}}),
      resource("pve1/sysctl/x", {}, {{"net.ipv4.conf.all.arp_ignore", "1"}})};
  const std::string pci = fixture("pci-cx5.txt");
  for (const std::string& garbage :
       {std::string{},
        std::string{"garbage"},
        std::string{":::\n/:\n[[[\n== card\n== tool \n== status\n"},
        std::string(1000, '\n'),
        std::string(5000, '/'),
        std::string{"\0\xff\xfe", 3},
        pci,
        pci.substr(0, pci.size() / 2),
        std::string{"/sys/bus/pci/devices/0000:01:00.0/device:0x1017\n/sys/bus/pci/devices/"
                    "0000:01:00.0/vpd:9\n"},
        std::string{"[{\"ifname\":1}]"},
        std::string{"[{\"ifname\":\"a\",\"mtu\":99999999999999999999}]"}}) {
    INFO(garbage.substr(0, 60));
    NodeFacts facts{*NodeName::parse("pve1"), {}, {}, {}, {}};
    for (const Probe& probe : registry.probes(Platform::linux))
      facts.probes[probe.id] = {probe.script, 0, garbage, ""};
    for (const Resource& each : resources) {
      const Provider* provider = registry.find(each);
      REQUIRE(provider != nullptr);
      Diagnostics diagnostics;
      const auto observations = provider->observe({&each, 1}, facts, diagnostics);
      REQUIRE(observations.size() == 1);
      for (const auto& [name, desired] : each.desired) {
        INFO(each.address.str() << " " << name);
        REQUIRE(observations[0].attributes.contains(name));
        const LayeredReading& reading = observations[0].attributes.at(name);
        CHECK((reading.running || reading.next_boot || reading.persistent));
        for (const auto& layer : {reading.next_boot, reading.persistent})
          CHECK_FALSE((layer && layer->equals(desired.value)));
      }
    }
  }
}

}  // namespace
}  // namespace fabric::providers
