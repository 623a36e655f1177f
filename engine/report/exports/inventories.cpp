// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/report/exports/cabling.hpp"
#include "engine/report/exports/exports.hpp"
#include "engine/value/json.hpp"

namespace fabric::report {

// An Ansible inventory in YAML: all machines that are reached by SSH, in a group for each platform
// and one for each network.

namespace {

// YAML reads a JSON string as it is. Ansible would read "{{" in it as a template, which no address,
// user or name of a valid document has; a text with it is left out.
bool is_plain(const std::string& text) {
  return !text.empty() && text.find("{{") == std::string::npos &&
         text.find("{%") == std::string::npos;
}

std::string quoted(const std::string& text) {
  return to_json(Value{text});
}

// The name of a group: letters, digits and '_', as Ansible requires.
std::string group_name(const std::string& prefix, std::string_view text) {
  std::string name = prefix;
  for (const char c : text) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += good ? c : '_';
  }
  return name;
}

}  // namespace

Result<std::string> ansible_inventory(const FabricSpec& spec) {
  std::string hosts;
  std::map<std::string, std::set<NodeName>> groups;
  std::set<NodeName> listed;
  for (const auto& [name, node] : spec.nodes) {
    if (!is_exported(node) || !traits(node.platform.value).is_managed) continue;
    listed.insert(name);
    hosts += fmt::format("    {}:\n", quoted(name.str()));
    if (is_plain(node.address.value))
      hosts += fmt::format("      ansible_host: {}\n", quoted(node.address.value));
    if (is_plain(node.ssh->user.value))
      hosts += fmt::format("      ansible_user: {}\n", quoted(node.ssh->user.value));
    if (node.ssh->port.value != 0)
      hosts += fmt::format("      ansible_port: {}\n", node.ssh->port.value);
    groups[group_name("platform_", to_string(node.platform.value))].insert(name);
  }
  if (listed.empty()) return Error{ErrorCode::invalid, "the document has no machine to log in to"};
  for (const auto& [name, network] : spec.networks) {
    for (const PortRef& port : network.member_ports()) {
      if (listed.contains(port.node)) groups[group_name("network_", name)].insert(port.node);
    }
  }
  std::string text = "# written by fabric export ansible\nall:\n  hosts:\n" + hosts;
  text += "  children:\n";
  for (const auto& [group, members] : groups) {
    text += fmt::format("    {}:\n      hosts:\n", group);
    for (const NodeName& member : members)
      text += fmt::format("        {}: {{}}\n", quoted(member.str()));
  }
  return text;
}

// Targets for file_sd_configs of Prometheus: the node exporter of each Linux host, with facts of
// the document as labels.

namespace {

constexpr int kNodeExporterPort = 9100;

// Letters, digits and '_'; no digit in front. Names that begin with "__" are Prometheus' own.
std::string label_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += good ? c : '_';
  }
  const bool bad_begin =
      name.empty() || (name.front() >= '0' && name.front() <= '9') || name.starts_with("__");
  return bad_begin ? "label_" + name : name;
}

}  // namespace

Result<std::string> prometheus_targets(const FabricSpec& spec) {
  List targets;
  for (const auto& [name, node] : spec.nodes) {
    if (!is_exported(node) || !traits(node.platform.value).linux_host) continue;
    Map labels;
    for (const auto& [label, value] : node.labels)
      labels.insert_or_assign(label_name(label), value.value);
    labels.insert_or_assign("fabric", spec.name.value);
    labels.insert_or_assign("node", name.str());
    const std::string& address = node.address.value;
    const bool is_ipv6 = address.find(':') != std::string::npos;
    std::string target = is_ipv6 ? "[" + address + "]" : address;
    target += fmt::format(":{}", kNodeExporterPort);
    targets.push_back(Map{{"targets", List{std::move(target)}}, {"labels", std::move(labels)}});
  }
  if (targets.empty()) return Error{ErrorCode::invalid, "the document has no Linux host"};
  return to_json_pretty(targets);
}

}  // namespace fabric::report
