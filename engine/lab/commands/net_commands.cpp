// ethtool lldpcli ping sysctl
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/lab/commands/net_families.hpp"
#include "engine/lab/commands/options.hpp"
#include "engine/lab/host/links.hpp"
#include "engine/lab/host/ports.hpp"

namespace fabric::lab::commands {

int ethtool(Process& process) {
  const Machine& machine = process.machine();
  const std::vector<std::string>& words = process.arguments;
  if (words.size() < 2) return process.fail(1, "bad command line argument(s)");
  const bool has_option = words[1][0] == '-';
  const std::string option = has_option ? words[1] : "";
  const std::string name = has_option ? (words.size() > 2 ? words[2] : "") : words[1];
  const Interface* interface = machine.find_interface(name);
  if (interface == nullptr) {
    process.err(
        "netlink error: no device matches name (offset 24)\nnetlink error: No such device\n");
    return option == "-i" || option == "-P" ? 71 : 1;
  }
  if (option == "-i") {
    std::string driver = "e1000e";
    std::string firmware = "0.5-4";
    std::string bus = "0000:00:1f.6";
    if (interface->card) {
      const Card& card = machine.state.cards[*interface->card];
      driver = card.mlx4() ? "mlx4_en" : card.hardware.driver;
      if (interface->infiniband) driver = card.mlx4() ? "ib_ipoib" : "mlx5_core[ib_ipoib]";
      firmware = card.mlx4() ? card.firmware : fmt::format("{} ({})", card.firmware, card.psid);
      bus = card.function_of(interface->port);
    }
    process.out(fmt::format(
        "driver: {}\nversion: 6.1.0-26-amd64\nfirmware-version: {}\nexpansion-rom-version: "
        "\nbus-info: {}\n"
        "supports-statistics: yes\nsupports-test: yes\nsupports-eeprom-access: "
        "no\nsupports-register-dump: no\nsupports-priv-flags: yes\n",
        driver,
        firmware,
        bus));
    return 0;
  }
  if (option == "-P") {
    process.out(fmt::format("Permanent address: {}\n", interface->permanent_mac));
    return 0;
  }
  if (option == "-m") {
    process.err("netlink error: Operation not supported\n");
    return 1;
  }
  if (!option.empty()) {
    process.err("netlink error: Operation not supported\n");
    return 1;
  }
  const bool linked = interface->up && has_carrier(process.session.network, machine, *interface);
  const std::uint32_t speed =
      interface->card ? 1000 * port_gbps(machine, *interface->card, interface->port) : 1000;
  process.out(fmt::format(
      "Settings for {}:\n\tSupported ports: [ FIBRE ]\n\tSpeed: {}\n\tDuplex: "
      "{}\n\tAuto-negotiation: on\n\tPort: Direct Attach Copper\n\tLink detected: {}\n",
      name,
      linked ? fmt::format("{}Mb/s", speed) : "Unknown!",
      linked ? "Full" : "Unknown! (255)",
      linked ? "yes" : "no"));
  return 0;
}

namespace {

int sysctl_write(Process& process, const SysctlLine& line, const std::string& shown) {
  if (process.machine().state.sysctls.count(line.path) == 0 &&
      line.path.find('*') == std::string::npos) {
    if (line.ignore_errors) return 0;
    return process.fail(
        1, fmt::format("cannot stat /proc/sys/{}: No such file or directory", line.path));
  }
  if (!process.root())
    return process.fail(1, fmt::format("permission denied on key \"{}\"", shown));
  if (!apply_sysctl(process.machine(), line) && !line.ignore_errors) return 1;
  return 0;
}

std::string shown_key(std::string path) {
  for (char& c : path)
    c = c == '/' ? '.' : c == '.' ? '/' : c;
  return path;
}

int sysctl_file(Process& process, const std::vector<SysctlLine>& lines) {
  int status = 0;
  for (const SysctlLine& line : lines) {
    const int one = sysctl_write(process, line, shown_key(line.path));
    if (one == 0) process.out(fmt::format("{} = {}\n", shown_key(line.path), line.value));
    status = std::max(status, one);
  }
  return status;
}

}  // namespace

int sysctl(Process& process) {
  for (std::string& word : process.arguments) {
    if (word == "--load") word = "-p";
  }
  const std::optional<Options> options = parse_options(
      process,
      {.flags = "nwpeaqN",
       .valued = "",
       .long_flags = {"system", "all", "write"},
       .long_valued = {}});
  if (!options) return 1;
  if (options->has("system")) {
    std::string last;
    int status = 0;
    for (const SysctlLine& line : sysctl_lines(process.machine())) {
      if (line.file != last) process.out(fmt::format("* Applying {} ...\n", line.file));
      last = line.file;
      status = std::max(status, sysctl_file(process, {line}));
    }
    return status;
  }
  if (options->has("p")) {
    int status = 0;
    std::vector<std::string> files = options->operands;
    if (files.empty()) files.emplace_back("/etc/sysctl.conf");
    for (const std::string& file : files) {
      const std::optional<std::string> content = process.read_file(file);
      status =
          std::max(status, content ? sysctl_file(process, parse_sysctl_file(file, *content)) : 1);
    }
    return status;
  }
  if (options->has("a") || options->has("all")) {
    for (const auto& [path, value] : process.machine().state.sysctls)
      process.out(fmt::format("{} = {}\n", shown_key(path), value));
    return 0;
  }
  int status = 0;
  for (const std::string& operand : options->operands) {
    const std::size_t equals = operand.find('=');
    const std::string key{trim(operand.substr(0, equals))};
    const std::string path = sysctl_path(key);
    if (equals != std::string::npos) {
      SysctlLine line;
      line.path = path;
      line.value = trim(operand.substr(equals + 1));
      line.ignore_errors = options->has("e");
      const int one = sysctl_write(process, line, key);
      if (one == 0 && !options->has("q"))
        process.out(
            options->has("n") ? line.value + "\n" : fmt::format("{} = {}\n", key, line.value));
      status = std::max(status, one);
      continue;
    }
    const auto found = process.machine().state.sysctls.find(path);
    if (found != process.machine().state.sysctls.end()) {
      process.out(
          options->has("n") ? found->second + "\n" : fmt::format("{} = {}\n", key, found->second));
    } else if (!options->has("e")) {
      status =
          process.fail(1, fmt::format("cannot stat /proc/sys/{}: No such file or directory", path));
    }
  }
  return status;
}

namespace {

struct PingTally {
  std::int64_t sent = 0;
  std::int64_t received = 0;
  std::int64_t errors = 0;
  double milliseconds = 0;
};

Duration seconds_option(const Options& options, const std::string& name, Duration otherwise) {
  const std::string text = options.value(name);
  if (text.empty()) return otherwise;
  const std::size_t point = text.find('.');
  std::string fraction = point == std::string::npos ? "0" : text.substr(point + 1);
  fraction.resize(3, '0');
  return Duration{
      parse_integer(text.substr(0, point)).value_or(0) * 1000 +
      parse_integer(fraction).value_or(0)};
}

void ping_summary(
    Process& process, const std::string& target, const PingTally& tally, Duration took) {
  const std::int64_t lost = tally.sent == 0 ? 0 : (tally.sent - tally.received) * 100 / tally.sent;
  process.out(fmt::format(
      "\n--- {} ping statistics ---\n{} packets transmitted, {} received, {}{}% packet loss, time "
      "{}ms\n",
      target,
      tally.sent,
      tally.received,
      tally.errors > 0 ? fmt::format("+{} errors, ", tally.errors) : "",
      lost,
      took.count()));
  process.out(
      tally.received > 0
          ? fmt::format(
                "rtt min/avg/max/mdev = {0:.3f}/{0:.3f}/{0:.3f}/0.000 ms\n", tally.milliseconds)
          : "\n");
}

std::optional<PingRequest> ping_request(Process& process, const Options& options) {
  PingRequest request;
  const std::string& target = options.operands.front();
  const std::optional<IpPrefix> address = IpPrefix::parse(target);
  if (!address || target.find('/') != std::string::npos) {
    process.fail(2, fmt::format("{}: Name or service not known", target));
    return std::nullopt;
  }
  request.target = *address;
  request.payload =
      static_cast<std::uint32_t>(parse_integer(options.value("s", "56")).value_or(56));
  request.do_not_fragment = options.value("M") == "do";
  if (!options.has("I")) return request;
  const std::string from = options.value("I");
  request.source = IpPrefix::parse(from);
  if (request.source) {
    const auto& interfaces = process.machine().state.interfaces;
    const bool own =
        std::any_of(interfaces.begin(), interfaces.end(), [&](const Interface& interface) {
          return std::any_of(
              interface.addresses.begin(), interface.addresses.end(), [&](const IpPrefix& one) {
                return one.same_address(*request.source);
              });
        });
    if (own) return request;
    process.fail(2, fmt::format("bind: Cannot assign requested address"));
    return std::nullopt;
  }
  if (process.machine().find_interface(from) == nullptr) {
    process.fail(2, fmt::format("unknown iface: {}", from));
    return std::nullopt;
  }
  request.interface = from;
  return request;
}

}  // namespace

int ping(Process& process) {
  const std::optional<Options> options =
      parse_options(process, {.flags = "nq46DOv", .valued = "cWwisMIt"});
  if (!options) return 2;
  if (options->operands.empty())
    return process.fail(1, "usage error: Destination address required");
  const std::optional<PingRequest> request = ping_request(process, *options);
  if (!request) return 2;
  const std::string& target = options->operands.front();
  const std::int64_t count = parse_integer(options->value("c", "1000")).value_or(1);
  const Duration wait = seconds_option(*options, "W", Duration{10'000});
  const Duration interval = seconds_option(*options, "i", Duration{1000});
  const Duration deadline = seconds_option(*options, "w", Duration{1'000'000});
  const Duration start = process.session.elapsed;
  PingTally tally;
  for (std::int64_t sequence = 1; sequence <= count && process.session.step(); ++sequence) {
    const PingResult result = process.session.network.ping(process.machine(), *request);
    if (result.outcome == PingOutcome::no_route)
      return process.fail(2, "connect: Network is unreachable");
    if (sequence == 1) {
      const std::string from =
          !options->has("I") ? "" : fmt::format("from {} {}: ", result.source, request->interface);
      process.out(fmt::format(
          "PING {0} ({0}) {1}{2}({3}) bytes of data.\n",
          target,
          from,
          request->payload,
          request->payload + 28));
    }
    ++tally.sent;
    const bool last = sequence == count;
    switch (result.outcome) {
      case PingOutcome::reply:
        ++tally.received;
        tally.milliseconds = 0.030 + 0.012 * result.hops;
        if (!options->has("q")) {
          process.out(fmt::format(
              "{} bytes from {}: icmp_seq={} ttl=64 time={:.3f} ms\n",
              request->payload + 8,
              target,
              sequence,
              tally.milliseconds));
        }
        process.session.pass(last ? Duration{1} : interval);
        break;
      case PingOutcome::too_long:
        ++tally.errors;
        process.fail(1, fmt::format("local error: message too long, mtu={}", result.mtu));
        process.session.pass(last ? Duration{1} : interval);
        break;
      case PingOutcome::host_unreachable:
        ++tally.errors;
        process.session.pass(std::min(Duration{3000}, wait));
        if (wait >= Duration{3000})
          process.out(fmt::format(
              "From {} icmp_seq={} Destination Host Unreachable\n", result.source, sequence));
        break;
      case PingOutcome::lost:
      case PingOutcome::no_route:
        process.session.pass(last ? wait : interval);
        break;
    }
    if (process.session.elapsed - start >= deadline) break;
  }
  ping_summary(process, target, tally, process.session.elapsed - start);
  return tally.received > 0 ? 0 : 1;
}

namespace {

std::string lldp_item(
    const Machine& machine,
    const Interface& interface,
    const Neighbour& neighbour,
    std::size_t number) {
  const Machine& other = *neighbour.machine;
  const auto far = std::find_if(
      other.state.interfaces.begin(),
      other.state.interfaces.end(),
      [&](const Interface& candidate) {
        return candidate.card == neighbour.card && candidate.port == neighbour.port;
      });
  if (far == other.state.interfaces.end()) return "";
  const std::int64_t days = (machine.now - machine.booted).count() / 86'400'000;
  return fmt::format(
      R"({{"name":"{}","via":"LLDP","rid":"{}","age":"{} days, 00:01:00","chassis":[{{"id":[{{"type":"mac","value":"{}"}}],"name":[{{"value":"{}"}}],"descr":[{{"value":"Debian GNU/Linux 12 (bookworm) Linux 6.1.0-26-amd64"}}],"capability":[{{"type":"Bridge","enabled":false}},{{"type":"Station","enabled":true}}]}}],"port":[{{"id":[{{"type":"mac","value":"{}"}}],"descr":[{{"value":"{}"}}],"ttl":[{{"value":"120"}}]}}]}})",
      interface.name,
      number,
      days,
      other.find_interface("eno1") == nullptr ? far->mac : other.find_interface("eno1")->mac,
      other.state.hostname,
      far->mac,
      far->name);
}

bool runs_lldpd(const Machine& machine) {
  const auto service = machine.state.services.find("lldpd");
  return service != machine.state.services.end() && service->second.active;
}

}  // namespace

int lldpcli(Process& process) {
  const Machine& machine = process.machine();
  std::string format = "plain";
  bool neighbours = false;
  for (std::size_t i = 1; i < process.arguments.size(); ++i) {
    const std::string& word = process.arguments[i];
    if (word == "-f" && i + 1 < process.arguments.size()) format = process.arguments[++i];
    neighbours = neighbours || word.rfind("neighbor", 0) == 0;
  }
  if (!process.root() || !runs_lldpd(machine)) {
    process.err("[lldpctl] unable to connect to lldpd\n");
    return 1;
  }
  if (!neighbours) return 0;
  std::vector<std::string> items;
  std::string plain =
      "-------------------------------------------------------------------------------\nLLDP "
      "neighbors:\n-------------------------------------------------------------------------------"
      "\n";
  for (const Interface& interface : machine.state.interfaces) {
    if (!interface.card || !interface.up || interface.infiniband) continue;
    const std::optional<Neighbour> neighbour =
        process.session.network.neighbour(machine, *interface.card, interface.port);
    if (!neighbour || !runs_lldpd(*neighbour->machine)) continue;
    const Interface* far = nullptr;
    for (const Interface& candidate : neighbour->machine->state.interfaces) {
      if (candidate.card == neighbour->card && candidate.port == neighbour->port && candidate.up)
        far = &candidate;
    }
    if (far == nullptr) continue;
    items.push_back(lldp_item(machine, interface, *neighbour, items.size() + 1));
    plain += fmt::format(
        "Interface:    {}, via: LLDP\n  Chassis:\n    SysName:      {}\n  Port:\n    PortID:       "
        "mac {}\n    PortDescr:    {}\n",
        interface.name,
        neighbour->machine->state.hostname,
        far->mac,
        far->name);
  }
  process.out(
      format == "json0"
          ? fmt::format(R"({{"lldp":[{{"interface":[{}]}}]}})", join(items, ",")) + "\n"
          : plain);
  return 0;
}

}  // namespace fabric::lab::commands
