// SPDX-License-Identifier: Apache-2.0
#include "providers/parsers/link_values.hpp"

#include <cmath>
#include <optional>

#include "engine/platform/link_tools/link_tools.hpp"
#include "engine/value/lists.hpp"

namespace fabric::providers {

namespace {

template <class Number>
void put_number(Map& map, std::string_view key, const std::optional<Number>& number) {
  if (number) map.emplace(key, static_cast<std::int64_t>(*number));
}

void put_decimal(Map& map, std::string_view key, const std::optional<double>& number) {
  if (number && std::isfinite(*number)) map.emplace(key, *number);
}

Value module_value(const platform::ModuleReading& module) {
  Map value{
      {"identifier", module.identifier},
      {"vendor", module.vendor},
      {"part_number", module.part_number},
      {"serial", module.serial},
      {"copper", module.copper},
      {"alarms", to_list(module.alarms)}};
  put_decimal(value, "temperature", module.temperature);
  put_decimal(value, "temperature_most", module.temperature_most);
  put_decimal(value, "received_least", module.received_least);
  List received;
  for (const double power : module.received_dbm)
    received.push_back(std::isfinite(power) ? Value{power} : Value{});
  value.emplace("received_dbm", std::move(received));
  return value;
}

}  // namespace

Result<Value> parse_ethtool_settings(std::string_view text) {
  const platform::LinkSettings settings = FABRIC_TRY(platform::parse_link_settings(text));
  Map value;
  if (settings.has_link) value.emplace("has_link", *settings.has_link);
  put_number(value, "speed_mbps", settings.speed_mbps);
  put_number(value, "capable_mbps", settings.capable_mbps);
  if (settings.auto_negotiation) value.emplace("auto_negotiation", *settings.auto_negotiation);
  return Value{std::move(value)};
}

Result<Value> parse_ethtool_fec(std::string_view text) {
  const platform::FecReading fec = FABRIC_TRY(platform::parse_fec(text));
  Map value{{"active", fec.active}, {"configured", to_list(fec.configured)}};
  put_number(value, "uncorrectable_blocks", fec.uncorrectable_blocks);
  return Value{std::move(value)};
}

Result<Value> parse_ethtool_module(std::string_view text) {
  return module_value(FABRIC_TRY(platform::parse_module(text)));
}

Result<Value> parse_mlxlink(std::string_view text) {
  const platform::CardLink link = FABRIC_TRY(platform::parse_mlxlink(text));
  Map value{
      {"state", link.state}, {"speed", link.speed}, {"fec", link.fec}, {"why_down", link.why_down}};
  put_decimal(value, "raw_ber", link.raw_ber);
  put_decimal(value, "effective_ber", link.effective_ber);
  if (link.module) value.emplace("module", module_value(*link.module));
  return Value{std::move(value)};
}

}  // namespace fabric::providers
