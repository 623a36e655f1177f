// SPDX-License-Identifier: Apache-2.0
#include "engine/model/hardware.hpp"

#include <set>

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

TEST_CASE("every model slug of the document language is in the hardware table", "[model]") {
  for (const std::string base :
       {"connectx-3",
        "connectx-3-pro",
        "connectx-4",
        "connectx-5",
        "connectx-5-ex",
        "connectx-6",
        "connectx-7",
        "connectx-8"}) {
    CAPTURE(base);
    REQUIRE(find_hardware(base) != nullptr);
    REQUIRE(find_hardware(base + "-en") != nullptr);
    CHECK(find_hardware(base) == find_hardware(base + "-vpi"));
    CHECK(find_hardware(base)->vpi());
    CHECK_FALSE(find_hardware(base + "-en")->infiniband);
    CHECK(find_hardware(base)->family == base);
  }
  for (const std::string slug : {"connectx-4-lx", "connectx-6-dx", "connectx-6-lx"}) {
    CAPTURE(slug);
    REQUIRE(find_hardware(slug) != nullptr);
    CHECK_FALSE(find_hardware(slug)->infiniband);
    CHECK(find_hardware(slug + "-en") == find_hardware(slug));
    CHECK(find_hardware(slug + "-vpi") == nullptr);
  }
  for (const std::string slug : {"infinihost-iii", "connect-ib"}) {
    CAPTURE(slug);
    REQUIRE(find_hardware(slug) != nullptr);
    CHECK_FALSE(find_hardware(slug)->ethernet);
    CHECK(find_hardware(slug + "-en") == nullptr);
  }
  for (const std::string slug :
       {"connectx-ib-sdr",
        "connectx-ib-ddr",
        "connectx-ib-qdr",
        "bluefield",
        "bluefield-2",
        "bluefield-3"}) {
    CAPTURE(slug);
    REQUIRE(find_hardware(slug) != nullptr);
    CHECK(find_hardware(slug)->vpi());
  }
  CHECK(find_hardware("connectx-9000") == nullptr);
  CHECK(find_hardware("MCX556A-ECAT")->slug == "connectx-5-vpi");
  CHECK(find_hardware("mcx556a-edat")->slug == "connectx-5-ex-vpi");
  CHECK(find_hardware("MCX542B-ACAN")->slug == "connectx-5-en");
  CHECK(find_hardware("MCX55") == nullptr);
  CHECK(find_hardware("MT4119-ECAT") == nullptr);
  CHECK(find_hardware("") == nullptr);
}

TEST_CASE("only the ConnectX-5 family chains, also where others list the parameter", "[model]") {
  std::set<std::string> families;
  for (const HardwareModel& model : hardware_table()) {
    if (model.host_chaining) families.insert(model.family);
  }
  CHECK(families == std::set<std::string>{"connectx-5", "connectx-5-ex"});
}

TEST_CASE("VPI and EN cards share a PCI device id", "[model]") {
  const auto models = hardware_by_device(0x1017);
  REQUIRE(models.size() == 2);
  CHECK(models[0]->slug == "connectx-5-en");
  CHECK(models[1]->slug == "connectx-5-vpi");
  CHECK(hardware_by_device(0xffff).empty());
}

TEST_CASE("every row of the hardware table is complete and in order", "[model]") {
  std::string previous;
  std::set<std::string> aliases;
  for (const HardwareModel& model : hardware_table()) {
    CAPTURE(model.slug);
    CHECK(previous < model.slug);
    previous = model.slug;
    CHECK_FALSE(model.name.empty());
    CHECK_FALSE(model.family.empty());
    CHECK_FALSE(model.device_ids.empty());
    CHECK_FALSE(model.source.empty());
    CHECK(model.ports >= 1);
    CHECK((model.infiniband || model.ethernet));
    CHECK(
        (model.driver == "mlx5_core" || model.driver == "mlx4_core" || model.driver == "ib_mthca"));
    // mlx4 cards never show the running value (E-mlxconfig-layers).
    CHECK(model.current_settings == (model.driver == "mlx5_core"));
    CHECK((model.pcie_width == 8 || model.pcie_width == 16));
    for (const std::string& alias : model.aliases) {
      CAPTURE(alias);
      CHECK(aliases.insert(alias).second);
    }
  }
}

}  // namespace
}  // namespace fabric
