// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esx/parsers/esxcli_keyvalue.hpp"
#include "providers/esxi/kinds/rows.hpp"
#include "providers/os/os_version.hpp"

namespace fabric::providers::esxi {

namespace {

constexpr const char* kVersionProbe = "esxi-version";
constexpr const char* kUptimeProbe = "esxi-uptime";
constexpr const char* kImageProbe = "esxi-image";
constexpr const char* kManagerProbe = "esxi-manager";

Result<EsxcliRow> version_row(const NodeFacts& facts) {
  const std::string_view text = FABRIC_TRY(answer(facts, kVersionProbe));
  std::vector<EsxcliRow> rows =
      FABRIC_TRY(read_esxcli_keyvalue(text, {"product", "version", "build"}));
  if (rows.size() != 1) return Error{ErrorCode::invalid, "esxcli shows no version"};
  return std::move(rows.front());
}

Value maintenance(const NodeFacts& facts) {
  const Result<bool> mode = maintenance_mode(facts);
  return mode ? Value{*mode} : unknown(mode.error());
}

// Microseconds (E-esxi-uptime).
Value uptime_seconds(const NodeFacts& facts) {
  constexpr std::uint64_t kMicroseconds = 1'000'000;
  const Result<std::string_view> text = answer(facts, kUptimeProbe);
  if (!text) return unknown(text.error());
  const auto number = parse_unsigned(trim(*text), 10);
  if (!number)
    return Map{{"unknown", fmt::format("line 1: expected microseconds, found '{}'", trim(*text))}};
  return static_cast<std::int64_t>(*number / kMicroseconds);
}

// The text after the first "KEY SEPARATOR" of a line; "" = there is none.
std::string_view value_of(std::string_view text, std::string_view key) {
  for (const std::string_view each : split_lines(text)) {
    const std::string_view line = trim(each);
    if (line.starts_with(key)) return trim(line.substr(key.size()));
  }
  return {};
}

Value image_profile(const NodeFacts& facts) {
  const Result<std::string_view> text = answer(facts, kImageProbe);
  if (!text) return unknown(text.error());
  const std::string_view name = value_of(*text, "Name:");
  if (name.empty()) return Map{{"unknown", "no line 'Name:'"}};
  return std::string{name};
}

// "managementServerIp = "192.0.2.9"," or "<unset>,". That a vCenter manages the host is all that
// the host itself tells: which image it shall have is known there.
Value manager(const NodeFacts& facts) {
  const Result<std::string_view> text = answer(facts, kManagerProbe);
  if (!text) return unknown(text.error());
  std::string_view value = value_of(*text, "managementServerIp = ");
  if (value.ends_with(',')) value.remove_suffix(1);
  if (value == "<unset>") return "none";
  if (value.size() < 2 || !value.starts_with('"') || !value.ends_with('"'))
    return Map{{"unknown", "no line 'managementServerIp = '"}};
  return std::string{value.substr(1, value.size() - 2)};
}

std::vector<Probe> probes_of_os() {
  return {
      {kVersionProbe, "esxcli --formatter=keyvalue system version get\n"},
      maintenance_probe(),
      {kUptimeProbe, "esxcli system stats uptime get\n"},
      {kImageProbe, "esxcli software profile get\n"},
      {kManagerProbe, "vim-cmd hostsvc/hostsummary\n"}};
}

Result<OsVersion> os_version(const NodeFacts& facts) {
  const EsxcliRow row = FABRIC_TRY(version_row(facts));
  return OsVersion{"ESXi", {"esxi"}, std::string{row.cell("version")}};
}

Map os_inventory(const NodeFacts& facts) {
  Map host{
      {"maintenance_mode", maintenance(facts)},
      {"uptime_seconds", uptime_seconds(facts)},
      {"image_profile", image_profile(facts)},
      {"managed_by", manager(facts)}};
  const Result<EsxcliRow> version = version_row(facts);
  if (!version) {
    host.emplace("version", unknown(version.error()));
    return {{"host", std::move(host)}};
  }
  for (const std::string_view key : {"product", "version", "build", "update", "patch"}) {
    if (!version->cell(key).empty()) host.emplace(key, std::string{version->cell(key)});
  }
  return {{"host", std::move(host)}};
}

}  // namespace

// "os": the version of ESXi. Lists what else is asked of a host first: maintenance
// mode, uptime, image, and which vCenter manages it.
Provider os_provider() {
  Provider row = os_version_provider(os_version);
  row.probes = probes_of_os;
  row.inventory = os_inventory;
  return row;
}

}  // namespace fabric::providers::esxi
