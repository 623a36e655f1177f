// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/model/tuning.hpp"
#include "engine/schema/catalog.hpp"

#include "tests/unit/model/expanded.hpp"

namespace fabric {
namespace {

using test::after;
using test::desired;
using test::expand_text;
using test::Expanded;
using test::Lines;

constexpr const char* kNode = R"(apiVersion: fabric/v1
name: node
nodes:
  h1:
    os: {minimum: "5.15"}
    software: {stack: doca, minimum: "2.9"}
    packages: [mstflint, rdma-core]
    modules: {mlx5_core: {prof_sel: 2}, ib-umad: {}}
    tuning: [ipoib, mellanox-40ge]
    sysctl: {net.core.rmem_max: 4194304, net.ipv4.conf.all.arp_ignore: 2}
    adapters:
      cx5:
        model: connectx-5
        firmware: {version: "16.35.4030", psid: MT_0000000008, params: {MEMIC_SIZE_LIMIT: default, NUM_OF_PF: 2}}
        sriov: {vfs: 8}
        names: {1: fab0}
networks:
  flat:
    mode: ethernet
    mtu: 9000
    ipv4: {subnet: 10.1.0.0/24, per: port, gateway: 10.1.0.254}
    ports: ["h1/cx5/[1-2]"]
)";

TEST_CASE("what a node runs comes before what its cards and ports are made of", "[model]") {
  const Expanded node = expand_text(kNode);
  CHECK(
      node.addresses() == Lines{
                              "h1/adapter/cx5",
                              "h1/firmware/cx5",
                              "h1/interface/cx5.1",
                              "h1/interface/cx5.2",
                              "h1/link_name/cx5.1",
                              "h1/module/ib_umad",
                              "h1/module/mlx5_core",
                              "h1/os/os",
                              "h1/package/mstflint",
                              "h1/package/rdma-core",
                              "h1/settings/cx5",
                              "h1/software/stack",
                              "h1/sriov/cx5",
                              "h1/sysctl/flat",
                              "h1/sysctl/node",
                              "h1/tuning/ipoib",
                              "h1/tuning/mellanox-40ge"});
  CHECK(after(node.at("h1/software/stack")) == Lines{"h1/os/os"});
  CHECK(after(node.at("h1/package/rdma-core")) == Lines{"h1/os/os", "h1/software/stack"});
  CHECK(
      after(node.at("h1/module/mlx5_core")) ==
      Lines{"h1/os/os", "h1/software/stack", "h1/package/mstflint", "h1/package/rdma-core"});
  const Lines foundation{
      "h1/os/os",
      "h1/software/stack",
      "h1/package/mstflint",
      "h1/package/rdma-core",
      "h1/module/ib_umad",
      "h1/module/mlx5_core"};
  const auto with_foundation = [&](Lines lines) {
    lines.insert(lines.end(), foundation.begin(), foundation.end());
    return lines;
  };
  CHECK(after(node.at("h1/firmware/cx5")) == with_foundation({"h1/adapter/cx5"}));
  CHECK(
      after(node.at("h1/settings/cx5")) == with_foundation({"h1/adapter/cx5", "h1/firmware/cx5"}));
  CHECK(after(node.at("h1/sriov/cx5")) == with_foundation({"h1/adapter/cx5", "h1/settings/cx5"}));
  CHECK(
      after(node.at("h1/interface/cx5.1")) == with_foundation(
                                                  {"h1/adapter/cx5",
                                                   "h1/link_name/cx5.1",
                                                   "h1/settings/cx5",
                                                   "h1/firmware/cx5",
                                                   "h1/sriov/cx5"}));
}

TEST_CASE("what a node asks for is desired as it is written", "[model]") {
  const Expanded node = expand_text(kNode);
  CHECK(desired(node.at("h1/os/os")) == R"({"minimum":"5.15"})");
  CHECK(desired(node.at("h1/software/stack")) == R"({"minimum":"2.9","stack":"doca"})");
  CHECK(desired(node.at("h1/package/mstflint")) == R"({"installed":true})");
  CHECK(desired(node.at("h1/module/mlx5_core")) == R"({"loaded":true,"prof_sel":"2"})");
  CHECK(desired(node.at("h1/module/ib_umad")) == R"({"loaded":true})");
  CHECK(
      desired(node.at("h1/firmware/cx5")) == R"({"psid":"MT_0000000008","version":"16.35.4030"})");
}

TEST_CASE("virtual functions need one more in firmware, and `default` is a wish too", "[model]") {
  const Expanded node = expand_text(kNode);
  CHECK(
      desired(node.at("h1/settings/cx5")) ==
      R"({"LINK_TYPE_P1":2,"LINK_TYPE_P2":2,"MEMIC_SIZE_LIMIT":"default","NUM_OF_PF":2,)"
      R"("NUM_OF_VFS":9,"SRIOV_EN":1})");
  CHECK(node.at("h1/settings/cx5").binding.at("at_least") == Value{List{"NUM_OF_VFS"}});
  CHECK(desired(node.at("h1/sriov/cx5")) == R"({"vfs":8})");
  // Linux leaves that to the hypervisor.
  Expanded through = expand_text(
      "apiVersion: fabric/v1\nname: node\nnodes:\n  h1: {platform: esxi, adapters: {cx5: {model: "
      "connectx-5, sriov: {passthrough: true}}}}\nnetworks:\n  flat: {mode: ethernet, ports: "
      "[h1/cx5/1]}\n");
  through.spec.reached.insert(Platform::esxi);
  through.resources = expand(through.spec, through.refused);
  const Resource& given = through.at("h1/passthrough/cx5");
  CHECK(desired(given) == R"({"passthrough":true})");
  CHECK(after(given) == Lines{"h1/adapter/cx5", "h1/settings/cx5"});
  const Resource& settings = through.at("h1/settings/cx5");
  CHECK(settings.desired.at("SRIOV_EN").value == Value{0});
  CHECK(settings.binding.at("to_guest") == Value{true});
  CHECK_FALSE(settings.desired.contains("NUM_OF_VFS"));
}

TEST_CASE("a number of virtual functions that the document gives itself stands", "[model]") {
  std::string text = kNode;
  text.replace(text.find("NUM_OF_PF: 2"), 12, "NUM_OF_VFS: 16");
  const Expanded node = expand_text(text);
  CHECK(node.at("h1/settings/cx5").desired.at("NUM_OF_VFS").value == Value{16});
  CHECK_FALSE(node.at("h1/settings/cx5").binding.contains("at_least"));
}

TEST_CASE("a kernel parameter of the node wins over what follows from a network", "[model]") {
  const Expanded node = expand_text(kNode);
  CHECK(
      desired(node.at("h1/sysctl/node")) ==
      R"({"net.core.rmem_max":"4194304","net.ipv4.conf.all.arp_ignore":"2"})");
  const Resource& shared = node.at("h1/sysctl/flat");
  CHECK_FALSE(shared.desired.contains("net.ipv4.conf.all.arp_ignore"));
  CHECK(shared.desired.contains("net.ipv4.conf.all.rp_filter"));
}

constexpr const char* kRails = R"(apiVersion: fabric/v1
name: rails
nodes:
  g[1-2]: {adapters: {a: {model: connectx-6-dx}, b: {model: connectx-6-dx}}}
  leaf[1-2]: {platform: unmanaged}
networks:
  rail1: {mode: ethernet, ipv4: {subnet: 10.1.0.0/24}, cables: [["g[1-2]/a/1", "leaf1/[1-2]"]]}
  rail2: {mode: ethernet, ipv4: {subnet: 10.2.0.0/24}, cables: [["g[1-2]/b/1", "leaf1/[3-4]"]]}
)";

TEST_CASE(
    "interfaces that meet in one switch answer for their own addresses, whatever the subnets",
    "[model]") {
  constexpr const char* kOwnAddressesOnly =
      R"({"net.ipv4.conf.all.arp_announce":"2","net.ipv4.conf.all.arp_ignore":"1"})";
  CHECK(desired(expand_text(kRails).at("g1/sysctl/switch-leaf1")) == kOwnAddressesOnly);

  std::string text = kRails;
  text.replace(text.find("leaf1/[3-4]"), 11, "leaf2/[3-4]");
  // Each rail has a switch of its own.
  const Lines apart = expand_text(text).addresses();
  CHECK(std::find(apart.begin(), apart.end(), "g1/sysctl/switch-leaf1") == apart.end());
  // Two switches that are cabled together are one wire.
  text += "  trunk: {mode: ethernet, cables: [[leaf1/32, leaf2/32]]}\n";
  CHECK(desired(expand_text(text).at("g2/sysctl/switch-leaf1")) == kOwnAddressesOnly);
}

TEST_CASE("a pair of unmanaged switches is a statement, and nothing is asked of them", "[model]") {
  const std::string text = R"(apiVersion: fabric/v1
name: pair
nodes:
  g1: {adapters: {a: {model: connectx-6-dx}}}
  leaf1: {platform: unmanaged, mlag: {peer: leaf2}}
  leaf2: {platform: unmanaged, mlag: {peer: leaf1}}
networks:
  roce:
    mode: lag
    ipv4: {subnet: 10.1.0.0/24}
    lag: {policy: 802.3ad}
    cables: [[g1/1, leaf1/1], [g1/2, leaf2/1]]
)";
  const Expanded pair = expand_text(text);
  CHECK(pair.refused.empty());
  // One interface, the bond: no other one hears it.
  const Lines kernel = pair.addresses("sysctl");
  CHECK(kernel.empty());
}

TEST_CASE("of a kernel parameter the last profile and the node's own `sysctl` decide", "[model]") {
  const Expanded node = expand_text(kNode);
  CHECK(desired(node.at("h1/tuning/ipoib")) == R"({"net.ipv4.tcp_adv_win_scale":"1"})");
  const Resource& last = node.at("h1/tuning/mellanox-40ge");
  CHECK(last.desired.at("net.core.wmem_max").value == Value{"16777216"});
  CHECK_FALSE(last.desired.contains("net.core.rmem_max"));
  std::string text = kNode;
  text.replace(text.find("net.core.rmem_max"), 17, "net/core/wmem_max");
  const Expanded slashes = expand_text(text);
  CHECK_FALSE(slashes.at("h1/tuning/mellanox-40ge").desired.contains("net.core.wmem_max"));
  CHECK(slashes.at("h1/tuning/mellanox-40ge").desired.contains("net.core.rmem_max"));
}

TEST_CASE(
    "every profile is a choice of the schema, with values and where they are from", "[model]") {
  std::string choices;
  for (const TuningProfile& profile : tuning_profiles()) {
    INFO(profile.name);
    CHECK_FALSE(profile.source.empty());
    CHECK_FALSE(profile.values.empty());
    for (const TuningValue& value : profile.values)
      CHECK_FALSE(value.why.empty());
    choices += (choices.empty() ? "\"" : ", \"") + profile.name + "\"";
  }
  CHECK(schema::find_schema("fabric").find("{\"enum\": [" + choices + "]}") != std::string::npos);
  CHECK(find_tuning_profile("40gb") == nullptr);
}

TEST_CASE("of two ports in a network one has its gateway", "[model]") {
  const Expanded node = expand_text(kNode);
  CHECK(node.at("h1/interface/cx5.1").desired.contains("gateway"));
  CHECK_FALSE(node.at("h1/interface/cx5.2").desired.contains("gateway"));
}

TEST_CASE("every key that some provider may not do is named as it is written", "[model]") {
  CHECK(
      expand_text(kNode).features() == Lines{
                                           "4: `modules`",  // one without parameters has no line
                                           "5: `os`",
                                           "6: `software`",
                                           "7: `packages`",
                                           "8: `modules`",
                                           "9: `tuning`",
                                           "10: `sysctl` net.core.rmem_max",
                                           "10: `sysctl` net.ipv4.conf.all.arp_ignore",
                                           "14: `firmware.psid`",
                                           "14: `firmware.version`",
                                           "14: the firmware parameter value `default`",
                                           "15: `sriov` of a ConnectX-5 VPI",
                                           "21: `gateway`"});
}

TEST_CASE("a kernel parameter of one interface is named as one", "[model]") {
  const Expanded expanded = expand_text(
      "apiVersion: fabric/v1\nname: one\nnodes:\n  h1: {sysctl: {net.ipv4.conf.eth0.rp_filter: 2, "
      "net/ipv6/conf/eth0.5/mtu: 1280, net.ipv6.conf.all.forwarding: 1, "
      "net/ipv4/neigh/default/gc_thresh1: 9}}\n");
  CHECK(
      expanded.features() ==
      Lines{
          "4: `sysctl` net.ipv4.conf.eth0.rp_filter, a parameter of one interface,",
          "4: `sysctl` net.ipv4.neigh.default.gc_thresh1",
          "4: `sysctl` net.ipv6.conf.all.forwarding",
          "4: `sysctl` net/ipv6/conf/eth0.5/mtu, a parameter of one interface,"});
}

TEST_CASE("an unused port 2 of an mlx4 card does not stay InfiniBand beside Ethernet", "[model]") {
  const auto settings = [](const std::string& mode, const std::string& more) {
    return desired(
        expand_text(
            "apiVersion: fabric/v1\nname: pair\nnodes:\n  h[1-2]: {adapters: {cx3: {model: "
            "connectx-3-vpi" +
            more + "}}}\nnetworks:\n  n: {mode: " + mode + ", cables: [[h1/1, h2/1]]}\n")
            .at("h1/settings/cx3"));
  };
  CHECK(
      settings("ethernet, ipv4: {subnet: 10.1.0.0/24}", "") ==
      R"({"LINK_TYPE_P1":2,"LINK_TYPE_P2":2})");
  CHECK(settings("infiniband, subnet_managers: [{node: h1}]", "") == R"({"LINK_TYPE_P1":1})");
  CHECK(
      settings(
          "ethernet, ipv4: {subnet: 10.1.0.0/24}", ", firmware: {params: {LINK_TYPE_P2: 3}}") ==
      R"({"LINK_TYPE_P1":2,"LINK_TYPE_P2":3})");
}

TEST_CASE("the link type of a card that no firmware tool knows is its driver's matter", "[model]") {
  const Expanded node = expand_text(R"(apiVersion: fabric/v1
name: old
nodes:
  h1: {adapters: {hca: {model: connectx-ib-ddr}}}
networks:
  flat: {mode: ethernet, mtu: 1500, ports: [h1/hca/1]}
)");
  REQUIRE(node.at("h1/settings/hca").features.size() == 1);
  CHECK(node.at("h1/settings/hca").features[0].name == "driver_link_type");
}

}  // namespace
}  // namespace fabric
