// SPDX-License-Identifier: Apache-2.0
#include "engine/model/expand/expand.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/unit/model/ring_spec.hpp"

namespace fabric {
namespace {

using test::kAdapterPlace;
using test::kCablePlace;
using test::kModePlace;
using test::kMtuPlace;
using test::kSubnetPlace;
using test::name;
using test::place;
using test::port;
using test::ring;

std::vector<std::string> addresses(const std::vector<Resource>& resources) {
  std::vector<std::string> result;
  for (const Resource& resource : resources)
    result.push_back(resource.address.str());
  return result;
}

const Resource& find(const std::vector<Resource>& resources, std::string_view address) {
  const auto found =
      std::find_if(resources.begin(), resources.end(), [&](const Resource& resource) {
        return resource.address.str() == address;
      });
  REQUIRE(found != resources.end());
  return *found;
}

std::vector<std::string> waits_for(const Resource& resource) {
  std::vector<std::string> result;
  for (const ResourceAddress& each : resource.after)
    result.push_back(each.str());
  return result;
}

std::vector<Resource> expand_cleanly(const FabricSpec& spec) {
  Diagnostics diagnostics;
  std::vector<Resource> resources = expand(spec, diagnostics);
  for (const Diagnostic& item : diagnostics.items())
    UNSCOPED_INFO(item.message);
  REQUIRE(diagnostics.empty());
  return resources;
}

TEST_CASE(
    "a chain node becomes its card, its settings, two interfaces and the sysctls", "[model]") {
  const std::vector<Resource> resources = expand_cleanly(ring(2));
  CHECK(
      addresses(resources) == std::vector<std::string>{
                                  "n1/adapter/cx5",
                                  "n1/carrier/cx5.1",
                                  "n1/carrier/cx5.2",
                                  "n1/interface/cx5.1",
                                  "n1/interface/cx5.2",
                                  "n1/link/cx5.1-n2.cx5.2",
                                  "n1/link/cx5.2-n2.cx5.1",
                                  "n1/settings/cx5",
                                  "n1/sysctl/storage",
                                  "n2/adapter/cx5",
                                  "n2/carrier/cx5.1",
                                  "n2/carrier/cx5.2",
                                  "n2/interface/cx5.1",
                                  "n2/interface/cx5.2",
                                  "n2/settings/cx5",
                                  "n2/sysctl/storage"});
}

TEST_CASE(
    "settings of a chained VPI card say link type and chaining, each with its line", "[model]") {
  const std::vector<Resource> resources = expand_cleanly(ring(3));
  const Resource& settings = find(resources, "n2/settings/cx5");
  REQUIRE(settings.desired.size() == 3);
  for (const char* link_type : {"LINK_TYPE_P1", "LINK_TYPE_P2"}) {
    const DesiredAttribute& attribute = settings.desired.at(link_type);
    CHECK(attribute.value == Value{2});
    CHECK(attribute.source == place(kModePlace));
    CHECK(attribute.reason == "mode chain needs Ethernet on both ports");
  }
  CHECK(settings.desired.at("HOST_CHAINING_MODE").value == Value{1});
  CHECK(settings.origin == place(kAdapterPlace + 2));
  CHECK(waits_for(settings) == std::vector<std::string>{"n2/adapter/cx5"});
  CHECK(*settings.binding.at("model").as_string() == "connectx-5-vpi");
  CHECK(*settings.binding.at("ports").as_integer() == 2);
  CHECK(settings.binding.at("device_ids") == Value{List{Value{0x1017}}});
  CHECK_FALSE(settings.binding.contains("observe"));
}

TEST_CASE("an EN card has no link type to set", "[model]") {
  const std::vector<Resource> resources = expand_cleanly(ring(2, "connectx-5-en"));
  const Resource& settings = find(resources, "n1/settings/cx5");
  REQUIRE(settings.desired.size() == 1);
  CHECK(settings.desired.contains("HOST_CHAINING_MODE"));
}

TEST_CASE("an interface waits for the settings and the name of its card", "[model]") {
  FabricSpec spec = ring(2);
  spec.nodes.at(name("n1")).adapters.edit().front().names[1] = {"ring-a", place(77)};
  spec.nodes.at(name("n1")).network_backend = {NetworkBackend::networkd, place(78)};
  const std::vector<Resource> resources = expand_cleanly(spec);
  const Resource& interface = find(resources, "n1/interface/cx5.1");
  CHECK(
      waits_for(interface) ==
      std::vector<std::string>{"n1/adapter/cx5", "n1/link_name/cx5.1", "n1/settings/cx5"});
  CHECK(*interface.binding.at("name").as_string() == "ring-a");
  CHECK(*interface.binding.at("backend").as_string() == "networkd");
  CHECK(*interface.binding.at("network").as_string() == "storage");
  CHECK(*interface.binding.at("port").as_integer() == 1);
  CHECK(interface.origin == place(kCablePlace + 11));
  CHECK(interface.desired.at("mtu").value == Value{9000});
  CHECK(interface.desired.at("mtu").source == place(kMtuPlace));
  CHECK(interface.desired.at("addresses").value == Value{List{Value{"10.30.0.1/24"}}});
  CHECK(interface.desired.at("addresses").source == place(kSubnetPlace));
  CHECK(find(resources, "n1/link_name/cx5.1").desired.at("name").value == Value{"ring-a"});
  CHECK(*find(resources, "n1/link_name/cx5.1").binding.at("backend").as_string() == "networkd");
  CHECK(*find(resources, "n2/interface/cx5.1").binding.at("backend").as_string() == "auto");
}

TEST_CASE("addresses are listed in numeric order, not in that of their text", "[model]") {
  FabricSpec spec = ring(2);
  auto& list = spec.networks.at("storage").ipv4.addresses.at(port(1, 1));
  list = {
      {IpAddress::parse("10.30.0.10").value(), place(1)},
      {IpAddress::parse("10.30.0.9").value(), place(2)}};
  const std::vector<Resource> resources = expand_cleanly(spec);
  CHECK(
      find(resources, "n1/interface/cx5.1").desired.at("addresses").value ==
      Value{List{Value{"10.30.0.9/24"}, Value{"10.30.0.10/24"}}});
}

TEST_CASE("plain ethernet sets the link type of its member ports only", "[model]") {
  FabricSpec spec = ring(2);
  NetworkSpec& network = spec.networks.at("storage");
  network.mode.value = Mode::ethernet;
  network.cables.pop_back();
  network.ipv4.addresses.erase(port(1, 2));
  network.ipv4.addresses.erase(port(2, 1));
  const std::vector<Resource> resources = expand_cleanly(spec);
  CHECK(
      addresses(resources) == std::vector<std::string>{
                                  "n1/adapter/cx5",
                                  "n1/carrier/cx5.1",
                                  "n1/interface/cx5.1",
                                  "n1/link/cx5.1-n2.cx5.2",
                                  "n1/settings/cx5",
                                  "n2/adapter/cx5",
                                  "n2/carrier/cx5.2",
                                  "n2/interface/cx5.2",
                                  "n2/settings/cx5"});
  const Resource& settings = find(resources, "n2/settings/cx5");
  REQUIRE(settings.desired.size() == 1);
  CHECK(settings.desired.begin()->first == "LINK_TYPE_P2");
}

TEST_CASE("firmware parameters of the document are settings, numbers as numbers", "[model]") {
  FabricSpec spec = ring(2);
  auto& firmware = spec.nodes.at(name("n1")).adapters.edit().front().firmware;
  firmware.params["NUM_OF_PF"] = {"2", place(40)};
  firmware.params["MEMIC_SIZE_LIMIT"] = {"_256KB", place(41)};
  firmware.minimum = {"16.35.4030", place(42)};
  const std::vector<Resource> resources = expand_cleanly(spec);
  const Resource& settings = find(resources, "n1/settings/cx5");
  CHECK(settings.desired.at("NUM_OF_PF").value == Value{2});
  CHECK(settings.desired.at("NUM_OF_PF").source == place(40));
  CHECK(settings.desired.at("MEMIC_SIZE_LIMIT").value == Value{"_256KB"});
  CHECK(
      find(resources, "n1/adapter/cx5").desired.at("firmware_minimum").value ==
      Value{"16.35.4030"});
}

TEST_CASE("the resources of an observed node say so and are never refused", "[model]") {
  FabricSpec spec = ring(2);
  NodeSpec& node = spec.nodes.at(name("n1"));
  node.state = {NodeState::observe, place(50)};
  node.packages.push_back({"lldpd", place(51)});
  const std::vector<Resource> resources = expand_cleanly(spec);
  for (const Resource& resource : resources) {
    CAPTURE(resource.address.str());
    if (resource.address.kind == "carrier") continue;  // of nobody is anything asked there
    CHECK(resource.binding.contains("observe") == (resource.address.node == name("n1")));
  }
}

TEST_CASE(
    "a node with hooks is not to stay drained, by its own or those of the fabric", "[model]") {
  FabricSpec spec = ring(3);
  spec.hooks.before_disruption = {{"drain"}, place(65)};
  spec.hooks.timeout.value = Duration{5'000};
  spec.nodes.at(name("n2")).hooks.edit().after_disruption = {{"sh", "-c", "undrain"}, place(70)};
  const std::vector<Resource> resources = expand_cleanly(spec);
  const Resource& of_fabric = find(resources, "n1/drain/hooks");
  CHECK(of_fabric.binding == Map{{"before", List{"drain"}}, {"timeout_ms", 5000}});
  CHECK(of_fabric.desired.at("drained").value == Value{false});
  CHECK(of_fabric.origin == place(65));
  const Resource& own = find(resources, "n2/drain/hooks");
  CHECK(own.binding.at("after") == Value{List{"sh", "-c", "undrain"}});
  CHECK_FALSE(own.binding.contains("before"));
}

TEST_CASE("a link is checked at the end whose port comes first, after both ends", "[model]") {
  const std::vector<Resource> resources = expand_cleanly(ring(3));
  const Resource& link = find(resources, "n1/link/cx5.2-n3.cx5.1");
  CHECK(link.check_only);
  CHECK(link.origin == place(kCablePlace + 30));
  CHECK(
      waits_for(link) ==
      std::vector<std::string>{
          "n1/settings/cx5", "n1/interface/cx5.2", "n3/settings/cx5", "n3/interface/cx5.1"});
  CHECK(find(resources, "n1/settings/cx5").check_only == false);
}

TEST_CASE("nodes of a ring come in the order of its cables", "[model]") {
  FabricSpec spec = ring(4);
  // n1 to n3 to n2 to n4 to n1: order of cables, not of names.
  NetworkSpec& network = spec.networks.at("storage");
  network.cables = {
      test::cable(1, port(1, 1), port(3, 2)),
      test::cable(2, port(2, 1), port(4, 2)),
      test::cable(3, port(4, 1), port(1, 2)),
      test::cable(4, port(3, 1), port(2, 2))};
  const std::vector<Ring> found = rings(spec);
  REQUIRE(found.size() == 1);
  CHECK(found[0].network == "storage");
  CHECK(found[0].nodes == std::vector<NodeName>{name("n1"), name("n3"), name("n2"), name("n4")});
}

TEST_CASE("an open chain is walked from one end to the other", "[model]") {
  FabricSpec spec = ring(4);
  NetworkSpec& network = spec.networks.at("storage");
  network.cables.erase(network.cables.begin() + 1);  // n2 to n3 is cut
  const std::vector<Ring> found = rings(spec);
  REQUIRE(found.size() == 1);
  CHECK(found[0].nodes == std::vector<NodeName>{name("n2"), name("n1"), name("n4"), name("n3")});
}

TEST_CASE("networks of other modes have no rings", "[model]") {
  FabricSpec spec = ring(3);
  spec.networks.at("storage").mode.value = Mode::ethernet;
  CHECK(rings(spec).empty());
}

}  // namespace
}  // namespace fabric
