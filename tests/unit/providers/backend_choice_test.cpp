// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/providers/interface_fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

TEST_CASE("an ifupdown file is by name, and is read back as it was written", "[providers]") {
  Node node;
  node.backends = kIfupdown;
  node.files = kSourced;
  const Work work = work_of(kProvider, port(2), node.facts());
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].steps.writes().at(0).path == kInterfacesPath);
  CHECK(without_record(work.actions[0].steps.writes().at(0).content) == kInterfacesFile);
  CHECK(
      commands_of(work.actions[0]) ==
      "ifdown --force enp1s0f1np1\nip addr flush dev enp1s0f1np1\nifup --force enp1s0f1np1\n");
  node.files += as_files(kInterfacesPath, kInterfacesFile);
  CHECK(
      layers(observe_one(kProvider, port(2), node.facts()), "addresses") ==
      "[] | - | [10.30.0.2/24]");
  CHECK(layers(observe_one(kProvider, port(2), node.facts()), "mtu") == "1500 | - | 9000");

  node.backends += "tool ifreload\n";
  CHECK(
      commands_of(work_of(kProvider, port(2), node.facts()).actions.at(0)) ==
      "sh -c 'ifdown --force \"$1\" 2>/dev/null; ! [ -e \"/sys/class/net/$1\" ] || ip address "
      "flush "
      "dev \"$1\" scope global' fabric enp1s0f1np1\nifup enp1s0f1np1\n");
}

TEST_CASE(
    "ours by the back end that the node used before goes when the new one is written",
    "[providers]") {
  const std::string former = "/etc/systemd/network/10-fabric-cx5.2.network";
  Node node;
  node.backends = kIfupdown;
  node.files =
      kSourced + as_files(former, kNetworkFile) + as_files(kInterfacesPath, kInterfacesFile);
  // Two ways to configure it: at the next boot nobody knows which one comes last.
  CHECK(layers(observe_one(kProvider, port(2), node.facts()), "addresses") == "[] | - | absent");
  const Work work = work_of(kProvider, port(2), node.facts());
  REQUIRE(work.actions.size() == 1);
  CHECK(work.actions[0].steps.removes() == std::vector<std::string>{former});
  const auto undo = work.actions[0].undo.writes();
  CHECK(std::any_of(undo.begin(), undo.end(), [&former](const auto& file) {
    return file.path == former && file.content == kNetworkFile && file.mode == 0644;
  }));
}

TEST_CASE("an ifupdown file for the name to come is right before it comes", "[providers]") {
  Node node;
  node.backends = kIfupdown;
  node.files = kSourced;
  const Resource named = port(1, {{"name", "eth40a"}}, {{"mtu", 9000}});
  const Work work = work_of(kProvider, named, node.facts(), true);
  CHECK(
      without_record(work.actions.at(0).steps.writes().at(0).content) ==
      "# managed by fabric: pve1/interface/cx5.1\nauto eth40a\niface eth40a inet manual\n    mtu "
      "9000\n");
}

TEST_CASE("a port whose name nobody can know is given one, and keeps it", "[providers]") {
  Node node;
  node.backends = kIfupdown;
  node.files = kSourced;
  const Resource resource = port(1, {}, {{"mtu", 9000}});
  CHECK(findings(resource, node.facts()).empty());
  const Work work = work_of(kProvider, resource, node.facts(), true);
  const auto writes = work.actions.at(0).steps.writes();
  REQUIRE(writes.size() == 2);
  CHECK(
      without_record(writes[0].content) ==
      "# managed by fabric: pve1/interface/cx5.1\nauto encx5p1\niface encx5p1 inet manual\n    mtu "
      "9000\n");
  CHECK(writes[1].path == "/etc/systemd/network/40-fabric-cx5.1.link");
  CHECK(
      without_record(writes[1].content) ==
      "# managed by fabric: pve1/interface/cx5.1\n[Match]\nPath=pci-0000:01:00.0\nType=ether\n\n"
      "[Link]\nName=encx5p1\nAlternativeNamesPolicy=database onboard slot path\n");
  // Written, and not booted yet: nothing but the boot is left to be done.
  node.files = kSourced + as_files(writes[0].path, writes[0].content) +
               as_files(writes[1].path, writes[1].content);
  CHECK(layers(observe_one(kProvider, resource, node.facts()), "mtu") == "absent | - | 9000");
  // Without the file that names it, what the other one says is about nobody.
  node.files = kSourced + as_files(writes[0].path, writes[0].content);
  CHECK(layers(observe_one(kProvider, resource, node.facts()), "mtu") == "absent | - | absent");
  // A name has 15 characters at most.
  Resource longer = resource;
  longer.address.name = "storage-nic-1.1";
  CHECK(
      findings(longer, node.facts()) ==
      "error interface-name-unknown: pve1: interface storage-nic-1.1: ifupdown needs the name of "
      "the interface, and port 1 of card 0000:01:00.0 has none yet\n");
}

TEST_CASE(
    "foreign stanzas are findings with file and line, the bare ones of Proxmox are not",
    "[providers]") {
  const auto with = [](const std::string& path, const std::string& text) {
    Node node;
    node.backends = kIfupdown;
    node.files = kSourced + as_files(path, text);
    return findings(port(2), node.facts());
  };
  const std::string file = "/etc/network/interfaces.d/storage";
  CHECK(
      with(file, "auto enp1s0f1np1\niface enp1s0f1np1 inet static\n  address 10.1.1.1/24\n") ==
      "error foreign-configuration: pve1: " + file +
          ":2 configures enp1s0f1np1 already, and fabric did not write it\n");
  CHECK_FALSE(with(file, "iface enp1s0f1np1 inet manual\n  bond-master bond0\n").empty());
  CHECK_FALSE(with(file, "iface enp1s0f1np1 inet dhcp\n").empty());
  CHECK(with(file, "iface enp1s0f1np1 inet manual\n\nauto eno1\niface eno1 inet dhcp\n").empty());
  CHECK(with(file, "iface enp1s0f1np1.100 inet dhcp\n").empty());
  Node unsourced;
  unsourced.backends = kIfupdown;
  unsourced.files = as_files("/etc/network/interfaces", "auto lo\n");
  CHECK(
      findings(port(2), unsourced.facts()) ==
      "error foreign-configuration: pve1: /etc/network/interfaces does not read the files of "
      "/etc/network/interfaces.d\n");
}

TEST_CASE("what ifupdown sources decides whether it reads our file", "[providers]") {
  const auto with = [](const std::string& line) {
    Node node;
    node.backends = kIfupdown;
    node.files = as_files("/etc/network/interfaces", "auto lo\n" + line + "\n");
    return findings(port(2), node.facts());
  };
  for (const char* line :
       {"source /etc/network/interfaces.d/*",
        "source interfaces.d/*",
        "source /etc/network/interfaces.d/*.cfg interfaces.d/fabric-*",
        "source /etc/network/*.d/*[0-9]",
        "source-directory /etc/network/interfaces.d",
        "source-directory interfaces.d/"}) {
    INFO(line);
    CHECK(with(line).empty());
  }
  for (const char* pattern :
       {"/etc/network/interfaces.d/*.cfg",
        "interfaces.d/*.intf",
        "interfaces.d/bond*",
        "interfaces.d"}) {
    CHECK(
        with(std::string{"source "} + pattern) ==
        std::string{"error foreign-configuration: pve1: /etc/network/interfaces:2 reads only "} +
            pattern + "; " + kInterfacesPath + " does not match and is not read\n");
  }
  CHECK_FALSE(with("source /etc/network/*").empty());
  CHECK_FALSE(with("source-directory /etc/network/interfaces.d/*").empty());
}

TEST_CASE("the owner of the interface decides the back end", "[providers]") {
  const auto chosen = [](const std::string& backends, const std::string& files = kSourced) {
    Node node;
    node.backends = backends;
    node.files = files;
    Diagnostics diagnostics;
    const Observation observation = observe_one(kProvider, port(2), node.facts(), diagnostics);
    if (!diagnostics.empty()) return diagnostics.items().front().message;
    const auto work = kProvider.work(
        change_of(kProvider, node.facts(), port(2), observation),
        WorkContext{node.facts(), observation, true});
    return work->actions.at(0).steps.writes().at(0).path;
  };
  const std::string both =
      "file /etc/network/interfaces\ntool ifup\ntool networkctl\nunit systemd-networkd active\n";
  CHECK(chosen(kNetworkd) == kNetworkPath);
  CHECK(chosen(kIfupdown) == kInterfacesPath);
  CHECK(chosen(both) == kNetworkPath);
  const std::string stanza =
      kSourced + as_files(
                     kInterfacesPath,
                     "# managed by fabric: x\nauto enp1s0f1np1\niface enp1s0f1np1 inet manual\n");
  CHECK(chosen(both, stanza) == kInterfacesPath);
  CHECK(
      chosen(
          both + "networkctl 4 enp1s0f1np1 ether routable configured\n",
          kSourced + as_files(kInterfacesPath, kInterfacesFile)) == kNetworkPath);
  const std::string manager = std::string{kNetworkd} + "unit NetworkManager active\n";
  const std::string keyfile = "/etc/NetworkManager/system-connections/fabric-cx5.2.nmconnection";
  CHECK(chosen(manager) == keyfile);
  CHECK(chosen(manager + "nmcli enp1s0f1np1:unmanaged\n") == kNetworkPath);
  CHECK(chosen(manager + "nmcli enp1s0f1np1:connected\n") == keyfile);
  CHECK(chosen(std::string{kNetworkd} + "file /etc/netplan/50-cloud-init.yaml\n") == kNetworkPath);
  CHECK(
      chosen(
          std::string{kNetworkd} + "file /etc/netplan/50-cloud-init.yaml\nfile "
                                   "/run/systemd/network/10-netplan-eno1.network\n") ==
      "/etc/netplan/90-fabric-cx5.2.yaml");
  CHECK(
      chosen("file /etc/sysconfig/network-scripts/ifcfg-eno1\n") ==
      "/etc/sysconfig/network-scripts/ifcfg-enp1s0f1np1");
  CHECK(chosen("") == "pve1: no known network configuration was found");
}

TEST_CASE("the document can choose the back end itself", "[providers]") {
  Node node;
  node.files = kSourced;
  node.backends += "tool ifup\nfile /etc/network/interfaces\ntool netplan\n";
  CHECK(
      work_of(kProvider, port(2, {{"backend", "ifupdown"}}), node.facts())
          .actions.at(0)
          .steps.writes()
          .at(0)
          .path == kInterfacesPath);
  CHECK(
      work_of(kProvider, port(2, {{"backend", "netplan"}}), node.facts())
          .actions.at(0)
          .steps.writes()
          .at(0)
          .path == "/etc/netplan/90-fabric-cx5.2.yaml");
}

TEST_CASE("a back end that the document chooses has to be there", "[providers]") {
  const std::string ifupdown = "tool ifup\nfile /etc/network/interfaces\n";
  const auto found = [](const std::string& backend, const std::string& signs) {
    Node node;
    node.files = kSourced;
    node.backends = signs;
    Resource wanted = port(2, {{"backend", backend}});
    const SourceRange key{FileId{1}, 7, 14};
    wanted.features = {{"network_backend", "`network_backend`", key}};
    Diagnostics diagnostics;
    const Observation observation = observe_one(kProvider, wanted, node.facts(), diagnostics);
    std::string text;
    for (const Diagnostic& each : diagnostics.items()) {
      CHECK(each.rule == "network-backend-missing");
      CHECK(each.range == key);
      text += each.message;
    }
    CHECK(observation.attributes.at("addresses").persistent->is_unknown() == !text.empty());
    return text;
  };
  const std::string none;
  CHECK(
      found("netplan", ifupdown) ==
      "netplan is not on pve1: it has no program `netplan`; found ifupdown");
  CHECK(found("netplan", ifupdown + "tool netplan\n") == none);
  // What it is installed with does not make it run.
  CHECK(
      found("networkd", ifupdown + "tool networkctl\nunit systemd-networkd inactive\n") ==
      "networkd is not on pve1: no systemd-networkd runs there; found ifupdown");
  CHECK(found("networkd", "unit systemd-networkd active\n") == none);
  CHECK(
      found("networkmanager", "tool nmcli\n") ==
      "networkmanager is not on pve1: no NetworkManager runs there; found no other configuration");
  CHECK(found("networkmanager", "unit NetworkManager active\n") == none);
  CHECK(
      found("ifcfg", ifupdown) ==
      "ifcfg is not on pve1: neither network scripts nor a NetworkManager that reads their files "
      "run; found ifupdown");
  for (const char* sign :
       {"unit NetworkManager active\n",
        "unit network active\n",
        "file /etc/sysconfig/network-scripts/ifcfg-lo\n"})
    CHECK(found("ifcfg", sign) == none);
  CHECK(
      found("ifupdown", "tool ifup\nunit systemd-networkd active\n") ==
      "ifupdown is not on pve1: it has no /etc/network/interfaces; found networkd");
  CHECK(
      found("ifupdown", "file /etc/network/interfaces\n") ==
      "ifupdown is not on pve1: it has no program `ifup`; found no other configuration");
  CHECK(found("ifupdown", ifupdown) == none);
}

}  // namespace
}  // namespace fabric::providers
