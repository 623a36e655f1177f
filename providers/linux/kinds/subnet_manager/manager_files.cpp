// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/subnet_manager/manager_files.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/opensm_options.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/platform/owned_file.hpp"
#include "providers/infiniband/member_guid.hpp"
#include "providers/infiniband/parsers/partitions_conf.hpp"

namespace fabric::providers {

namespace {

// "0x0123456789abcdef=limited, " of each, and the head of the line.
constexpr std::size_t kMembersOfALine = 100;
static_assert(kMembersOfALine * 30 + 200 < kPartitionLineLimit);

constexpr std::int64_t kIdentity = 0x7fff;

bool is_true(const Map& map, std::string_view key) {
  return value_at(map, key) == Value{true};
}

// IBTA's code of an MTU. OpenSM silently accepts the value itself (mtu=4096) without effect
// (E-opensm-partitions).
int mtu_code(const Map& partition) {
  constexpr std::array<std::int64_t, 5> kBytes{256, 512, 1024, 2048, 4096};
  const std::int64_t* bytes = value_at(partition, "mtu").as_integer();
  for (std::size_t i = 0; bytes != nullptr && i < kBytes.size(); ++i) {
    if (kBytes.at(i) == *bytes) return static_cast<int>(i) + 1;
  }
  return 0;
}

// One line: a definition with some of its members.
struct Line {
  std::string name;
  std::optional<std::uint16_t> pkey;
  bool ipoib = false;
  int mtu = 0;                       // IBTA's code; 0 = none
  std::vector<std::string> members;  // "ALL=full", "0x...=limited"
};

Result<std::string> member_text(const Map& member, const Map& port_guids) {
  std::string who = text_in(member, "who");
  if (who != "ALL" && who != "SELF") who = FABRIC_TRY(member_guid(port_guids, who));
  return fmt::format("{}={}", who, is_true(member, "full") ? "full" : "limited");
}

Result<std::vector<std::string>> member_texts(const Map& partition, const Map& port_guids) {
  std::vector<std::string> texts;
  for (const Value& each : value_at(partition, "members").items()) {
    if (each.as_map() == nullptr) continue;
    texts.push_back(FABRIC_TRY(member_text(*each.as_map(), port_guids)));
  }
  return texts;
}

Result<std::vector<Line>> lines_of(const Map& partition, const Map& port_guids) {
  const std::vector<std::string> members = FABRIC_TRY(member_texts(partition, port_guids));
  Line line;
  line.name = text_in(partition, "name");
  if (const std::int64_t* pkey = value_at(partition, "pkey").as_integer())
    line.pkey = static_cast<std::uint16_t>(*pkey & kIdentity);
  // Flags make the group, once; further lines of the same P_Key only add members.
  line.ipoib = is_true(partition, "ipoib");
  line.mtu = line.ipoib ? mtu_code(partition) : 0;
  std::vector<Line> lines;
  std::size_t next = 0;
  do {
    const std::size_t end = std::min(next + kMembersOfALine, members.size());
    line.members.assign(
        members.begin() + static_cast<std::ptrdiff_t>(next),
        members.begin() + static_cast<std::ptrdiff_t>(end));
    lines.push_back(line);
    line.ipoib = false;
    line.mtu = 0;
    next = end;
  } while (next < members.size());
  return lines;
}

std::string text_of(const Line& line) {
  return fmt::format(
      "{}{}{}{} : {};\n",
      line.name,
      line.pkey ? fmt::format("=0x{:04x}", *line.pkey) : "",
      line.ipoib ? ", ipoib" : "",
      line.mtu == 0 ? "" : fmt::format(", mtu={}", line.mtu),
      join(line.members, ", "));
}

std::string member_text(const PartitionMember& member) {
  return fmt::format(
      "{}={}",
      member.keyword ? std::string{keyword_name(*member.keyword)} : member.port->str(),
      membership_name(member.membership));
}

bool is_line(const Partition& read, const Line& line) {
  const bool has_mtu = line.mtu == 0 ? !read.flags.mtu : read.flags.mtu == line.mtu;
  return read.name == line.name && read.p_key == line.pkey && read.ipoib == line.ipoib && has_mtu &&
         !read.index0 && read.groups.empty() &&
         std::equal(
             read.members.begin(),
             read.members.end(),
             line.members.begin(),
             line.members.end(),
             [](const PartitionMember& member, const std::string& text) {
               return member_text(member) == text;
             });
}

// For a wrong character OpenSM reads other partitions, or none at all.
bool reads_back(const std::string& text, const std::vector<Line>& lines) {
  const Result<PartitionsConf> conf = parse_partitions_conf(text);
  return conf && conf->warnings.empty() &&
         std::equal(
             conf->partitions.begin(), conf->partitions.end(), lines.begin(), lines.end(), is_line);
}

Error not_made(const Resource& resource, const Error& why) {
  return with_context(why, resource.address.str());
}

// Without keys about other ports: OpenSM takes the rest of a long line, comment or not, for a new
// line.
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
    if (const Value* value = resource.wanted(name)) line(key, to_text(*value));
  };
  line("guid", guid.str());
  attribute("priority", "sm_priority");
  attribute("subnet_prefix", "subnet_prefix");
  attribute("routing_engine", "routing_engine");
  const Value* value = resource.wanted("virtualization");
  if (value != nullptr && knows_virtualization)
    line("virt_enabled", value->as_bool() != nullptr && *value->as_bool() ? "2" : "0");
  const Value* options = resource.wanted(kManagerOptions);
  if (options != nullptr && options->as_map() != nullptr) {
    for (const auto& [name, option] : *options->as_map())
      line(name, opensm_text(option));
  }
  if (resource.wanted("roots") != nullptr) line("root_guid_file", paths.roots);
  if (resource.wanted("io") != nullptr) line("io_guid_file", paths.io);
  line("partition_config_file", paths.partitions);
  line("log_file", fmt::format("/var/log/opensm.fabric-{}.log", resource.address.name));
  // Without it a line may wait in memory for ever, and a reader of the log sees no "SUBNET UP".
  line("force_log_flush", "TRUE");
  return text;
}

std::string unit_text(const Resource& resource, const ManagerPaths& paths) {
  const std::string cache = "/var/cache/opensm/fabric-" + resource.address.name;
  // Two OpenSMs that start at once race for their cache folder, and one dies: each gets its own.
  // OpenSM ends if its port is missing; it is started again until the port is there.
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
                                              "ExecReload=/bin/kill -HUP $MAINPID\n"
                                              "ExecReload=/bin/cp {4} {2}/\n"
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
  for (const Value& port : ports.items())
    if (guids.contains(to_text(port))) known.push_back(port);
  return known;
}

// One GUID a line, from `guids` of each name: for switches their node GUIDs (roots), for hosts
// those of their ports (I/O nodes). OpenSM silently skips a GUID of the other kind (opensm(8)).
Result<std::string> guid_list(const Resource& resource, const Value& names, const Map& guids) {
  std::string text = owned_marker(resource.address);
  for (const Value& name : names.items()) {
    const Result<std::string> guid = member_guid(guids, to_text(name));
    if (!guid) return not_made(resource, guid.error());
    text += *guid + "\n";
  }
  return text;
}

}  // namespace

Result<std::string> partitions_text(const Value& partitions, const Map& port_guids) {
  std::string text;
  for (const Value& each : partitions.items()) {
    if (each.as_map() == nullptr) continue;
    const std::vector<Line> lines = FABRIC_TRY(lines_of(*each.as_map(), port_guids));
    std::string own;
    for (const Line& line : lines)
      own += text_of(line);
    if (!reads_back(own, lines)) {
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "partition '{}' can't be written: OpenSM would read '{}' as something else",
              lines.front().name,
              trim(own))};
    }
    text += own;
  }
  return text;
}

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
  const Value* partitions = resource.wanted(kPartitions);
  const Map guids = resource.bound_map(keys::kPortGuids);
  const bool leaves_out = !resource.binding.contains(keys::kPartlyRead);
  const Value wished = partitions == nullptr ? Value{} : *partitions;
  const Value members = leaves_out ? known_members(wished, guids).partitions : wished;
  Result<std::string> text = partitions_text(members, guids);
  if (!text) return not_made(resource, text.error());
  files.emplace(
      paths.partitions, owned_marker(resource.address) + *text + notes_of_members(members, guids));
  if (const Value* roots = resource.wanted("roots")) {
    const Map switches = resource.bound_map(keys::kNodeGuids);
    files.emplace(paths.roots, FABRIC_TRY(guid_list(resource, *roots, switches)));
  }
  if (const Value* ports = resource.wanted("io"))
    files.emplace(
        paths.io,
        FABRIC_TRY(guid_list(resource, leaves_out ? known_ports(*ports, guids) : *ports, guids)));
  return files;
}

}  // namespace fabric::providers
