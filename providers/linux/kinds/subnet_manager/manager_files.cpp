// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/subnet_manager/manager_files.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/model/opensm_options.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/peers.hpp"
#include "providers/infiniband/member_guid.hpp"
#include "providers/linux/kinds/subnet_manager/partitions_text.hpp"

namespace fabric::providers {

namespace {

// Null: not wanted, or not any more.
const Value* wanted(const Resource& resource, std::string_view attribute) {
  const auto found = resource.desired.find(attribute);
  if (found == resource.desired.end() || found->second.value.is_null()) return nullptr;
  return &found->second.value;
}

Map map_of(const Resource& resource, std::string_view key) {
  const auto found = resource.binding.find(key);
  const Map* map = found == resource.binding.end() ? nullptr : found->second.as_map();
  return map == nullptr ? Map{} : *map;
}

Error not_made(const Resource& resource, const Error& why) {
  return with_context(why, resource.address.str());
}

// Without what is about others: OpenSM takes the rest of a long line, comment or not, for a new
// one.
std::string marker_of(Resource resource) {
  for (const std::string_view about_others :
       {keys::kPeers,
        keys::kPortGuids,
        keys::kDeclaredGuids,
        keys::kManagers,
        keys::kNodeGuids,
        keys::kPartlyRead}) {
    const auto found = resource.binding.find(about_others);
    if (found != resource.binding.end()) resource.binding.erase(found);
  }
  // Nor what may be dropped.
  const auto adopts = resource.binding.find(keys::kAdopt);
  if (adopts != resource.binding.end()) resource.binding[std::string{keys::kAdopt}] = true;
  return owned_marker(resource);
}

std::string options_text(
    const Resource& resource, const ManagerPaths& paths, Guid guid, bool knows_virtualization) {
  std::string text = marker_of(resource);
  const auto line = [&](std::string_view key, std::string_view value) {
    text += fmt::format("{} {}\n", key, value);
  };
  const auto attribute = [&](std::string_view name, std::string_view key) {
    if (const Value* value = wanted(resource, name)) line(key, to_text(*value));
  };
  line("guid", guid.str());
  attribute("priority", "sm_priority");
  attribute("subnet_prefix", "subnet_prefix");
  attribute("routing_engine", "routing_engine");
  const Value* value = wanted(resource, "virtualization");
  if (value != nullptr && knows_virtualization)
    line("virt_enabled", value->as_bool() != nullptr && *value->as_bool() ? "2" : "0");
  const Value* options = wanted(resource, kManagerOptions);
  if (options != nullptr && options->as_map() != nullptr) {
    for (const auto& [name, option] : *options->as_map())
      line(name, opensm_text(option));
  }
  if (wanted(resource, "roots") != nullptr) line("root_guid_file", paths.roots);
  if (wanted(resource, "io") != nullptr) line("io_guid_file", paths.io);
  line("partition_config_file", paths.partitions);
  line("log_file", fmt::format("/var/log/opensm.fabric-{}.log", resource.address.name));
  // Without it a line may wait in memory for ever, and a reader of the log sees no "SUBNET UP".
  line("force_log_flush", "TRUE");
  return text;
}

std::string unit_text(const Resource& resource, const ManagerPaths& paths) {
  const std::string cache = "/var/cache/opensm/fabric-" + resource.address.name;
  // Two that start at once race for their cache folder, and one dies: each has its own. A port that
  // is not there yet ends the process; it is tried again until it is.
  return owned_marker(resource.address) + fmt::format(
                                              "[Unit]\n"
                                              "Description=OpenSM {0}, by fabric\n"
                                              "StartLimitIntervalSec=0\n"
                                              "\n"
                                              "[Service]\n"
                                              "Type=simple\n"
                                              "Environment=OSM_CACHE_DIR={1} OSM_TMP_DIR={1}\n"
                                              "ExecStartPre=/bin/mkdir -p {1} {2}\n"
                                              "ExecStartPre=/bin/cp {3} {4} {2}/\n"
                                              "ExecStart=/usr/sbin/opensm --config {3}\n"
                                              "Restart=always\n"
                                              "RestartSec=3\n",
                                              resource.address.name,
                                              cache,
                                              paths.running_folder,
                                              paths.options,
                                              paths.partitions);
}

// "systemctl enable" would not do: nothing wants network-online.target, and at boot the units of
// multi-user.target are looked at before ib_umad is loaded.
std::string rule_text(const Resource& resource, const ManagerPaths& paths) {
  return owned_marker(resource.address) +
         fmt::format(
             "SUBSYSTEM==\"infiniband_mad\", KERNEL==\"umad*\", TAG+=\"systemd\", "
             "ENV{{SYSTEMD_WANTS}}+=\"{}\"\n",
             paths.unit_name);
}

// A node that is off does no I/O.
Value known_ports(const Value& ports, const Map& guids) {
  List known;
  for (const Value& port : ports.as_list() == nullptr ? List{} : *ports.as_list())
    if (guids.contains(to_text(port))) known.push_back(port);
  return known;
}

// One GUID a line, by `guids` of each name: of switches their node GUIDs (roots), of hosts those of
// their ports (I/O nodes). OpenSM skips one of the other kind without a word (opensm(8)).
Result<std::string> guid_list(const Resource& resource, const Value& names, const Map& guids) {
  std::string text = owned_marker(resource.address);
  const List* list = names.as_list();
  for (const Value& name : list == nullptr ? List{} : *list) {
    const Result<std::string> guid = member_guid(guids, to_text(name));
    if (!guid) return not_made(resource, guid.error());
    text += *guid + "\n";
  }
  return text;
}

}  // namespace

std::string ManagerPaths::running(const std::string& path) const {
  return running_folder + path.substr(path.rfind('/'));
}

ManagerPaths manager_paths(const ResourceAddress& address) {
  const std::string base = "/etc/opensm/fabric-" + address.name;
  const std::string unit = "fabric-opensm-" + address.name;
  return {
      base + ".conf",
      base + ".partitions",
      base + ".roots",
      base + ".io",
      "/etc/systemd/system/" + unit + ".service",
      "/etc/udev/rules.d/95-" + unit + ".rules",
      "/run/fabric/opensm-" + address.name,
      unit + ".service"};
}

bool is_service_guard(std::string_view path) {
  return std::find(kServiceGuards.begin(), kServiceGuards.end(), path) != kServiceGuards.end();
}

std::string service_guard_text(std::string_view path) {
  return fmt::format(
      "# managed by fabric: its own units run OpenSM on this node\n"
      "[Unit]\n"
      "ConditionPathExists=!{}\n",
      path);
}

Result<std::map<std::string, std::string>> manager_files(
    const Resource& resource, Guid guid, bool knows_virtualization) {
  const ManagerPaths paths = manager_paths(resource.address);
  std::map<std::string, std::string> files{
      {paths.options, options_text(resource, paths, guid, knows_virtualization)},
      {paths.unit, unit_text(resource, paths)},
      {paths.rule, rule_text(resource, paths)}};
  for (const std::string_view guard : kServiceGuards)
    files.emplace(guard, service_guard_text(guard));
  const Value* partitions = wanted(resource, kPartitions);
  const Map guids = map_of(resource, keys::kPortGuids);
  const bool leaves_out = !resource.binding.contains(keys::kPartlyRead);
  const Value wished = partitions == nullptr ? Value{} : *partitions;
  const Value members = leaves_out ? known_members(wished, guids).partitions : wished;
  Result<std::string> text = partitions_text(members, guids);
  if (!text) return not_made(resource, text.error());
  files.emplace(
      paths.partitions, owned_marker(resource.address) + *text + notes_of_members(members, guids));
  if (const Value* roots = wanted(resource, "roots")) {
    const Map switches = map_of(resource, keys::kNodeGuids);
    files.emplace(paths.roots, FABRIC_TRY(guid_list(resource, *roots, switches)));
  }
  if (const Value* ports = wanted(resource, "io"))
    files.emplace(
        paths.io,
        FABRIC_TRY(guid_list(resource, leaves_out ? known_ports(*ports, guids) : *ports, guids)));
  return files;
}

}  // namespace fabric::providers
