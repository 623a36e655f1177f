// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/subnet/partition_keys.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/verify/leaf_pair.hpp"

namespace fabric::verify {
namespace {

using test::host_port;
using Members = std::vector<std::pair<std::string, bool>>;

PartitionSpec partition(const std::string& name, std::int64_t pkey, const Members& members) {
  PartitionSpec spec;
  spec.name = name;
  spec.pkey.value = pkey;
  for (const auto& [who, full] : members)
    spec.members.push_back({who, {}, {full, {}}});
  return spec;
}

// Managers on these hosts.
NetworkSpec network(std::vector<PartitionSpec> partitions, const std::vector<int>& managers) {
  NetworkSpec spec = test::leaf_pair().networks.at("compute");
  spec.partitions = std::move(partitions);
  for (const int host : managers) {
    SubnetManagerPlacement placement;
    placement.node.value = fmt::format("c{}", host);
    spec.subnet_managers.push_back(placement);
  }
  return spec;
}

// "8010 storage limited, 8011 undeclared"
std::string surplus(const NetworkSpec& network, int host, const std::vector<std::uint16_t>& table) {
  std::vector<std::string> texts;
  for (const SurplusKey& key : surplus_keys(network, host_port(host), table)) {
    const std::string what = key.partition + (key.is_member ? " limited" : " none");
    texts.push_back(
        fmt::format("{:04x} {}", key.found, key.partition.empty() ? "undeclared" : what));
  }
  return join(texts, ", ");
}

TEST_CASE("keys of partitions that a port is not in, or not fully, are surplus", "[verify]") {
  const NetworkSpec net = network(
      {partition("storage", 0x8010, {{"c1", true}, {"c2", false}}),
       partition("backup", 0x11, {{"c1", true}})},
      {1});
  CHECK(surplus(net, 1, {0xffff, 0x8010, 0x8011}) == "");
  CHECK(surplus(net, 2, {0xffff, 0x0010}) == "");
  CHECK(surplus(net, 2, {0xffff, 0x0010, 0x8010}) == "8010 storage limited");
  CHECK(surplus(net, 2, {0xffff, 0x0010, 0x0011}) == "0011 backup none");
  CHECK(surplus(net, 3, {0xffff, 0x8010}) == "8010 storage none");
  CHECK(surplus(net, 3, {0x7fff, 0x8012, 0x0000}) == "8012 undeclared");
  // Said already: it has the full key instead of its own.
  CHECK(surplus(net, 2, {0xffff, 0x8010}) == "");
  CHECK(wrong_keys(net, host_port(2), {0xffff, 0x8010}).at(0).found == 0x8010);
}

TEST_CASE(
    "the default partition is everybody's, and full where it is not said otherwise", "[verify]") {
  const NetworkSpec undeclared = network({}, {1});
  CHECK(surplus(undeclared, 2, {0xffff}) == "");
  CHECK(surplus(undeclared, 2, {0xffff, 0x8010}) == "8010 undeclared");
  const NetworkSpec limited = network({partition("base", 0xffff, {{"ALL", false}})}, {1});
  CHECK(surplus(limited, 1, {0xffff}) == "");
  CHECK(wrong_keys(limited, host_port(1), {0xffff}).empty());
  CHECK(wrong_keys(limited, host_port(1), {0x7fff}).size() == 1);
  CHECK(surplus(limited, 2, {0x7fff}) == "");
  CHECK(surplus(limited, 2, {0x7fff, 0xffff}) == "ffff base limited");
  const NetworkSpec some = network({partition("base", 0x7fff, {{"c2", true}})}, {1});
  CHECK(surplus(some, 2, {0xffff}) == "");
  CHECK(surplus(some, 3, {0x7fff}) == "");
  CHECK(surplus(some, 3, {0xffff}) == "ffff base limited");
  CHECK(wrong_keys(some, host_port(3), {0x7fff}).empty());
}

TEST_CASE("who may be the master may be SELF", "[verify]") {
  const NetworkSpec two = network(
      {partition("storage", 0x10, {{"SELF", true}, {"c4", true}}),
       partition("base", 0x7fff, {{"ALL", false}})},
      {1, 2});
  for (const int host : {1, 2}) {
    CHECK(surplus(two, host, {0xffff, 0x8010}) == "");
    CHECK(surplus(two, host, {0x7fff}) == "");
    CHECK(wrong_keys(two, host_port(host), {0x7fff}).empty());
  }
  CHECK(surplus(two, 3, {0x7fff, 0x8010}) == "8010 storage none");
  // A foreign manager may run anywhere, and without partitions the document says nothing of it.
  NetworkSpec foreign = network({partition("storage", 0x10, {{"SELF", true}})}, {});
  foreign.subnet_manager.emplace().external.value = true;
  CHECK(surplus(foreign, 3, {0xffff, 0x8010}) == "");
  CHECK(surplus(foreign, 3, {0xffff, 0x8011}) == "8011 undeclared");
  foreign.partitions.clear();
  CHECK(surplus(foreign, 3, {0xffff, 0x8011}) == "");
}

}  // namespace
}  // namespace fabric::verify
