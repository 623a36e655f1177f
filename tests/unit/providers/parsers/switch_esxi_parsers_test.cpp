// SPDX-License-Identifier: Apache-2.0
// Onyx switches and ESXi: no line of theirs is read by fixed columns.
#include <string>

#include "engine/value/json.hpp"
#include "providers/esx/parsers/esxcfg_module.hpp"
#include "providers/esxi/parsers/esxcli_lists.hpp"
#include "providers/mlnx_os/parsers/onyx_show.hpp"

#include "tests/support/catch.hpp"

namespace fabric::providers {
namespace {

template <class T>
std::string refusal(const Result<T>& result) {
  return result ? "read" : result.error().message;
}

TEST_CASE("sections of a switch are read under their headings", "[providers]") {
  const auto show = parse_onyx_show(
      "Mellanox MLNX-OS Switch Management : yes\n\n"
      "Eth1/1:\r\n"
      "  Admin state                      : \x1b[1mEnabled\x1b[0m\n"
      "  Last change in operational status: 4:42:27 ago (1 oper change)\n"
      "  Description                      : N/A\n"
      "  Alias                            :\n"
      "\n"
      "  Rx:\n"
      "    576                   packets\n"
      "    see counters\n"
      "Eth1/2:\n"
      "  MTU: 1500 bytes\n");
  INFO(refusal(show));
  REQUIRE(show);
  CHECK(show->form == OnyxForm::sections);
  REQUIRE(show->sections.size() == 4);
  CHECK(show->sections[0].headings.empty());
  const OnyxSection& port = show->sections[1];
  CHECK(port.headings == std::vector<std::string>{"Eth1/1"});
  REQUIRE(port.entries.size() == 4);
  CHECK(port.entries[0].value == "Enabled");
  CHECK(port.entries[1].key == "Last change in operational status");
  CHECK(port.entries[1].value == "4:42:27 ago (1 oper change)");
  CHECK_FALSE(port.entries[2].value);
  CHECK(port.entries[3].value == "");
  CHECK(port.entries[3].line == 7);
  CHECK(show->sections[2].headings == std::vector<std::string>{"Eth1/1", "Rx"});
  CHECK(show->sections[2].entries[0].key == "packets");
  CHECK(show->sections[2].entries[0].value == "576");
  CHECK(show->sections[2].entries[1].key.empty());
  CHECK(show->sections[3].headings == std::vector<std::string>{"Eth1/2"});
}

TEST_CASE("json-print is read between banners, of equal keys the last", "[providers]") {
  const auto show = parse_onyx_show(
      "Mellanox Onyx Switch Management\n\n"
      "{\"bfd\": \"disabled\",\n \"bfd\": \"enabled\",\n \"Eth1/1\": [{\"Mtu\": "
      "\"1500\"}]\n}\nBye\n");
  INFO(refusal(show));
  REQUIRE(show);
  CHECK(show->form == OnyxForm::json);
  CHECK(to_json(show->json) == R"j({"Eth1/1":[{"Mtu":"1500"}],"bfd":"enabled"})j");
  CHECK(refusal(parse_onyx_show("\n{\"a\": \"b\",\n")).find("line ") == 0);
  CHECK(
      refusal(parse_onyx_show("\n{\"a\": 1}\n")) ==
      "line 2: a number or constant: Onyx prints text only");
}

TEST_CASE("a configuration is its commands, an answer its word", "[providers]") {
  const auto show = parse_onyx_show(
      "##\n## Running database \"vpi\"\n## Generated at 2026/11/16 10:00:00 +0000\n##\n"
      "   interface ib 1/1 mtu 4K\n   \nno interface proxy-arp 2 shutdown\n# web proxy auth basic "
      "password ********\n");
  REQUIRE(show);
  CHECK(show->form == OnyxForm::configuration);
  CHECK(show->database == "vpi");
  REQUIRE(show->commands.size() == 2);
  CHECK(show->commands[0].text == "interface ib 1/1 mtu 4K");
  CHECK(show->commands[1].line == 7);
  for (const char* word : {"enable\n", "Enabled", "\r\nnot active\r\n"}) {
    const auto answer = parse_onyx_show(word);
    INFO(word << refusal(answer));
    REQUIRE(answer);
    CHECK(answer->form == OnyxForm::answer);
  }
  CHECK(
      to_json(to_value(*parse_onyx_show("Enabled\n"))) ==
      R"({"answer":"enabled","form":"answer"})");
}

TEST_CASE("what a switch refuses, and what is no output, is refused with its line", "[providers]") {
  CHECK(
      refusal(parse_onyx_show("\r\n% Unrecognized command \"ib\".\r\n")) ==
      "line 2: the switch refused: Unrecognized command \"ib\".");
  CHECK(
      refusal(parse_onyx_show("leaf1 [standalone: master] (config) # show ib sm\nenable\n"))
          .find("line 1: a prompt") == 0);
  CHECK(refusal(parse_onyx_show("switch (config) # show ib sm\n")).find("line 1: a prompt") == 0);
  CHECK(
      refusal(parse_onyx_show("a: b\nlines 183-204\nc: d\n")) ==
      "line 2: the output was paged, it may have holes");
  CHECK(
      refusal(parse_onyx_show("Port: all\n-------\nEth1/1  Up\n")) ==
      "line 2: a table: its columns can't be told apart, use '| json-print'");
  CHECK(refusal(parse_onyx_show("Eth1/1:\n")) == "line 1: no 'key : value'");
  CHECK(refusal(parse_onyx_show("maybe\n")) == "line 1: expected 'key : value', found 'maybe'");
}

TEST_CASE(
    "packages of ESXi are read from a table, from its rows, from csv and json", "[providers]") {
  const auto check = [](const Result<std::vector<EsxVib>>& vibs, const char* platforms) {
    INFO(refusal(vibs));
    REQUIRE(vibs);
    REQUIRE(vibs->size() == 2);
    CHECK(vibs->at(0).name == "nmlx5-core");
    CHECK(vibs->at(0).version == "4.23.0.66-2vmw.802.0.0.22380479");
    CHECK(vibs->at(0).vendor == "VMW");
    CHECK(vibs->at(0).acceptance == "VMwareCertified");
    CHECK(vibs->at(0).installed == "2024-05-14");
    CHECK(vibs->at(0).platforms == platforms);
    CHECK(vibs->at(1).name == "mft");
    CHECK(vibs->at(1).vendor == "Some Vendor");
  };
  const std::string rows =
      "nmlx5-core                     4.23.0.66-2vmw.802.0.0.22380479       VMW          "
      "VMwareCertified   2024-05-14    host\n"
      "mft\t4.22.1.11-0\tSome Vendor\tPartnerSupported\t2024-06-01\thost\n";
  check(
      parse_esxcli_vib_list(
          "Name                           Version                               Vendor       "
          "Acceptance Level  Install Date  Platforms\n"
          "-----------------------------  ------------------------------------  -----------  "
          "----------------  ------------  ---------\n" +
          rows),
      "host");
  check(parse_esxcli_vib_list(rows), "host");
  check(
      parse_esxcli_vib_list(
          "AcceptanceLevel,CreationDate,ID,InstallDate,Name,Status,Vendor,Version,\n"
          "VMwareCertified,2023-09-04,VMW_bootbank_nmlx5-core,2024-05-14,nmlx5-core,,VMW,4.23.0.66-"
          "2vmw.802.0.0.22380479,\n"
          "PartnerSupported,2023-09-04,\"MEL, \"\"mft\"\"\",2024-06-01,mft,,Some "
          "Vendor,4.22.1.11-0,\n"),
      "");
  check(
      parse_esxcli_vib_list(
          R"j([{"Acceptance Level": "VMwareCertified", "Install Date": "2024-05-14", "Name": "nmlx5-core",)j"
          R"j( "Vendor": "VMW", "Version": "4.23.0.66-2vmw.802.0.0.22380479", "Platforms": ["host", "dpu"]},)j"
          R"j( {"Acceptance Level": "PartnerSupported", "Name": "mft", "Vendor": "Some Vendor", "Version": "1"}])j"),
      "host, dpu");
}

TEST_CASE("a row of another shape is refused with its line", "[providers]") {
  CHECK(
      refusal(parse_esxcli_vib_list(
          "nmlx5-core 4.23 VMW VMwareCertified 2024-05-14\nmft 4.22 MEL\n")) ==
      "line 2: expected NAME VERSION VENDOR LEVEL DATE, found 'mft 4.22 MEL'");
  CHECK(
      refusal(
          parse_esxcli_vib_list("AcceptanceLevel,Name,Vendor,Version,\nVMwareCertified,a,b\n")) ==
      "line 2: 3 cells, expected 5");
  CHECK(
      refusal(parse_esxcli_vib_list("[{\"Name\": \"a\",\n  \"Name\": \"b\"}]")) ==
      "line 2, column 8: key 'Name' stands twice in one object");
  CHECK(refusal(parse_esxcli_vib_list("AcceptanceLevel,Name,\n")) == "line 1: no column 'version'");
  CHECK(
      refusal(
          parse_esxcli_vib_list("AcceptanceLevel,Name,Vendor,Version\nVMwareCertified,\"a\n\n")) ==
      "line 4: the text ends in the middle of a cell");
  CHECK(refusal(parse_esxcli_vib_list("Name  Version\n")).find("line 1: ") == 0);
}

constexpr const char* kParameters =
    "Name                 Type           Value  Description\n"
    "-------------------  -------------  -----  -----------\n"
    "DRSS                 uint                  Number of hash queues\n"
    "max_vfs              array of uint  4,4    Number of PCI VFs to initialize\n"
    "                                           Values : Array of 'uint' of range 0-128\n"
    "                                           Default: 0\n";

TEST_CASE("parameters of a driver keep their empty cells apart", "[providers]") {
  const auto parameters = parse_esxcli_module_parameters(kParameters);
  INFO(refusal(parameters));
  REQUIRE(parameters);
  REQUIRE(parameters->size() == 2);
  CHECK(parameters->at(0).name == "DRSS");
  CHECK(parameters->at(0).value.empty());
  CHECK(parameters->at(0).description == "Number of hash queues");
  CHECK(parameters->at(1).type == "array of uint");
  CHECK(parameters->at(1).value == "4,4");
  CHECK(
      parameters->at(1).description ==
      "Number of PCI VFs to initialize\nValues : Array of 'uint' of range 0-128\nDefault: 0");
  const auto csv = parse_esxcli_module_parameters(
      "Description,Name,Type,Value,\n\"Number of PCI VFs,\nDefault: 0\",max_vfs,array of "
      "uint,\"4,4\",\n");
  INFO(refusal(csv));
  REQUIRE(csv);
  CHECK(csv->at(0).value == "4,4");
  CHECK(csv->at(0).line == 2);
  CHECK(
      to_json(to_value(*csv)) ==
      R"j({"parameters":[{"description":"Number of PCI VFs,\nDefault: 0","name":"max_vfs",)j"
      R"j("type":"array of uint","value":"4,4"}]})j");
}

TEST_CASE("a table whose columns were lost is refused", "[providers]") {
  const std::string text = kParameters;
  CHECK(
      refusal(parse_esxcli_module_parameters(
          "Name Type Value Description\nmax_vfs array of uint Number\n")) ==
      "line 1: no line of dashes below: the columns are not known");
  CHECK(
      refusal(parse_esxcli_module_parameters(
          text.substr(0, text.find("DRSS")) + "max_vfs array of uint Number of PCI VFs\n")) ==
      "line 3: a cell is wider than its column");
  CHECK(
      refusal(parse_esxcli_module_parameters(
          text.substr(0, text.find("DRSS")) + "                     uint           4\n")) ==
      "line 3: a row without its first cell");
}

TEST_CASE("options of a driver are read whole and one by one", "[providers]") {
  const auto modules = parse_esxcfg_module(
      "nmlx5_core enabled = 1 options = 'pfctx=0x08 max_vfs=4,4 verbose'\n"
      "nmlx5_rdma enabled = 0 options = ''\n");
  INFO(refusal(modules));
  REQUIRE(modules);
  REQUIRE(modules->size() == 2);
  CHECK(modules->at(0).options_text == "pfctx=0x08 max_vfs=4,4 verbose");
  REQUIRE(modules->at(0).options.size() == 3);
  CHECK(modules->at(0).options[1].key == "max_vfs");
  CHECK(modules->at(0).options[1].value == "4,4");
  CHECK_FALSE(modules->at(0).options[2].value);
  CHECK_FALSE(modules->at(1).enabled);
  CHECK(
      to_json(to_value(*modules)) ==
      R"j({"modules":[{"enabled":true,"name":"nmlx5_core","options":[{"key":"pfctx","value":"0x08"},)j"
      R"j({"key":"max_vfs","value":"4,4"},{"key":"verbose"}],"options_text":"pfctx=0x08 max_vfs=4,4 verbose"},)j"
      R"j({"enabled":false,"name":"nmlx5_rdma","options":[],"options_text":""}]})j");
  for (const char* line :
       {"nmlx5_core enabled = 2 options = ''",
        "nmlx5_core enabled = 1 options = 'max",
        "nmlx5_core",
        "Unable to load module nmlx5: Not found",
        "nmlx5_core enabled = 1 options = '"})
    CHECK(refusal(parse_esxcfg_module(line)).find("line 1: expected NAME enabled = 1") == 0);
}

}  // namespace
}  // namespace fabric::providers
