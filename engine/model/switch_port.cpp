// SPDX-License-Identifier: Apache-2.0
#include "engine/model/switch_port.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric {

namespace {

constexpr std::int64_t kLargestNumber = 100'000;
constexpr std::size_t kMostNumbers = 4;
constexpr std::int64_t kLargestPort = 254;  // of a subnet
constexpr std::string_view kDigits = "0123456789";

struct Kind {
  std::string_view model;  // how it begins, in lower case
  SwitchPorts ports;
};

constexpr Kind kKinds[] = {
    {"quantum-2", SwitchPorts::two_a_cage},
    {"quantum", SwitchPorts::one_a_cage},
    {"switchib", SwitchPorts::one_a_cage},
    {"switchx", SwitchPorts::one_a_cage},
    {"infiniscale", SwitchPorts::one_a_cage},
    {"qm87", SwitchPorts::one_a_cage},
    {"sb77", SwitchPorts::one_a_cage},
    {"sb78", SwitchPorts::one_a_cage},
    {"sx60", SwitchPorts::one_a_cage},
    {"is502", SwitchPorts::one_a_cage},
    {"is503", SwitchPorts::one_a_cage},
    {"qm97", SwitchPorts::two_a_cage},
    {"cs", SwitchPorts::modules},
    {"sx65", SwitchPorts::modules},
    {"is5", SwitchPorts::modules},
    {"q3", SwitchPorts::other_layout},
};

// Those of the faceplate, and one more where the chip has an aggregation node.
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
  // With more ports than that the switch is split, and its ports are numbered otherwise.
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
  const std::string lower = to_lower(trim(model));
  for (const std::string_view name :
       {std::string_view{lower}, std::string_view{lower}.substr(lower.starts_with('m') ? 1 : 0)}) {
    const auto* const found =
        std::find_if(std::begin(kKinds), std::end(kKinds), [name](const Kind& each) {
          return name.starts_with(each.model);
        });
    if (found != std::end(kKinds)) return found->ports;
  }
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
    // Of a switch that is split, the chip has twice the ports of the faceplate.
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
