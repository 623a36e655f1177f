// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/copy/copy_host.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/rehearse/platform/copy_card.hpp"
#include "engine/remote/shell.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/interface/backends/backend_choice.hpp"
#include "providers/linux/kinds/package/package_database.hpp"
#include "providers/linux/kinds/settings/told_settings.hpp"
#include "providers/linux/machine/linux_platform.hpp"
#include "providers/parsers/ip_json.hpp"

namespace fabric::rehearse {

namespace {

lab::LabAdapter copy_linux_card(const providers::Card& card, const NodeFacts& facts) {
  return copy_card(card, providers::settings_of(facts, card.address));
}

// "== tool mstconfig", "== version mstconfig, mstflint 4.26.0, Git SHA Hash: N/A"
void copy_tool(const NodeFacts& facts, lab::LabHost& host) {
  const std::string* output = facts.output("mlxconfig");
  if (output == nullptr) return;
  host.tool = "none";
  for (const std::string_view line : split_lines(*output)) {
    if (line.starts_with("== tool "))
      host.tool = line.ends_with("mlxconfig") ? "mlxconfig" : "mstconfig";
    if (!line.starts_with("== version ")) continue;
    for (std::string_view word : split_words(line)) {
      while (word.ends_with(','))
        word.remove_suffix(1);
      if (!word.empty() && word.front() >= '0' && word.front() <= '9') {
        // "4.26.0-1": the layout of its tables is that of 4.26.
        const std::size_t point = word.find('.');
        host.tool_version = std::string{word.substr(0, word.find_first_of(".-", point + 1))};
        return;
      }
    }
  }
}

// The probes print files as grep -H does, the whole of each.
void copy_files(const NodeFacts& facts, lab::LabHost& host) {
  constexpr std::array<std::string_view, 3> kFolders{"/etc/", "/var/lib/fabric/", "/usr/lib/"};
  for (const auto& [id, probe] : facts.probes) {
    std::map<std::string, std::string> files;
    for (const std::string_view line : split_lines(probe.standard_output)) {
      const std::size_t colon = line.find(':');
      const bool is_file =
          colon != std::string_view::npos &&
          std::any_of(kFolders.begin(), kFolders.end(), [line](std::string_view folder) {
            return line.starts_with(folder);
          });
      const std::string_view path = line.substr(0, is_file ? colon : 0);
      if (path.empty() || path.find(' ') != std::string_view::npos || path.ends_with('/')) continue;
      files[std::string{path}] += fmt::format("{}\n", line.substr(colon + 1));
    }
    for (auto& [path, content] : files)
      host.files.try_emplace(path, std::move(content));
  }
}

// What the lab's archive has and some document or back end may lean on.
void copy_packages(
    const NodeName& node,
    const NodeFacts& facts,
    const std::vector<Resource>& resources,
    lab::LabHost& host) {
  std::set<std::string> names{"ifenslave", "opensm"};
  for (const Resource& resource : resources) {
    if (resource.address.node == node && resource.address.kind == kinds::kPackage)
      names.insert(resource.address.name);
  }
  const providers::PackageDatabase database = providers::package_database(facts);
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const providers::InstalledPackage* package = database.find(name);
    if (package != nullptr && package->unfinished.empty()) found.push_back(remote::quote(name));
  }
  if (found.empty()) return;
  host.done_since_boot.emplace_back("apt-get -q update");
  for (const std::string& name : found)
    host.done_since_boot.push_back("apt-get -q -y install " + name);
}

// "/proc/sys/...": value
std::map<std::string, std::string> sysctls_of(const NodeFacts& facts) {
  std::map<std::string, std::string> values;
  const std::string* output = facts.output("sysctl");
  if (output == nullptr) return values;
  for (const std::string_view line : split_lines(*output)) {
    const std::size_t colon = line.find(':');
    if (line.starts_with("/proc/sys/") && colon != std::string_view::npos)
      values.emplace(line.substr(0, colon), line.substr(colon + 1));
  }
  return values;
}

std::map<std::string, providers::IpLink> links_of(const NodeFacts& facts) {
  std::map<std::string, providers::IpLink> links;
  const std::string* output = facts.output("ip-addr");
  const auto parsed = providers::parse_ip_json(output == nullptr ? "" : *output);
  if (!parsed) return links;
  for (const providers::IpLink& link : *parsed) {
    const bool is_card = link.kind.empty() && link.master.empty() && link.link_type != "loopback";
    if (is_card) links.emplace(link.name, link);
  }
  return links;
}

void catch_up_links(
    const NodeFacts& facts, const NodeFacts& copied, std::vector<std::string>& commands) {
  const auto there = links_of(facts);
  for (const auto& [name, copy] : links_of(copied)) {
    const auto found = there.find(name);
    if (found == there.end()) continue;
    const providers::IpLink& link = found->second;
    const std::string device = remote::quote(name);
    if (link.mtu != copy.mtu)
      commands.push_back(fmt::format("ip link set dev {} mtu {}", device, link.mtu));
    if (link.admin_up != copy.admin_up)
      commands.push_back(
          fmt::format("ip link set dev {} {}", device, link.admin_up ? "up" : "down"));
    const auto has = [](const providers::IpLink& of, const providers::IpAddressEntry& address) {
      return std::any_of(of.addresses.begin(), of.addresses.end(), [&](const auto& other) {
        return other.address == address.address;
      });
    };
    for (const providers::IpAddressEntry& address : link.addresses) {
      if (address.family == "inet" && !has(copy, address))
        commands.push_back(fmt::format("ip addr add {} dev {}", address.address, device));
    }
    for (const providers::IpAddressEntry& address : copy.addresses) {
      if (address.family == "inet" && !has(link, address))
        commands.push_back(fmt::format("ip addr del {} dev {}", address.address, device));
    }
  }
}

std::set<std::string> running_managers(const NodeFacts& facts) {
  std::set<std::string> units;
  const std::string* output = facts.output("opensm");
  if (output == nullptr) return units;
  for (const std::string_view line : split_lines(*output)) {
    const auto words = split_words(line);
    if (words.size() >= 3 && words[0] == "unit" && words[2] == "active") units.emplace(words[1]);
  }
  return units;
}

}  // namespace

lab::LabHost copy_host(
    const NodeSpec& node, const NodeFacts& facts, const std::vector<Resource>& resources) {
  lab::LabHost host;
  const std::vector<providers::Card> cards = providers::inventory_of(facts);
  std::string device;
  for (const Resource& resource : resources) {
    if (resource.address.node != node.name || resource.address.kind != kinds::kAdapter) continue;
    const providers::FoundCard found = providers::find_card(cards, resource.binding);
    lab::LabAdapter& adapter = host.adapters[resource.address.name];
    if (found.card == nullptr) {
      adapter.missing = true;
      continue;
    }
    adapter = copy_linux_card(*found.card, facts);
    if (!found.card->ports.empty()) device = found.card->ports.front().netdev;
  }
  const std::string_view wanted = node.network_backend.value == NetworkBackend::automatic
                                      ? "auto"
                                      : to_string(node.network_backend.value);
  constexpr std::array<std::string_view, 6> kPlayed{
      "networkd", "ifupdown", "ifupdown2", "ifcfg", "netplan", "networkmanager"};
  const auto choice = providers::choose_backend(facts, wanted, device);
  const std::string_view backend = choice.backend == nullptr ? "" : choice.backend->name();
  if (std::find(kPlayed.begin(), kPlayed.end(), backend) != kPlayed.end())
    host.backend = std::string{backend};
  copy_tool(facts, host);
  copy_files(facts, host);
  const platform::Identity identity = platform::linux_platform().identity(facts);
  if (!identity.machine_id.empty()) host.files["/etc/machine-id"] = identity.machine_id + "\n";
  if (!identity.boot_id.empty()) host.boot_id = identity.boot_id;
  const auto lldp = facts.probes.find("lldp");
  host.lldpd = lldp != facts.probes.end() && lldp->second.exit_status == 0;
  copy_packages(node.name, facts, resources, host);
  return host;
}

std::vector<std::string> catching_up(const NodeFacts& facts, const NodeFacts& copied) {
  std::vector<std::string> commands;
  const auto there = sysctls_of(facts);
  for (const auto& [path, value] : sysctls_of(copied)) {
    const auto found = there.find(path);
    if (found == there.end() || found->second == value) continue;
    commands.push_back(
        fmt::format("echo {} >{}", remote::quote(found->second), remote::quote(path)));
  }
  catch_up_links(facts, copied, commands);
  const std::set<std::string> run = running_managers(copied);
  for (const std::string& unit : running_managers(facts)) {
    if (!run.contains(unit)) commands.push_back("systemctl enable --now " + remote::quote(unit));
  }
  return commands;
}

}  // namespace fabric::rehearse
