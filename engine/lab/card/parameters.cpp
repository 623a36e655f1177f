// SPDX-License-Identifier: Apache-2.0
#include "engine/lab/card/parameters.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::lab {
namespace {

using Choices = std::vector<std::pair<std::string, std::uint64_t>>;

enum class Scope : std::uint8_t { card, port };

struct Row {
  std::string name;
  ParameterKind kind = ParameterKind::number;
  Scope scope = Scope::card;
  std::uint64_t standard = 0;
  Choices choices = {};
  std::uint64_t most = 0;
  std::uint32_t length = 0;
  std::string_view since = "4.0";
};

Row flag(std::string name, bool standard, Scope scope = Scope::card) {
  Row row;
  row.name = std::move(name);
  row.kind = ParameterKind::boolean;
  row.scope = scope;
  row.standard = standard ? 1 : 0;
  return row;
}

Row number(std::string name, std::uint64_t standard, Scope scope = Scope::card) {
  Row row;
  row.name = std::move(name);
  row.scope = scope;
  row.standard = standard;
  return row;
}

Row choice(std::string name, std::uint64_t standard, Choices choices, Scope scope = Scope::card) {
  Row row;
  row.name = std::move(name);
  row.kind = ParameterKind::choice;
  row.scope = scope;
  row.standard = standard;
  row.choices = std::move(choices);
  return row;
}

Row array(std::string name, std::uint32_t length, std::uint64_t standard) {
  Row row;
  row.name = std::move(name);
  row.kind = ParameterKind::array;
  row.length = length;
  row.standard = standard;
  return row;
}

Row limited(Row row, std::uint64_t most) {
  row.most = most;
  return row;
}

Row since(Row row, std::string_view version) {
  row.since = version;
  return row;
}

// Listed although only a ConnectX-5 with two ports can do it; ConnectX-4 does not list it.
std::vector<Row> host_chaining_rows() {
  return {
      choice("HOST_CHAINING_MODE", 0, {{"DISABLED", 0}, {"BASIC", 1}}),
      since(flag("HOST_CHAINING_CACHE_DISABLE", false), "4.22"),
      array("HOST_CHAINING_DESCRIPTORS", 8, 7),
      array("HOST_CHAINING_TOTAL_BUFFER_SIZE", 8, 7),
  };
}

std::vector<Row> device_rows(const Card& card) {
  return {
      number("FLEX_PARSER_PROFILE_ENABLE", 0),
      number("FLEX_IPV4_OVER_VXLAN_PORT", 0),
      number("ROCE_NEXT_PROTOCOL", 254),
      array("ESWITCH_HAIRPIN_DESCRIPTORS", 8, 10),
      array("ESWITCH_HAIRPIN_TOT_BUFFER_SIZE", 8, 17),
      since(flag("PF_NUM_OF_VF_VALID", false), "4.21"),
      flag("NON_PREFETCHABLE_PF_BAR", false),
      limited(
          number("NUM_OF_VFS", card.hardware.family == "connectx-5" ? 0 : 8), card.hardware.vfs),
      since(number("NUM_OF_PF", card.ports.size()), "4.21"),
      flag("SRIOV_EN", false),
      number("PF_LOG_BAR_SIZE", 5),
      number("VF_LOG_BAR_SIZE", 1),
      number("NUM_PF_MSIX", 63),
      number("NUM_VF_MSIX", 11),
      choice("INT_LOG_MAX_PAYLOAD_SIZE", 0, {{"AUTOMATIC", 0}, {"_4KB", 12}}),
      flag("SW_RECOVERY_ON_ERRORS", false),
      flag("ADVANCED_POWER_SETTINGS", false),
      choice("CQE_COMPRESSION", 0, {{"BALANCED", 0}, {"AGGRESSIVE", 1}}),
      flag("IP_OVER_VXLAN_EN", false),
      flag("UCTX_EN", true),
      choice(
          "PCI_ATOMIC_MODE",
          0,
          {{"PCI_ATOMIC_DISABLED_EXT_ATOMIC_ENABLED", 0},
           {"PCI_ATOMIC_ENABLED_EXT_ATOMIC_DISABLED", 1}}),
      number("LRO_LOG_TIMEOUT0", 6),
      number("LOG_DCR_HASH_TABLE_SIZE", 11),
      number("DCR_LIFO_SIZE", 16384),
  };
}

std::vector<Row> port_rows() {
  const Choices lldp_mode = {{"OFF", 0}, {"MANDATORY", 1}, {"ALL", 2}};
  return {
      number("ROCE_CC_PRIO_MASK", 255, Scope::port),
      choice("ROCE_CC_ALGORITHM", 0, {{"ECN", 0}, {"QCN", 1}}, Scope::port),
      flag("CLAMP_TGT_RATE_AFTER_TIME_INC", true, Scope::port),
      number("RPG_TIME_RESET", 300, Scope::port),
      number("CNP_DSCP", 48, Scope::port),
      flag("LLDP_NB_DCBX", false, Scope::port),
      choice("LLDP_NB_RX_MODE", 0, lldp_mode, Scope::port),
      choice("LLDP_NB_TX_MODE", 0, lldp_mode, Scope::port),
      flag("DCBX_IEEE", true, Scope::port),
      flag("DCBX_CEE", true, Scope::port),
      flag("DCBX_WILLING", true, Scope::port),
      flag("KEEP_ETH_LINK_UP", true, Scope::port),
      flag("KEEP_IB_LINK_UP", false, Scope::port),
      flag("KEEP_LINK_UP_ON_BOOT", false, Scope::port),
      flag("KEEP_LINK_UP_ON_STANDBY", false, Scope::port),
      choice(
          "NUM_OF_VL", 3, {{"_1_VL", 1}, {"_2_VLs", 2}, {"_4_VLs", 3}, {"_8_VLs", 4}}, Scope::port),
      choice("DUP_MAC_ACTION", 0, {{"LAST_CFG", 0}}, Scope::port),
  };
}

std::vector<Row> infiniband_routing_rows() {
  return {
      choice("SRIOV_IB_ROUTING_MODE", 1, {{"GID", 0}, {"LID", 1}}, Scope::port),
      choice("IB_ROUTING_MODE", 1, {{"GID", 0}, {"LID", 1}}, Scope::port),
  };
}

std::vector<Row> function_rows() {
  return {
      since(choice("PHY_FEC_OVERRIDE", 0, {{"DEVICE_DEFAULT", 0}}, Scope::port), "4.22"),
      since(number("PF_TOTAL_SF", 0), "4.21"),
      choice("ROCE_CONTROL", 2, {{"DEVICE_DEFAULT", 0}, {"ROCE_DISABLE", 1}, {"ROCE_ENABLE", 2}}),
      choice("PCI_WR_ORDERING", 0, {{"per_mkey", 0}, {"force_relax", 1}}),
      flag("MULTI_PORT_VHCA_EN", false),
      flag("PORT_OWNER", true),
      flag("RENEG_ON_CHANGE", true),
      choice("UEFI_LOGS", 0, {{"DISABLED", 0}, {"ENABLED", 1}}),
      number("BOOT_VLAN", 1),
      choice(
          "LEGACY_BOOT_PROTOCOL",
          1,
          {{"NONE", 0},
           {"PXE", 1},
           {"ISCSI", 2},
           {"PXE_WO_FAIL_ISCSI", 4},
           {"ISCSI_WO_FAIL_PXE", 5}}),
      flag("EXP_ROM_UEFI_x86_ENABLE", false),
      flag("EXP_ROM_PXE_ENABLE", true),
      flag("ADVANCED_PCI_SETTINGS", false),
  };
}

// A listing of a ConnectX-4 or later card, shortened; the order is the tool's.
std::vector<Row> mlx5_rows(const Card& card) {
  const bool vpi = card.hardware.vpi();
  std::vector<Row> rows = {
      number("MEMIC_BAR_SIZE", 0),
      choice("MEMIC_SIZE_LIMIT", 1, {{"DISABLED", 0}, {"_256KB", 1}, {"_512KB", 2}}),
  };
  const auto list = [&](const std::vector<Row>& group) {
    rows.insert(rows.end(), group.begin(), group.end());
  };
  if (card.hardware.firmware_major >= 16) list(host_chaining_rows());
  list(device_rows(card));
  if (vpi) rows.push_back(choice("LINK_TYPE", 1, {{"IB", 1}, {"ETH", 2}}, Scope::port));
  list(port_rows());
  if (vpi) list(infiniband_routing_rows());
  list(function_rows());
  if (vpi && card.next_of("ADVANCED_PCI_SETTINGS") == 1)
    rows.push_back(flag("FORCE_ETH_PCI_SUBCLASS", false));
  rows.push_back(number("SAFE_MODE_THRESHOLD", 10));
  rows.push_back(flag("SAFE_MODE_ENABLE", true));
  return rows;
}

std::vector<Row> mlx4_rows(const Card& card) {
  std::vector<Row> rows = {
      flag("SRIOV_EN", true), limited(number("NUM_OF_VFS", 16), card.hardware.vfs)};
  if (card.hardware.vpi()) {
    rows.push_back(choice("LINK_TYPE", 3, {{"IB", 1}, {"ETH", 2}, {"VPI", 3}}, Scope::port));
  }
  rows.push_back(number("LOG_BAR_SIZE", 5));
  rows.push_back(number("BOOT_PKEY", 0, Scope::port));
  rows.push_back(flag("BOOT_OPTION_ROM_EN", true, Scope::port));
  rows.push_back(flag("BOOT_VLAN_EN", false, Scope::port));
  rows.push_back(number("BOOT_RETRY_CNT", 0, Scope::port));
  rows.push_back(choice(
      "LEGACY_BOOT_PROTOCOL",
      1,
      {{"None", 0}, {"PXE", 1}, {"iSCSI", 2}, {"Both", 3}},
      Scope::port));
  rows.push_back(number("BOOT_VLAN", 1, Scope::port));
  return rows;
}

Parameter make_parameter(const Row& row, const std::string& suffix) {
  Parameter parameter;
  parameter.name = row.name + suffix;
  parameter.kind = row.kind;
  parameter.choices = row.choices;
  if (row.kind == ParameterKind::boolean) parameter.choices = {{"False", 0}, {"True", 1}};
  parameter.standard = row.standard;
  parameter.most = row.most;
  parameter.length = row.length;
  parameter.since = tool_version_number(row.since);
  return parameter;
}

}  // namespace

std::uint32_t tool_version_number(std::string_view version) {
  const std::vector<std::string_view> parts = split(version, '.');
  const auto part = [&](std::size_t at) {
    return at < parts.size() ? static_cast<std::uint32_t>(parse_unsigned(parts[at], 10).value_or(0))
                             : 0U;
  };
  return part(0) * 1000 + part(1);
}

std::vector<Parameter> parameters_of(const Card& card) {
  std::vector<Parameter> parameters;
  const std::vector<Row> rows = card.mlx4() ? mlx4_rows(card) : mlx5_rows(card);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].scope == Scope::card) {
      parameters.push_back(make_parameter(rows[i], ""));
      continue;
    }
    for (const CardPort& port : card.ports) {
      parameters.push_back(make_parameter(rows[i], fmt::format("_P{}", port.number)));
    }
  }
  return parameters;
}

std::string value_text(const Parameter& parameter, std::uint64_t value) {
  if (parameter.kind == ParameterKind::array)
    return fmt::format("Array[0..{}]", parameter.length - 1);
  for (const auto& [name, number_of_name] : parameter.choices) {
    if (number_of_name == value) return fmt::format("{}({})", name, value);
  }
  return std::to_string(value);
}

std::optional<std::uint64_t> parse_value(const Parameter& parameter, std::string_view text) {
  const bool hexadecimal = text.size() > 2 && text.substr(0, 2) == "0x";
  const std::optional<std::uint64_t> value =
      hexadecimal ? parse_unsigned(text.substr(2), 16) : parse_unsigned(text, 10);
  for (const auto& [name, number_of_name] : parameter.choices) {
    if (to_lower(name) == to_lower(text) || value == number_of_name) return number_of_name;
  }
  return parameter.choices.empty() ? value : std::nullopt;
}

std::string element_name(const std::string& array, std::uint64_t index) {
  return fmt::format("{}[{}]", array, index);
}

void apply_settings(Card& card, const std::map<std::string, std::string>& settings, bool running) {
  for (const auto& [name, text] : settings) {
    const std::string base = name.substr(0, name.find('['));
    for (const Parameter& parameter : parameters_of(card)) {
      if (parameter.name != base) continue;
      const std::optional<std::uint64_t> value = parse_value(parameter, text);
      if (!value) continue;
      card.settings[name].next = *value;
      if (running) card.settings[name].current = *value;
    }
  }
}

}  // namespace fabric::lab
