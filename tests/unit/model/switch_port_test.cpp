// SPDX-License-Identifier: Apache-2.0
// The ports of switches as their systems write them, and their numbers in a subnet.
#include "engine/model/switch_port.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

std::string canonical(std::string_view text) {
  const auto port = SwitchPort::parse(text);
  return port ? port->str() : "none";
}

std::int64_t number(std::string_view text, std::string_view model, std::int64_t count) {
  const auto port = SwitchPort::parse(text);
  if (!port) return -1;
  return subnet_port_number(*port, switch_ports(model, count), count).value_or(0);
}

TEST_CASE("ports of switches are read in the forms that systems write", "[model]") {
  CHECK(canonical("07") == "7");
  CHECK(canonical("IB1/7") == "1/7");
  CHECK(canonical("1/7/2") == "1/7/2");
  CHECK(canonical("1/4/1/2") == "1/4/1/2");
  CHECK(canonical("SW4P1") == "sw4p1");
  CHECK(canonical("sw10p1s1") == "sw10p1s1");
  CHECK(canonical("swp7") == "7");
  CHECK(canonical("swp07") == "7");
  CHECK(canonical("etp7") == "7");
  CHECK(canonical("SWP7S0") == "swp7s0");
  CHECK(canonical("l16/u2/20") == "L16/U2/20");
  CHECK(canonical("S03/U1/7") == "S3/U1/7");
  for (const char* none :
       {"",          "0",      "x",      "1//7",  "sw4",       "sw4p",   "swp",    "swp0",
        "swp1s",     "swp1s8", "swp1/2", "sw0p1", "sw1p1pl1",  "L16/20", "L/U1/2", "L1/U/2",
        "1/2/3/4/5", "s",      "l",      "ib",    "sw1p1s1p1", "etp"}) {
    CAPTURE(none);
    CHECK(canonical(none) == "none");
  }
}

TEST_CASE("the number of a port follows from the kind of the switch", "[model]") {
  CHECK(number("7", "MQM8700", 41) == 7);
  CHECK(number("1/7", "MQM8700", 41) == 7);
  CHECK(number("1/7", "SX6036", 36) == 7);
  CHECK(number("1/7", "", 36) == 7);
  CHECK(number("1/1/2", "MQM9700", 65) == 2);
  CHECK(number("1/32/1", "MQM9790-NS2F", 65) == 63);
  CHECK(number("sw2p1", "MQM9700", 65) == 3);
  CHECK(number("sw2p1", "", 65) == 3);
  CHECK(number("9", "MQM9700", 65) == 9);
  CHECK(number("L16/U2/20", "MCS8500", 41) == 20);
  CHECK(number("16/2/20", "MCS8500", 41) == 20);
}

TEST_CASE("a number that depends on what is not known is not known", "[model]") {
  CHECK(number("1/7/2", "MQM8700", 41) == 0);
  CHECK(number("1/7", "MQM8700", 81) == 0);
  CHECK(number("1/1/2", "MQM9700", 129) == 0);
  CHECK(number("1/1/1/2", "MQM9700", 129) == 0);
  CHECK(number("sw10p1s1", "MQM9700", 129) == 0);
  CHECK(number("1/7", "MQM9700", 65) == 0);
  CHECK(number("1/33/1", "MQM9700", 65) == 0);
  CHECK(number("1/1/3", "MQM9700", 65) == 0);
  CHECK(number("sw1p1", "Q3400-RA", 145) == 0);
  CHECK(number("2/7", "MQM8700", 41) == 0);
  CHECK(number("7", "MCS8500", 41) == 0);
  CHECK(number("L1/U1/7", "MQM8700", 41) == 0);
  CHECK(number("255", "MQM8700", 41) == 0);
}

TEST_CASE("a port has one name, however a document writes it", "[model]") {
  const auto called = [](std::string_view text, Platform platform, std::string_view model = "") {
    return as_called(*SwitchPort::parse(text), traits(platform).port_names, model).str();
  };
  CHECK(called("31", Platform::mlnx_os) == "1/31");
  CHECK(called("1/31", Platform::mlnx_os) == "1/31");
  CHECK(called("1/31/2", Platform::mlnx_os) == "1/31/2");
  CHECK(called("L16/U2/20", Platform::mlnx_os) == "L16/U2/20");
  for (const char* text : {"8", "4/2", "1/4/2", "sw4p2"})
    CHECK(called(text, Platform::nvos, "QM9700") == "sw4p2");
  CHECK(called("1", Platform::nvos) == "sw1p1");
  CHECK(called("64", Platform::nvos) == "sw32p2");
  CHECK(called("7", Platform::nvos, "QM8700") == "sw7p1");
  CHECK(called("sw4p2s1", Platform::nvos) == "sw4p2s1");
  CHECK(called("swp7", Platform::cumulus) == "7");
  CHECK(called("7", Platform::unmanaged) == "7");
}

TEST_CASE("a port of the subnet is called as the document calls the others", "[model]") {
  const auto named = [](std::int64_t port, std::string_view like, std::string_view model) {
    return native_port_name(port, *SwitchPort::parse(like), switch_ports(model, 0));
  };
  CHECK(named(3, "1/1/2", "MQM9700") == "1/2/1");
  CHECK(named(64, "sw1p1", "MQM9700") == "sw32p2");
  CHECK(named(65, "sw1p1", "MQM9700") == "65");
  CHECK(named(7, "1/1", "MQM8700") == "1/7");
  CHECK(named(7, "1", "MQM8700") == "7");
  CHECK(named(7, "1/1/2", "MQM8700") == "7");
}

TEST_CASE("a port that its switch can't have is told by model and system", "[model]") {
  const auto why = [](std::string_view text, Platform platform, std::string_view model = "") {
    const PlatformTraits& system = traits(platform);
    return why_no_port(
        as_called(*SwitchPort::parse(text), system.port_names, model), text, system, model);
  };
  for (const char* port : {"1", "40", "80", "1/40", "1/40/2"})
    CHECK(why(port, Platform::unmanaged, "QM8790").empty());
  for (const char* port : {"81", "99", "1/41", "1/40/3"})
    CHECK(why(port, Platform::unmanaged, "MQM8790-HS2F")
              .starts_with("MQM8790-HS2F has ports 1 to 40"));
  for (const char* port : {"sw32p2", "64", "32/2", "1/32/1", "sw1p1s2"})
    CHECK(why(port, Platform::nvos, "QM9700").empty());
  for (const char* port : {"sw33p1", "sw1p3", "1/33/1", "sw1p1s3"})
    CHECK(why(port, Platform::nvos, "QM9700").starts_with("QM9700 has cages 1 to 32"));
  CHECK(why("swp32", Platform::nvos).starts_with("ports of a switch (nvos) are called sw4p1"));
  CHECK(why("sw1p1", Platform::cumulus).starts_with("ports of a switch (cumulus) are called swp7"));
  CHECK(why("swp1", Platform::mlnx_os).starts_with("ports of a switch (mlnx-os) are called 1/7"));
  CHECK(why("etp3", Platform::cumulus).starts_with("ports of a switch (cumulus) are called swp7"));
  CHECK(why("etp3", Platform::unmanaged).empty());
  CHECK(why("swp32s3", Platform::cumulus, "SN2700").empty());
  CHECK_FALSE(why("swp33", Platform::cumulus, "SN2700").empty());
  CHECK_FALSE(why("swp1s4", Platform::cumulus, "SN2700").empty());
  CHECK_FALSE(why("swp161", Platform::cumulus).empty());
  CHECK(why("swp161", Platform::cumulus, "a switch of tomorrow").empty());
  CHECK_FALSE(why("1/37", Platform::mlnx_os, "SX6036").empty());
  CHECK_FALSE(why("1/3/2", Platform::mlnx_os, "SX6036").empty());
  CHECK(why("L16/U2/20", Platform::mlnx_os, "MCS8500").empty());
  CHECK(why("300", Platform::unmanaged).empty());
}

}  // namespace
}  // namespace fabric
