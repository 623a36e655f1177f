// SPDX-License-Identifier: Apache-2.0
// ESX 3.5 and 4: what the tools of the service console print, and what is done about it.
#include "engine/remote/shell.hpp"
#include "engine/value/json.hpp"
#include "providers/esx_classic/kinds/bundles.hpp"
#include "providers/esx_classic/kinds/host.hpp"
#include "providers/esx_classic/kinds/rows.hpp"
#include "providers/esx_classic/lab/esx_classic_machine.hpp"
#include "providers/esx_classic/machine/esx_classic_platform.hpp"
#include "providers/esx_classic/parsers/esxcfg_lists.hpp"
#include "providers/linux/lab/system/base_system.hpp"

#include "tests/unit/lab/bench_host.hpp"
#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using test::change_of;
using test::node_facts;
using test::resource;

constexpr const char* kModules =
    "Device Driver Modules\nModule                   Enabled Loaded\n"
    "vmklinux                 true    true\nmlx4_en                  true    true\n"
    "ib_ipoib                 true    true\n";
constexpr const char* kRunning =
    "Name                     R/O Addr     Length   ID Loaded\n"
    "vmklinux 0x418000000 0x1a000 1 Yes\nmlx4_en 0x418000000 0x1a000 2 Yes\n";
constexpr const char* kBoot = "4a1c0b7e-0d5a-11df-9d41-0c42a18c51a8";

NodeFacts facts(const std::string& options, const std::string& notes = "") {
  return node_facts(
      {{"esx-pci", "00:00.0 Class 0600: 8086:25d8 (rev b1)\n0d:00.0 Class 0c06: 15b3:634a\n"},
       {"esx-nics",
        "Name       PCI      Driver    Link Speed     Duplex MAC Address       MTU    Description\n"
        "vmnic13.p2 0d:00.00 mlx4_en   Up   10000Mbps Full   00:02:c9:05:48:18 1500   Mellanox\n"},
       {"esx-version", "VMware ESX 4.0.0 build-164009\n"},
       {"esx-modules", kModules},
       {"esx-module-options",
        "== module mlx4_en\nmlx4_en enabled = 1 options = '" + options +
            "'\n== module ib_ipoib\nib_ipoib enabled = 1 options = ''\n"},
       {"esx-modules-running", kRunning},
       {"esx-pending", std::string{kBoot} + "\n" + notes}});
}

Resource settings(std::vector<std::pair<std::string, Value>> desired) {
  return resource(
      "pve1/settings/hca",
      {{"model", "connectx-ib-ddr-vpi"}, {"device_ids", List{0x634a}}},
      std::move(desired));
}

template <Provider (*kind)()>
Observation seen(const Resource& wanted, const NodeFacts& of) {
  Diagnostics diagnostics;
  return kind().observe({&wanted, 1}, of, diagnostics).front();
}

TEST_CASE("tables of a console are read by their words", "[esx-classic]") {
  const auto nics = parse_esxcfg_nics(
      "Name    PCI          Driver      Link Speed      Duplex MAC Address       MTU    "
      "Description\n"
      "vmnic0  0000:02:00.0 bnx2        Up   1000Mbps   Full   00:1b:78:05:48:18 1500   Broadcom "
      "BCM5708 1000Base-T\n"
      "        vmnic10 0d:00.00 mlx4_en Down 0Mbps      Half   00:02:c9:05:48:18 9000   "
      "Mellanox\n");
  REQUIRE(nics);
  CHECK(nics->size() == 2);
  CHECK(nics->at(1).name == "vmnic10");
  CHECK_FALSE(nics->at(1).up);
  CHECK(nics->at(1).mtu == 9000);
  CHECK(
      parse_esxcfg_nics("Name PCI\nvmnic0 x bnx2 Up fast Full 0 1500\n").error().message ==
      "line 2: no NIC: 'vmnic0 x bnx2 Up fast Full 0 1500'");
  CHECK_FALSE(parse_esxcfg_nics("bash: esxcfg-nics: command not found\n"));

  const auto bulletins = parse_esxupdate_query(
      "---Bulletin ID--- -----Installed----- ------Summary------\n"
      "ESX400-200906001  2010-01-13T05:09:39 Updates the kernel\nmlx4_en-1.4.1 "
      "2010-01-14T00:00:00\n");
  REQUIRE(bulletins);
  CHECK(bulletins->at(0).summary == "Updates the kernel");
  CHECK(bulletins->at(1).id == "mlx4_en-1.4.1");
  CHECK_FALSE(parse_esxupdate_query("no database\n"));

  const auto functions =
      parse_lspci_numbers("0d:00.0 Class 0c06: 15b3:634a (rev a0)\n0000:0e:00.1 0280: 15b3:6340\n");
  REQUIRE(functions);
  CHECK(functions->at(0).address.str() == "0000:0d:00.0");
  CHECK(functions->at(1).device == 0x6340);
  CHECK_FALSE(parse_lspci_numbers("0d:00.0 Class 0c06 15b3:634a\n"));
}

TEST_CASE("a console tells the GUIDs of its only card once IPoIB runs", "[esx-classic]") {
  NodeFacts of = facts("");
  const Resource hca = resource(
      "pve1/adapter/hca",
      {{"model", "connectx-ib-ddr-vpi"},
       {"device_ids", List{0x634a}},
       {"node_guid", "0x0002c903000e0b72"}},
      {});
  const Provider adapters = esx_classic::adapter_provider();
  CHECK(adapters.port_guids(hca, of).empty());
  of.probes["esx-ibstat"] = {
      "",
      0,
      "CA 'mlx4_0'\n\tCA type: MT25418\n\tNumber of ports: 2\n\tFirmware version: 2.7.0\n"
      "\tHardware version: a0\n\tNode GUID: 0x0002c903000e0b72\n\tPort 1:\n\t\tState: Active\n"
      "\t\tPhysical state: LinkUp\n\t\tRate: 20\n\t\tPort GUID: 0x0002c903000e0b73\n",
      ""};
  const auto guids = adapters.port_guids(hca, of);
  REQUIRE(guids.size() == 1);
  CHECK(guids.at("pve1/hca/1") == "0x0002c903000e0b73");
  of.probes["esx-pci"].standard_output =
      of.probes["esx-pci"].standard_output.str() + "0e:00.0 Class 0c06: 15b3:634a\n";
  CHECK(adapters.port_guids(hca, of).empty());  // of two cards nobody tells which is which
}

TEST_CASE("port types are triplets with a decimal bus", "[esx-classic]") {
  const auto types = parse_port_types("9,1,1,9,2,1,17,1,1,17,2,2");
  REQUIRE(types);
  CHECK(types->size() == 4);
  CHECK(type_of(*types, 17, 2) == 2);
  CHECK_FALSE(type_of(*types, 17, 3));
  CHECK(parse_port_types("")->empty());
  CHECK_FALSE(parse_port_types("9,1"));
  CHECK_FALSE(parse_port_types("9,1,eth"));
}

TEST_CASE("a port's type is what the driver is told, and what its NIC shows", "[esx-classic]") {
  const Resource wanted = settings({{"LINK_TYPE_P1", 1}, {"LINK_TYPE_P2", 1}});
  const Observation found =
      seen<esx_classic::settings_provider>(wanted, facts("debug=1 port_types=13,1,1,13,2,1"));
  CHECK(found.attributes.at("LINK_TYPE_P1").next_boot->equals(1));
  CHECK(found.attributes.at("LINK_TYPE_P2").next_boot->equals(1));
  // The card came up as something else.
  CHECK(found.attributes.at("LINK_TYPE_P2").running->equals(2));
  const Observation other = seen<esx_classic::settings_provider>(wanted, facts("port_types=9,1,1"));
  CHECK(other.attributes.at("LINK_TYPE_P1").next_boot->is_absent());
  const Observation all =
      seen<esx_classic::settings_provider>(wanted, facts("port_type_default=1"));
  CHECK(all.attributes.at("LINK_TYPE_P1").next_boot->equals(1));
  const Observation changed = seen<esx_classic::settings_provider>(
      wanted, facts("port_types=13,1,1", std::string{kBoot} + " mlx4_en port_types\n"));
  CHECK_FALSE(changed.attributes.at("LINK_TYPE_P1").running->equals(1));
  // A note of an earlier boot is over.
  const Observation booted = seen<esx_classic::settings_provider>(
      wanted,
      facts("port_types=13,1,1", "00000000-0d5a-11df-9d41-0c42a18c51a8 mlx4_en port_types\n"));
  CHECK(booted.attributes.at("LINK_TYPE_P1").running->equals(1));
  NodeFacts garbled = facts("port_types=13,1,1");
  garbled.probes.at("esx-modules").standard_output = "?\n";
  CHECK(seen<esx_classic::settings_provider>(wanted, garbled)
            .attributes.at("LINK_TYPE_P1")
            .next_boot->is_unknown());
}

TEST_CASE("before the bundles are there, all of it is absent", "[esx-classic]") {
  NodeFacts bare = facts("");
  bare.probes.at("esx-modules").standard_output = "Module Enabled Loaded\nvmklinux true true\n";
  bare.probes.at("esx-modules-running").standard_output = "Name R/O\nvmklinux 0x4\n";
  const Resource port = settings({{"LINK_TYPE_P1", 1}});
  const auto type = seen<esx_classic::settings_provider>(port, bare).attributes.at("LINK_TYPE_P1");
  CHECK(type.next_boot->is_absent());
  CHECK(type.running->is_absent());
  const Resource module =
      resource("pve1/module/ib_ipoib", {}, {{"loaded", true}, {"ipoib_uplink_num", "6"}});
  const Observation found = seen<esx_classic::module_provider>(module, bare);
  CHECK(found.attributes.at("ipoib_uplink_num").next_boot->is_absent());
  CHECK(found.attributes.at("loaded").next_boot->is_absent());
}

// One simulated host, with the console's shell.
struct Bench {
  Bench() : machine{lab::MachineProfile{.name = "esx1", .address = "192.0.2.21", .users = {}}, 7} {
    lab::install_base_system(machine);
    machine.state.files.install_directory("/etc/vmware/esxupdate");
    machine.state.files.install("/etc/vmware-release", "VMware ESX 4.0.0 build-164009\n");
    machine.state.files.install("/etc/vmware/esx.conf", "/system/uuid = \"x\"\n");
    machine.install({"mlx4_en-1.4.1", "x", {"mlx4_en"}, {}});
    machine.os_running = true;
    machine.boot(network);
  }

  std::string edited(
      const std::string& options, const std::vector<esx_classic::OptionEdit>& edits) {
    machine.configure("/vmkernel/module/mlx4_en.o/options", options);
    const lab::MachineReply reply = machine.exec(
        network, "root", remote::command_line(esx_classic::edit_options("mlx4_en", edits)), "");
    INFO(reply.standard_output << reply.standard_error);
    CHECK(reply.exit_status == 0);
    return machine.options("mlx4_en");
  }

  lab::NoNetwork network;
  lab::EsxClassicMachine machine;
};

TEST_CASE("one key or one triplet changes, and all else stays", "[esx-classic]") {
  Bench bench;
  CHECK(
      bench.edited("log_num_qp=18 port_types=17,1,1,17,2,2", {{"port_types", "1", "13,1"}}) ==
      "log_num_qp=18 port_types=17,1,1,17,2,2,13,1,1");
  CHECK(
      bench.edited("port_types=13,1,2,17,1,1 debug", {{"port_types", "1", "13,1"}}) ==
      "debug port_types=17,1,1,13,1,1");
  CHECK(
      bench.edited("port_types=13,1,2,17,1,1", {{"port_types", std::nullopt, "13,1"}}) ==
      "port_types=17,1,1");
  CHECK(bench.edited("a=1 port_types=13,1,2", {{"port_types", std::nullopt, "13,1"}}) == "a=1");
  CHECK(
      bench.edited("--export-ksyms=linux mlx4_msi_x=0", {{"mlx4_msi_x", "1"}}) ==
      "--export-ksyms=linux mlx4_msi_x=1");
  CHECK(
      bench.edited("", {{"max_vmhbas", "2"}, {"max_srp_targets", "4"}}) ==
      "max_vmhbas=2 max_srp_targets=4");
  const std::string notes = bench.machine.read_file("/var/lib/fabric/options").value_or("");
  CHECK(notes.find(bench.machine.state.boot_id + " mlx4_en port_types\n") != std::string::npos);
}

TEST_CASE("the mode is left by whoever entered it, after a boot too", "[esx-classic]") {
  Bench bench;
  const platform::MaintenanceMode& mode = platform::esx_classic_maintenance_mode();
  const auto run = [&](const remote::Argv& argv) {
    return bench.machine.exec(bench.network, "root", remote::command_line(argv), "").exit_status;
  };
  for (const bool found : {false, true}) {
    bench.machine.configure("/system/maintenance", found ? "true" : "false");
    CHECK(run(mode.note()) == 0);
    CHECK(run(mode.enter(Duration{5'000})) == 0);
    CHECK(bench.machine.in_maintenance());
    bench.machine.boot(bench.network);
    CHECK(run(mode.note()) == 0);  // that of a run that was cut short stands
    CHECK(run(mode.leave()) == 0);
    CHECK(bench.machine.in_maintenance() == found);
    CHECK(bench.machine.read_file("/var/lib/fabric/maintenance") == "none\n");
  }
  bench.machine.configure("/system/maintenance", "false");
  bench.machine.state.files.install("/vmfs/volumes/storage/db-7/db-7.vmx", "");
  const lab::MachineReply refused = bench.machine.exec(
      bench.network, "root", remote::command_line(mode.enter(Duration{5'000})), "");
  CHECK(refused.exit_status == 1);
  CHECK(refused.standard_output.find("running virtual machines: db-7.vmx") != std::string::npos);
  CHECK_FALSE(bench.machine.in_maintenance());
}

TEST_CASE("bundles go from the last and come from the first", "[esx-classic]") {
  const NodeFacts of = node_facts(
      {{"esx-bulletins",
        "----Bulletin ID---- ---Installed--- ---Summary---\n"
        "ESX400-200906001 2010-01-13T05:09:39 kernel\nmlx4_en-1.4.1 2010-01-13T05:09:39 x\n"
        "ib_basic-1.3 2010-01-13T05:09:39 x\nib_ulp-1.4.1 2010-01-13T05:09:39 x\n"},
       {"esx-packages", ""},
       {"esx-pending", std::string{kBoot} + "\n"},
       {"esx-bundle-files",
        "== file mlx4_en.zip\nID            - mlx4_en-1.4.1\nSummary - x\n"
        "== file ib_basic.zip\nID            - ib_basic-1.4.1\n"
        "== file ib_ulp.zip\nID            - ib_ulp-1.4.1\n"}});
  const std::vector<std::string> files{"mlx4_en.zip", "ib_basic.zip", "ib_ulp.zip"};
  const auto bundles = esx_classic::bundles_of(of, files);
  REQUIRE(bundles);
  std::vector<std::string> steps;
  for (const esx_classic::BundleStep& step : esx_classic::steps_for(*bundles))
    steps.push_back(step.removes ? "-" + step.ids.front() : step.file);
  // What is in place below it stays.
  CHECK(
      steps ==
      std::vector<std::string>{"-ib_ulp-1.4.1", "-ib_basic-1.3", "ib_basic.zip", "ib_ulp.zip"});

  const Resource wanted = resource(
      "pve1/software/stack", {}, {{"bundles", List{"mlx4_en.zip", "ib_basic.zip", "ib_ulp.zip"}}});
  const Observation found = seen<esx_classic::software_provider>(wanted, of);
  CHECK(
      to_json(*found.attributes.at("bundles").next_boot->value()) ==
      R"(["mlx4_en.zip","ib_basic-1.3","ib_ulp.zip"])");
  NodeFacts gone = of;
  gone.probes.at("esx-bundle-files").standard_output = "";
  // Without the files their releases can't be told: what is there counts.
  CHECK(seen<esx_classic::software_provider>(wanted, gone)
            .attributes.at("bundles")
            .next_boot->equals(wanted.desired.at("bundles").value));
  gone.probes.at("esx-bulletins").standard_output = "--Bulletin ID-- --Installed--\n";
  const Provider software = esx_classic::software_provider();
  const Observation bare = seen<esx_classic::software_provider>(wanted, gone);
  CHECK(bare.attributes.at("bundles").next_boot->is_absent());
  const Result<Work> refused = software.work(change_of(software, gone, wanted, bare), {gone, bare});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("mlx4_en.zip is not in the home") != std::string::npos);
}

}  // namespace
}  // namespace fabric::providers
