// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/channel_mark.hpp"

#include "engine/model/resource_keys.hpp"

#include "tests/support/catch.hpp"

namespace fabric::test {
namespace {

const NodeName kLeaf = NodeName::parse("leaf1").value();

Resource bond(const std::string& name, const List& ports) {
  Resource resource{{kLeaf, "bond", name}, {}, {}, {}, {}};
  resource.binding.emplace(keys::kSwitchPorts, ports);
  resource.binding.emplace(keys::kFabric, "pod");
  return resource;
}

TEST_CASE("a channel is of the document whose name its description has", "[provider]") {
  CHECK(channel_mark(bond("bond7", {"7"})) == "fabric:pod");
  CHECK(made_by("fabric:pod") == "pod");
  CHECK(made_by("\"fabric:pod\"") == "pod");
  for (const char* other : {"", "fabric", "to fabric:pod", "Fabric:pod", "\"", "uplink"})
    CHECK(made_by(other).empty());
}

TEST_CASE("a marked channel is left where no wanted bond has one of its ports", "[provider]") {
  const std::vector<MarkedChannel> channels{
      {"bond7", "fabric:pod", {"7", "8"}},
      {"mine", "fabric:pod", {"9", "10"}},
      {"theirs", "to the router", {"11"}},
      {"mlag-port-channel 12", "fabric:pod", {}}};
  const std::vector<Resource> wanted{bond("bond8", {"8"}), bond("bond20", {"20"})};
  const std::vector<Resource> left = left_channels(wanted, kLeaf, channels);
  REQUIRE(left.size() == 2);
  CHECK(left[0].address.str() == "leaf1/bond/bond9");
  CHECK(to_text(left[0].binding.at("bond")) == "mine");
  REQUIRE(left[0].beneath.size() == 2);
  CHECK(left[0].beneath[1].str() == "leaf1/interface/10");
  CHECK(left[1].address.str() == "leaf1/bond/mlag-port-channel-12");
  CHECK(left_channels({}, kLeaf, channels).size() == 3);
}

}  // namespace
}  // namespace fabric::test
