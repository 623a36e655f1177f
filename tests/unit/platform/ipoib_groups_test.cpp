// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <fstream>
#include <sstream>

#include "providers/linux/machine/paths/path_tests.hpp"

#include "tests/support/catch.hpp"

namespace fabric::platform {
namespace {

// As `saquery MCMR` of OpenSM 3.3.23 prints it.
std::string record(const std::string& mgid, const std::string& mtu, const std::string& pkey) {
  return "MCMember Record dump:\n\t\tMGID...................." + mgid +
         "\n\t\tPortGid.................::\n\t\tqkey....................0xb1b\n"
         "\t\tmtu....................." +
         mtu + "\n\t\tTClass..................0x0\n\t\tpkey...................." + pkey +
         "\n\t\trate....................0x83\n";
}

TEST_CASE("the broadcast groups of IPoIB are read, their selectors left out", "[platform]") {
  const auto groups = parse_ipoib_groups(
      record("ff12:401b:ffff::ffff:ffff", "0x84", "0xffff") +
      record("ff12:401b:8010::ffff:ffff", "0x85", "0x8010") +
      record("ff12:401b:ffff::1", "0x84", "0xffff") +
      record("ff12:601b:ffff::1:ff00:1", "0x84", "0xffff"));
  REQUIRE(groups);
  REQUIRE(groups->size() == 2);
  CHECK(groups->at(0).pkey == 0x7fff);
  CHECK(groups->at(0).mtu == 2048);
  CHECK(groups->at(1).pkey == 0x0010);
  CHECK(groups->at(1).mtu == 4096);
}

TEST_CASE("a code of no MTU is unknown, a failure is no list", "[platform]") {
  const auto odd = parse_ipoib_groups(record("ff12:401b:ffff::ffff:ffff", "0x3f", "0xffff"));
  REQUIRE(odd);
  CHECK(odd->at(0).mtu == 0);
  CHECK(parse_ipoib_groups(record("ff02::1", "0x84", "0xffff"))->empty());
  CHECK_FALSE(parse_ipoib_groups(""));
  CHECK_FALSE(parse_ipoib_groups("saquery: Query SA failed: Connection timed out\n"));
}

TEST_CASE("groups belong to the port that asked, and to no other", "[platform]") {
  std::string said =
      "fabric-ports\nmlx5_0/ports/1/link_layer:InfiniBand\n"
      "mlx5_0/ports/2/link_layer:InfiniBand\nmlx5_1/ports/1/group:saquery: failed\n";
  const std::string records = record("ff12:401b:8010::ffff:ffff", "0x85", "0x8010");
  std::istringstream lines{records};
  for (std::string line; std::getline(lines, line);)
    said += "mlx5_0/ports/2/group:" + line + "\n";
  const PortReadings readings = parse_port_readings(said);
  REQUIRE(readings.rdma.size() == 2);  // what is only a group's is no port
  CHECK_FALSE(readings.rdma[0].groups);
  REQUIRE(readings.rdma[1].groups);
  CHECK(readings.rdma[1].groups->at(0).mtu == 4096);
}

TEST_CASE("what a real OpenSM printed is read", "[platform]") {
  const std::string path =
      FABRIC_SOURCE_DIR "/../shared/domain/captures/ib/ibsim-run-saquery-smpquery.txt";
  if (!std::filesystem::exists(path)) return;
  std::stringstream text;
  text << std::ifstream{path}.rdbuf();
  const auto groups = parse_ipoib_groups(text.str());
  REQUIRE(groups);
  REQUIRE(groups->size() >= 2);
  CHECK(groups->at(0).pkey == 0x0010);
  CHECK(groups->at(0).mtu == 4096);
}

}  // namespace
}  // namespace fabric::platform
