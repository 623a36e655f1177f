// Every real capture and data set of this area is read, or refused with a line. They are not part
// of the project: where ../shared is not there, there is nothing to test.
#include <filesystem>

#include "engine/value/json.hpp"
#include "providers/bond/health.hpp"
#include "providers/parsers.hpp"
#include "providers/parsers/proc_bonding.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

const std::string kShared = FABRIC_SOURCE_DIR "/../shared/domain/";

// The files of a folder whose names have `part`, in order.
std::vector<std::string> files(const std::string& folder, const std::string& part = "") {
  std::vector<std::string> paths;
  if (!std::filesystem::is_directory(kShared + folder)) return paths;
  for (const auto& entry : std::filesystem::directory_iterator{kShared + folder}) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name.find(part) != std::string::npos)
      paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<Value> parse(const std::string& kind, const std::string& text) {
  for (const Parser& parser : parsers()) {
    if (parser.kind == kind) return parser.parse(text);
  }
  FAIL("no parser " << kind);
  return Value{};
}

struct Collection {
  std::string kind, folder, part;
  // Names of those that are refused, with the line: what they are is said in their MANIFEST.
  std::map<std::string, std::string> refused;
};

std::vector<Collection> collections() {
  return {
      {"proc-bonding",
       "datasets/bonding",
       "",
       {{"insights-bondinfo_unknown_bond_mode.txt", "line 1: "},
        {"insights-bondinfo_mode_4.txt", "line 31: "}}},
      {"proc-bonding", "captures/linux", "proc-net-bonding", {}},
      {"proc-bonding", "captures/seeds", "proc-net-bonding", {}},
      {"interfaces", "captures/netcfg/ifupdown", "interfaces", {}},
      {"interfaces", "captures/seeds", "ifupdown-bond0", {}},
      {"ifcfg", "captures/netcfg/ifcfg", "", {}},
      // nmcli's warning stands above the file.
      {"nm-keyfile",
       "captures/netcfg/nm-keyfile",
       "onnection",
       {{"bond0-port1.nmconnection", "line 1: "}}},
      {"nm-keyfile", "captures/netcfg/nm-keyfile", "Test_Write", {}},
      // A transcript with the command and several files.
      {"netplan",
       "captures/netcfg/netplan",
       "",
       {{"netplan-generate-networkd-and-nm.txt", "line "}}},
      {"netplan",
       "captures/netcfg/nmstate",
       "",
       {{"infiniband_pkey_ipoib_create.yml", "line 1: "},
        {"infiniband_pkey_ipoib_delete.yml", "line 1: "}}},
      {"ibstat", "captures/linux", "ibstat-cx6", {}},
      {"ibstat", "captures/seeds", "ibstat", {{"ibstat-cx7-vf.txt", "line 1: "}}},
      {"ibstat", "datasets/ibstat", "", {{"azure-ibstatus.out", "line 1: "}}},
      {"ibv-devinfo", "captures/linux", "ibv_devinfo", {}},
      {"rdma-link-json", "captures/linux", "rdma-j-link", {}},
      {"ip-link-json", "captures/linux", "ip-j-link", {}},
      {"lspci-link", "captures/linux", "lspci", {}},
      {"lspci-link", "captures/seeds", "lspci", {{"lspci-v-cx3.txt", "line "}}},
  };
}

TEST_CASE("every capture is read, or refused with its line", "[providers]") {
  for (const Collection& collection : collections()) {
    for (const std::string& path : files(collection.folder, collection.part)) {
      const std::string name = std::filesystem::path{path}.filename().string();
      const auto value = parse(collection.kind, remote::test::read_text(path));
      INFO(collection.kind << " " << name << ": " << (value ? "" : value.error().message));
      const auto refused = collection.refused.find(name);
      CHECK(value.has_value() == (refused == collection.refused.end()));
      if (!value && refused != collection.refused.end())
        CHECK(value.error().message.find(refused->second) == 0);
    }
  }
}

// Facts of hosts: what `ip -j addr` printed stands in them as a part.
TEST_CASE("interfaces of real hosts are read", "[providers]") {
  for (const std::string& path : files("datasets/hostfacts")) {
    INFO(path);
    const auto document = parse_json(remote::test::read_text(path), DuplicateKeys::last_wins);
    REQUIRE(document);
    const Value* links = document->find("intf_status");
    if (links == nullptr) continue;
    CHECK(parse("ip-link-json", to_json(*links)).has_value());
  }
}

TEST_CASE("real bonds are judged as their owners found them", "[providers]") {
  const auto ailments = [](const std::string& name) -> std::string {
    const std::string path = kShared + name;
    if (!std::filesystem::exists(path)) return "not here";
    const auto bond = parse_proc_bonding(remote::test::read_text(path));
    if (!bond) return bond.error().message;
    std::string text;
    for (const std::string& each : bond_ailments(*bond))
      text += each + "; ";
    return text;
  };
  if (!std::filesystem::is_directory(kShared + "captures")) return;
  CHECK(ailments("captures/seeds/proc-net-bonding-802.3ad.txt").empty());
  CHECK(ailments("captures/seeds/proc-net-bonding-active-backup.txt").empty());
  CHECK(ailments("captures/linux/proc-net-bonding-lacp-good-truncated.txt").empty());
  CHECK(
      ailments("captures/linux/proc-net-bonding-lacp-no-partner.txt")
          .find("LACP is up but nothing is aggregated") == 0);
}

}  // namespace
}  // namespace fabric::providers
