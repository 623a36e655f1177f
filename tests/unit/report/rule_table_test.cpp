// SPDX-License-Identifier: Apache-2.0
#include "engine/report/diagnostics/rule_table.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

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

bool is_slug(const std::string& text) {
  return text.find('-') != std::string::npos && text.front() != '-' && text.back() != '-' &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos;
}

// Where the argument list that begins at `at` ends: its parenthesis or brace is closed. Literals
// are stepped over.
std::size_t end_of_arguments(const std::string& source, std::size_t at) {
  int depth = 1;
  for (; at < source.size() && depth > 0; ++at) {
    if (source[at] == '"') {
      for (++at; at < source.size() && source[at] != '"'; ++at) {
        if (source[at] == '\\') ++at;
      }
    } else if (source[at] == '(' || source[at] == '{') {
      ++depth;
    } else if (source[at] == ')' || source[at] == '}') {
      --depth;
    }
  }
  return at;
}

// The slugs in what makes a diagnostic: calls of Diagnostics and Findings, of the providers'
// report_finding(), and a Diagnostic or a row that begins with its severity.
std::set<std::string> printed_slugs(const std::string& source) {
  std::set<std::string> slugs;
  for (const std::string_view call :
       {".error(",
        ".warning(",
        ".info(",
        "report_finding(",
        "report_finding_at(",
        "{Severity::error,",
        "{Severity::warning,",
        "{Severity::info,"}) {
    for (std::size_t at = source.find(call); at != std::string::npos; at = source.find(call, at)) {
      at += call.size();
      const std::string arguments = source.substr(at, end_of_arguments(source, at) - at);
      for (std::size_t quote = arguments.find('"'); quote != std::string::npos;
           quote = arguments.find('"', quote + 1)) {
        const std::size_t end = arguments.find('"', quote + 1);
        if (end == std::string::npos) break;
        if (const std::string text = arguments.substr(quote + 1, end - quote - 1);
            !text.empty() && is_slug(text))
          slugs.insert(text);
        quote = end;
      }
    }
  }
  return slugs;
}

// "error[some-rule]" and the like, as the goldens have it.
std::set<std::string> shown_slugs(const std::string& output) {
  std::set<std::string> slugs;
  for (const std::string_view severity : {"error[", "warning[", "info["}) {
    for (std::size_t at = output.find(severity); at != std::string::npos;
         at = output.find(severity, at)) {
      at += severity.size();
      const std::string text = output.substr(at, output.find(']', at) - at);
      if (!text.empty() && is_slug(text)) slugs.insert(text);
    }
  }
  return slugs;
}

// Of all files below a folder that `wanted` takes, what `slugs_of` finds; each must have a row.
template <class Wanted, class SlugsOf>
std::size_t check_slugs(const char* folder, Wanted wanted, SlugsOf slugs_of) {
  std::size_t found = 0;
  const auto root = std::filesystem::path{FABRIC_SOURCE_DIR} / folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{root}) {
    if (!wanted(entry.path())) continue;
    std::ifstream stream{entry.path()};
    const std::string text{
        std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
    for (const std::string& slug : slugs_of(text)) {
      CAPTURE(entry.path().string(), slug);
      CHECK(find_rule(slug) != nullptr);
      ++found;
    }
  }
  return found;
}

TEST_CASE("every slug that the program prints can be explained", "[report]") {
  const auto is_source = [](const std::filesystem::path& path) {
    return path.extension() == ".cpp" &&
           path.parent_path().string().find("/engine/lab") == std::string::npos;
  };
  std::size_t found = 0;
  for (const char* folder : {"engine", "plans", "providers"})
    found += check_slugs(folder, is_source, printed_slugs);
  CHECK(found > 120);
}

TEST_CASE("every slug in an expected output can be explained", "[report]") {
  const auto is_expected = [](const std::filesystem::path& path) {
    return path.filename() == "expected";
  };
  CHECK(check_slugs("tests/golden", is_expected, shown_slugs) > 100);
}

TEST_CASE("the slugs of all ways to report are found", "[report]") {
  CHECK(
      printed_slugs(R"(report_finding(d, r, "one-rule", fmt::format("{}: a, b", x("c")));
        return Diagnostic{Severity::warning, "two-rule", {}, "a message"};
        found.error("three-rule", range, "text");)") ==
      std::set<std::string>{"one-rule", "three-rule", "two-rule"});
}

}  // namespace
}  // namespace fabric
