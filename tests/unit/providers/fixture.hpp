// SPDX-License-Identifier: Apache-2.0
// Facts and resources for provider tables, as probes and expand would make them.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/provider/registry.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/local_shell.hpp"

namespace fabric::providers::test {

constexpr const char* kBootNow = "11111111-2222-3333-4444-555555555555";
constexpr const char* kBootBefore = "99999999-2222-3333-4444-555555555555";

inline std::string fixture(const std::string& name) {
  return remote::test::read_text(std::string{FABRIC_TEST_DATA} + "/fixtures/" + name);
}

inline NodeFacts node_facts(std::vector<std::pair<std::string, std::string>> outputs) {
  NodeFacts facts{*NodeName::parse("pve1"), {}, {}, {}, {}};
  for (auto& [probe, output] : outputs)
    facts.probes[probe] = {"", 0, std::move(output), ""};
  return facts;
}

// One card of fixtures/pci-*.txt by model.
inline Map adapter_binding(Map more = {}) {
  Map binding{
      {"adapter", "cx5"},
      {"model", "connectx-5-vpi"},
      {"family", "connectx-5"},
      {"device_ids", List{0x1017, 0x1019}},
      {"ports", 2}};
  for (auto& [key, value] : more)
    binding.insert_or_assign(key, std::move(value));
  return binding;
}

inline Resource resource(
    const std::string& address, Map binding, std::vector<std::pair<std::string, Value>> desired) {
  Resource made{*ResourceAddress::parse(address), std::move(binding), {}, {}, {}};
  for (auto& [name, value] : desired)
    made.desired.emplace(name, DesiredAttribute{std::move(value), {}, "wanted"});
  return made;
}

// The change that the differ would see: every attribute with a layer that is not as wanted.
inline Change change_of(
    const Provider& provider,
    const NodeFacts& facts,
    const Resource& resource,
    const Observation& observation) {
  Change change{resource, ChangeKind::update, {}};
  for (const auto& [name, desired] : resource.desired) {
    AttributeChange attribute;
    attribute.attribute = name;
    attribute.observed = observation.attributes.at(name);
    attribute.desired = desired.value;
    const auto wrong = [&wanted = desired.value](const std::optional<Reading>& reading) {
      if (!reading) return false;
      return wanted.is_null() ? !reading->is_absent() : !reading->equals(wanted);
    };
    attribute.write = wrong(attribute.observed.next_boot) || wrong(attribute.observed.persistent);
    attribute.activate = wrong(attribute.observed.running);
    attribute.disruption = provider.disruption(facts, resource, name);
    if (attribute.write || attribute.activate) change.attributes.push_back(attribute);
  }
  return change;
}

inline Observation observe_one(
    const Provider& provider,
    const Resource& resource,
    const NodeFacts& facts,
    Diagnostics& diagnostics) {
  std::vector<Observation> observations = provider.observe({&resource, 1}, facts, diagnostics);
  REQUIRE(observations.size() == 1);
  CHECK(observations.front().address == resource.address);
  return std::move(observations.front());
}

inline Observation observe_one(
    const Provider& provider, const Resource& resource, const NodeFacts& facts) {
  Diagnostics diagnostics;
  Observation observation = observe_one(provider, resource, facts, diagnostics);
  for (const Diagnostic& each : diagnostics.items())
    UNSCOPED_INFO(each.rule << ": " << each.message);
  CHECK_FALSE(diagnostics.has_errors());
  return observation;
}

// "running | next boot | persistent" in words; "-" for a layer that the attribute does not have.
inline std::string layers(const Observation& observation, const std::string& attribute) {
  const auto found = observation.attributes.find(attribute);
  if (found == observation.attributes.end()) return "not observed";
  std::string text;
  for (const Layer layer : {Layer::running, Layer::next_boot, Layer::persistent}) {
    const std::optional<Reading>& reading = found->second.layer(layer);
    text += (text.empty() ? "" : " | ") + (reading ? reading->text() : std::string{"-"});
  }
  return text;
}

inline Work work_of(
    const Provider& provider,
    const Resource& resource,
    const NodeFacts& facts,
    bool reboot_planned = false) {
  Diagnostics diagnostics;
  const Observation observation = observe_one(provider, resource, facts, diagnostics);
  const auto work = provider.work(
      change_of(provider, facts, resource, observation),
      WorkContext{facts, observation, reboot_planned});
  if (!work) FAIL(work.error().message);
  return *work;
}

// A file of ours less the line by which a forgotten resource is known again.
inline std::string without_record(std::string content) {
  const std::size_t start = content.find("# resource: ");
  if (start != std::string::npos) content.erase(start, content.find('\n', start) + 1 - start);
  return content;
}

inline std::string commands_of(const ActionDraft& draft) {
  std::string text;
  for (const remote::Argv& argv : draft.steps.commands())
    text += remote::command_line(argv) + "\n";
  for (const std::string& line : draft.steps.lines())
    text += line + "\n";
  return text;
}

}  // namespace fabric::providers::test
