// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/software/driver_stack.hpp"
#include "providers/os/os_version.hpp"

#include "tests/unit/providers/fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

constexpr const char* kKernel = "kernel 6.1.0-26-amd64\n";
constexpr const char* kInboxDriver =
    "driver mlx5_core "
    "/lib/modules/6.1/kernel/drivers/net/ethernet/mellanox/mlx5/core/mlx5_core.ko\n";
constexpr const char* kOtherDriver =
    "driver mlx5_core /lib/modules/6.1/updates/dkms/mlx5_core.ko\n";

NodeFacts stack_facts(const std::string& told, const std::string& packages = "") {
  return node_facts(
      {{"driver-stack", kKernel + told},
       {"packages", "== list dpkg\n" + packages + "== status 0\n"}});
}

// What is read of each attribute, then what is found wrong.
std::string judged(const Provider& provider, const Resource& resource, const NodeFacts& facts) {
  Diagnostics diagnostics;
  const auto observations = provider.observe({&resource, 1}, facts, diagnostics);
  std::string text;
  for (const auto& [name, desired] : resource.desired)
    text += name + " " + layers(observations.at(0), name) + "\n";
  for (const Diagnostic& each : diagnostics.items())
    text += each.rule + ": " + each.message + "\n";
  return text;
}

Resource software(std::vector<std::pair<std::string, Value>> desired) {
  return resource("pve1/software/stack", {}, std::move(desired));
}

TEST_CASE("versions of packages are compared number by number", "[providers]") {
  CHECK(is_older_version("5.8-1.1.2.1", "5.8-3.0.7.0") == true);
  CHECK(is_older_version("5.8-1.1.2.1", "5.8") == false);
  CHECK(is_older_version("6.1.0-26-amd64", "5.15") == false);
  CHECK(is_older_version("4.4.0-142-generic", "4.9") == true);
  CHECK(is_older_version("4.10", "4.9") == false);
  CHECK(is_older_version("24.10-0.7.0", "24.10-0.7.0") == false);
  CHECK_FALSE(is_older_version("", "4.9").has_value());
  CHECK_FALSE(is_older_version("4.9", "new").has_value());
  CHECK_FALSE(is_older_version("99999999999999999999999", "1").has_value());
}

TEST_CASE("the stack is told by ofed_info, by packages, or is the kernel's", "[providers]") {
  DriverStack stack = driver_stack(stack_facts(kInboxDriver));
  CHECK(stack.name == "inbox");
  CHECK(stack.version == "6.1.0-26-amd64");
  CHECK(stack.mixed.empty());
  stack =
      driver_stack(stack_facts(std::string{"ofed MLNX_OFED_LINUX-5.8-1.1.2.1:\n"} + kOtherDriver));
  CHECK(stack.name == "mlnx_ofed");
  CHECK(stack.version == "5.8-1.1.2.1");
  CHECK(stack.mixed.empty());
  stack = driver_stack(stack_facts(
      std::string{"ofed OFED-internal-24.10-0.7.0:\n"} + kOtherDriver,
      "ii \tdoca-ofed\t2.9.0-0.4.7\n"));
  CHECK(stack.name == "doca");
  CHECK(stack.version == "2.9.0-0.4.7");
  CHECK(driver_stack(stack_facts("ofed OFED-internal-24.10-0.7.0:\n")).version == "24.10-0.7.0");
  CHECK(driver_stack(stack_facts("", "ii \tdoca-host\t2.9.0\n")).name == "inbox");
  CHECK(driver_stack(stack_facts("", "rc \tdoca-ofed\t2.9.0\n")).name == "inbox");
  CHECK(driver_stack(node_facts({})).name.empty());
}

TEST_CASE("two stacks on one node are a finding, whichever was asked for", "[providers]") {
  const Provider provider = software_provider();
  CHECK(
      judged(
          provider,
          software({{"stack", "mlnx_ofed"}}),
          stack_facts(std::string{"ofed MLNX_OFED_LINUX-5.8-1.1.2.1:\n"} + kInboxDriver)) ==
      "stack unknown (the node has driver mlx5_core of the kernel, but the tools of mlnx_ofed "
      "5.8-1.1.2.1) "
      "| - | -\n"
      "software-mismatch: pve1 has driver mlx5_core of the kernel, but the tools of mlnx_ofed "
      "5.8-1.1.2.1, but the document asks for mlnx_ofed alone\n");
  CHECK(
      judged(provider, software({{"stack", "inbox"}}), stack_facts(kOtherDriver))
          .find("without the tools of its stack") != std::string::npos);
  CHECK(
      judged(
          provider,
          software({{"stack", "doca"}}),
          stack_facts("ofed MLNX_OFED_LINUX-5.8-1.1.2.1:\n", "ii \tdoca-ofed\t2.9.0\n"))
          .find("packages of DOCA mixed with MLNX_OFED_LINUX-5.8-1.1.2.1") != std::string::npos);
}

TEST_CASE("stack, version and tools are compared with what is asked for", "[providers]") {
  const Provider provider = software_provider();
  const NodeFacts ofed = stack_facts(
      std::string{"ofed MLNX_OFED_LINUX-5.8-1.1.2.1:\n"} + kOtherDriver +
      "mst mst, mft 4.26.1-3, built on Nov 27 2023, 15:24:39. Git SHA Hash: N/A\n");
  CHECK(
      judged(
          provider,
          software({{"stack", "mlnx_ofed"}, {"minimum", "4.0-1.0.1.0"}, {"mft", "4.26.0-1"}}),
          ofed) == "mft 4.26.0-1 | - | -\nminimum 4.0-1.0.1.0 | - | -\nstack mlnx_ofed | - | -\n");
  CHECK(
      judged(provider, software({{"stack", "inbox"}}), ofed) ==
      "stack unknown (the node has mlnx_ofed 5.8-1.1.2.1) | - | -\n"
      "software-mismatch: pve1 has mlnx_ofed 5.8-1.1.2.1, but the document asks for inbox\n");
  CHECK(
      judged(provider, software({{"minimum", "23.10-0.5.5.0"}, {"mft", "4.28.0-92"}}), ofed) ==
      "mft unknown (the node has MFT 4.26.1-3) | - | -\n"
      "minimum unknown (the node has mlnx_ofed 5.8-1.1.2.1) | - | -\n"
      "software-mismatch: pve1 has MFT 4.26.1-3, but the document asks for 4.28.0-92 or newer\n"
      "software-mismatch: pve1 has mlnx_ofed 5.8-1.1.2.1, but the document asks for 23.10-0.5.5.0 "
      "or newer\n");
  CHECK(
      judged(provider, software({{"mft", "4.28.0-92"}}), stack_facts("")) ==
      "mft unknown (the node has no Mellanox Firmware Tools) | - | -\n"
      "software-mismatch: pve1 has no Mellanox Firmware Tools, but the document asks for MFT "
      "4.28.0-92 or newer\n");
  CHECK(
      judged(
          provider, software({{"mft", "4.28.0-92"}}), stack_facts("", "ii \tmft\t4.30.0-139\n")) ==
      "mft 4.28.0-92 | - | -\n");
  CHECK(
      judged(provider, software({{"stack", "inbox"}}), node_facts({})) ==
      "stack unknown (the driver stack could not be read) | - | -\n");
}

TEST_CASE("a release is asked for by name, by version, or by both", "[providers]") {
  const Provider provider = os_provider();
  const NodeFacts rhel = node_facts(
      {{"os",
        "/etc/os-release:NAME=\"Red Hat Enterprise Linux\"\n/etc/os-release:ID=\"rhel\"\n"
        "/etc/os-release:VERSION_ID=\"9.4\"\n"
        "/proc/sys/kernel/osrelease:5.14.0-427.13.1.el9_4.x86_64\n"}});
  const auto release = [&](const std::string& wanted) {
    return judged(provider, resource("pve1/os/os", {}, {{"release", wanted}}), rhel);
  };
  for (const char* wanted : {"rhel", "9.4", "9", "rhel-9", "rhel-9.4", "RHEL 9.4"}) {
    INFO(wanted);
    CHECK(release(wanted) == "release " + std::string{wanted} + " | - | -\n");
  }
  CHECK(
      release("rhel-9.5") ==
      "release unknown (it runs rhel-9.4) | - | -\n"
      "os-mismatch: pve1 runs rhel-9.4, but `os` asks for rhel-9.5\n");
  CHECK_FALSE(release("debian-12").find("os-mismatch") == std::string::npos);
  CHECK(
      judged(provider, resource("pve1/os/os", {}, {{"minimum", "5.15"}}), rhel) ==
      "minimum unknown (it runs kernel 5.14.0-427.13.1.el9_4.x86_64) | - | -\n"
      "os-mismatch: pve1 runs kernel 5.14.0-427.13.1.el9_4.x86_64, but `os` asks for 5.15 "
      "or newer\n");
  CHECK(
      judged(provider, resource("pve1/os/os", {}, {{"minimum", "5.14"}}), rhel) ==
      "minimum 5.14 | - | -\n");
  CHECK(
      judged(
          provider,
          resource("pve1/os/os", {}, {{"minimum", "5"}, {"release", "9"}}),
          node_facts({})) ==
      "minimum unknown (the kernel's version could not be read) | - | -\n"
      "release unknown (/etc/os-release could not be read) | - | -\n");
}

}  // namespace
}  // namespace fabric::providers
