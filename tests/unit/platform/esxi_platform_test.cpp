// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/machine/esxi_platform.hpp"

#include "engine/platform/capabilities.hpp"
#include "providers/posix/machine/sh/scripts.hpp"

#include "tests/support/catch.hpp"

namespace fabric::platform {
namespace {

NodeFacts facts(std::string identity) {
  NodeFacts facts{*NodeName::parse("esx1"), {}, {}, {}, {}, Platform::esxi};
  facts.probes["identity"] = {"", 0, std::move(identity), ""};
  return facts;
}

TEST_CASE("an ESXi host is known by the UUID of its system, and has no boot id", "[platform]") {
  const Identity identity = esxi_platform().identity(
      facts("uuid 5f8c1d2e-7a30-4b6c-9d41-0c42a18c51a8\nhostname esx1.example.com\n"
            "VersionGet.Build.string=Releasebuild-24022510\n"
            "VersionGet.Product.string=VMware ESXi\nVersionGet.Version.string=8.0.3\n"));
  CHECK(identity.machine_id == "5f8c1d2e-7a30-4b6c-9d41-0c42a18c51a8");
  CHECK(identity.hostname == "esx1.example.com");
  CHECK(identity.os_id == "esxi");
  CHECK(identity.os_version == "8.0.3");
  CHECK(identity.kernel == "Releasebuild-24022510");
  CHECK(identity.boot_id.empty());
}

TEST_CASE("an error of esxcli is no identity", "[platform]") {
  const Identity identity = esxi_platform().identity(
      facts("uuid Error: Unable to load vmkernel\nhostname \nError: Unknown command\n"));
  CHECK(identity.machine_id.empty());
  CHECK(identity.os_id.empty());
}

TEST_CASE(
    "ESXi proves boots, keeps its own records and tells the session's path, and has no files, lock "
    "or timer",
    "[platform]") {
  std::vector<std::string_view> present;
  for (const CapabilityRow& row : capabilities(esxi_platform())) {
    if (row.present) present.push_back(row.name);
  }
  CHECK(present == std::vector<std::string_view>{"boot proof", "own records", "session path"});
}

std::optional<Boot> boot_of(std::string output, int exit_status = 0) {
  remote::StepResult result;
  result.outcome = remote::Outcome::succeeded;
  result.output.standard_output = std::move(output);
  result.output.exit_status = exit_status;
  return esxi_platform().boot_proof()->boot(result);
}

TEST_CASE(
    "a boot of ESXi is a mark and an uptime in microseconds, and nothing beside them",
    "[platform]") {
  const std::optional<Boot> boot = boot_of("mark 42825414367-1767225600\nuptime 42826414367\n");
  REQUIRE(boot);
  CHECK(boot->mark == "42825414367-1767225600");
  CHECK(boot->uptime == Duration{42'826'414});
  CHECK_FALSE(esxi_platform().boot_proof()->has_boot_id());
  for (const char* text :
       {"",
        "mark 1-1\n",
        "uptime 1\nmark 1-1\n",
        "mark 1-1\nuptime Error: Unknown command\n",
        "mark \nuptime 5\n",
        // A mark is made at an uptime: it is not older than the boot.
        "mark 7-1\nuptime 5\n",
        // Without the time of day two boots could have the same.
        "mark 1\nuptime 5\n",
        "mark 1-\nuptime 5\n",
        "a banner\nmark 1-1\nuptime 5\n"}) {
    INFO(text);
    CHECK_FALSE(boot_of(text));
  }
  CHECK_FALSE(boot_of("mark 1-1\nuptime 5\n", 1));
}

TEST_CASE("the mark of a boot of ESXi is written where only root writes", "[platform]") {
  const remote::Step step = esxi_platform().boot_proof()->ask();
  // It may write the mark: a step that only reads would be allowed to who may not change anything.
  CHECK(remote::may_change(step));
  const auto* run = std::get_if<remote::step::Run>(&step);
  REQUIRE(run != nullptr);
  CHECK(run->command.argv.at(2).find("/var/run/fabric-boot") != std::string::npos);
  CHECK(run->command.argv.at(2).find("/tmp") == std::string::npos);
}

PingAnswer pinged(const std::string& small, const std::string& full) {
  const std::vector<Ping> pings{{"vmk1", "10.30.0.2", 9000}};
  remote::StepResult result;
  result.outcome = remote::Outcome::succeeded;
  // Whatever the exit status: it proves nothing.
  result.output.standard_output = "fabric-ping 0 small\n" + small +
                                  "fabric-exit 1\nfabric-ping 0 full\n" + full + "fabric-exit 0\n";
  return esxi_platform().ping_tests()->ping_answers(pings, result).front();
}

TEST_CASE("a ping from the kernel of ESXi is judged by its words", "[platform]") {
  const std::vector<Ping> pings{{"vmk1", "10.30.0.2", 9000}};
  const remote::Step step = esxi_platform().ping_tests()->ping(pings);
  CHECK_FALSE(remote::may_change(step));
  const std::string& script = std::get<remote::step::Run>(step).command.standard_input;
  CHECK(script.find("ask 0 small vmkping -I vmk1 -c 1 -W 1 10.30.0.2\n") != std::string::npos);
  CHECK(
      script.find("\nask 0 full vmkping -I vmk1 -c 1 -W 1 -d -s 8972 10.30.0.2\n") !=
      std::string::npos);
  const std::string some = "1 packets transmitted, 1 packets received, 0% packet loss\n";
  const std::string none = "1 packets transmitted, 0 packets received, 100% packet loss\n";
  CHECK(pinged(some, some).full == Passage::passed);
  CHECK(pinged(some, none).small == Passage::passed);
  CHECK(pinged(some, none).full == Passage::lost);
  const PingAnswer too_long = pinged(some, "sendto() failed (Message too long)\n");
  CHECK(too_long.full == Passage::lost);
  CHECK(too_long.detail == "sendto() failed (Message too long)");
  CHECK(pinged(none, none).small == Passage::lost);
  CHECK(pinged(none, none).full == Passage::untested);
  const PingAnswer unknown = pinged("Unknown interface 'vmk1': Invalid argument\n", "");
  CHECK(unknown.small == Passage::untested);
  CHECK(unknown.detail == "Unknown interface 'vmk1': Invalid argument");
  CHECK(pinged("", "").detail == "vmkping said nothing");
}

TEST_CASE("the session of ESXi comes in by the uplinks of a standard switch", "[platform]") {
  NodeFacts known = facts("");
  known.probes["session"] = {
      "", 0, "client 192.0.2.1\ndevice vmk0\nuplink vmnic0\nuplink vmnic1\n", ""};
  const SessionPath path = esxi_platform().session_path(known);
  CHECK(path.unknown.empty());
  CHECK(path.client == "192.0.2.1");
  CHECK(path.device == "vmk0");
  CHECK(path.devices == std::set<std::string>{"vmk0", "vmnic0", "vmnic1"});
  known.probes["session"] = {
      "", 0, "client 192.0.2.1\nunknown no standard virtual switch has vmk0\n", ""};
  CHECK(esxi_platform().session_path(known).unknown == "no standard virtual switch has vmk0");
  known.probes["session"] = {"", 0, "client 192.0.2.1\ndevice vmk0\n", ""};
  CHECK_FALSE(esxi_platform().session_path(known).unknown.empty());
}

TEST_CASE("the links of ESXi are what esxcli lists of its NICs", "[platform]") {
  const auto nic = [](int index, const std::string& admin, const std::string& link) {
    const std::string start = "structure[" + std::to_string(index) + "].Nic.";
    return start + "AdminStatus.string=" + admin + "\n" + start + "Description.string=a=b\n" +
           start + "LinkStatus.string=" + link + "\n" + start +
           "MACAddress.string=0c:42:a1:8c:51:a8\n" + start + "MTU.integer=9000\n" + start +
           "Name.string=vmnic" + std::to_string(index) + "\n" + start +
           "PCIDevice.string=0000:18:00.0\n" + start + "Speed.integer=100000\n";
  };
  NodeFacts known = facts("");
  CHECK(esxi_platform().devices(known).empty());
  known.probes["esxi-nics"] = {
      "", 0, nic(0, "Up", "Up") + nic(1, "Up", "Down") + nic(2, "Down", "Down"), ""};
  const std::vector<NetDevice>& devices = esxi_platform().devices(known);
  REQUIRE(devices.size() == 3);
  CHECK(devices[0].name == "vmnic0");
  CHECK(devices[0].pci == *PciAddress::parse("0000:18:00.0"));
  CHECK(devices[0].mac == *MacAddress::parse("0c:42:a1:8c:51:a8"));
  CHECK(devices[0].mtu == 9000);
  CHECK(devices[0].operstate == "up");
  CHECK(devices[0].carrier == true);
  CHECK(devices[0].speed_mbps == 100'000);
  CHECK(devices[1].operstate == "down");
  CHECK(devices[1].carrier == false);
  CHECK_FALSE(devices[1].speed_mbps);
  CHECK(devices[2].operstate == "down");
  CHECK_FALSE(devices[2].carrier);
  CHECK_FALSE(devices[2].speed_mbps);
}

TEST_CASE("the tools of ESXi and of the vendor are found without a login", "[platform]") {
  const std::vector<Probe> probes{{"one", "echo 1"}};
  const remote::Step step = esxi_platform().probe_step(probes, "abc", Duration{1}, false);
  const auto* run = std::get_if<remote::step::Run>(&step);
  REQUIRE(run != nullptr);
  CHECK(run->reads_only);
  CHECK(
      run->command.argv ==
      remote::Argv{"sh", "-s", "/bin:/sbin:/usr/lib/vmware/bin:/opt/mellanox/bin", "abc"});
  CHECK(run->command.standard_input.starts_with(sh::probes.text));
}

}  // namespace
}  // namespace fabric::platform
