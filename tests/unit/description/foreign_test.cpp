// SPDX-License-Identifier: Apache-2.0
// Foreign files: what is damaged is refused with its line, and every file of the data sets beside
// the project becomes a document without errors, or is one that is broken on purpose. Where
// ../shared is not there, those have nothing to test.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/description/foreign/cabling.hpp"
#include "engine/description/foreign/formats.hpp"
#include "engine/description/merge.hpp"
#include "engine/description/subnet.hpp"
#include "engine/description/writing/write.hpp"
#include "engine/model/document/load.hpp"
#include "providers/infiniband/parsers/iblinkinfo.hpp"
#include "providers/infiniband/parsers/ibnetdiscover.hpp"

#include "tests/support/catch.hpp"

namespace fabric::description {
namespace {

bool is_valid(const Description& description) {
  SourceMap sources;
  const FileId file = sources.add("imported.yaml", write_document(description, "test", {"a file"}));
  const LoadedDocument loaded = load_document(sources, {file});
  for (const Diagnostic& each : loaded.diagnostics.items()) {
    if (each.severity == Severity::error) UNSCOPED_INFO(each.rule << ": " << each.message);
  }
  return !loaded.diagnostics.has_errors();
}

Result<Description> read(const std::string& text) {
  if (text.find(")==>") != std::string::npos) {
    const Result<ObservedTopology> subnet = providers::parse_iblinkinfo(text);
    return subnet ? describe(*subnet) : Result<Description>{subnet.error()};
  }
  if (text.find("switchguid=") != std::string::npos || text.find("caguid=") != std::string::npos) {
    const Result<ObservedTopology> subnet = providers::parse_ibnetdiscover(text);
    return subnet ? describe(*subnet) : Result<Description>{subnet.error()};
  }
  for (const ForeignFormat& format : foreign_formats())
    if (format.recognises(text)) return format.parse(text);
  return Error{ErrorCode::invalid, "line 1: its format is not recognised"};
}

// On demand: the data sets are other people's, and lie beside the checkout where somebody has them.
TEST_CASE("every data set of other tools becomes a document", "[.datasets]") {
  const std::string root = FABRIC_SOURCE_DIR "/../shared/domain/datasets/";
  // Broken on purpose, or no description of a fabric.
  const std::set<std::string> refused{
      "topograph-bad.ibnd",
      "negative-garbage.ndt",
      "negative-incorrect_columns.ndt",
      "negative-incorrect_ports.ndt",
      "templated01.clab_vars.yaml",
      "templated02.clab_vars.yaml",
      "sonic-mgmt-sonic_lab_devices.csv",
      "sonic-mgmt-sonic_lab_links_uhd.csv"};
  for (const char* kind :
       {"ibnetdiscover",
        "ibdm-topo",
        "ibdm-lst",
        "ndt",
        "slurm",
        "ptm",
        "containerlab",
        "cables-csv"}) {
    if (!std::filesystem::is_directory(root + kind)) continue;
    for (const auto& entry : std::filesystem::directory_iterator{root + kind}) {
      std::ifstream file{entry.path()};
      std::stringstream text;
      text << file.rdbuf();
      INFO(entry.path());
      const Result<Description> found = read(text.str());
      if (refused.contains(entry.path().filename().string())) {
        REQUIRE_FALSE(found);
        CHECK(found.error().message.starts_with("line "));
        continue;
      }
      REQUIRE(found);
      CHECK(is_valid(*found));
    }
  }
}

TEST_CASE("ports of switches are read as each site writes them", "[description]") {
  CHECK(switch_port_of("Port 21") == "21");
  CHECK(switch_port_of("P7") == "7");
  CHECK(switch_port_of("swp51") == "51");
  CHECK(switch_port_of("e1-3") == "1/3");
  CHECK(switch_port_of("1/7/2") == "1/7/2");
  CHECK(switch_port_of("sw4p2") == "sw4p2");
  CHECK(switch_port_of("Blade 16_Port 2/20") == "L16/U2/20");
  CHECK(switch_port_of("Ethernet0") == std::nullopt);
  CHECK(switch_port_of("mgmt") == std::nullopt);
}

TEST_CASE("ports of hosts are read as each site writes them", "[description]") {
  const auto port = [](const char* text) {
    const HostPort found = host_port_of(text);
    return found.adapter + "/" + found.port;
  };
  CHECK(port("mlx5_3/P1") == "mlx5_3/1");
  CHECK(port("mlx4_0/P2") == "mlx4_0/2");
  CHECK(port("HCA-2") == "hca-2/1");
  CHECK(port("cx5/P2") == "cx5/2");
  CHECK(port("P2") == "hca/2");
  CHECK(port("IB Port 4") == "hca4/1");
  CHECK(port("eth1") == "eth1/1");
  CHECK(port("enp1s0f0np0") == "enp1s0f0np0/1");
}

TEST_CASE("two sources that differ are both shown", "[description]") {
  Description first;
  first.nodes["c1"].address = "192.0.2.1";
  first.nodes["c1"].adapters["hca"] = {};
  first.nodes["leaf1"].is_switch = true;
  first.networks["infiniband"].cables = {{{"c1", "hca", "1"}, {"leaf1", "", "1"}}};
  Description second;
  second.nodes["C1.example.org"].address = "192.0.2.2";
  second.nodes["C1.example.org"].adapters["mlx5_0"] = {};
  second.nodes["leaf1"].is_switch = true;
  second.networks["infiniband"].cables = {{{"C1.example.org", "mlx5_0", "1"}, {"leaf1", "", "9"}}};
  const Description whole = merge({{"first", first}, {"second", second}});
  REQUIRE(whole.nodes.size() == 2);
  CHECK(whole.nodes.at("c1").address == "192.0.2.1");
  CHECK(whole.nodes.at("c1").adapters.size() == 1);
  CHECK(
      whole.nodes.at("c1").notes ==
      std::vector<std::string>{"first has the address 192.0.2.1, second has 192.0.2.2"});
  CHECK(whole.networks.at("infiniband").cables.size() == 1);
  CHECK(
      whole.networks.at("infiniband").notes.front() ==
      "first has a cable c1/hca/1 to leaf1/1, but second has c1/hca/1 to leaf1/9");
}

// A short text can name a value in each of a million places; all of them are counted as they come.
TEST_CASE("what a file comes to is counted while it is read", "[description]") {
  const auto repeated = [](std::string text, const std::string& piece, std::size_t times) {
    for (std::size_t i = 0; i < times; ++i)
      text += piece;
    return text;
  };
  const auto numbered = [](auto line, std::size_t times) {
    std::string text;
    for (std::size_t i = 1; i <= times; ++i)
      text += line(i);
    return text;
  };
  const auto refusal = [](const auto& read) {
    return read ? std::string{} : read.error().message;
  };
  const std::size_t rows = limits::kForeignValues / 1000;
  const auto system = [](std::size_t i) {
    return fmt::format(
        "caguid=0x{:x}\nCa 1 \"H-{:016x}\" # \"h\"\n"
        "[1](1) \"S-0000000000000001\"[1] # lid 1 lmc 0 \"s\" lid 3 4xEDR\n",
        i,
        i);
  };
  const auto port = [](std::size_t i) {
    return fmt::format("CA 1 1 0x{:016x} 4x EDR - SW 2 1 0x1 ( 'h' - 's' )\n", i);
  };
  const auto link = [](std::size_t i) {
    return fmt::format(
        "0x{:016x} \"h\" 1 1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>  0x1 2 1[  ] \"s\" ( )\n", i);
  };
  const std::size_t ports = limits::kSubnetPorts + 1;
  const std::string hosts = "[a]\nh[1:1000]";
  const std::string nodes = "SwitchName=s Nodes=a[1-1000]\n";
  CHECK(read(repeated(hosts, " x=y", rows - 1)));
  CHECK(read(repeated("", nodes, rows)));
  CHECK(
      refusal(read(repeated(hosts, " x=y", rows))) ==
      "line 2: the lines up to here come to more than 1000000 values");
  CHECK(
      refusal(read(repeated(hosts, "\nh[1:1000]", rows))) ==
      "line 1002: the lines up to here come to more than 1000000 values");
  CHECK(
      refusal(read(repeated("", nodes, rows + 1))) ==
      "line 1001: the lines up to here name more than 1000000 nodes");
  CHECK(refusal(read(numbered(system, ports))) == "line 240002: more than 80000 nodes or ports");
  CHECK(
      refusal(providers::parse_ibnetdiscover(numbered(port, ports))) ==
      "line 80001: more than 80000 nodes or ports");
  CHECK(refusal(read(numbered(link, ports))) == "line 80001: more than 80000 nodes or ports");
}

}  // namespace
}  // namespace fabric::description
