// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <sstream>

#include "providers/linux/machine/paths/path_tests.hpp"
#include "providers/linux/machine/paths/subnet_records.hpp"

#include "tests/support/catch.hpp"

namespace fabric::platform {
namespace {

// As `saquery SMIR` of OpenSM 3.3.23 prints it.
std::string record(const std::string& guid, const std::string& priority, const std::string& state) {
  return "SMInfoRecord dump:\n\t\tRID\n\t\tLID...................5\n\t\tSMInfo dump:\n"
         "\t\tGUID.................." +
         guid +
         "\n\t\tSM_Key................0x0000000000000000\n\t\tActCount..............126\n"
         "\t\tPriority.............." +
         priority + "\n\t\tSMState..............." + state + "\n";
}

TEST_CASE("the master and who stands by are read", "[platform]") {
  const auto managers = parse_manager_records(
      record("0x0000000000100001", "10", "3") + record("0x0000000000100007", "3", "2"));
  REQUIRE(managers);
  REQUIRE(managers->size() == 2);
  CHECK(managers->at(0).guid == Guid{0x100001});
  CHECK(managers->at(0).master);
  CHECK(managers->at(1).priority == 3);
  CHECK_FALSE(managers->at(1).master);
}

TEST_CASE("a record without a GUID is nobody, a failure is no list", "[platform]") {
  CHECK(parse_manager_records(record("rubbish", "10", "3"))->empty());
  CHECK_FALSE(parse_manager_records(""));
  CHECK_FALSE(parse_manager_records("saquery: Query SA failed: Connection timed out\n"));
}

TEST_CASE("managers belong to the port that asked", "[platform]") {
  std::string said =
      "fabric-ports\nmlx5_0/ports/1/link_layer:InfiniBand\nmlx5_0/ports/2/link_layer:InfiniBand\n";
  std::istringstream lines{record("0x0000000000100001", "10", "3")};
  for (std::string line; std::getline(lines, line);)
    said += "mlx5_0/ports/2/manager:" + line + "\n";
  const PortReadings readings = parse_port_readings(said);
  REQUIRE(readings.rdma.size() == 2);
  CHECK_FALSE(readings.rdma[0].managers);
  REQUIRE(readings.rdma[1].managers);
  CHECK(readings.rdma[1].managers->at(0).master);
}

TEST_CASE("the managers that a real OpenSM told of are read", "[platform]") {
  const std::string path =
      FABRIC_SOURCE_DIR "/../shared/domain/captures/ib/ibsim-run-saquery-smpquery.txt";
  if (!std::filesystem::exists(path)) return;
  std::stringstream text;
  text << std::ifstream{path}.rdbuf();
  const auto managers = parse_manager_records(text.str());
  REQUIRE(managers);
  REQUIRE(managers->size() == 2);
  CHECK(managers->at(0).master);
  CHECK(managers->at(1).guid == Guid{0x100007});
}

}  // namespace
}  // namespace fabric::platform
