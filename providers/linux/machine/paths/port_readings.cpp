// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/paths/port_readings.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/text.hpp"
#include "providers/linux/machine/paths/decimal.hpp"
#include "providers/linux/machine/paths/flows.hpp"
#include "providers/linux/machine/paths/ipoib_groups.hpp"
#include "providers/linux/machine/paths/manager_records.hpp"
#include "providers/linux/machine/sh/scripts.hpp"

namespace fabric::platform {

namespace {

constexpr Duration kTimeout{30'000};

// "4: ACTIVE" of sysfs.
std::string_view after_number(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon == std::string_view::npos ? text : trim(text.substr(colon + 1));
}

class Reader {
 public:
  explicit Reader(PortReadings& readings) : readings_{readings} {}

  void line(std::string_view text) {
    // A GID has colons of its own, a path of sysfs has none before its value.
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return;
    const std::vector<std::string_view> path = split(text.substr(0, colon), '/');
    if (path.front().empty()) return;
    const std::string_view value = trim(text.substr(colon + 1));
    if (path.size() == 2 && path[1] == "pci") {
      pci_.emplace(path[0], value);
    } else if (path.size() == 2 && path[1] == "tool") {
      for (const Traffic traffic : {Traffic::rdma, Traffic::tcp}) {
        if (path[0] == measuring_tool(traffic).program) readings_.measurable.insert(traffic);
      }
    } else if (path.size() == 4 && path[1] == "ports" && path[3] == "group") {
      groups_[{std::string{path[0]}, std::string{path[2]}}] += std::string{value} + "\n";
    } else if (path.size() == 4 && path[1] == "ports" && path[3] == "manager") {
      managers_[{std::string{path[0]}, std::string{path[2]}}] += std::string{value} + "\n";
    } else if (path.size() >= 4 && path[1] == "ports") {
      rdma(path, value);
    } else if (path.size() == 3 && path[1] == "flow") {
      count(readings_.flow_control[std::string{path[0]}], path[2], value);
    } else if (path.size() == 2 || (path.size() == 3 && path[1] == "statistics")) {
      count(readings_.interfaces[std::string{path[0]}], path.back(), value);
    }
  }

  void finish() {
    for (auto& [key, port] : ports_) {
      const auto pci = pci_.find(port.device);
      if (pci != pci_.end()) port.pci = last_part(pci->second);
      for (auto& [index, gid] : gids_[key]) {
        if (!gid.address.empty()) port.gids.push_back(std::move(gid));
      }
      const auto groups = groups_.find({port.device, std::to_string(port.number)});
      if (groups != groups_.end()) port.groups = parse_ipoib_groups(groups->second);
      const auto managers = managers_.find({port.device, std::to_string(port.number)});
      if (managers != managers_.end()) port.managers = parse_manager_records(managers->second);
      readings_.rdma.push_back(std::move(port));
    }
  }

 private:
  using Key = std::pair<std::string, std::uint32_t>;

  static void count(Counters& counters, std::string_view name, std::string_view value) {
    if (const auto number = parse_unsigned(value, 10)) counters[std::string{name}] = *number;
  }

  static std::string last_part(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return std::string{slash == std::string_view::npos ? path : path.substr(slash + 1)};
  }

  void rdma(const std::vector<std::string_view>& path, std::string_view value) {
    const auto number = parse_unsigned(path[2], 10);
    if (!number || *number == 0 || *number > 255) return;
    const Key key{std::string{path[0]}, static_cast<std::uint32_t>(*number)};
    RdmaPort& port = ports_[key];
    port.device = key.first;
    port.number = key.second;
    if (path.size() == 4 && path[3] == "link_layer") port.link_layer = std::string{value};
    if (path.size() == 4 && path[3] == "state") port.state = std::string{after_number(value)};
    // "100 Gb/sec (4X EDR)", "2.5 Gb/sec (1X SDR)"
    if (path.size() == 4 && path[3] == "rate")
      port.gbps = parse_decimal(value.substr(0, value.find(' '))).value_or(0);
    if (path.size() == 5 && path[3] == "counters") count(port.counters, path[4], value);
    if (path.size() == 5 && path[3] == "hw_counters") count(port.congestion, path[4], value);
    if (path.size() == 5 && path[3] == "pkeys") pkey(port, value);
    if (path.size() == 5 && path[3] == "gids") gid(key, path[4], &Gid::address, value);
    if (path.size() == 6 && path[4] == "types") gid(key, path[5], &Gid::type, value);
    if (path.size() == 6 && path[4] == "ndevs") gid(key, path[5], &Gid::netdev, value);
  }

  // "0xffff"
  static void pkey(RdmaPort& port, std::string_view value) {
    if (!value.starts_with("0x")) return;
    const auto key = parse_unsigned(value.substr(2), 16);
    if (key && *key > 0 && *key <= 0xffff) port.pkeys.push_back(static_cast<std::uint16_t>(*key));
  }

  void gid(
      const Key& key, std::string_view index, std::string Gid::*field, std::string_view value) {
    const auto number = parse_unsigned(index, 10);
    if (!number || *number > 65'535) return;
    const auto at = static_cast<std::uint32_t>(*number);
    Gid& gid = gids_[key][at];
    gid.index = at;
    gid.*field = std::string{value};
  }

  PortReadings& readings_;
  std::map<Key, RdmaPort> ports_;
  std::map<Key, std::map<std::uint32_t, Gid>> gids_;
  std::map<std::string, std::string, std::less<>> pci_;
  std::map<std::pair<std::string, std::string>, std::string> groups_, managers_;  // of saquery
};

}  // namespace

remote::Command port_readings_command() {
  return {{"sh", "-s"}, std::string{sh::port_readings.text}, kTimeout};
}

PortReadings parse_port_readings(std::string_view text) {
  PortReadings readings;
  Reader reader{readings};
  bool begun = false;
  for (const std::string_view line : split_lines(text)) {
    begun = begun || line == "fabric-ports";
    if (begun) reader.line(line);
  }
  reader.finish();
  if (!begun) readings.why_not = "the node did not answer the script that reads its counters";
  return readings;
}

}  // namespace fabric::platform
