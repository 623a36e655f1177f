// SPDX-License-Identifier: Apache-2.0
#include "providers/nvue/kinds/switch_facts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/names.hpp"
#include "engine/model/switch_port.hpp"

namespace fabric::providers::nvue {

namespace {

template <class Parse>
auto read(const NodeFacts& facts, std::string_view probe, const Parse& parse)
    -> decltype(parse(std::string_view{})) {
  const Result<std::string_view> text = answer(facts, probe);
  if (!text) return text.error();
  auto parsed = parse(*text);
  if (!parsed)
    return Error{
        ErrorCode::invalid, fmt::format("{} can't be read: {}", probe, parsed.error().message)};
  return parsed;
}

}  // namespace

// JSON alone is the same at every width of a terminal and in every release (E-nvue-json).
std::vector<Probe> configuration_probes() {
  return {
      {kInterfaceProbe, "nv show interface --operational -o json\n"},
      {kAppliedProbe, "nv config show -r applied -o json\n"},
      {kStartupProbe, "nv config show -r startup -o json\n"}};
}

Result<std::string_view> answer(const NodeFacts& facts, std::string_view probe) {
  const auto found = facts.probes.find(probe);
  if (found == facts.probes.end())
    return Error{ErrorCode::invalid, fmt::format("{} was not asked", probe)};
  const ProbeOutput& output = found->second;
  if (output.exit_status == 0) return std::string_view{output.standard_output};
  const std::string_view errors = trim(output.standard_error);
  const std::string_view said = errors.empty() ? trim(output.standard_output) : errors;
  return Error{
      ErrorCode::invalid,
      fmt::format(
          "the switch says to {}: {}",
          trim(output.script),
          said.empty() ? fmt::format("nothing (exit {})", output.exit_status)
                       : std::string{said.substr(0, said.find('\n'))})};
}

Result<NvueVersion> told_version(const NodeFacts& facts) {
  Result<NvueVersion> version = Error{ErrorCode::invalid, "it was not read"};
  for (const char* probe : {kVersionProbe, kSystemProbe}) {
    const Result<std::string_view> text = answer(facts, probe);
    version = text ? parse_nvue_version(*text) : Result<NvueVersion>{text.error()};
    if (version) return version;
  }
  return version;
}

bool has_families(const NodeFacts& facts) {
  const auto told = told_version(facts);
  const auto release = told ? Version::parse(told->release) : Result<Version>{told.error()};
  return release && *Version::parse("5.15") <= *release;
}

std::vector<std::string> switched_on(const NodeFacts& facts) {
  return has_families(facts) ? std::vector<std::string>{"state", "enabled"}
                             : std::vector<std::string>{"enable", "on"};
}

bool is_on(const Value* branch) {
  if (branch == nullptr) return false;
  const std::string enable = nvue_word(branch->find("enable"));
  return enable == "on" || nvue_word(branch->find("state")) == "enabled";
}

SwitchFacts::SwitchFacts(const NodeFacts& facts)
    : node{facts},
      interfaces{read(facts, kInterfaceProbe, parse_nvue_interfaces)},
      applied{read(facts, kAppliedProbe, parse_nvue_config)},
      startup{read(facts, kStartupProbe, parse_nvue_config)} {}

const NvueInterface* SwitchFacts::interface(std::string_view name) const {
  if (!interfaces) return nullptr;
  const auto found =
      std::find_if(interfaces->begin(), interfaces->end(), [name](const NvueInterface& each) {
        return each.name == name;
      });
  return found == interfaces->end() ? nullptr : &*found;
}

std::string native_port(std::string_view written) {
  const auto port = SwitchPort::parse(written);
  const bool is_number =
      port && port->form == SwitchPort::Form::numbers && port->numbers.size() == 1;
  return is_number ? fmt::format("swp{}", port->numbers.front()) : std::string{written};
}

std::string written_port(std::string_view native) {
  const auto port = native.starts_with("swp") ? SwitchPort::parse(native) : std::nullopt;
  return port ? port->str() : std::string{native};
}

std::string bridge_of(const Value& tree, std::string_view interface) {
  const Map& map = or_null(nvue_find(tree, {"interface", interface, "bridge", "domain"})).members();
  return map.empty() ? std::string{} : map.begin()->first;
}

std::string untagged_vlan(const Value& tree, const std::string& interface) {
  const std::string bridge = bridge_of(tree, interface);
  if (bridge.empty()) return {};
  const Value* own = nvue_find(tree, {"interface", interface, "bridge", "domain", bridge});
  for (const char* key : {"access", "untagged"}) {
    const std::string vlan = own == nullptr ? std::string{} : nvue_word(own->find(key));
    if (!vlan.empty()) return vlan == "none" ? std::string{} : vlan;
  }
  const std::string usual = nvue_word(nvue_find(tree, {"bridge", "domain", bridge, "untagged"}));
  return usual.empty() ? "1" : usual;
}

const Value* own_vlans(const Value& tree, const std::string& interface) {
  return nvue_find(tree, {"interface", interface, "bridge", "domain", bridge_of(tree, interface)});
}

bool has_vlan(const Value* vlans, std::uint64_t id) {
  const Map& map = or_null(vlans).members();
  return std::any_of(map.begin(), map.end(), [id](const auto& each) {
    const std::string_view words = each.first;
    const std::size_t dash = std::min(words.find('-'), words.size());
    const auto first = parse_unsigned(words.substr(0, dash), 10);
    const auto last = dash == words.size() ? first : parse_unsigned(words.substr(dash + 1), 10);
    return words == "all" || (first && last && *first <= id && id <= *last);
  });
}

Reading access_vlan_in(const Value& tree, const std::string& interface) {
  const auto id = parse_integer(untagged_vlan(tree, interface));
  return id ? Reading::of(*id) : Reading::absent();
}

std::string bridge_domain(const Value& tree) {
  const Map& map = or_null(nvue_find(tree, {"bridge", "domain"})).members();
  return map.size() == 1 ? map.begin()->first : std::string{"br_default"};
}

std::string bond_with(const Value& tree, std::string_view port) {
  for (const auto& [name, each] : tree.member("interface").members()) {
    const Value* members = nvue_find(each, {"bond", "member"});
    if (members != nullptr && members->find(port) != nullptr) return name;
  }
  return {};
}

std::vector<std::string> members_of(const Value& tree, std::string_view bond) {
  std::vector<std::string> found;
  const Value* members = nvue_find(tree, {"interface", bond, "bond", "member"});
  for (const auto& [name, each] : or_null(members).members())
    found.push_back(name);
  return found;
}

}  // namespace fabric::providers::nvue
