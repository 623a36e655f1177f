// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/paths/path_tests.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/machine/link/link_readings.hpp"
#include "providers/linux/machine/paths/flows.hpp"
#include "providers/linux/machine/paths/subnet_records.hpp"
#include "providers/linux/machine/sh/scripts.hpp"
#include "providers/posix/machine/ping_script.hpp"

namespace fabric::platform {

namespace {

constexpr std::string_view kRecord = "MCMember Record dump";
constexpr std::uint16_t kIdentity = 0x7fff;
// The upper two bits of a code say "greater", "less" or "exactly" (E-ib-saquery-codes).
constexpr std::uint64_t kCode = 0x3f;

bool is_ipoib_broadcast(std::string_view mgid) {
  return mgid.starts_with("ff1") && mgid.find(":401b:") != std::string_view::npos &&
         mgid.ends_with(":ffff:ffff");
}

std::uint32_t bytes_of(std::uint64_t mtu_code) {
  const std::uint64_t code = mtu_code & kCode;
  return code >= 1 && code <= 5 ? 128U << code : 0;
}

// "mtu.....................0x85"
std::optional<IpoibGroup> broadcast_group(const SubnetRecord& record) {
  bool broadcast = false;
  IpoibGroup group;
  for (const auto& [key, value] : record) {
    if (key == "MGID") broadcast = is_ipoib_broadcast(value);
    if (!value.starts_with("0x")) continue;
    const auto number = parse_unsigned(value.substr(2), 16);
    if (!number) continue;
    if (key == "mtu") group.mtu = bytes_of(*number);
    if (key == "pkey") group.pkey = static_cast<std::uint16_t>(*number & kIdentity);
  }
  return broadcast ? std::optional{group} : std::nullopt;
}

constexpr Duration kPortReadingsTimeout{30'000};

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

// The script that closes a port of a bond on a Linux host, and what its output says.

constexpr double kPingInterval = 0.2;
constexpr Duration kTakes{90'000};

std::uint32_t number_before(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) return 0;
  const auto number = parse_unsigned(trim(text.substr(0, at)), 10);
  return number ? static_cast<std::uint32_t>(std::min<std::uint64_t>(*number, 1'000'000)) : 0;
}

// "64 bytes from 10.30.0.2: icmp_seq=5 ttl=64 time=0.4 ms", "60 packets transmitted, 58 received"
void read_ping(PingReplies& replies, std::string_view line) {
  constexpr std::string_view kSequence = "seq=";
  const std::size_t at = line.find(kSequence);
  if (at != std::string_view::npos && line.find("bytes from") != std::string_view::npos) {
    const std::vector<std::string_view> words = split_words(line.substr(at + kSequence.size()));
    const auto number = words.empty() ? std::nullopt : parse_unsigned(words.front(), 10);
    if (number && *number < 1'000'000) replies.sequence.insert(static_cast<std::uint32_t>(*number));
  }
  replies.sent = std::max(replies.sent, number_before(line, " packets transmitted"));
}

void read_line(PortClosingAnswer& output, std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  if (words.empty()) return;
  if (words[0] == "fabric-ping" && words.size() > 2) {
    const std::size_t rest = line.find(words[1]) + words[1].size();
    read_ping(output.pings[std::string{words[1]}], line.substr(rest));
  } else if (words[0] == "fabric-sent" && words.size() == 4) {
    const std::uint64_t number = parse_unsigned(words[3], 10).value_or(0);
    if (words[1] == "start") output.sent_at_first[std::string{words[2]}] = number;
    if (words[1] == "open") output.sent_open[std::string{words[2]}] = number;
  } else if (words[0] == "fabric-untested") {
    output.untested = trim(line.substr(words[0].size()));
  } else if (words[0] == "fabric-keeps-link") {
    output.keeps_link = true;
  } else if (words[0] == "fabric-stays-down") {
    output.stays_down = true;
  } else if (words[0] == "fabric-end") {
    output.complete = true;
  }
}

// POSIX sh, ping; bash for many flows. The port comes up again by a process that waits for that.
remote::Command port_closing_command(const PortClosing& closing) {
  remote::Argv argv{"sh", "-s", closing.bond, closing.interface, join(closing.others, " ")};
  argv.insert(argv.end(), closing.targets.begin(), closing.targets.end());
  return {std::move(argv), std::string{sh::port_closing.text}, kTakes};
}

PortClosingAnswer parse_port_closing(const remote::CommandOutput& output) {
  PortClosingAnswer answer;
  answer.ping_interval = kPingInterval;
  for (const std::string_view line : split_lines(output.standard_output))
    read_line(answer, line);
  return answer;
}

// The pings of one Linux host.

constexpr int kAnswerSeconds = 1;

class LinuxPing final : public PingTool {
 public:
  remote::Argv command(const Ping& ping, bool full) const override {
    remote::Argv argv{"ping"};
    if (is_ipv6(ping)) argv.emplace_back("-6");
    argv.insert(
        argv.end(),
        {"-n", "-c", "1", "-W", std::to_string(kAnswerSeconds), "-I", ping.from_interface});
    if (full)
      argv.insert(argv.end(), {"-M", "do", "-s", std::to_string(ping.mtu - header_bytes(ping))});
    argv.push_back(ping.to_address);
    return argv;
  }
  bool has_exit_status() const override { return true; }

  PingJudgement judge(const PingOutput& output) const override {
    if (*output.exit_status == 0) return {Passage::passed, {}};
    constexpr int kNotFound = 127;
    if (*output.exit_status == kNotFound) return {Passage::untested, "ping is not installed"};
    // BusyBox has no -M; iputils prints "invalid option" for missing ones.
    if (contains(output, "invalid option") || contains(output, "unrecognized option")) {
      return {
          Passage::untested,
          "this ping has no -M (BusyBox), so whether the full MTU passes is unknown"};
    }
    if (contains(output, "operation not permitted") || contains(output, "permission denied")) {
      return {Passage::untested, complaint(output)};
    }
    return {Passage::lost, complaint(output)};
  }
};

// iputils or BusyBox. It has no state.
const PingTool& linux_ping() {
  static const LinuxPing ping;
  return ping;
}

remote::Step run(remote::Command command) {
  return remote::step::Run{.command = std::move(command), .reads_only = true};
}

}  // namespace

std::optional<std::vector<IpoibGroup>> parse_ipoib_groups(std::string_view text) {
  const auto records = read_subnet_records(text, kRecord);
  if (!records) return std::nullopt;
  std::vector<IpoibGroup> groups;
  for (const SubnetRecord& record : *records) {
    if (const auto group = broadcast_group(record)) groups.push_back(*group);
  }
  return groups;
}

remote::Command port_readings_command() {
  return {{"sh", "-s"}, std::string{sh::port_readings.text}, kPortReadingsTimeout};
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

remote::Step LinuxPathTests::ping(std::span<const Ping> pings) const {
  return run(ping_command(linux_ping(), pings, "/usr/sbin:/sbin"));
}

std::vector<PingAnswer> LinuxPathTests::ping_answers(
    std::span<const Ping> pings, const remote::StepResult& result) const {
  return platform::ping_answers(linux_ping(), pings, result.output);
}

remote::Step LinuxPathTests::read_ports() const {
  return run(port_readings_command());
}

PortReadings LinuxPathTests::port_readings(const remote::StepResult& result) const {
  return parse_port_readings(result.output.standard_output);
}

remote::Step LinuxPathTests::read_links() const {
  return run(link_readings_command());
}

LinkReadings LinuxPathTests::link_readings(const remote::StepResult& result) const {
  return parse_link_readings(result.output.standard_output);
}

remote::Step LinuxPathTests::look_at_subnets() const {
  return run(subnet_looks_command());
}

SubnetLooks LinuxPathTests::subnet_looks(
    const NodeName& node, const remote::StepResult& result) const {
  return parse_subnet_looks(node, result.output);
}

MeasuringTool LinuxPathTests::tool(Traffic traffic) const {
  return measuring_tool(traffic);
}

remote::Step LinuxPathTests::serve(const FlowOrder& order) const {
  return run(server_command(order));
}

remote::Step LinuxPathTests::send(const FlowOrder& order) const {
  return run(client_command(order));
}

FlowAnswer LinuxPathTests::flow_answer(Traffic traffic, const remote::StepResult& client) const {
  return parse_client(traffic, client.output);
}

std::string LinuxPathTests::serving_failure(const remote::StepResult& server) const {
  return parse_server(server.output);
}

remote::Step LinuxPathTests::close_port(const PortClosing& closing) const {
  return remote::step::Run{.command = port_closing_command(closing)};
}

PortClosingAnswer LinuxPathTests::closing_answer(const remote::StepResult& result) const {
  return parse_port_closing(result.output);
}

// Unit and options as the kind `subnet_manager` names them.
remote::Step LinuxPathTests::stop_manager(const ManagerStopping& stopping) const {
  const auto seconds = [](Duration time) {
    return std::to_string(time.count() / 1000);
  };
  remote::Argv argv{
      "sh",
      "-s",
      fmt::format("fabric-opensm-{}.service", stopping.name),
      fmt::format("/etc/opensm/fabric-{}.conf", stopping.name),
      seconds(stopping.takes),
      seconds(stopping.again)};
  return remote::step::Run{
      .command = {
          std::move(argv),
          std::string{sh::manager_stopping.text},
          stopping.takes + stopping.again + kTakes}};
}

// "fabric-taken 38 0x2c903000e0b73", "fabric-again 4"
ManagerStoppingAnswer LinuxPathTests::stopping_answer(const remote::StepResult& result) const {
  ManagerStoppingAnswer answer;
  for (const std::string_view line : split_lines(result.output.standard_output)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.empty()) continue;
    if (words[0] == "fabric-untested") answer.untested = trim(line.substr(words[0].size()));
    if (words[0] == "fabric-taken" && words.size() == 3) {
      answer.taken = parse_integer(words[1]);
      answer.by = words[2];
    }
    answer.stays_down = answer.stays_down || words[0] == "fabric-stays-down";
    answer.again = answer.again || words[0] == "fabric-again";
    answer.complete = answer.complete || words[0] == "fabric-end";
  }
  return answer;
}

}  // namespace fabric::platform
