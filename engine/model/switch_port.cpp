// SPDX-License-Identifier: Apache-2.0
#include "engine/model/switch_port.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric {

namespace {

constexpr std::int64_t kLargestNumber = 100'000;
constexpr std::size_t kMostNumbers = 4;
constexpr std::int64_t kLargestPort = 254;  // number in a subnet
constexpr std::string_view kDigits = "0123456789";

// The ports of the faceplate, and one more if the chip has an aggregation node.
constexpr std::int64_t kMostOneACage = 41;
constexpr std::int64_t kQuantum2 = 64;

std::optional<std::int64_t> read_number(std::string_view text) {
  const auto number = parse_unsigned(text, 10);
  if (!number || *number == 0 || *number > static_cast<std::uint64_t>(kLargestNumber))
    return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

// "sw4p1s2": a number behind each word, in this order.
std::optional<std::vector<std::int64_t>> numbers_behind(
    std::string_view text, std::initializer_list<std::string_view> words) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view word : words) {
    if (text.empty()) break;
    if (!text.starts_with(word)) return std::nullopt;
    text.remove_prefix(word.size());
    const std::size_t end = std::min(text.find_first_not_of(kDigits), text.size());
    const auto number = read_number(text.substr(0, end));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    text.remove_prefix(end);
  }
  if (!text.empty()) return std::nullopt;
  return numbers;
}

std::optional<SwitchPort> read_module(const std::vector<std::string_view>& parts) {
  if (parts.size() != 3) return std::nullopt;
  const char kind = parts[0].front();
  const auto module = numbers_behind(parts[0], {kind == 'l' ? "l" : "s"});
  const auto chip = numbers_behind(parts[1], {"u"});
  const auto number = read_number(parts[2]);
  if (!module || !chip || chip->empty() || !number) return std::nullopt;
  const char written = kind == 'l' ? 'L' : 'S';
  return SwitchPort{SwitchPort::Form::module, {module->front(), chip->front(), *number}, written};
}

// "swp4", "swp4s0"
std::optional<SwitchPort> read_cumulus(std::string_view text) {
  text.remove_prefix(std::string_view{"swp"}.size());
  const std::size_t mark = text.find('s');
  const auto number = read_number(text.substr(0, mark));
  if (!number) return std::nullopt;
  if (mark == std::string_view::npos) return SwitchPort{SwitchPort::Form::numbers, {*number}, '\0'};
  constexpr std::uint64_t kMostParts = 8;
  const auto part = parse_unsigned(text.substr(mark + 1), 10);
  if (!part || *part >= kMostParts) return std::nullopt;
  return SwitchPort{SwitchPort::Form::split, {*number, static_cast<std::int64_t>(*part)}, '\0'};
}

bool in_subnet(std::int64_t number) {
  return number >= 1 && number <= kLargestPort;
}

std::optional<std::int64_t> half_of_cage(std::int64_t cage, std::int64_t half, std::int64_t count) {
  // A switch with more ports is split, and its ports are numbered otherwise.
  constexpr std::int64_t kCages = 32;
  if (cage > kCages || half > 2 || count > kQuantum2 + 1) return std::nullopt;
  return 2 * (cage - 1) + half;
}

}  // namespace

std::optional<SwitchPort> SwitchPort::parse(std::string_view text) {
  const std::string lower = to_lower(text);
  std::string_view rest = lower;
  if (rest.starts_with("swp")) return read_cumulus(rest);
  if (rest.starts_with("sw")) {
    auto numbers = numbers_behind(rest, {"sw", "p", "s"});
    if (!numbers || numbers->size() < 2) return std::nullopt;
    return SwitchPort{Form::nvos, std::move(*numbers), '\0'};
  }
  if (rest.starts_with('l') || rest.starts_with('s')) return read_module(split(rest, '/'));
  if (rest.starts_with("ib")) rest.remove_prefix(2);
  if (rest.starts_with("etp")) rest.remove_prefix(3);
  SwitchPort port;
  for (const std::string_view part : split(rest, '/')) {
    const auto number = read_number(part);
    if (!number) return std::nullopt;
    port.numbers.push_back(*number);
  }
  if (port.numbers.size() > kMostNumbers) return std::nullopt;
  return port;
}

SwitchPort as_called(SwitchPort port, PortNames names, std::string_view model) {
  if (port.form != SwitchPort::Form::numbers || names == PortNames::as_written) return port;
  std::vector<std::int64_t>& numbers = port.numbers;
  if (names == PortNames::in_slot) {
    if (numbers.size() == 1) numbers.insert(numbers.begin(), 1);
    return port;
  }
  constexpr std::size_t kSlotCagePort = 3;
  if (numbers.size() > kSlotCagePort) return port;
  if (numbers.size() == kSlotCagePort) numbers.erase(numbers.begin());
  if (numbers.size() == 1) {
    const bool is_one = !model.empty() && switch_ports(model, 0) == SwitchPorts::one_a_cage;
    numbers = is_one ? std::vector{numbers[0], std::int64_t{1}}
                     : std::vector{(numbers[0] + 1) / 2, (numbers[0] + 1) % 2 + 1};
  }
  port.form = SwitchPort::Form::nvos;
  return port;
}

namespace {

// True if `written` is this system's own form of a port: `swp32` of Cumulus would be taken for port
// 32 of the subnet.
bool is_of_system(
    const SwitchPort& port, std::string_view written, const PlatformTraits& platform) {
  const std::string lower = to_lower(written);
  if (lower.starts_with("etp")) return !platform.is_managed;
  const bool is_swp = lower.starts_with("swp");
  if (!platform.port_prefix.empty())
    return is_swp || (port.form == SwitchPort::Form::numbers && port.numbers.size() == 1);
  if (platform.port_names == PortNames::cage_and_port)
    return !is_swp && !lower.starts_with("ib") && port.form != SwitchPort::Form::module;
  return platform.port_names == PortNames::as_written || !lower.starts_with("sw");
}

// Cage or port, and what is behind it: half of a cage, part of a port that is split.
struct Place {
  std::int64_t first = 1, half = 1, part = 1;
};

Place place_of(const SwitchPort& port, bool two_a_cage) {
  std::vector<std::int64_t> numbers = port.numbers;
  const bool in_slot = port.form == SwitchPort::Form::numbers && numbers.size() > 1;
  // "4/2" of a switch with two a cage has no slot.
  if (in_slot && (!two_a_cage || numbers.size() > 2)) numbers.erase(numbers.begin());
  numbers.resize(3, 1);
  if (port.form == SwitchPort::Form::split) return {numbers[0], 1, numbers[1] + 1};
  if (two_a_cage || port.form == SwitchPort::Form::nvos)
    return {numbers[0], numbers[1], numbers[2]};
  return {numbers[0], 1, numbers[1]};
}

bool is_part(const SwitchPort& port, bool two_a_cage) {
  constexpr std::size_t kWhole = 2;  // slot and port, or cage and half
  const bool in_slot = two_a_cage && port.form == SwitchPort::Form::numbers;
  return port.form == SwitchPort::Form::split || port.numbers.size() > kWhole + (in_slot ? 1 : 0);
}

bool is_sfp28(const Place& place, const SwitchModel& model) {
  return place.first >= model.sfp28_first && place.first <= model.sfp28_last;
}

bool fits(const SwitchPort& port, const SwitchModel& model) {
  const bool two = model.layout == SwitchPorts::two_a_cage;
  // A number alone is that of the subnet, which counts the parts of what is split.
  if (port.form == SwitchPort::Form::numbers && port.numbers.size() == 1)
    return port.numbers[0] <= model.ports * (model.infiniband_gbps == 0 ? 1 : model.parts);
  const Place place = place_of(port, two);
  if (is_sfp28(place, model) && is_part(port, two)) return false;
  return place.first <= model.ports / (two ? 2 : 1) && place.half <= (two ? 2 : 1) &&
         place.part <= model.parts;
}

std::uint32_t most_ports() {
  std::uint32_t most = 0;
  for (const SwitchModel& each : switch_table())
    most = std::max(most, each.ports);
  return most;
}

}  // namespace

std::string how_called(const PlatformTraits& platform) {
  return fmt::format(
      "ports of {} are called {}",
      platform.called,
      !platform.port_prefix.empty()                     ? "swp7 or swp7s0"
      : platform.port_names == PortNames::cage_and_port ? "sw4p1 or sw4p1s2"
                                                        : "1/7 or 1/7/2");
}

std::string why_no_port(
    const SwitchPort& port,
    std::string_view written,
    const PlatformTraits& platform,
    std::string_view model) {
  if (!is_of_system(port, written, platform)) return how_called(platform);
  if (port.form == SwitchPort::Form::module) return "";
  const SwitchModel* known = find_switch_model(model);
  if (known == nullptr) {
    const bool counts =
        model.empty() && platform.is_managed && platform.port_names != PortNames::cage_and_port;
    if (!counts || place_of(port, false).first <= most_ports()) return "";
    return fmt::format(
        "no known switch has more than {} ports; write the `model` of this switch", most_ports());
  }
  if (known->ports == 0 || fits(port, *known)) return "";
  const bool two = known->layout == SwitchPorts::two_a_cage;
  if (is_sfp28(place_of(port, two), *known))
    return fmt::format(
        "ports {} to {} of {} are SFP28, which can't be split",
        known->sfp28_first,
        known->sfp28_last,
        model);
  return fmt::format(
      "{} has {} to {}{}, {}",
      model,
      two ? "cages 1" : "ports 1",
      known->ports / (two ? 2 : 1),
      two ? " of two ports each" : "",
      known->parts > 1 ? fmt::format("split in {} at most", known->parts)
                       : "none of which can be split");
}

std::uint32_t gbps_of_port(
    const SwitchPort& port, const SwitchModel& model, std::uint32_t fastest) {
  constexpr std::uint32_t kSfp28 = 25;
  const bool two = model.layout == SwitchPorts::two_a_cage;
  const Place place = place_of(port, two);
  if (is_sfp28(place, model)) return std::min(fastest, kSfp28);
  if (!is_part(port, two)) return fastest;
  std::uint32_t parts = 2;
  while (parts < place.part)
    parts *= 2;
  return fastest / parts;
}

bool is_lower_port(std::string_view a, std::string_view b) {
  const auto one = SwitchPort::parse(a);
  const auto other = SwitchPort::parse(b);
  return one && other ? one->numbers < other->numbers : a < b;
}

std::string SwitchPort::str() const {
  if (form == Form::module)
    return fmt::format("{}{}/U{}/{}", module_kind, numbers[0], numbers[1], numbers[2]);
  if (form == Form::split) return fmt::format("swp{}s{}", numbers[0], numbers[1]);
  if (form == Form::nvos) {
    return fmt::format("sw{}p{}", numbers[0], numbers[1]) +
           (numbers.size() > 2 ? fmt::format("s{}", numbers[2]) : "");
  }
  return fmt::format("{}", fmt::join(numbers, "/"));
}

SwitchPorts switch_ports(std::string_view model, std::int64_t port_count) {
  if (const SwitchModel* known = find_switch_model(model)) return known->layout;
  if (port_count == kQuantum2 || port_count == kQuantum2 + 1) return SwitchPorts::two_a_cage;
  return port_count <= kMostOneACage ? SwitchPorts::one_a_cage : SwitchPorts::unknown;
}

std::optional<std::int64_t> subnet_port_number(
    const SwitchPort& port, SwitchPorts ports, std::int64_t port_count) {
  const std::vector<std::int64_t>& numbers = port.numbers;
  std::optional<std::int64_t> number;
  if (ports == SwitchPorts::modules) {
    // "Blade 16_Port 2/20" is port 20 of chip 2 of leaf 16.
    if (numbers.size() == 3 && port.form != SwitchPort::Form::nvos) number = numbers[2];
  } else if (port.form == SwitchPort::Form::module || port.form == SwitchPort::Form::split) {
    return std::nullopt;
  } else if (port.form == SwitchPort::Form::nvos) {
    if (ports == SwitchPorts::two_a_cage && numbers.size() == 2)
      number = half_of_cage(numbers[0], numbers[1], port_count);
  } else if (numbers.size() == 1) {
    number = numbers[0];
  } else if (ports == SwitchPorts::one_a_cage) {
    // If a switch is split, its chip has twice the ports of the faceplate.
    if (numbers.size() == 2 && numbers[0] == 1 && port_count <= kMostOneACage) number = numbers[1];
  } else if (ports == SwitchPorts::two_a_cage) {
    if (numbers.size() == 3 && numbers[0] == 1)
      number = half_of_cage(numbers[1], numbers[2], port_count);
  }
  return number && in_subnet(*number) ? number : std::nullopt;
}

std::string native_port_name(std::int64_t number, const SwitchPort& like, SwitchPorts ports) {
  const std::int64_t cage = (number + 1) / 2;
  const std::int64_t half = (number + 1) % 2 + 1;
  const bool two = ports == SwitchPorts::two_a_cage && number <= kQuantum2;
  if (two && like.form == SwitchPort::Form::nvos) return fmt::format("sw{}p{}", cage, half);
  if (two && like.form == SwitchPort::Form::numbers && like.numbers.size() == 3)
    return fmt::format("1/{}/{}", cage, half);
  if (ports == SwitchPorts::one_a_cage && like.form == SwitchPort::Form::numbers &&
      like.numbers.size() == 2) {
    return fmt::format("1/{}", number);
  }
  return std::to_string(number);
}

}  // namespace fabric
