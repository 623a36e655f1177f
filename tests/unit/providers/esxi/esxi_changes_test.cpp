// SPDX-License-Identifier: Apache-2.0
// ESXi hosts are changed: in which order, by which commands, and what stays as it was.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/random.hpp"
#include "engine/base/text.hpp"
#include "engine/provider/disruption_hooks.hpp"
#include "engine/remote/shell.hpp"
#include "providers/esx/module_options.hpp"
#include "providers/esxi/kinds/rows.hpp"
#include "providers/esxi/kinds/sriov/virtual_functions.hpp"
#include "providers/esxi/lab/esxi_machine.hpp"
#include "providers/esxi/machine/esxi_platform.hpp"
#include "providers/linux/lab/shell/programs.hpp"

#include "tests/unit/lab/bench_host.hpp"
#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

// One simulated host, with a shell.
struct EsxiBench {
  EsxiBench()
      : machine{lab::MachineProfile{.name = "esx1", .address = "192.0.2.51", .users = {}}, 7} {
    for (const lab::ProgramEntry& entry : machine.programs.entries)
      machine.state.files.install_program(entry.path, std::string{entry.name});
    machine.state.files.install_directory("/tmp");
    machine.state.files.install_directory("/var/run");
    machine.state.files.install_null_device("/dev/null");
    machine.state.files.install("/etc/vmware/esx.conf", "/system/uuid = \"x\"\n");
    machine.os_running = true;
    machine.boot(network);
  }

  lab::MachineReply run(const remote::Argv& argv) {
    return machine.exec(network, "root", remote::command_line(argv), "");
  }
  std::string options() const { return machine.module_options("nmlx5_core"); }
  void set(const std::string& text) {
    machine.configure("/vmkernel/module/nmlx5_core.so/options", text);
  }

  lab::NoNetwork network;
  lab::EsxiMachine machine;
};

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> list;
  for (const std::string_view word : split_words(std::string_view{text}))
    list.emplace_back(word);
  return list;
}

// Of a host as real ones are: options of several owners, lists, words without a value, odd blanks.
std::string some_options(Random& random) {
  static const std::vector<std::string> kKeys{
      "pfctx",
      "pfcrx",
      "trust_state",
      "max_vfs",
      "supported_num_ports",
      "DRSS",
      "RSS",
      "a",
      "dcbx"};
  static const std::vector<std::string> kValues{
      "0x08", "2", "4,4", "0,0,4,4", "1", "", "4,,4", "0,", "x*y", "[1]", "?"};
  std::string text;
  for (std::uint64_t i = random.below(7); i > 0; --i) {
    text += std::string(1 + random.below(2), ' ');
    text += kKeys[random.below(kKeys.size())];
    if (random.below(8) != 0) text += "=" + kValues[random.below(kValues.size())];
  }
  return trim(text).empty() ? "" : std::string{trim(text)};
}

bool is_of(const std::string& word, const std::string& key) {
  return word == key || word.starts_with(key + "=");
}

TEST_CASE("an option string keeps what it had, whatever that was", "[esxi]") {
  Random random{20'261'125};
  EsxiBench bench;
  for (int round = 0; round < 1'000; ++round) {
    const std::string before = some_options(random);
    bench.set(before);
    const bool element = random.below(2) == 0;
    const std::string key =
        element ? "max_vfs" : std::vector<std::string>{"pfctx", "dcbx", "a"}[random.below(3)];
    const std::size_t place = random.below(5);
    const std::size_t ports = place + 1 + random.below(3);
    const std::string value = std::to_string(random.below(20));
    const lab::MachineReply reply = bench.run(esxi::set_options(
        "nmlx5_core",
        ports,
        {{key, value, element ? std::optional<std::size_t>{place} : std::nullopt}}));
    INFO(before << " | " << key << " " << place << " of " << ports << " = " << value);
    INFO(reply.standard_output << reply.standard_error);
    REQUIRE(reply.exit_status == 0);
    // What is of others is there, in its order and with its bytes.
    std::vector<std::string> others = words(before);
    std::erase_if(others, [&](const std::string& word) { return is_of(word, key); });
    std::vector<std::string> after = words(bench.options());
    REQUIRE(after.size() == others.size() + 1);
    const std::string ours = after.back();
    after.pop_back();
    REQUIRE(after == others);
    if (!element) {
      REQUIRE(ours == key + "=" + value);
      continue;
    }
    // Each other entry of the list as well.
    std::string list;
    for (const std::string& word : words(before)) {
      if (word.starts_with("max_vfs=")) list = word.substr(8);
    }
    const auto had = split(std::string_view{list}, ',');
    const std::string now = ours.substr(8);
    const auto has = split(std::string_view{now}, ',');
    REQUIRE(has.size() >= ports);
    for (std::size_t i = 0; i < has.size(); ++i) {
      const std::string_view was = i < had.size() && !had[i].empty() ? had[i] : "0";
      REQUIRE(has[i] == (i == place ? value : was));
    }
    for (std::size_t i = has.size(); i < had.size(); ++i)
      REQUIRE(had[i].empty());
  }
}

TEST_CASE("an option goes without a trace of the others, and twice is once", "[esxi]") {
  EsxiBench bench;
  bench.set("pfctx=0x08 max_vfs=4,4 pfctx=0x10");
  CHECK(
      bench.run(esxi::set_options("nmlx5_core", 0, {{"pfctx", std::nullopt, {}}})).exit_status ==
      0);
  CHECK(bench.options() == "max_vfs=4,4");
  const remote::Argv argv =
      esxi::set_options("nmlx5_core", 4, {{"max_vfs", "15", 2}, {"a", "1", {}}});
  for (int time = 0; time < 2; ++time) {
    CHECK(bench.run(argv).exit_status == 0);
    CHECK(bench.options() == "max_vfs=4,4,15,0 a=1");
  }
  // The entry that was set first goes, and the list with the last one.
  bench.set("max_vfs=4,0 a=1");
  CHECK(bench.run(esxi::set_options("nmlx5_core", 2, {{"max_vfs", "8", 1}})).exit_status == 0);
  const auto without = [&bench](std::size_t element) {
    CHECK(
        bench.run(esxi::set_options("nmlx5_core", 2, {{"max_vfs", std::nullopt, element}}))
            .exit_status == 0);
    return bench.options();
  };
  CHECK(without(0) == "a=1 max_vfs=0,8");
  CHECK(without(1) == "a=1");
}

TEST_CASE("what goes to a guest takes its entries of max_vfs along, and no other's", "[esxi]") {
  const auto port = [](const char* text) {
    return *PciAddress::parse(text);
  };
  const esxi::Ports now{
      port("0000:01:00.0"), port("0000:01:00.1"), port("0000:02:00.0"), port("0000:03:00.0")};
  const esxi::Ports then{now[0], now[1], now[3]};
  CHECK(esxi::list_moved("1,2,3,4", now, then) == "1,2,4");
  CHECK(esxi::list_moved("1,2,3,4,9", now, then) == "1,2,4,9");
  CHECK(esxi::list_moved("1,2", now, then) == "1,2");
  CHECK(esxi::list_moved("1,,3,", now, then) == "1,,");
  CHECK(esxi::list_moved("", now, then).empty());
  CHECK(esxi::list_moved("1,2,3,4", now, {}).empty());
  // And back: with 0, where an entry is behind it.
  CHECK(esxi::list_moved("1,2,4", then, now) == "1,2,0,4");
  CHECK(esxi::list_moved("1,2", then, now) == "1,2");
}

TEST_CASE("options are noted where only root writes, and through no link", "[esxi]") {
  EsxiBench bench;
  bench.set("RSS=4");
  lab::FileTree& files = bench.machine.state.files;
  files.install_symlink("/tmp/fabric-pending", "/etc/aim");
  const remote::Argv argv = esxi::set_options("nmlx5_core", 0, {{"a", "1", {}}});
  CHECK(bench.run(argv).exit_status == 0);
  CHECK(bench.machine.read_file("/var/run/fabric-pending") == "nmlx5_core a\n");
  CHECK(files.find("/etc/aim") == nullptr);
  files.erase_all_below("/var/run");
  files.install_symlink("/var/run/fabric-pending", "/etc/aim");
  bench.set("RSS=4");
  const lab::MachineReply refused = bench.run(argv);
  CHECK(refused.exit_status == 1);
  CHECK(refused.standard_output == "/var/run/fabric-pending is a link\n");
  CHECK(bench.options() == "RSS=4");
  CHECK(files.find("/etc/aim") == nullptr);
}

TEST_CASE("a driver that the host has not gets no options", "[esxi]") {
  EsxiBench bench;
  const lab::MachineReply reply = bench.run(esxi::set_options("nmlx4_core", 0, {{"a", "1", {}}}));
  CHECK(reply.exit_status == 1);
  CHECK(reply.standard_output.find("nmlx4_core not found") != std::string::npos);
}

TEST_CASE("what would break an option string is refused", "[esxi]") {
  CHECK(esxi::not_an_option({"max_vfs", "4,4", {}}).empty());
  for (const char* value : {"4 4", "it's", "", "\"4\"", "$(x)", "a\\b", "a\nb"}) {
    INFO(value);
    CHECK_FALSE(esxi::not_an_option({"max_vfs", value, {}}).empty());
  }
  for (const char* key : {"", "max vfs", "a=b", "-a", "a[1]"}) {
    INFO(key);
    CHECK_FALSE(esxi::not_an_option({key, "1", {}}).empty());
  }
}

Resource drain() {
  return test::resource("esx1/drain/maintenance", {{"timeout_ms", 5'000}}, {{"drained", false}});
}

Observation drained(const NodeFacts& facts) {
  Diagnostics said;
  const std::vector<Resource> wanted{drain()};
  return esxi::drain_provider().observe(wanted, facts, said).front();
}

TEST_CASE("maintenance mode is noted, entered and left by whoever entered it", "[esxi]") {
  EsxiBench bench;
  const platform::MaintenanceMode& mode = platform::esxi_maintenance_mode();
  const auto note = [&] {
    return bench.machine.configured("/adv/UserVars/FabricMaintenance");
  };
  SECTION("by a run") {
    CHECK(bench.run(mode.note()).exit_status == 0);
    CHECK(note() == "entered");
    CHECK(bench.run(mode.enter(Duration{5'000})).exit_status == 0);
    CHECK(bench.machine.in_maintenance());
    // A run that comes after one that died does not take it for somebody else's.
    CHECK(bench.run(mode.note()).exit_status == 0);
    CHECK(note() == "entered");
    for (int time = 0; time < 2; ++time) {
      CHECK(bench.run(mode.leave()).exit_status == 0);
      CHECK_FALSE(bench.machine.in_maintenance());
      CHECK(note().empty());
    }
  }
  SECTION("by somebody else") {
    bench.run({"esxcli", "system", "maintenanceMode", "set", "-e", "true", "-t", "5"});
    CHECK(bench.run(mode.note()).exit_status == 0);
    CHECK(note() == "found");
    CHECK(bench.run(mode.enter(Duration{5'000})).exit_status == 0);
    CHECK(bench.run(mode.leave()).exit_status == 0);
    CHECK(bench.machine.in_maintenance());
    CHECK(note().empty());
  }
  SECTION("not while a virtual machine runs, which is named") {
    bench.machine.running = {"db 1"};
    const lab::MachineReply reply = bench.run(mode.enter(Duration{5'000}));
    CHECK(reply.exit_status == 1);
    CHECK(reply.standard_output.find("not in maintenance mode after 5 s") != std::string::npos);
    CHECK(reply.standard_output.find("running virtual machines: db 1") != std::string::npos);
  }
  SECTION("the note outlives a power cut, which a file in memory does not") {
    bench.run(mode.note());
    bench.machine.state.files.install("/tmp/x", "");
    bench.machine.lose_unsynced();
    bench.machine.boot(bench.network);
    CHECK(note() == "entered");
    CHECK(bench.machine.state.files.find("/tmp/x") == nullptr);
  }
}

TEST_CASE("who holds a virtual function is known by its world or by its group", "[esxi]") {
  const auto held = [](const std::string& functions, const std::string& machines) {
    return drained(test::node_facts(
                       {{"esxi-virtual-functions", functions}, {"esxi-machines", machines}}))
        .attributes.at(std::string{kHeldMachines})
        .running->text();
  };
  const auto machine = [](int index, const std::string& name, int world, int group) {
    const std::string prefix = fmt::format("structure[{}].VirtualMachine.", index);
    return fmt::format(
        "{0}DisplayName.string={1}\n{0}VMXCartelID.integer={3}\n{0}WorldID.integer={2}\n",
        prefix,
        name,
        world,
        group);
  };
  const std::string machines = machine(0, "db 7", 2101442, 2101441) + machine(1, "web", 20, 10);
  const std::string list = "== nic vmnic2\nVF ID  Active  PCI Address   Owner World ID\n";
  // The two forms of an address, the two numbers of an owner (E-esxi-vf-owner).
  CHECK(held(list + "0  true  0000:4b:11.0  2101442\n", machines) == "[db 7]");
  CHECK(held(list + "0  true  00000:075:17.0  2101441\n", machines) == "[db 7]");
  CHECK(held(list + "0  false  0000:4b:11.0  -\n1  false  0000:4b:11.1  -\n", machines) == "[]");
  CHECK(
      held(list + "0  true  0000:4b:11.0  10\n1  true  0000:4b:11.1  2101442\n", machines) ==
      "[db 7, web]");
  // One that is none of the machines is not left out.
  CHECK(held(list + "0  true  0000:4b:11.0  77\n", machines) == "[world 77]");
  CHECK(held("== nic vmnic0\nThere is no SRIOV Nic with name vmnic0\n", machines) == "[]");
  CHECK(held(list + "0  true  0000:4b:11.0  77\n", "Error: no\n").starts_with("unknown"));
  CHECK(held(list + "0  true  nowhere  77\n", machines).starts_with("unknown"));
}

Observation recovered(const std::string& options, const std::string& pending, bool is_shown) {
  static const std::string kPci =
      "0000:01:00.0\n   Address: 0000:01:00.0\n   Configured Owner: VMkernel\n"
      "   Current Owner: VMkernel\n   Vendor ID: 0x15b3\n   Device ID: 0x1021\n"
      "   Device Class: 0x0207\n   Device Class Name: Network controller\n"
      "   Module Name: nmlx5_core\n   VMkernel Name: \n";
  const NodeFacts facts = test::node_facts(
      {{"esxi-pci", kPci},
       {"esxi-mst",
        is_shown ? "PCI devices:\nDEVICE_TYPE  MST  PCI  RDMA  NET  NUMA\nConnectX7(rev:0)  "
                   "mt4129_pciconf0  "
                   "01:00.0  net-vmnic2\n"
                 : "PCI devices:\nDEVICE_TYPE  MST  PCI  RDMA  NET  NUMA\n"},
       {"esxi-module-options",
        "== module nmlx5_core\nnmlx5_core enabled = 1 options = '" + options + "'\n"},
       {"esxi-module-pending", pending}});
  const Resource resource = test::resource(
      "esx1/recovery/cx7",
      test::adapter_binding({{"model", "connectx-7"}, {"device_ids", List{0x1021}}, {"ports", 1}}),
      {{"shown", true}, {"mode", "normal"}});
  Diagnostics said;
  return esxi::recovery_provider().observe({&resource, 1}, facts, said).front();
}

TEST_CASE("every step of the two boots of the recovery mode is read from the host", "[esxi]") {
  struct Step {
    const char* options;
    const char* pending;
    bool is_shown;
    const char* running;
    const char* next_boot;
    std::vector<std::string> kinds;  // of what is done about it
    std::vector<std::string> boots;
  };
  const std::vector<std::string> both{"recovery.enter", "recovery.leave"};
  const std::vector<std::string> none;
  const Step steps[] = {
      {"RSS=4", "", false, "normal", "normal", both, {"recovery mode", ""}},
      // Cut short before the first boot.
      {"mst_recovery=1",
       "nmlx5_core mst_recovery\n",
       false,
       "normal",
       "recovery",
       both,
       {"recovery mode", ""}},
      // After it; and where the card is not shown all the same, for then there are no NICs.
      {"mst_recovery=1", "", true, "recovery", "recovery", {"recovery.leave"}, {""}},
      {"mst_recovery=1", "", false, "recovery", "recovery", {"recovery.leave"}, {""}},
      // Before the second boot, which is all that is left.
      {"mst_recovery=0", "nmlx5_core mst_recovery\n", true, "recovery", "normal", none, none},
      {"mst_recovery=0", "", true, "normal", "normal", none, none}};
  for (const Step& step : steps) {
    INFO(step.options << " | " << step.pending << " | " << step.is_shown);
    const Observation seen = recovered(step.options, step.pending, step.is_shown);
    CHECK(seen.attributes.at("shown").running->equals(step.is_shown));
    CHECK(seen.attributes.at("mode").running->equals(step.running));
    CHECK(seen.attributes.at("mode").next_boot->equals(step.next_boot));
    const Resource resource =
        test::resource("esx1/recovery/cx7", {}, {{"shown", true}, {"mode", "normal"}});
    const NodeFacts facts = test::node_facts({});
    const Change change = test::change_of(esxi::recovery_provider(), facts, resource, seen);
    const auto work = esxi::recovery_provider().work(change, {facts, seen, true});
    REQUIRE(work);
    std::vector<std::string> kinds, boots;
    for (const ActionDraft& draft : work->actions) {
      kinds.push_back(draft.kind);
      boots.push_back(draft.boots_in);
    }
    CHECK(kinds == step.kinds);
    CHECK(boots == step.boots);
  }
}

std::vector<std::string> mtu_commands(int own, int kernel, int wanted, bool undone) {
  const std::string nic =
      "structure[0].Nic.Driver.string=nmlx5_core\nstructure[0].Nic.Link.string=Up\n"
      "structure[0].Nic.MACAddress.string=00:00:00:00:00:01\nstructure[0].Nic.MTU.integer=1500\n"
      "structure[0].Nic.Name.string=vmnic2\nstructure[0].Nic.PCIDevice.string=0000:01:00.0\n"
      "structure[0].Nic.Speed.integer=0\n";
  const std::string interface = fmt::format(
      "structure[0].NetworkInterface.MTU.integer={}\nstructure[0].NetworkInterface.Name.string="
      "vmk1\nstructure[0].NetworkInterface.Portset.string=vSwitch1\n",
      kernel);
  const NodeFacts facts = test::node_facts(
      {{"esxi-vswitches",
        fmt::format(
            "vSwitch1\n   Name: vSwitch1\n   MTU: {}\n   Uplinks: vmnic2\n   Portgroups: x\n",
            own)},
       {"esxi-distributed-switches", ""},
       {"esxi-nics", nic},
       {"esxi-vmkernel", interface},
       {"esxi-vmkernel-ipv4", ""}});
  const Resource resource =
      test::resource("esx1/vswitch/vSwitch1", {}, {{"mtu", wanted}, {"vmkernel_mtu", wanted}});
  Diagnostics said;
  const Provider provider = esxi::vswitch_provider();
  const Observation seen = provider.observe({&resource, 1}, facts, said).front();
  const auto work =
      provider.work(test::change_of(provider, facts, resource, seen), {facts, seen, false});
  REQUIRE(work);
  REQUIRE(work->actions.size() == 1);
  std::vector<std::string> lines;
  for (const remote::Argv& argv :
       undone ? work->actions[0].undo.commands() : work->actions[0].steps.commands())
    lines.push_back(fmt::format("{} {}", argv[2].text(), argv.back().text()));
  return lines;
}

// What is larger than what carries it is refused, or lost.
TEST_CASE("an MTU rises from the virtual switch up and falls from the kernel down", "[esxi]") {
  using Lines = std::vector<std::string>;
  CHECK(mtu_commands(1500, 1500, 9000, false) == Lines{"vswitch 9000", "ip 9000"});
  CHECK(mtu_commands(1500, 1500, 9000, true) == Lines{"ip 1500", "vswitch 1500"});
  CHECK(mtu_commands(9000, 9000, 1500, false) == Lines{"ip 1500", "vswitch 1500"});
  CHECK(mtu_commands(9000, 9000, 1500, true) == Lines{"vswitch 9000", "ip 9000"});
  // Only the kernel's differs.
  CHECK(mtu_commands(9000, 1500, 9000, false) == Lines{"vswitch 9000", "ip 9000"});
}

TEST_CASE("a note that can't be read is unknown, and none is none", "[esxi]") {
  const auto with = [](const std::string& text, const std::string& mode) {
    return drained(test::node_facts({{"esxi-notes", text}, {"esxi-maintenance", mode}}));
  };
  const std::string prefix = "structure[0].SettingsAdvancedOption.";
  const std::string note =
      prefix + "Path.string=/UserVars/FabricMaintenance\n" + prefix + "StringValue.string=";
  const auto running = [](const Observation& observation, std::string_view attribute) {
    return observation.attributes.at(std::string{attribute}).running->text();
  };
  CHECK(running(with(note + "entered\n", "Enabled\n"), kDrained) == "true");
  CHECK(running(with(note + "found\n", "Enabled\n"), kInMaintenance) == "true");
  CHECK(running(with(note + "none\n", "Disabled\n"), kDrained) == "false");
  CHECK(running(with(note + "none\n", "Disabled\n"), kInMaintenance) == "false");
  const std::string other =
      prefix + "Path.string=/UserVars/Other\n" + prefix + "StringValue.string=entered\n";
  CHECK(running(with(other, "Disabled\n"), kDrained) == "false");
  for (const char* text : {"", "Error: Unknown command\n", "FabricMaintenance entered\n"})
    CHECK(with(text, "Disabled\n").attributes.at("drained").running->is_unknown());
  CHECK(with(note + "maybe\n", "").attributes.at("drained").running->is_unknown());
  CHECK(with(note, "no\n").attributes.at("in_maintenance").running->is_unknown());
}

}  // namespace
}  // namespace fabric::providers
