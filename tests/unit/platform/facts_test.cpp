// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/facts.hpp"

#include "engine/value/json.hpp"

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

NodeFacts some_facts() {
  NodeFacts facts{*NodeName::parse("pve1"), {}, "SHA256:abc", "2026-11-20T10:12:27.123Z", {}};
  facts.probes["pci"] = {"echo hello", 0, "hello\n", ""};
  facts.probes["mlxconfig"] = {
      "mstconfig q", 3, "-E- Failed to get devices.\n", "a \"quoted\" \t word"};
  return facts;
}

TEST_CASE("saved facts come back as they were", "[provider]") {
  const NodeFacts facts = some_facts();
  const auto text = to_json_pretty(facts);
  const auto read = facts_from_value(*parse_json(text));
  REQUIRE(read);
  CHECK(read->node == facts.node);
  CHECK(read->host_key_fingerprint == facts.host_key_fingerprint);
  CHECK(read->taken_at == facts.taken_at);
  CHECK(read->probes == facts.probes);
  CHECK(read->reachable());
  CHECK(to_json_pretty(*read) == text);
}

TEST_CASE("the failure of an unreachable node is kept with its code", "[provider]") {
  NodeFacts facts = some_facts();
  facts.probes.clear();
  facts.failure = Error{ErrorCode::timed_out, "pve1: no answer to the key exchange within 10 s"};
  const auto read = facts_from_value(*parse_json(to_json_pretty(facts)));
  REQUIRE(read);
  REQUIRE_FALSE(read->reachable());
  CHECK(read->failure->code == ErrorCode::timed_out);
  CHECK(read->failure->message == facts.failure->message);
}

TEST_CASE("a probe that failed has no output to rely on", "[provider]") {
  const NodeFacts facts = some_facts();
  REQUIRE(facts.output("pci") != nullptr);
  CHECK(*facts.output("pci") == "hello\n");
  CHECK(facts.output("mlxconfig") == nullptr);
  CHECK(facts.output("none") == nullptr);
}

TEST_CASE("facts of a wrong shape are refused by the key that is wrong", "[provider]") {
  const auto message = [](auto&& spoil) {
    Value value = *parse_json(to_json_pretty(some_facts()));
    spoil(*value.as_map());
    const auto read = facts_from_value(value);
    return read ? std::string{"accepted"} : read.error().message;
  };
  CHECK(message([](Map& map) { map.erase("node"); }).find("'node'") != std::string::npos);
  CHECK(message([](Map& map) { map["node"] = "-bad"; }) != "accepted");
  CHECK(message([](Map& map) {
          map["format_version"] = "2.0";
        }).find("not '2.0'") != std::string::npos);
  CHECK(message([](Map& map) { map["probes"] = "none"; }).find("'probes'") != std::string::npos);
  CHECK(message([](Map& map) {
          map["failure"] = Map{{"code", "odd"}, {"message", ""}};
        }).find("'odd'") != std::string::npos);
  CHECK(message([](Map& map) {
          (*map["probes"].as_map())["pci"] = Map{{"command", "x"}};
        }).find("probe pci: ") == 0);
  CHECK(message([](Map& map) {
          *(*map["probes"].as_map())["pci"].as_map() = Map{{"command", ""}, {"exit_status", 256}};
        }).find("0 to 255") != std::string::npos);
  CHECK_FALSE(facts_from_value(Value{"text"}));
}

}  // namespace
}  // namespace fabric
