// SPDX-License-Identifier: Apache-2.0
#include "providers/parsers/mlxconfig_query.hpp"

#include <filesystem>

#include "tests/support/catch.hpp"
#include "tests/support/local_shell.hpp"

namespace fabric::providers {
namespace {

using remote::test::read_text;

std::string fixture(const std::string& name) {
  return read_text(std::string{FABRIC_TEST_DATA} + "/fixtures/" + name);
}

std::string refusal(const std::string& text) {
  const auto query = parse_mlxconfig_query(text);
  return query ? std::string{"accepted"} : query.error().message;
}

std::string table(const std::string& header, const std::string& row) {
  return "Configurations:  " + header + "\n" + row + "\n";
}

TEST_CASE("the table of an old tool has the next boot alone", "[providers]") {
  const auto query = parse_mlxconfig_query(fixture("mlxconfig-next-only.txt"));
  REQUIRE(query);
  REQUIRE(query->tables.size() == 1);
  const SettingsTable& card = query->tables[0];
  CHECK(card.device_type == "ConnectX5");
  CHECK(card.name == "MCX556A-ECA_Ax");
  CHECK(card.device == "/dev/mst/mt4119_pciconf0");
  CHECK(card.has_next_boot);
  CHECK_FALSE(card.has_current);
  REQUIRE(card.rows.size() == 7);
  REQUIRE(card.find("LINK_TYPE_P1") != nullptr);
  CHECK(card.find("LINK_TYPE_P1")->next_boot == "IB(1)");
  CHECK_FALSE(card.find("LINK_TYPE_P1")->current.has_value());
  CHECK(card.find("ROCE_CONTROL")->next_boot == "ROCE_ENABLE(2)");
  CHECK_FALSE(card.find("ROCE_CONTROL")->read_only);
  CHECK(card.find("LINK_TYPE") == nullptr);
  CHECK(query->notes.empty());
}

TEST_CASE(
    "columns go by the header, one blank apart, marked and read-only rows, two devices",
    "[providers]") {
  const auto query = parse_mlxconfig_query(fixture("mlxconfig-three-columns.txt"));
  REQUIRE(query);
  REQUIRE(query->tables.size() == 2);
  const SettingsTable& card = query->tables[0];
  CHECK(card.device == "0000:5e:00.0");
  CHECK(card.has_default);
  CHECK(card.has_current);
  REQUIRE(card.rows.size() == 5);
  const SettingRow* chaining = card.find("HOST_CHAINING_MODE");
  REQUIRE(chaining != nullptr);
  CHECK(chaining->marked);
  CHECK(chaining->default_value == "DISABLED(0)");
  CHECK(chaining->current == "DISABLED(0)");
  CHECK(chaining->next_boot == "BASIC(1)");
  CHECK(card.find("PHY_FEC_OVERRIDE_P1")->next_boot == "DEVICE_DEFAULT(0)");
  const SettingRow* owner = card.find("PCI_DOWNSTREAM_PORT_OWNER[0]");
  REQUIRE(owner != nullptr);
  CHECK(owner->read_only);
  CHECK(owner->marked);
  CHECK(owner->current == "148");
  CHECK(card.find("PCI_WR_ORDERING")->current == "N/A");

  CHECK(query->tables[1].device_type == "ConnectX3");
  CHECK(query->tables[1].device == "/sys/bus/pci/devices/0000:05:00.0/config");
  CHECK_FALSE(query->tables[1].has_current);
  REQUIRE(query->notes.size() == 4);
  CHECK(
      query->notes[3].find("-E- Failed to query some of the TLVs: Failed to query the next") == 0);
  CHECK(query->notes[3].ends_with("nv_ecpf_conf"));
}

TEST_CASE("values are compared by their numbers", "[providers]") {
  CHECK(setting_number("ETH(2)") == 2);
  CHECK(setting_number("_256KB(1)") == 1);
  CHECK(setting_number("per_mkey(0)") == 0);
  CHECK(setting_number("148") == 148);
  CHECK(setting_number("0x1f") == 31);
  for (const char* text :
       {"N/A", "Array[0..7]", "", "ETH", "ETH()", "ETH(2", "(", "-1", "99999999999999999999"}) {
    INFO(text);
    CHECK_FALSE(setting_number(text).has_value());
  }
  CHECK(setting_name("ETH(2)") == "ETH");
  CHECK(setting_name("8").empty());
}

TEST_CASE("what is not a table is refused with its line", "[providers]") {
  CHECK(refusal("") == "line 1: no table of settings: no line starts with 'Configurations:'");
  CHECK(refusal("a\nb\n") == "line 2: no table of settings: no line starts with 'Configurations:'");
  CHECK(
      refusal("\n-E- Failed to open the device\n") ==
      "line 2: no table of settings; the tool says: -E- Failed to open the device");
  CHECK(refusal("Configurations:\n").find("line 1: expected columns in the header") == 0);
  CHECK(
      refusal("Configurations: Next Boot New\nSRIOV_EN True(1) True(1)\n") ==
      "line 1: the blanks between the columns are lost");
  CHECK(refusal("Configurations:  Next Boot\n\n\n").find("line 1: the table has no rows") == 0);
  CHECK(
      refusal(table("Default Future", "A 1 2"))
          .find("line 1: the header has an unknown column 'Future'") == 0);
  CHECK(refusal(table("Default Default", "A 1 2")).find("twice") != std::string::npos);
}

TEST_CASE("a row of another shape than its header is refused with its line", "[providers]") {
  const std::string header = "Default Current Next Boot";
  CHECK(refusal(table(header, " A 1 2 3")) == "accepted");
  CHECK(
      refusal(table(header, " A 1 2")) ==
      "line 2: expected a parameter and 3 values, found 3 words: 'A 1 2'");
  CHECK(refusal(table(header, " A 1 2 3 4")).find("line 2: ") == 0);
  CHECK(refusal(table(header, "...")).find("line 2: ") == 0);
  CHECK(
      refusal(table("Next Boot", "*NUM_OF_VFS %d")) == "line 2: '%d' is not a value of NUM_OF_VFS");
  CHECK(refusal(table("Next Boot", "SRIOV_EN %s(1)")).find("'%s(1)'") != std::string::npos);
  CHECK(refusal(table("Next Boot", "SRIOV_EN ...")).find("'...'") != std::string::npos);
  CHECK(
      refusal(table("Next Boot", "%s 1")).find("not the name of a parameter") != std::string::npos);
  CHECK(refusal(table("Next Boot", "A 1\nA 2")) == "line 3: A stands twice");
}

TEST_CASE("a transcript of set has the requested values, and ends at the question", "[providers]") {
  const auto query = parse_mlxconfig_query(
      "$ mstconfig -d 4b:00.0 set LINK_TYPE_P1=1\n\nDevice #1:\n----------\n\nDevice type:        "
      "ConnectX5\n\n"
      "Configurations:                                     Next Boot       New\n"
      "        LINK_TYPE_P1                                ETH(2)               IB(1)\n\n"
      " Apply new Configuration? (y/n) [n] : y\nApplying... Done!\n"
      "-I- Please reboot machine to load new configurations.\n$ exit\n");
  REQUIRE(query);
  const SettingRow* row = query->tables.at(0).find("LINK_TYPE_P1");
  REQUIRE(row != nullptr);
  CHECK(row->next_boot == "ETH(2)");
  CHECK(row->requested == "IB(1)");
  REQUIRE(query->notes.size() == 1);
  CHECK(query->notes[0].find("-I- Please reboot") == 0);
}

TEST_CASE(
    "every query among the captures parses and every other file is refused with its line",
    "[providers]") {
  const std::filesystem::path domain =
      std::filesystem::path{FABRIC_SOURCE_DIR} / ".." / "shared" / "domain";
  std::size_t queries = 0;
  std::size_t rows = 0;
  for (const char* folder : {"captures/mlxconfig", "datasets/mlxconfig"}) {
    if (!std::filesystem::exists(domain / folder)) continue;
    for (const auto& file : std::filesystem::directory_iterator{domain / folder}) {
      INFO(file.path().filename().string());
      const std::string text = read_text(file.path().string());
      const bool has_header = text.find("\nConfigurations:") != std::string::npos ||
                              text.starts_with("Configurations:");
      const bool has_hole =
          text.find("%s") != std::string::npos || text.find("%d") != std::string::npos;
      const auto query = parse_mlxconfig_query(text);
      CHECK(query.has_value() == (has_header && !has_hole));
      if (query) {
        ++queries;
        for (const SettingsTable& card : query->tables)
          rows += card.rows.size();
      } else {
        CHECK(query.error().message.find("line ") == 0);
      }
    }
  }
  if (std::filesystem::exists(domain)) {
    CHECK(queries >= 14);
    CHECK(rows >= 400);
  }
}

}  // namespace
}  // namespace fabric::providers
