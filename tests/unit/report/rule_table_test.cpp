#include "engine/report/diagnostics/rule_table.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

// Contract §3: slugs that users and checks from outside rely on.
constexpr std::string_view kPromised[] = {
    "yaml-syntax",
    "unknown-key",
    "missing-key",
    "duplicate-key",
    "wrong-type",
    "out-of-range",
    "ambiguous-scalar",
    "key-not-in-mode",
    "model-unknown",
    "bad-node-set",
    "node-unknown",
    "port-unknown",
    "port-reused",
    "port-two-networks",
    "cable-ends-disagree",
    "address-conflict",
    "address-outside-subnet",
    "subnet-overlap",
    "chain-needs-ethernet",
    "chain-adapter-unsupported",
    "chain-platform-unsupported",
    "chain-not-a-ring",
    "chain-port-order",
    "chain-subnet-manager",
    "chain-mtu-firmware",
    "chain-mtu-mixed",
    "lag-policy-unsupported",
    "lag-not-one-adapter",
    "lag-port-shared",
    "lag-miimon-missing",
    "lag-kernel-too-old",
    "lag-peer-mismatch",
    "sm-missing",
    "sm-platform-unsupported",
    "sm-priority-tie",
    "sm-not-in-network",
    "sm-virtualization-needed",
    "ipoib-mtu-too-large",
    "ib-mtu-invalid",
    "pkey-invalid",
    "pkey-duplicate",
    "pkey-limit",
    "partition-member-unknown",
    "vlan-needs-partition",
    "link-type-unsupported",
    "port-types-order",
    "sriov-vfs-reserve",
    "uplinks-limit",
    "firmware-too-old",
    "pcie-bandwidth",
    "mgmt-path-touched",
    "firmware-param-conflict"};

TEST_CASE("every promised rule is in the table", "[report]") {
  for (const std::string_view slug : kPromised) {
    CAPTURE(slug);
    CHECK(find_rule(slug) != nullptr);
  }
}

TEST_CASE("every rule says why it exists, who says so and what to do", "[report]") {
  std::string previous;
  for (const RuleInfo& rule : rule_table()) {
    CAPTURE(rule.slug);
    CHECK(previous < rule.slug);
    previous = rule.slug;
    CHECK(find_rule(rule.slug) == &rule);
    CHECK(rule.reason.size() > 20);
    CHECK(rule.evidence.size() > 8);
    CHECK(rule.evidence.starts_with("E-"));
    // What a reader can reach, not notes of ours.
    for (const std::string_view ours : {"facts.", "seed 0", "anchors-", "contract"})
      CHECK(rule.evidence.find(ours) == std::string_view::npos);
    CHECK(rule.fix.size() > 10);
    CHECK(rule.slug.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos);
  }
  CHECK(find_rule("no-such-rule") == nullptr);
}

// The slugs in calls that make a diagnostic: `.error("slug", ...)` of Diagnostics and Findings.
std::vector<std::string> printed_slugs(const std::string& source) {
  std::vector<std::string> slugs;
  for (const std::string_view call : {".error(", ".warning(", ".info("}) {
    for (std::size_t at = source.find(call); at != std::string::npos; at = source.find(call, at)) {
      at = source.find_first_not_of(" \n", at + call.size());
      if (at == std::string::npos || source[at] != '"') continue;
      const std::string text = source.substr(at + 1, source.find('"', at + 1) - at - 1);
      // Other things have an error() too, which takes a message.
      if (text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos)
        slugs.push_back(text);
    }
  }
  return slugs;
}

TEST_CASE("every slug that the program prints can be explained", "[report]") {
  std::size_t calls = 0;
  for (const char* folder : {"engine", "plans", "providers"}) {
    const auto root = std::filesystem::path{FABRIC_SOURCE_DIR} / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{root}) {
      if (entry.path().extension() != ".cpp") continue;
      std::ifstream stream{entry.path()};
      const std::string source{
          std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
      for (const std::string& slug : printed_slugs(source)) {
        CAPTURE(entry.path().string(), slug);
        CHECK(find_rule(slug) != nullptr);
        ++calls;
      }
    }
  }
  CHECK(calls > 80);
}

}  // namespace
}  // namespace fabric
