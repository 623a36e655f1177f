// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/second_default_route.hpp"

#include "engine/platform/owned_file.hpp"

#include "tests/unit/providers/interface_fixture.hpp"

namespace fabric::providers {
namespace {

using namespace test;

std::string told(const std::string& device) {
  const Resource bond =
      resource("pve1/bond/bond0", adapter_binding({{"port", 1}}), {{"gateway", "10.30.0.254"}});
  const NodeFacts facts = node_facts(
      {{"pci", fixture("pci-cx5.txt")},
       {"network-backends", kNetworkd},
       {"network-files",
        as_files(kNetworkPath, owned_marker(port(2)) + "[Match]\nPath=pci-0000:01:00.1\n")},
       {"ip-addr", ip_addr(9000, inet("10.30.0.2", 24))},
       {"ip-route",
        R"([{"dst":"default","gateway":"192.0.2.254","dev":")" + device + "\"}]\n[]\n"}});
  Diagnostics diagnostics;
  report_second_default_routes({&bond, 1}, facts, diagnostics);
  return diagnostics.items().empty() ? "" : diagnostics.items().front().message;
}

TEST_CASE("a gateway moves from one interface of ours to another", "[providers]") {
  CHECK(
      told("eno1") ==
      "pve1: the default route over 192.0.2.254 is on eno1, and bond bond0 would get another one, "
      "over "
      "10.30.0.254");
  CHECK(told("enp1s0f1np1").empty());
}

}  // namespace
}  // namespace fabric::providers
