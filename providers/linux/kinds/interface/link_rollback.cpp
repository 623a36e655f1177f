// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/link_rollback.hpp"

#include <algorithm>

#include "providers/linux/kinds/port/port_interface.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"

namespace fabric::providers {

namespace {

constexpr const char* kDeleteAfterBoot =
    R"sh([ ! -e "/sys/class/net/$1" ] || ip link delete dev "$1")sh";

// With the present names: the document's may be in force only after the boot that is rolled back.
LinkTarget as_called_now(const FoundLink& link) {
  LinkTarget target = link.target;
  if (target.kind == LinkKind::port && target.name != link.device) target.name_file.reset();
  if (target.kind == LinkKind::port) target.name = link.device;
  for (Slave& slave : target.slaves) {
    if (!slave.port->netdev.empty()) slave.name = slave.port->netdev;
  }
  return target;
}

// The configuration that a file would need for the running state. Nullopt: nothing is configured,
// or the state is unknown.
std::optional<LinkConfig> running_config(
    const Change& change,
    const Observation& observation,
    const FoundLink& link,
    const LinkTarget& target) {
  if (link.device.empty()) return std::nullopt;
  Resource now = change.resource;
  for (auto& [name, desired] : now.desired.edit()) {
    const auto observed = observation.attributes.find(name);
    if (observed == observation.attributes.end() || !observed->second.running) continue;
    const Reading& reading = *observed->second.running;
    if (reading.is_unknown()) return std::nullopt;
    desired.value = reading.value() == nullptr ? Value{} : *reading.value();
  }
  LinkConfig config = config_of(now, target);
  const bool plain = target.kind == LinkKind::port;
  if (plain && config.addresses.empty() && config.master.empty()) return std::nullopt;
  return config;
}

std::vector<ConfigFile> files_of(
    const NetworkBackend& backend, const LinkTarget& target, const LinkConfig& config) {
  std::vector<ConfigFile> files = backend.render(target, config);
  if (target.name_file) files.push_back({target.name_file->path, target.name_file->content});
  return files;
}

}  // namespace

TakenBack take_back_unconfirmed(
    const Change& change,
    const Observation& observation,
    const LinkOnNode& on_node,
    const FileTexts& files) {
  const auto& [link, links, backend] = on_node;
  TakenBack back;
  if (!change.activates() || change.kind == ChangeKind::remove) return back;
  const LinkTarget target = as_called_now(link);
  const auto running = running_config(change, observation, link, target);
  const std::vector<ConfigFile> now =
      running ? files_of(backend, target, *running) : std::vector<ConfigFile>{};
  const auto find = [](const std::vector<ConfigFile>& list, const std::string& path) {
    return std::find_if(
        list.begin(), list.end(), [&path](const ConfigFile& each) { return each.path == path; });
  };
  const std::vector<ConfigFile> wanted =
      files_of(backend, link.target, config_of(change.resource, link.target));
  bool waits = false;
  for (const ConfigFile& file : wanted) {
    const auto there = files.find(file.path);
    if (there == files.end() || there->second != file.content) continue;
    waits = true;
    const auto former = find(now, file.path);
    if (former == now.end()) {
      back.removes.push_back(file.path);
    } else if (former->content != file.content) {
      back.writes.push_back(*former);
    }
  }
  // For files that are named like the interface.
  for (const ConfigFile& file : now) {
    if (waits && find(wanted, file.path) == wanted.end()) back.writes.push_back(file);
  }
  return back;
}

remote::Argv empty_after_boot(const LinkTarget& target) {
  if (target.kind != LinkKind::port) return {"sh", "-c", kDeleteAfterBoot, "fabric", target.name};
  return at_interface_of(*target.card, *target.port, target.infiniband, sh::port_interface_empty);
}

std::vector<remote::Argv> set_back(const Change& change, const FoundLink& link) {
  std::vector<remote::Argv> commands;
  if (link.target.kind != LinkKind::port || link.device.empty()) return commands;
  for (const AttributeChange& each : change.attributes) {
    const Value* former = each.observed.running ? each.observed.running->value() : nullptr;
    if (!each.activate || former == nullptr) continue;
    if (each.attribute == "ipoib_mode") {
      commands.push_back({"sh", "-c", kSetIpoibMode, "fabric", link.device, to_text(*former)});
    } else if (each.attribute == "mtu") {
      commands.push_back({"ip", "link", "set", "dev", link.device, "mtu", to_text(*former)});
    }
  }
  return commands;
}

}  // namespace fabric::providers
