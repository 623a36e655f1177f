// SPDX-License-Identifier: Apache-2.0
// What networks ask of managed switches.
#include "tests/unit/model/expanded.hpp"

namespace fabric {
namespace {

using test::after;
using test::desired;
using test::expand_text;
using test::Expanded;
using test::Lines;

constexpr const char* kPair = R"(apiVersion: fabric/v1
name: pair
nodes:
  s[1-2]: {adapters: {cx5: {model: connectx-5}}}
  s3: {adapters: {cx5: {model: connectx-5}}}
  leaf1: {platform: cumulus, address: 192.0.2.1, mlag: {domain: 7, peer: leaf2, ipl: [swp49, 50]}}
  leaf2: {platform: cumulus, address: 192.0.2.2, mlag: {domain: 7, peer: leaf1, ipl: [49, 50]}}
networks:
  storage:
    mode: lag
    mtu: 9000
    lag: {policy: 802.3ad}
    vlans: {backup: {id: 100}}
    cables: [["s[1-2]/1", "leaf1/swp[1-2]"], ["s[1-2]/2", "leaf2/[2-3]"]]
  front:
    mode: ethernet
    mtu: 1500
    cables: [[s3/1, leaf1/swp9s1], [s3/2, leaf2/10]]
)";

Expanded expand_switches(std::string text, std::set<Platform> reached) {
  Expanded expanded = expand_text(std::move(text));
  expanded.spec.reached = std::move(reached);
  expanded.refused = {};
  expanded.resources = expand(expanded.spec, expanded.refused);
  return expanded;
}

TEST_CASE("a switch that is reached has the other ends of bonds and cables", "[model]") {
  const Expanded pair = expand_switches(kPair, {Platform::linux, Platform::cumulus});
  CHECK(pair.refused.empty());
  Lines of_leaf1;
  for (const std::string& each : pair.addresses())
    if (each.starts_with("leaf1/")) of_leaf1.push_back(each);
  CHECK(
      of_leaf1 == Lines{
                      "leaf1/bond/bond1",
                      "leaf1/bond/bond2",
                      "leaf1/interface/swp9s1",
                      "leaf1/mlag/7",
                      "leaf1/vlan/storage.backup"});
  CHECK(
      desired(pair.at("leaf1/bond/bond2")) ==
      R"({"bridged":true,"members":["2"],"mlag_id":2,"mode":"lacp","mtu":9000})");
  // The same host has the same id at both switches, whatever the number of its port there.
  CHECK(
      desired(pair.at("leaf2/bond/bond3")) ==
      R"({"bridged":true,"members":["3"],"mlag_id":2,"mode":"lacp","mtu":9000})");
  CHECK(
      desired(pair.at("leaf1/interface/swp9s1")) ==
      R"({"bridged":true,"enabled":true,"mtu":1500})");
  CHECK(desired(pair.at("leaf1/vlan/storage.backup")) == R"({"id":100})");
  CHECK(
      desired(pair.at("leaf1/mlag/7")) ==
      R"({"backup":"192.0.2.2","mtu":9000,"peerlink":["49","50"],"system_mac":"44:38:39:ff:a3:f6"})");
  CHECK(
      desired(pair.at("leaf2/mlag/7")) ==
      R"({"backup":"192.0.2.1","mtu":9000,"peerlink":["49","50"],"system_mac":"44:38:39:ff:a3:f6"})");
}

TEST_CASE("switches that share bonds by EVPN have one segment for each, and no pair", "[model]") {
  constexpr const char* kLeaves = R"(apiVersion: fabric/v1
name: evpn
nodes:
  s[1-2]: {adapters: {a: {model: connectx-5}, b: {model: connectx-5, ports: 1}}}
  leaf[1-3]: {platform: cumulus, mlag: {by: evpn%}}
networks:
  storage:
    mode: lag
    lag: {policy: 802.3ad, roce: false}
    cables: [["s[1-2]/a/1", "leaf1/swp[1-2]"], ["s[1-2]/a/2", "leaf2/swp[3-4]"], [s1/b/1, leaf3/1], [s2/b/1, leaf1/3]]
)";
  const auto with = [&](const std::string& more) {
    std::string text = kLeaves;
    text.replace(text.find('%'), 1, more);
    return expand_switches(text, {Platform::linux, Platform::cumulus});
  };
  const Expanded plain = with("");
  CHECK(plain.refused.empty());
  CHECK(desired(plain.at("leaf3/mlag/evpn")) == R"({"multihoming":true})");
  const Resource& three = plain.at("leaf3/bond/bond1");
  const Resource& two = plain.at("leaf2/bond/bond4");
  CHECK(three.desired.at("segment").value == Value{1});
  CHECK(two.desired.at("segment").value == Value{2});
  CHECK(desired(two) == desired(plain.at("leaf2/bond/bond4")));
  CHECK(plain.at("leaf1/bond/bond2").desired.at("segment").value == Value{2});
  // By the switches of the bond: another set of them has another address.
  const auto mac = [](const Resource& bond) {
    return to_text(bond.desired.at("segment_mac").value);
  };
  CHECK(mac(plain.at("leaf1/bond/bond1")) == mac(three));
  CHECK(mac(plain.at("leaf1/bond/bond2")) == mac(two));
  CHECK(mac(two) != mac(three));
  CHECK(after(two) == Lines{"leaf2/mlag/evpn"});
  const std::vector<SwitchTie> ties = switch_ties(plain.spec);
  CHECK(ties.size() == 3);
  const Expanded written = with(R"(, segment: 10, system_mac: "44:38:39:BE:EF:AA")");
  CHECK(written.at("leaf2/bond/bond4").desired.at("segment").value == Value{11});
  CHECK(mac(written.at("leaf3/bond/bond1")) == "44:38:39:be:ef:aa");
}

TEST_CASE("rails in VLANs of their own at one switch do not hear each other", "[model]") {
  constexpr const char* kRails = R"(apiVersion: fabric/v1
name: rails
nodes:
  s1: {adapters: {a: {model: connectx-6-dx}}}
  leaf1: {platform: mlnx-os}
networks:
  rail0: {mode: ethernet, access_vlan: 10, ipv4: {subnet: 10.0.0.0/24}, cables: [[s1/1, leaf1/1/1]]}
  rail1: {mode: ethernet, access_vlan: %, ipv4: {subnet: 10.1.0.0/24}, vlans: {t: {id: 30}}, cables: [[s1/2, leaf1/1/2]]}
)";
  for (const char* other : {"20", "10"}) {
    std::string text = kRails;
    text.replace(text.find('%'), 1, other);
    const Expanded rails = expand_switches(text, {Platform::linux, Platform::mlnx_os});
    CHECK(rails.refused.empty());
    const Resource& port = rails.at("leaf1/interface/1/2");
    CHECK(to_text(port.desired.at("access_vlan").value) == other);
    CHECK(after(port) == Lines{"leaf1/vlan/rail1"});
    CHECK(to_text(rails.at("leaf1/vlan/rail1").desired.at("id").value) == other);
    CHECK(
        to_text(rails.at("leaf1/vlan/rail1.t").binding.at("carried_at")).find(other) !=
        std::string::npos);
    Lines sysctls;
    for (const std::string& each : rails.addresses())
      if (each.starts_with("s1/sysctl/")) sysctls.push_back(each);
    const bool one_wire = std::string_view{other} == "10";
    CHECK(sysctls == (one_wire ? Lines{"s1/sysctl/switch-leaf1-vlan10"} : Lines{}));
  }
}

TEST_CASE(
    "vCenter bundles the uplinks of ESXi hosts, and the switches have their side", "[model]") {
  std::string text = kPair;
  text.replace(
      text.find("  s3:"), 0, "  esx1: {platform: esxi, adapters: {cx5: {model: connectx-5}}}\n");
  const std::string policy = "{policy: 802.3ad}";
  text.replace(text.find(policy), policy.size(), "{policy: 802.3ad, made_by: vcenter}");
  text.replace(
      text.find("cables: [["),
      std::string_view{"cables: ["}.size(),
      "cables: [[esx1/1, leaf1/5], [esx1/2, leaf2/5], ");
  const Expanded pair = expand_switches(text, {Platform::linux, Platform::cumulus, Platform::esxi});
  CHECK(pair.refused.empty());
  Lines of_esx1;
  for (const std::string& each : pair.addresses())
    if (each.starts_with("esx1/")) of_esx1.push_back(each);
  CHECK(of_esx1 == Lines{"esx1/adapter/cx5", "esx1/drain/maintenance", "esx1/settings/cx5"});
  CHECK(
      desired(pair.at("leaf2/bond/bond5")) ==
      R"({"bridged":true,"members":["5"],"mlag_id":5,"mode":"lacp","mtu":9000})");
  CHECK(pair.at("s1/bond/bond0").desired.contains("slaves"));
}

TEST_CASE("a host's port comes after what the switch has at its other end", "[model]") {
  const Expanded pair = expand_switches(kPair, {Platform::linux, Platform::cumulus});
  const auto waits = [&pair](std::string_view who, const std::string& what) {
    const Lines lines = after(pair.at(who));
    return std::find(lines.begin(), lines.end(), what) != lines.end();
  };
  CHECK(waits("s1/interface/cx5.1", "leaf1/bond/bond1"));
  CHECK(waits("s1/interface/cx5.2", "leaf2/bond/bond2"));
  CHECK(waits("s3/interface/cx5.1", "leaf1/interface/swp9s1"));
}

TEST_CASE("a switch that nobody reaches has no resources", "[model]") {
  const Expanded pair = expand_switches(kPair, {Platform::linux});
  for (const std::string& each : pair.addresses())
    CHECK_FALSE(each.starts_with("leaf"));
}

TEST_CASE("a pair, and a host with its only switch, are never down together", "[model]") {
  std::string text = kPair;
  text.replace(text.find("[s3/2, leaf2/10]"), 16, "[s3/2, leaf1/10]");
  Expanded pair = expand_switches(text, {Platform::linux, Platform::cumulus});
  Lines ties;
  for (const SwitchTie& tie : switch_ties(pair.spec))
    ties.push_back(tie.node.str() + " " + tie.other.str() + " " + tie.network);
  CHECK(ties == Lines{"leaf1 leaf2 ", "leaf1 s3 front"});
  pair.spec.reached = {Platform::linux};
  CHECK(switch_ties(pair.spec).empty());
}

TEST_CASE("with a policy that wants nothing of its switch the ports stay ports", "[model]") {
  std::string text = kPair;
  text.replace(text.find("802.3ad"), 7, "active-backup");
  const Expanded pair = expand_switches(std::move(text), {Platform::linux, Platform::cumulus});
  CHECK(pair.addresses("bond") == Lines{"s1/bond/bond0", "s2/bond/bond0"});
  CHECK(desired(pair.at("leaf1/interface/1")) == R"({"bridged":true,"enabled":true,"mtu":9000})");
}

TEST_CASE("an InfiniBand switch has ports and, where it is placed there, a manager", "[model]") {
  const Expanded subnet = expand_switches(
      R"(apiVersion: fabric/v1
name: subnet
nodes:
  s[1-2]: {adapters: {cx6: {model: connectx-6}}}
  ibsw1: {platform: nvos}
networks:
  ib:
    mode: infiniband
    mtu: 4096
    subnet_managers: [{node: ibsw1, priority: 3}]
    cables: [[s1/1, ibsw1/sw1p1], [s2/1, ibsw1/sw1p2]]
)",
      {Platform::linux, Platform::nvos});
  CHECK(subnet.addresses("subnet_manager") == Lines{"ibsw1/subnet_manager/ib"});
  CHECK(desired(subnet.at("ibsw1/subnet_manager/ib")) == R"({"manages":true,"priority":3})");
  CHECK(desired(subnet.at("ibsw1/interface/sw1p1")) == R"({"enabled":true,"mtu":4096})");
}

TEST_CASE("hooks of the whole document are not for a switch that can note nothing", "[model]") {
  const std::string text = R"(apiVersion: fabric/v1
name: subnet
hooks: {before_disruption: [drain], after_disruption: [resume]}
nodes:
  s[1-2]: {adapters: {cx6: {model: connectx-6}}}
  ibsw1: {platform: mlnx-os}
networks:
  ib:
    mode: infiniband
    subnet_managers: [{node: s1}]
    cables: [[s1/1, ibsw1/1], [s2/1, ibsw1/2]]
)";
  const Expanded subnet = expand_switches(text, {Platform::linux, Platform::mlnx_os});
  CHECK(subnet.addresses("drain") == Lines{"s1/drain/hooks", "s2/drain/hooks"});
}

}  // namespace
}  // namespace fabric
