// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/linux_platform.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "engine/base/secrets/redaction.hpp"
#include "engine/base/text.hpp"
#include "engine/platform/pending_boot.hpp"
#include "engine/value/json.hpp"
#include "providers/linux/machine/identity.hpp"
#include "providers/linux/machine/link_probes.hpp"
#include "providers/linux/machine/node_lock.hpp"
#include "providers/linux/machine/paths/path_tests.hpp"
#include "providers/linux/machine/rollback_timer.hpp"
#include "providers/linux/machine/sh/scripts.hpp"
#include "providers/posix/machine/link_state.hpp"
#include "providers/posix/machine/posix_platform.hpp"

namespace fabric::platform {

namespace {

constexpr std::string_view kLinuxPlatformProbe = "session";

// "10.30.0.0/24"; "10.30.0.7" for one host; "default". Nothing for "unreachable", "blackhole".
std::optional<Subnet> destination(std::string_view text, std::string_view client) {
  const bool ipv6 = client.find(':') != std::string_view::npos;
  const std::string_view everywhere = ipv6 ? "::/0" : "0.0.0.0/0";
  const Result<Subnet> subnet = Subnet::of_destination(text == "default" ? everywhere : text);
  return subnet ? std::optional{*subnet} : std::nullopt;
}

constexpr const char* kNoClient = "nothing on the node shows the session's origin";

// The reason in a line "unknown WORD [DEVICE]" of the probe.
std::string reason(const std::vector<std::string_view>& words, const std::string& client) {
  const std::string_view word = words[1];
  const std::string device{words.size() > 2 ? words[2] : "an interface"};
  if (word == "client") return kNoClient;
  if (word == "route") return "no route leads back to " + client;
  if (word == "loopback")
    return "the session comes in over loopback, so a program on the node forwards it";
  if (word == "tunnel")
    return "the session may come in by the tunnel " + device +
           ", and the way to its other end is not known";
  if (word == "openvswitch")
    return "the ports of Open vSwitch beneath " + device + " can't be read";
  return "no port is found beneath " + device;
}

constexpr const char* kFile = "/var/lib/fabric/applied";
constexpr std::string_view kHeader =
    "# fabric: plans of which every action was done here, the newest last.\n";
constexpr Duration kPlatformTimeout{10'000};
// Signatures of older ones are over, and their preconditions hold no more.
constexpr std::size_t kMostPlans = 256;

// The pending changes of a Linux host's next boot (provider/pending_boot.hpp).

Probe pending_boot_probe() {
  return {std::string{kPendingBootProbe}, std::string{sh::probe_pending_boot.text}};
}

// The probes that providers of interfaces and kernel parameters ask for.
constexpr std::string_view kAddressProbe = "ip-addr";
constexpr std::string_view kRouteProbe = "ip-route";
constexpr std::string_view kRuleProbe = "ip-transit";
constexpr std::string_view kSysctlProbe = "sysctl";
constexpr std::string_view kConf = "/proc/sys/net/ipv4/conf/";

// ip writes numbers of tables as texts.
std::uint32_t number_of(const Value& object, std::string_view key) {
  const Value* found = object.find(key);
  if (found == nullptr) return 0;
  std::int64_t number = 0;
  if (found->as_integer() != nullptr) number = *found->as_integer();
  if (found->as_string() != nullptr) number = parse_integer(*found->as_string()).value_or(0);
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(number, 0, 0x7fffffff));
}

bool has_flag(const Value& interface, std::string_view flag) {
  const List& list = interface.member("flags").items();
  return std::any_of(list.begin(), list.end(), [&](const Value& each) {
    return each.as_string() != nullptr && *each.as_string() == flag;
  });
}

void read_addresses(const Value& interface, RoutedInterface& read) {
  for (const Value& each : interface.member("addr_info").items()) {
    if (each.string_or_empty("family") != "inet") continue;
    const std::string local = each.string_or_empty("local");
    const Result<IpAddress> address = IpAddress::parse(local);
    const Result<Subnet> subnet =
        Subnet::of_address(fmt::format("{}/{}", local, number_of(each, "prefixlen")));
    if (address && subnet) read.addresses.push_back({*address, *subnet});
  }
}

std::string_view text_of(const NodeFacts& facts, std::string_view probe) {
  const std::string* text = facts.output(probe);
  return text == nullptr ? std::string_view{} : std::string_view{*text};
}

// "arp_ignore" of "eno1": the larger of its own value and that of all.
class Settings {
 public:
  explicit Settings(const NodeFacts& facts) {
    for (const std::string_view line : split_lines(text_of(facts, kSysctlProbe))) {
      const std::size_t colon = line.rfind(':');
      if (!line.starts_with(kConf) || colon == std::string_view::npos) continue;
      if (const auto value = parse_integer(line.substr(colon + 1)))
        values_.emplace(line.substr(kConf.size(), colon - kConf.size()), *value);
    }
  }

  std::optional<bool> forwards() const {
    const auto found = values_.find("all/forwarding");
    return found == values_.end() ? std::nullopt : std::optional{found->second != 0};
  }

  std::uint32_t of(std::string_view interface, std::string_view key) const {
    const auto value = [&](std::string_view scope) {
      const auto found = values_.find(fmt::format("{}/{}", scope, key));
      return found == values_.end() ? std::int64_t{0} : found->second;
    };
    const std::int64_t counts = std::max(value("all"), value(interface));
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(counts, 0, 255));
  }

 private:
  std::map<std::string, std::int64_t, std::less<>> values_;
};

// A probe prints a list a line.
std::vector<Value> items_of(const NodeFacts& facts, std::string_view probe) {
  std::vector<Value> items;
  for (const std::string_view line : split_lines(text_of(facts, probe))) {
    const Result<Value> list = parse_json(line);
    if (list && list->as_list() != nullptr)
      items.insert(items.end(), list->as_list()->begin(), list->as_list()->end());
  }
  return items;
}

void add_route(const Value& route, std::uint32_t table, HostRouting& routing) {
  if (!route.string_or_empty("gateway").empty() || route.string_or_empty("scope") != "link") return;
  const Result<Subnet> to = Subnet::of_destination(route.string_or_empty("dst"));
  if (!to || to->network().family() != Family::ipv4) return;
  routing.routes.push_back({*to, route.string_or_empty("dev"), table, number_of(route, "metric")});
}

// Adds the rules by source, and the routes of the tables that the probe read.
void add_tables(const NodeFacts& facts, HostRouting& routing) {
  for (const Value& each : items_of(facts, kRuleProbe)) {
    const Value* routes = each.find("routes");
    if (routes == nullptr) {
      const Result<IpAddress> from = IpAddress::parse(each.string_or_empty("src"));
      const bool is_by_source = from && each.find("iif") == nullptr && number_of(each, "table") > 0;
      if (is_by_source) routing.rules.push_back({*from, number_of(each, "table")});
      continue;
    }
    for (const Value& route : routes->items())
      add_route(route, number_of(each, "table"), routing);
  }
}

constexpr int kRefused = 76;
// The script's message in that case, on a line of its own.
constexpr std::string_view kRefusal = "lease lost: ";
// The deadline of steps without one (remote/perform): files, and the copy of an image.
constexpr std::chrono::seconds kFileTakes{60};
constexpr std::chrono::seconds kCopyTakes{600};

std::chrono::seconds longest(const remote::Step& step) {
  if (const auto* run = std::get_if<remote::step::Run>(&step)) {
    return std::chrono::ceil<std::chrono::seconds>(run->command.timeout);
  }
  return std::holds_alternative<remote::step::CopyFile>(step) ? kCopyTakes : kFileTakes;
}

// Non-login shells on Debian lack the sbin folders.
constexpr std::string_view kFolders =
    "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin";
constexpr Duration kAskTimeout{10'000};
// The deadline for a disk that is busy with other work.
constexpr Duration kFlushTimeout{120'000};

class LinuxBootProof final : public BootProof {
 public:
  remote::Argv reboot_command() const override { return {"systemctl", "reboot"}; }

  remote::Step ask() const override {
    return remote::step::Run{
        .command = {{"cat", "/proc/sys/kernel/random/boot_id"}, {}, kAskTimeout},
        .fresh_session = true,
        .reads_only = true};
  }

  // Strict: a banner or a wall message beside the id is no answer.
  std::optional<Boot> boot(const remote::StepResult& result) const override {
    if (result.outcome != remote::Outcome::succeeded || result.output.exit_status != 0)
      return std::nullopt;
    std::string text = result.output.standard_output;
    if (text.ends_with('\n')) text.pop_back();
    if (!is_boot_id(text)) return std::nullopt;
    return Boot{std::move(text)};
  }
};

// A transport with a POSIX shell does these steps by scripts of its own (engine/remote/perform).
class LinuxFileWriter final : public FileWriter {
 public:
  remote::Step write(const remote::step::WriteFile& file) const override { return file; }
  remote::Step copy(const remote::step::CopyFile& file) const override { return file; }
  remote::Step remove(const remote::step::RemoveFile& file) const override { return file; }
};

class LinuxPlatform final : public PosixPlatform {
 public:
  LinuxPlatform() : PosixPlatform{kFolders} {}
  Platform id() const override { return Platform::linux; }

  Probe identity_probe() const override { return platform::identity_probe(); }
  Identity identity(const NodeFacts& facts) const override { return identity_of(facts); }
  std::vector<Probe> own_probes() const override {
    return {link_state_probe(), lldp_probe(), session_probe(), pending_boot_probe()};
  }
  const std::vector<NetDevice>& devices(const NodeFacts& facts) const override {
    return devices_of(facts);
  }
  Result<std::vector<Neighbour>> neighbours(const NodeFacts& facts) const override {
    return lldp_neighbours(facts);
  }
  RoutingReader routing_reader() const override { return &host_routing_of; }
  SessionReader session_reader() const override { return &session_path_of; }

  std::optional<remote::Step> flush_step() const override {
    return remote::step::Run{
        remote::Command{{"sh", "-c", sh::system_flush}, {}, kFlushTimeout}, false};
  }
  bool has_exit_status() const override { return true; }
  std::string_view state_folder() const override { return "/var/lib/fabric"; }

  const FileWriter* file_writer() const override { return &file_writer_; }
  const BootProof* boot_proof() const override { return &boot_proof_; }
  const NodeLock* node_lock() const override { return &node_lock_; }
  const Fencing* fencing() const override { return &fencing_; }
  const RollbackTimer* rollback_timer() const override { return &rollback_timer_; }
  const PlanRecord* plan_record() const override { return &plan_record_; }
  const PathTests* path_tests() const override { return &path_tests_; }

 private:
  LinuxFileWriter file_writer_;
  LinuxBootProof boot_proof_;
  LinuxNodeLock node_lock_;
  LinuxFencing fencing_;
  LinuxRollbackTimer rollback_timer_;
  LinuxPlanRecord plan_record_;
  LinuxPathTests path_tests_;
};

}  // namespace

Probe session_probe() {
  return {std::string{kLinuxPlatformProbe}, std::string{sh::probe_session.text}};
}

SessionPath session_path_of(const NodeFacts& facts) {
  SessionPath path;
  const std::string* text = facts.output(kLinuxPlatformProbe);
  path.unknown = text == nullptr ? "it was not read" : "";
  if (text == nullptr) return path;
  for (const std::string_view line : split_lines(*text)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() > 1 && words[0] == "unknown" && path.unknown.empty())
      path.unknown = reason(words, path.client);
    if (words.size() != 2) continue;
    if (words[0] == "client") path.client = words[1];
    if (words[0] == "route") {
      if (const auto subnet = destination(words[1], path.client)) path.routes.push_back(*subnet);
    }
    if (words[0] != "device") continue;
    if (path.device.empty()) path.device = words[1];
    path.devices.emplace(words[1]);
  }
  if (path.unknown.empty() && path.client.empty()) path.unknown = kNoClient;
  if (path.unknown.empty() && path.devices.empty())
    path.unknown = "no interface is known to have the route back to " + path.client;
  return path;
}

remote::Step LinuxPlanRecord::read() const {
  return remote::step::Run{
      .command =
          {{"sh", "-c", R"sh([ ! -e "$1" ] || cat "$1")sh", "fabric-applied", kFile},
           {},
           kPlatformTimeout},
      .reads_only = true};
}

Result<std::vector<AppliedPlan>> LinuxPlanRecord::plans(const remote::StepResult& result) const {
  const auto unreadable = [](const std::string& why) {
    return Error{ErrorCode::invalid, fmt::format("the record {} can't be read: {}", kFile, why)};
  };
  if (result.output.exit_status != 0)
    return unreadable(fmt::format(
        "exit {}: {}",
        result.output.exit_status,
        trim(without_secrets(result.output.standard_error))));
  std::vector<AppliedPlan> plans;
  for (const std::string_view line : split_lines(result.output.standard_output)) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() != 2 || !words[0].starts_with("sha256:"))
      return unreadable("it has a line that fabric did not write");
    plans.push_back({std::string{words[0]}, std::string{words[1]}});
  }
  return plans;
}

remote::Step LinuxPlanRecord::write(const std::vector<AppliedPlan>& plans) const {
  std::string text{kHeader};
  for (std::size_t i = plans.size() - std::min(plans.size(), kMostPlans); i < plans.size(); ++i)
    text += fmt::format("{} {}\n", plans[i].digest, plans[i].run);
  return remote::step::WriteFile{kFile, std::move(text)};
}

std::optional<HostRouting> host_routing_of(const NodeFacts& facts) {
  const std::vector<Value> interfaces = items_of(facts, kAddressProbe);
  if (interfaces.empty()) return std::nullopt;
  const Settings settings{facts};
  HostRouting routing;
  routing.forwards = settings.forwards();
  std::vector<LinkRoute> derived;
  for (const Value& each : interfaces) {
    const std::string name = each.string_or_empty("ifname");
    RoutedInterface& read = routing.interfaces[name];
    read.up = has_flag(each, "UP");
    if (read.up) read.carrier = has_flag(each, "LOWER_UP");
    read_addresses(each, read);
    read.arp_ignore = settings.of(name, "arp_ignore");
    read.rp_filter = settings.of(name, "rp_filter");
    read.ignores_linkdown = settings.of(name, "ignore_routes_with_linkdown") != 0;
    for (const InterfaceAddress& address : read.addresses)
      derived.push_back({address.subnet, name});
  }
  for (const Value& route : items_of(facts, kRouteProbe))
    add_route(route, 0, routing);
  if (routing.routes.empty()) routing.routes = std::move(derived);
  add_tables(facts, routing);
  return routing;
}

remote::Step LinuxFencing::while_leased(const std::string& run, remote::Step step) const {
  const remote::Argv words{
      "sh",
      "-c",
      sh::fence,
      "fabric-fence",
      run,
      std::to_string(longest(step).count()),
      sh::lock_lengthen};
  if (auto* command = std::get_if<remote::step::Run>(&step)) command->fence = words;
  if (auto* write = std::get_if<remote::step::WriteFile>(&step)) write->fence = words;
  if (auto* copy = std::get_if<remote::step::CopyFile>(&step)) copy->fence = words;
  if (auto* removal = std::get_if<remote::step::RemoveFile>(&step)) removal->fence = words;
  return step;
}

bool LinuxFencing::is_refusal(const remote::StepResult& result) const {
  if (result.outcome != remote::Outcome::succeeded || result.output.exit_status != kRefused)
    return false;
  const std::string& said = result.output.standard_error;
  return said.starts_with(kRefusal) || said.find("\n" + std::string{kRefusal}) != std::string::npos;
}

const HostPlatform& linux_platform() {
  static const LinuxPlatform platform;
  return platform;
}

}  // namespace fabric::platform
