// SPDX-License-Identifier: Apache-2.0
#include "providers/nvue/machine/port_counters.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/json.hpp"

namespace fabric::platform {

namespace {

constexpr Duration kTimeout{60'000};

struct Counter {
  std::string_view switches, kernels;
};
// Lost frames are no errors: a switch drops what a full queue has no room for.
constexpr Counter kCounters[] = {
    {"carrier-down-count", "carrier_down_count"},
    {"carrier-transitions", "carrier_changes"},
    {"in-errors", "rx_errors"},
    {"out-errors", "tx_errors"},
    {"in-symbol-errors", "symbol_error"}};

void add_counters(Counters& counters, const Value* told) {
  const Map* map = told == nullptr ? nullptr : told->as_map();
  if (map == nullptr) return;
  for (const auto& [name, value] : *map) {
    const auto* known = std::ranges::find(kCounters, name, &Counter::switches);
    const std::int64_t* number = value.as_integer();
    if (known == std::end(kCounters) || number == nullptr || *number < 0) continue;
    counters.emplace(known->kernels, static_cast<std::uint64_t>(*number));
  }
}

}  // namespace

remote::Step NvuePortCounters::read_ports() const {
  remote::Command command{{"sh", "-s"}, "nv show interface --operational -o json\n", kTimeout};
  return remote::step::Run{.command = std::move(command), .reads_only = true};
}

PortReadings NvuePortCounters::port_readings(const remote::StepResult& result) const {
  return parse_nvue_counters(result.output.standard_output);
}

PortReadings parse_nvue_counters(std::string_view text) {
  PortReadings readings;
  const Result<Value> told = parse_json(text);
  const Map* interfaces = told ? told->as_map() : nullptr;
  if (interfaces == nullptr) {
    readings.why_not = told ? "the switch listed no interfaces"
                            : "the switch's interfaces can't be read: " + told.error().message;
    return readings;
  }
  for (const auto& [name, interface] : *interfaces) {
    const Value* link = interface.find("link");
    if (link == nullptr) continue;
    Counters counters;
    add_counters(counters, link->find("stats"));
    add_counters(counters, link->find("counters"));
    if (!counters.empty()) readings.interfaces.emplace(name, std::move(counters));
  }
  return readings;
}

}  // namespace fabric::platform
