// SPDX-License-Identifier: Apache-2.0
#include "engine/description/foreign/cabling.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/description/foreign/reading.hpp"
#include "engine/model/node_set_text.hpp"
#include "engine/model/switch_port.hpp"
#include "engine/subnet/node_description.hpp"

namespace fabric::description {

namespace {

constexpr std::string_view kDigits = "0123456789";
// How ports of hosts begin, in lower case.
constexpr std::array<std::string_view, 9> kHostPortWords{
    "ib port", "hca", "mlx", "eth", "ens", "enp", "eno", "ibp", "ibs"};
// A device with more ports than that is taken for a switch.
constexpr std::size_t kMostHostPorts = 8;

std::vector<std::string> numbers_of(std::string_view text) {
  std::vector<std::string> numbers;
  for (std::size_t at = text.find_first_of(kDigits); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_not_of(kDigits, at), text.size());
    numbers.emplace_back(text.substr(at, end - at));
    at = text.find_first_of(kDigits, end);
  }
  return numbers;
}

// "cx5/P1", as `fabric export` writes a port of a host. No switch names a port so: for ibdm's
// "L1/P1" the file itself says that it is a switch.
std::optional<HostPort> exported_port_of(std::string_view port) {
  const std::size_t slash = port.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return std::nullopt;
  const std::string_view number = port.substr(slash + 1);
  if (number != "P1" && number != "P2") return std::nullopt;
  const std::string adapter{port.substr(0, slash)};
  if (safe_name(adapter) != adapter) return std::nullopt;
  return HostPort{adapter, std::string{number.substr(1)}};
}

// Gives each device and port of a cabling its name in the document.
class Namer {
 public:
  explicit Namer(const Cabling& cabling) : cabling_{cabling} {
    for (const auto& [name, device] : cabling.devices)
      add(name);
    for (const ForeignCable& cable : cabling.cables) {
      for (const ForeignEnd* end : {&cable.a, &cable.b}) {
        add(end->device);
        ports_[end->device].insert(end->port);
      }
    }
    for (const auto& [device, ports] : ports_)
      name_ports(device, ports);
  }

  const std::map<std::string, std::string>& names() const { return names_; }
  const std::string& name(const std::string& device) const { return names_.at(device); }
  const End& end(const ForeignEnd& end) const { return ends_.at({end.device, end.port}); }
  // Notes on names that differ from those in the source.
  std::vector<std::string> notes(const std::string& device) const {
    const auto found = notes_.find(device);
    return found == notes_.end() ? std::vector<std::string>{} : found->second;
  }

  bool is_switch(const std::string& device) const {
    const auto told = cabling_.devices.find(device);
    if (told != cabling_.devices.end() && told->second.is_switch) return *told->second.is_switch;
    const auto ports = ports_.find(device);
    if (ports == ports_.end()) return false;
    const auto tells_switch = [](const std::string& port) {
      const std::string lower = to_lower(port);
      const auto native = SwitchPort::parse(lower);  // "sw1p2": no host has such
      const bool is_native = native && native->form != SwitchPort::Form::numbers;
      return is_native || lower.starts_with("swp") || lower.starts_with("blade") ||
             lower.starts_with("port ") || lower.find('/') != std::string::npos;
    };
    const auto tells_host = [](const std::string& port) {
      if (exported_port_of(port)) return true;
      const std::string lower = to_lower(port);
      if (lower.starts_with("ethernet")) return false;
      return std::ranges::any_of(
          kHostPortWords, [&lower](std::string_view word) { return lower.starts_with(word); });
    };
    const std::set<std::string>& all = ports->second;
    if (std::ranges::any_of(all, tells_host)) return false;
    if (lanes_of(all) != 0) return true;
    return all.size() > kMostHostPorts || std::ranges::any_of(all, tells_switch) ||
           has_large_number(all);
  }

 private:
  // "Ethernet4" of SONiC, which counts lanes from 0.
  static std::optional<std::int64_t> lane_of(const std::string& port) {
    constexpr std::string_view kWord = "Ethernet";
    return port.starts_with(kWord) ? parse_integer(port.substr(kWord.size())) : std::nullopt;
  }

  // How many lanes a port has where these are SONiC's names, else 0. Where the names leave it open
  // it is four, as most of its switches have.
  static std::int64_t lanes_of(const std::set<std::string>& ports) {
    std::int64_t common = 0;
    for (const std::string& port : ports) {
      const auto lane = lane_of(port);
      if (!lane) return 0;
      common = std::gcd(common, *lane);
    }
    constexpr std::int64_t kUsual = 4;
    const bool is_counted =
        ports.contains("Ethernet0") || (ports.size() > 1 && common % kUsual == 0);
    if (!is_counted) return 0;
    return common % kUsual == 0 ? kUsual : std::gcd(common, kUsual);
  }

  static bool has_large_number(const std::set<std::string>& ports) {
    return std::ranges::any_of(ports, [](const std::string& port) {
      const std::vector<std::string> numbers = numbers_of(port);
      return !numbers.empty() && parse_integer(numbers.back()).value_or(0) > 2;
    });
  }

  void add(const std::string& device) {
    if (names_.contains(device)) return;
    std::string name = safe_name(device);
    for (std::size_t number = 2; !taken_.insert(name).second; ++number)
      name = fmt::format("{}-{}", safe_name(device), number);
    if (name != device) notes_[device].push_back(fmt::format("the source calls it '{}'", device));
    names_.emplace(device, std::move(name));
  }

  void name_ports(const std::string& device, const std::set<std::string>& ports) {
    const bool on_switch = is_switch(device);
    const std::int64_t lanes = on_switch ? lanes_of(ports) : 0;
    std::vector<std::string> in_order{ports.begin(), ports.end()};
    std::ranges::sort(in_order, natural_less);
    std::set<std::string> taken;
    std::vector<std::string> without;
    for (const std::string& port : in_order) {
      End end{names_.at(device), "", ""};
      if (lanes != 0) {
        end.port = std::to_string(*lane_of(port) / lanes + 1);
        if (port == in_order.back())
          notes_[device].push_back(
              fmt::format("by {} lanes a port its '{}' is port {}", lanes, port, end.port));
      } else if (on_switch) {
        end.port = switch_port_of(port).value_or("");
      } else {
        HostPort found = host_port_of(port);
        end.adapter = std::move(found.adapter);
        end.port = std::move(found.port);
      }
      if (end.port.empty() || !taken.insert(end.adapter + "/" + end.port).second) {
        without.push_back(port);
        continue;
      }
      ends_.emplace(std::pair{device, port}, std::move(end));
    }
    std::size_t number = 1;
    for (const std::string& port : without) {
      End end{names_.at(device), "", ""};
      do {
        end.adapter = on_switch ? "" : fmt::format("hca{}", number);
        end.port = on_switch ? std::to_string(number) : "1";
        ++number;
      } while (!taken.insert(end.adapter + "/" + end.port).second);
      notes_[device].push_back(
          fmt::format("its port '{}' is {} here", port, on_switch ? end.port : end.adapter + "/1"));
      ends_.emplace(std::pair{device, port}, std::move(end));
    }
  }

  const Cabling& cabling_;
  std::map<std::string, std::string> names_;
  std::set<std::string> taken_;
  std::map<std::string, std::set<std::string>> ports_;
  std::map<std::pair<std::string, std::string>, End> ends_;
  std::map<std::string, std::vector<std::string>> notes_;
};

void add_adapter(Node& node, const End& end) {
  Adapter& adapter = node.adapters[end.adapter];
  adapter.model = kAssumedModel;
  adapter.assumed = true;
  const auto number = static_cast<std::uint32_t>(parse_integer(end.port).value_or(1));
  adapter.ports = std::max(adapter.ports, number);
}

std::string place(const ForeignEnd& end) {
  return end.device + " " + end.port;
}

}  // namespace

ForeignEnd end_in_subnet(ForeignEnd end) {
  const std::vector<std::string_view> words = split_words(std::string_view{end.device});
  constexpr std::size_t kHostAndCard = 2;
  const std::string card = words.size() == kHostAndCard ? to_lower(words[1]) : "";
  if (device_scheme(card) != DeviceScheme::other) {
    const std::vector<std::string> numbers = numbers_of(end.port);
    const std::string number = numbers.empty() ? "1" : numbers.back();
    return {std::string{words[0]}, fmt::format("{}/P{}", words[1], number)};
  }
  // "MF0;leaf1:MQM8700/U1"; of a director the module tells which of its ports it is.
  const SwitchDescription told = describe_switch(end.device);
  if (end.device.starts_with("MF0;") && told.module == 0)
    end.device = as_written(end.device, told.name);
  return end;
}

Result<ForeignDevice*> Cabling::device(const std::string& name, std::size_t line) {
  if (names_.insert(name).second && names_.size() > limits::kNodes)
    return refusal(line, fmt::format("more than {} devices", limits::kNodes));
  return keeps_ ? &devices[name] : &unkept_;
}

Result<void> Cabling::add(ForeignCable cable) {
  for (const ForeignEnd* end : {&cable.a, &cable.b}) {
    if (names_.insert(end->device).second && names_.size() > limits::kNodes)
      return refusal(cable.line, fmt::format("more than {} devices", limits::kNodes));
  }
  if (++counted_ > limits::kCables)
    return refusal(cable.line, fmt::format("more than {} cables", limits::kCables));
  if (keeps_) cables.push_back(std::move(cable));
  return {};
}

std::optional<std::string> switch_port_of(std::string_view text) {
  const std::string_view port = trim(text);
  if (const auto read = SwitchPort::parse(port)) return read->str();
  const std::vector<std::string> numbers = numbers_of(port);
  if (numbers.empty()) return std::nullopt;
  std::string written = join(numbers, "/");
  if (to_lower(port).starts_with("blade") && numbers.size() == 3)
    written = fmt::format("L{}/U{}/{}", numbers[0], numbers[1], numbers[2]);
  const auto read = SwitchPort::parse(written);
  if (!read) return std::nullopt;
  return read->str();
}

HostPort host_port_of(std::string_view text) {
  const std::string_view port = trim(text);
  if (std::optional<HostPort> exported = exported_port_of(port)) return *std::move(exported);
  const std::size_t slash = port.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? port : port.substr(slash + 1);
  const std::string device =
      to_lower(slash == std::string_view::npos ? port : port.substr(0, slash));
  if (device_scheme(device) != DeviceScheme::other) {
    const std::vector<std::string> numbers =
        slash == std::string_view::npos ? std::vector<std::string>{} : numbers_of(last);
    const bool second = !numbers.empty() && numbers.back() == "2";
    return {safe_name(device), second ? "2" : "1"};
  }
  const std::string lower = to_lower(port);
  const std::vector<std::string> numbers = numbers_of(port);
  const bool is_plain = lower.starts_with("p") || lower.starts_with("ib port") ||
                        port.find_first_not_of(kDigits) == std::string_view::npos;
  if (!is_plain || numbers.size() != 1) return {safe_name(port), "1"};
  const std::int64_t number = parse_integer(numbers.front()).value_or(0);
  if (number == 1 || number == 2) return {"hca", std::to_string(number)};
  return {fmt::format("hca{}", number), "1"};
}

Description describe(const Cabling& cabling, const std::string& mode) {
  Description found;
  const Namer namer{cabling};
  for (const auto& [device, name] : namer.names()) {
    Node& node = found.nodes[name];
    node.is_switch = namer.is_switch(device);
    node.notes = namer.notes(device);
    const auto told = cabling.devices.find(device);
    if (told == cabling.devices.end()) continue;
    node.address = told->second.address;
    if (node.is_switch) node.model = told->second.model;
  }
  Network network;
  network.mode = mode;
  network.external_manager = mode == "infiniband";
  std::map<End, std::size_t> cabled;  // port to the cable that it has
  for (const ForeignCable& cable : cabling.cables) {
    const End& a = namer.end(cable.a);
    const End& b = namer.end(cable.b);
    const auto other_a = cabled.find(a);
    const auto other_b = cabled.find(b);
    if (a == b) {
      network.notes.push_back(
          fmt::format("line {}: {} is cabled to itself: left out", cable.line, place(cable.a)));
      continue;
    }
    if (other_a != cabled.end() || other_b != cabled.end()) {
      const bool again =
          other_a != cabled.end() && other_b != cabled.end() && other_a->second == other_b->second;
      if (again) continue;
      network.notes.push_back(fmt::format(
          "line {}: {} to {} is left out: line {} has another cable at that port",
          cable.line,
          place(cable.a),
          place(cable.b),
          cabling.cables[other_a != cabled.end() ? other_a->second : other_b->second].line));
      continue;
    }
    const auto index = static_cast<std::size_t>(&cable - cabling.cables.data());
    cabled[a] = cabled[b] = index;
    for (const End* end : {&a, &b}) {
      Node& node = found.nodes[end->node];
      if (!node.is_switch) add_adapter(node, *end);
    }
    network.cables.push_back({a, b, cable.label, cable.length, cable.type, cable.speed});
  }
  if (!network.cables.empty()) found.networks.emplace(mode, std::move(network));
  return found;
}

}  // namespace fabric::description
