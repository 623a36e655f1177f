// SPDX-License-Identifier: Apache-2.0
// ESXi hosts are read: what the host tells becomes observations, what it does not tell is unknown
// with its reason.
#include <algorithm>
#include <memory>

#include "engine/value/json.hpp"
#include "providers/esxi/kinds/rows.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using test::node_facts;

std::string pci_block(const std::string& address, const std::string& nic, bool passed_through) {
  return address + "\n   Address: " + address + "\n   VMkernel Name: " + nic +
         "\n   Current Owner: " + (passed_through ? "VM Passthru" : "VMkernel") +
         "\n   Vendor ID: 0x15b3\n   Device ID: 0x1017\n   Device Class: 0x0200\n   Module Name: " +
         (passed_through ? "pciPassthru" : "nmlx5_core") + "\n\n";
}

std::string nic(int index, const std::string& name, const std::string& pci) {
  const std::string prefix = "structure[" + std::to_string(index) + "].Nic.";
  return prefix + "Driver.string=nmlx5_core\n" + prefix + "LinkStatus.string=Up\n" + prefix +
         "MACAddress.string=0c:42:a1:8c:51:a8\n" + prefix + "MTU.integer=9000\n" + prefix +
         "Name.string=" + name + "\n" + prefix + "PCIDevice.string=" + pci + "\n" + prefix +
         "Speed.integer=100000\n";
}

constexpr const char* kMlxconfig =
    "== tool mlxconfig\n== card mt4119_pciconf0\n\nDevice #1:\n----------\n\n"
    "Device type:    ConnectX5\nName:           N/A\nDescription:    N/A\n"
    "Device:         mt4119_pciconf0\n\n"
    "Configurations:                  Default         Current         Next Boot\n"
    "*       NUM_OF_VFS               0               0               8\n"
    "*       SRIOV_EN                 False(0)        False(0)        True(1)\n"
    "        LINK_TYPE_P1             ETH(2)          ETH(2)          ETH(2)\n"
    "\n== status 0\n";

NodeFacts host(bool passed_through = false) {
  return node_facts(
      {{"esxi-pci",
        pci_block("0000:18:00.0", "vmnic2", passed_through) +
            pci_block("0000:18:00.1", "vmnic3", passed_through) +
            pci_block("0000:18:00.2", "PF_0.24.0_VF_0", true)},
       {"esxi-nics",
        passed_through ? nic(0, "vmnic0", "0000:02:00.0")
                       : nic(0, "vmnic2", "0000:18:00.0") + nic(1, "vmnic3", "0000:18:00.1")},
       {"esxi-mst",
        std::string{"PCI devices:\n------------\nDEVICE_TYPE MST PCI RDMA NET NUMA\n"} +
            (passed_through ? ""
                            : "ConnectX5(rev:0) mt4119_pciconf0 18:00.0 net-vmnic2\n"
                              "ConnectX5(rev:0) mt4119_pciconf0.1 18:00.1 net-vmnic3\n")},
       {"esxi-flint",
        passed_through ? "== tool flint\n"
                       : "== tool flint\n== card mt4119_pciconf0\nImage type:            FS3\n"
                         "FW Version:            16.35.2000\n"
                         "Base GUID:             0c42a103008c51a8        4\n"
                         "Base MAC:              0c42a18c51a8            4\n"
                         "PSID:                  MT_0000000008\n\n== status 0\n"},
       {"esxi-mlxconfig", passed_through ? "== tool mlxconfig\n" : kMlxconfig},
       {"esxi-virtual-functions",
        "== nic vmnic2\n    0    true  00000:024:00.2  2101956\n"
        "== nic vmnic3\n    0   false  00000:024:01.2   -\n"},
       {"esxi-rdma", ""}});
}

Observation observed(
    const Provider& provider, const Resource& resource, const NodeFacts& facts, Diagnostics& said) {
  const std::vector<Resource> wanted{resource};
  return provider.observe(wanted, facts, said).front();
}

std::string running(const Observation& observation, const std::string& attribute) {
  const auto found = observation.attributes.find(attribute);
  if (found == observation.attributes.end() || !found->second.running) return "none";
  return found->second.running->text();
}

TEST_CASE("a card of an ESXi host is found, with all its tools tell", "[esxi]") {
  Diagnostics said;
  const Resource wanted = test::resource("pve1/adapter/cx5", test::adapter_binding(), {});
  const Observation card = observed(esxi::adapter_provider(), wanted, host(), said);
  CHECK(said.empty());
  CHECK(running(card, "pci") == "0000:18:00.0");
  CHECK(running(card, "ports") == "2");  // without the virtual function
  CHECK(running(card, "firmware") == "16.35.2000");
  CHECK(running(card, "psid") == "MT_0000000008");
  CHECK(
      to_json(esxi::adapter_provider().inventory(host()).at("cards")).find("vmnic3") !=
      std::string::npos);
  const Resource by_guid = test::resource(
      "pve1/adapter/cx5", test::adapter_binding({{"node_guid", "0c42:a103:008c:51a8"}}), {});
  CHECK(running(observed(esxi::adapter_provider(), by_guid, host(), said), "ports") == "2");
}

TEST_CASE("settings of a card are those of its device of mst", "[esxi]") {
  Diagnostics said;
  const Resource wanted = test::resource(
      "pve1/settings/cx5", test::adapter_binding(), {{"SRIOV_EN", 1}, {"NUM_OF_VFS", 8}});
  const Observation settings = observed(esxi::settings_provider(), wanted, host(), said);
  CHECK(settings.attributes.at("SRIOV_EN").running == Reading::of(0));
  CHECK(settings.attributes.at("SRIOV_EN").next_boot == Reading::of(1));
  CHECK(settings.attributes.at("NUM_OF_VFS").next_boot == Reading::of(8));
}

TEST_CASE("a card that a guest has is there, and its settings are unknown", "[esxi]") {
  Diagnostics said;
  const Resource card = test::resource("pve1/adapter/cx5", test::adapter_binding(), {});
  CHECK(
      running(observed(esxi::adapter_provider(), card, host(true), said), "pci") == "0000:18:00.0");
  CHECK(said.empty());
  const Resource settings =
      test::resource("pve1/settings/cx5", test::adapter_binding(), {{"SRIOV_EN", 1}});
  CHECK(
      running(observed(esxi::settings_provider(), settings, host(true), said), "SRIOV_EN")
          .find("passed through to a guest") != std::string::npos);
  const Resource sriov =
      test::resource("pve1/passthrough/cx5", test::adapter_binding(), {{"passthrough", true}});
  CHECK(
      running(observed(esxi::passthrough_provider(), sriov, host(true), said), "passthrough") ==
      "true");
  // As the document has it: left alone; where it is to come back: told by the boot.
  Map binding = test::adapter_binding();
  binding.emplace("to_guest", true);
  const Observation away = observed(
      esxi::settings_provider(),
      test::resource("pve1/settings/cx5", binding, {{"SRIOV_EN", 0}}),
      host(true),
      said);
  CHECK(away.attributes.at("SRIOV_EN").is_left_alone);
  CHECK_FALSE(away.attributes.at("SRIOV_EN").running);
  binding.at("to_guest") = false;
  const Observation back = observed(
      esxi::settings_provider(),
      test::resource("pve1/settings/cx5", binding, {{"SRIOV_EN", 1}}),
      host(true),
      said);
  CHECK(back.attributes.at("SRIOV_EN").next_boot->needs().boot);
}

// A run that dies between the two would leave entries of a card that goes, which the next load
// would give to other cards.
TEST_CASE("a card and its entries of max_vfs go to a guest in one command", "[esxi]") {
  NodeFacts facts = host();
  facts.probes.merge(
      node_facts({{"esxi-passthrough",
                   "structure[0].PassthruDevice.DeviceID.string=0000:18:00.0\n"
                   "structure[0].PassthruDevice.Enabled.boolean=false\n"},
                  {"esxi-module-options",
                   "== module nmlx5_core\nnmlx5_core enabled = 1 options = 'max_vfs=4,4,3,5'\n"}})
          .probes);
  const Provider provider = esxi::passthrough_provider();
  // The cards of this host have virtual functions, which go by a boot before.
  facts.probes.at("esxi-virtual-functions").standard_output = "";
  const Resource wanted =
      test::resource("pve1/passthrough/cx5", test::adapter_binding(), {{"passthrough", true}});
  const Work work = test::work_of(provider, wanted, facts, true);
  REQUIRE(work.actions.size() == 1);
  const ActionDraft& draft = work.actions.front();
  REQUIRE(draft.steps.commands().size() == 1);
  CHECK(draft.steps.commands().front()[4] == "0000:18:00.0 0000:18:00.1");
  CHECK(draft.steps.commands().front()[5] == "true");
  CHECK(draft.steps.commands().front().back() == "max_vfs=3,5");
  REQUIRE(draft.undo.commands().size() == 1);
  CHECK(draft.undo.commands().front()[5] == "false");
  CHECK(draft.undo.commands().front().back() == "max_vfs=4,4,3,5");
}

TEST_CASE("a card runs as its settings are to be before a guest has it", "[esxi]") {
  Diagnostics said;
  const auto passthrough = [&said](Map settings) {
    const Resource given = test::resource(
        "pve1/passthrough/cx5",
        test::adapter_binding({{"settings", std::move(settings)}}),
        {{"passthrough", true}});
    return *observed(esxi::passthrough_provider(), given, host(), said)
                .attributes.at("passthrough")
                .running;
  };
  // It runs with 0, and the next boot has 1.
  for (const int wanted : {0, 1})
    CHECK(passthrough({{"SRIOV_EN", wanted}}).needs().boot);
  CHECK(passthrough({}) == Reading::of(false));
}

TEST_CASE("virtual functions are counted for each port", "[esxi]") {
  Diagnostics said;
  const Resource wanted = test::resource("pve1/sriov/cx5", test::adapter_binding(), {{"vfs", 1}});
  CHECK(running(observed(esxi::sriov_provider(), wanted, host(), said), "vfs") == "1");
  NodeFacts odd = host();
  odd.probes.at("esxi-virtual-functions").standard_output =
      odd.probes.at("esxi-virtual-functions").standard_output.str() +
      "    1   false  00000:024:01.3   -\n";
  CHECK(running(observed(esxi::sriov_provider(), wanted, odd, said), "vfs") == "1 and 2");
  odd.probes.at("esxi-virtual-functions").standard_output =
      odd.probes.at("esxi-virtual-functions").standard_output.str() + "    2   fal\n";
  CHECK(
      running(observed(esxi::sriov_provider(), wanted, odd, said), "vfs")
          .find("vmnic3: line 3: expected ID ACTIVE ADDRESS OWNER") != std::string::npos);
}

TEST_CASE("the options of a driver are those of its next load", "[esxi]") {
  Diagnostics said;
  const NodeFacts facts = node_facts(
      {{"esxi-modules",
        "structure[0].Module.IsEnabled.boolean=true\nstructure[0].Module.IsLoaded.boolean=true\n"
        "structure[0].Module.Name.string=nmlx5_core\n"},
       {"esxi-module-options",
        "== module nmlx5_core\nnmlx5_core enabled = 1 options = 'max_vfs=4,4 pfctx=0x08'\n"
        "== module nmlx5_rdma\nUnable to find module nmlx5_rdma\n"}});
  const Resource wanted = test::resource(
      "pve1/module/nmlx5_core",
      {},
      {{"loaded", true}, {"max_vfs", "8,8"}, {"pfctx", "0x08"}, {"trust_state", "2"}});
  const Observation module = observed(esxi::module_provider(), wanted, facts, said);
  CHECK(running(module, "loaded") == "true");
  CHECK(module.attributes.at("max_vfs").next_boot == Reading::of("4,4"));
  CHECK(module.attributes.at("pfctx").next_boot == Reading::of("0x08"));
  // As numbers, element by element.
  const Resource by_value =
      test::resource("pve1/module/nmlx5_core", {}, {{"max_vfs", "0x4,4"}, {"pfctx", 8}});
  const Observation numbers = observed(esxi::module_provider(), by_value, facts, said);
  CHECK(numbers.attributes.at("max_vfs").next_boot == Reading::of("0x4,4"));
  CHECK(numbers.attributes.at("pfctx").next_boot == Reading::of(8));
  CHECK(module.attributes.at("trust_state").next_boot->is_absent());
  const Resource other = test::resource("pve1/module/nmlx5_rdma", {}, {{"dscp_force", "26"}});
  CHECK(observed(esxi::module_provider(), other, facts, said)
            .attributes.at("dscp_force")
            .next_boot->is_unknown());
  CHECK(
      to_json(esxi::module_provider().inventory(facts).at("modules")) ==
      R"j({"nmlx5_core":{"enabled":true,"options":"max_vfs=4,4 pfctx=0x08"}})j");
}

TEST_CASE("what a host is asked first is listed, and an error is no answer", "[esxi]") {
  NodeFacts facts = node_facts(
      {{"esxi-version",
        "VersionGet.Build.string=Releasebuild-24022510\nVersionGet.Product.string=VMware ESXi\n"
        "VersionGet.Version.string=8.0.3\n"},
       {"esxi-maintenance", "Enabled\n"},
       {"esxi-uptime", "42825414367\n"},
       {"esxi-image", "(Updated) ESXi-8.0U3\n   Name: (Updated) ESXi-8.0U3\n   Vendor: x\n"},
       {"esxi-manager", "   managementServerIp = \"192.0.2.9\",\n"}});
  const Provider os = esxi::os_provider();
  CHECK(
      to_json(os.inventory(facts).at("host")) ==
      R"j({"build":"Releasebuild-24022510","image_profile":"(Updated) ESXi-8.0U3",)j"
      R"j("maintenance_mode":true,"managed_by":"192.0.2.9","product":"VMware ESXi",)j"
      R"j("uptime_seconds":42825,"version":"8.0.3"})j");
  Diagnostics said;
  const Resource wanted =
      test::resource("pve1/os/os", {}, {{"release", "esxi-8"}, {"minimum", "8.0.3"}});
  const Observation fits = observed(os, wanted, facts, said);
  CHECK(running(fits, "release") == "esxi-8");
  CHECK(running(fits, "minimum") == "8.0.3");
  CHECK(said.empty());
  const Resource newer = test::resource("pve1/os/os", {}, {{"release", "7"}, {"minimum", "8.0.4"}});
  observed(os, newer, facts, said);
  CHECK(said.items().size() == 2);

  facts.probes.at("esxi-maintenance").standard_output = "Error: Unknown command or namespace\n";
  facts.probes.at("esxi-manager").standard_output = "   managementServerIp = <unset>,\n";
  const std::string again = to_json(os.inventory(facts).at("host"));
  CHECK(again.find("the host says: Error: Unknown command or namespace") != std::string::npos);
  CHECK(again.find(R"j("managed_by":"none")j") != std::string::npos);
}

TEST_CASE("the firmware tools of a host are those of its packages", "[esxi]") {
  const NodeFacts facts = node_facts(
      {{"esxi-vibs",
        "AcceptanceLevel,ID,InstallDate,Name,Vendor,Version,\n"
        "VMwareCertified,VMware_x,2026-01-01,esx-base,VMware,8.0.3-0.0.1,\n"
        "PartnerSupported,MEL_mft,2026-01-01,mft,MEL,4.28.0.92-0,\n"}});
  Diagnostics said;
  const Provider software = esxi::software_provider();
  const auto mft = [&](const char* version) {
    const Resource wanted = test::resource("pve1/software/stack", {}, {{"mft", version}});
    return running(observed(software, wanted, facts, said), "mft");
  };
  CHECK(mft("4.28.0-92") == "4.28.0-92");
  CHECK(said.empty());
  CHECK(mft("4.29.0-1") == "unknown (the node has MFT 4.28.0.92-0)");
  CHECK(said.items().size() == 1);
  CHECK(software.inventory(facts).at("vibs").as_list()->size() == 1);
}

TEST_CASE("what is only looked at on ESXi is not changed", "[esxi]") {
  std::vector<Provider> providers;
  providers.push_back(esxi::adapter_provider());
  providers.push_back(esxi::os_provider());
  providers.push_back(esxi::software_provider());
  const NodeFacts nothing = node_facts({});
  for (const auto& provider : providers) {
    INFO(provider.kind);
    const Resource wanted = test::resource(
        "pve1/" + std::string{provider.kind} + "/x", test::adapter_binding(), {{"a", "b"}});
    const Change change{wanted, ChangeKind::update, {}};
    const Observation none{wanted.address, {}};
    const Result<Work> work = provider.work(change, {nothing, none, false});
    REQUIRE_FALSE(work);
    const char* why = provider.kind == "os" ? "changes no operating system" : "does not change it";
    CHECK(work.error().message.find(why) != std::string::npos);
  }
}

TEST_CASE("of an ESXi host that told nothing, nothing is claimed", "[esxi]") {
  std::vector<Provider> providers;
  providers.push_back(esxi::adapter_provider());
  providers.push_back(esxi::module_provider());
  providers.push_back(esxi::os_provider());
  providers.push_back(esxi::settings_provider());
  providers.push_back(esxi::software_provider());
  providers.push_back(esxi::sriov_provider());
  providers.push_back(esxi::vswitch_provider());
  const NodeFacts nothing = node_facts({});
  for (const auto& provider : providers) {
    INFO(provider.kind);
    for (const auto& [name, part] : provider.inventory(nothing))
      CHECK(to_json(part).find("unknown") != std::string::npos);
  }
}

}  // namespace
}  // namespace fabric::providers
