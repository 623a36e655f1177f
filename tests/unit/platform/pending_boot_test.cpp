// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/pending_boot.hpp"

#include "engine/base/text.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

std::string pending(const std::string& output) {
  NodeFacts facts{*NodeName::parse("pve1"), {}, {}, {}, {}};
  facts.probes["pending-boot"].standard_output = output;
  return join(pending_at_boot(facts), "\n");
}

constexpr const char* kBooted = "btime 1764200000\nrunning 6.8.0-45-generic\n";

TEST_CASE("a kernel that came since the boot is told, and no other one", "[provider]") {
  const auto kernel = [](const std::string& line) {
    return pending(kBooted + line);
  };
  CHECK(
      kernel("kernel 1764300000 6.8.0-50-generic\n") ==
      "the kernel 6.8.0-50-generic in place of 6.8.0-45-generic");
  CHECK(
      kernel("kernel 1764300000 6.8.0-9-generic\n"
             "kernel 1764300000 6.8.0-100-generic\n"
             "kernel 1764300000 6.8.0-50-generic\n") ==
      "the kernel 6.8.0-100-generic in place of 6.8.0-45-generic");
  // It was there when the node booted, and the node took another one.
  CHECK(kernel("kernel 1764100000 6.8.0-50-generic\n").empty());
  CHECK(kernel("kernel 1764300000 0-rescue-4c1f\n").empty());
  CHECK(kernel("kernel 1764300000 6.8.0-45-generic\n").empty());
}

TEST_CASE("files of the network that were changed since the boot are told", "[provider]") {
  const auto file = [](const std::string& line) {
    return pending(kBooted + line);
  };
  CHECK(
      file("file 1764300000 /etc/NetworkManager/system-connections/Wired connection 1\n") ==
      "/etc/NetworkManager/system-connections/Wired connection 1, which was changed since the last "
      "boot");
  CHECK(file("file 1764100000 /etc/network/interfaces\n").empty());
  // What the node writes while it boots, and what is ours.
  CHECK(file("file 1764200040 /etc/netplan/50-cloud-init.yaml\n").empty());
  CHECK(file("file 1764300000 /etc/network/interfaces.d/fabric-cx5-1\n"
             "ours /etc/network/interfaces.d/fabric-cx5-1\n")
            .empty());
}

TEST_CASE("what asks for a boot is told by its packages", "[provider]") {
  CHECK(
      pending(
          std::string{kBooted} + "asked /run/reboot-required\npackage linux-base\npackage dbus\n"
                                 "package linux-base\n") ==
      "updates of these packages: dbus, linux-base");
  CHECK(
      pending(std::string{kBooted} + "asked /run/reboot-required\n") ==
      "changes that /run/reboot-required announces");
  CHECK(pending("asked /run/reboot-required\n").empty());
  CHECK(pending("").empty());
}

}  // namespace
}  // namespace fabric
