// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/missing_ports.hpp"

#include <string>
#include <vector>

#include "engine/model/resource_keys.hpp"

#include "tests/support/catch.hpp"

namespace fabric::test {
namespace {

Resource port(const std::string& name) {
  Resource resource{{NodeName::parse("leaf1").value(), "interface", name}, {}, {}, {}, {}};
  resource.binding.emplace(keys::kSwitchPort, name);
  return resource;
}

TEST_CASE("a port that the switch does not list is told once", "[provider]") {
  const std::vector<NetDevice> there{{.name = "1"}, {.name = "2"}};
  const Resource first = port("1"), third = port("3");
  const auto told = [&](const std::vector<const Resource*>& wanted) {
    Diagnostics diagnostics;
    report_missing_ports(Platform::cumulus, wanted, there, diagnostics);
    std::vector<std::string> messages;
    for (const Diagnostic& each : diagnostics.items())
      messages.push_back(each.message);
    return messages;
  };
  CHECK(told({&first}).empty());
  CHECK(told({&first, &third, &third}) == std::vector<std::string>{"leaf1 has no port swp3"});
  // The document asks nothing of the switch.
  CHECK(told({}).empty());
}

}  // namespace
}  // namespace fabric::test
