// SPDX-License-Identifier: Apache-2.0
#include "engine/report/verify/link_table.hpp"

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/value/lists.hpp"
#include "engine/verify/cables/speed_text.hpp"

namespace fabric::report {

namespace {

using platform::LinkReading;
using platform::ModuleReading;
using verify::LinkReport;
using verify::speed_text;

// The common values of equal links.
std::string kind_text(const LinkReading& reading) {
  std::string text = reading.speed_mbps            ? speed_text(*reading.speed_mbps)
                     : !reading.card_speed.empty() ? reading.card_speed
                     : reading.has_link == false   ? std::string{"no link"}
                                                   : std::string{"speed unknown"};
  if (!reading.fec.active.empty()) text += ", FEC " + reading.fec.active;
  if (reading.module) {
    text += ", " + reading.module->identifier;
    for (const std::string* part : {&reading.module->vendor, &reading.module->part_number}) {
      if (!part->empty()) text += " " + *part;
    }
  }
  if (reading.pcie.generation && reading.pcie.width)
    text += fmt::format(", PCIe {}.0 x{}", *reading.pcie.generation, *reading.pcie.width);
  return text;
}

// The values of one link: its module's serial number and temperature, and the received power.
std::string own_text(const LinkReading& reading) {
  std::string text;
  if (!reading.module) return text;
  if (!reading.module->serial.empty()) text += ", serial number " + reading.module->serial;
  if (reading.module->temperature)
    text += fmt::format(", {:.0f} degrees Celsius", *reading.module->temperature);
  for (const double power : reading.module->received_dbm)
    text += fmt::format(", {:.2f} dBm", power);
  return text;
}

template <class Number>
void put_number(Map& map, std::string_view key, const std::optional<Number>& number) {
  if (number) map.emplace(key, static_cast<std::int64_t>(*number));
}

Value module_value(const ModuleReading& module) {
  Map value;
  put(value, "identifier", module.identifier);
  put(value, "vendor", module.vendor);
  put(value, "part_number", module.part_number);
  put(value, "serial", module.serial);
  if (module.temperature) value.emplace("temperature", *module.temperature);
  List received;
  for (const double power : module.received_dbm) {
    // JSON has no infinity: a dark lane is null.
    received.push_back(std::isinf(power) ? Value{} : Value{power});
  }
  if (!received.empty()) value.emplace("received_dbm", std::move(received));
  return value;
}

Value pcie_value(const platform::PcieReading& pcie) {
  Map value;
  put_number(value, "generation", pcie.generation);
  put_number(value, "width", pcie.width);
  put_number(value, "most_generation", pcie.most_generation);
  put_number(value, "most_width", pcie.most_width);
  put_number(value, "slot_generation", pcie.slot_generation);
  put_number(value, "slot_width", pcie.slot_width);
  put_number(value, "numa_node", pcie.numa_node);
  put_number(value, "correctable", pcie.correctable);
  put_number(value, "uncorrectable", pcie.uncorrectable);
  return value;
}

}  // namespace

Text link_table(const std::vector<LinkReport>& links, const Style& style) {
  if (links.empty()) return {};
  std::map<std::string, std::size_t> kinds;
  std::size_t unknown = 0;
  Text rows;
  for (const LinkReport& link : links) {
    if (!link.why_unknown.empty()) {
      ++unknown;
      rows +=
          compose("  {} ({}): unknown: {}\n", link.port.str(), link.interface, link.why_unknown);
      continue;
    }
    const std::string kind = kind_text(link.reading);
    ++kinds[kind];
    if (style.verbose) {
      rows += compose(
          "  {} ({}): {}{}\n", link.port.str(), link.interface, kind, own_text(link.reading));
    }
  }
  if (!style.verbose) {
    for (const auto& [kind, number] : kinds)
      rows += compose("  {} {}: {}\n", number, number == 1 ? "port" : "ports", kind);
  }
  return compose("Links   {} of {} ports were read\n", links.size() - unknown, links.size()) + rows;
}

Value link_value(const LinkReport& link) {
  const LinkReading& reading = link.reading;
  Map value{{"port", link.port.str()}, {"interface", link.interface}};
  put(value, "why_unknown", link.why_unknown);
  put_number(value, "speed_mbps", reading.speed_mbps);
  put(value, "card_speed", reading.card_speed);
  put_number(value, "capable_mbps", reading.capable_mbps);
  if (reading.auto_negotiation) value.emplace("auto_negotiation", *reading.auto_negotiation);
  put(value, "fec", reading.fec.active);
  put_number(value, "uncorrectable_blocks", reading.fec.uncorrectable_blocks);
  if (reading.module) value.emplace("module", module_value(*reading.module));
  Value pcie = pcie_value(reading.pcie);
  if (!pcie.as_map()->empty()) value.emplace("pcie", std::move(pcie));
  if (reading.raw_ber) value.emplace("raw_ber", *reading.raw_ber);
  if (reading.effective_ber) value.emplace("effective_ber", *reading.effective_ber);
  put(value, "why_down", reading.why_down);
  return value;
}

}  // namespace fabric::report
