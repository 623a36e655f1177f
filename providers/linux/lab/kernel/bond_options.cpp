// SPDX-License-Identifier: Apache-2.0
// Options of a bond: names, values, and when the kernel takes them.
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"

namespace fabric::lab {
namespace {

using Names = std::vector<std::string_view>;

constexpr std::uint32_t kUsualMiimon = 100;  // of modes that can't do without
constexpr std::string_view kBusy = "RTNETLINK answers: Device or resource busy";
constexpr std::string_view kInvalid = "RTNETLINK answers: Invalid argument";

struct Option {
  std::string_view name;
  Names names;  // of its values, in the driver's numbers
  std::uint32_t Bond::*number = nullptr;
  bool only_without_slaves = false;
  bool only_while_down = false;
  std::vector<BondMode> modes;  // empty: all
};

// In the order of bond_changelink().
const std::vector<Option>& options() {
  using enum BondMode;
  static const std::vector<Option> table{
      {"mode",
       {"balance-rr",
        "active-backup",
        "balance-xor",
        "broadcast",
        "802.3ad",
        "balance-tlb",
        "balance-alb"},
       nullptr,
       true,
       true,
       {}},
      {"active_slave", {}, nullptr, false, false, {active_backup, balance_tlb, balance_alb}},
      {"miimon", {}, &Bond::miimon, false, false, {}},
      {"updelay", {}, &Bond::updelay, false, false, {}},
      {"downdelay", {}, &Bond::downdelay, false, false, {}},
      {"primary", {}, nullptr, false, false, {active_backup, balance_tlb, balance_alb}},
      {"fail_over_mac", {"none", "active", "follow"}, &Bond::fail_over_mac, true, false, {}},
      {"xmit_hash_policy",
       {"layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4", "vlan+srcmac"},
       &Bond::hash_policy,
       false,
       false,
       {}},
      {"min_links", {}, &Bond::min_links, false, false, {}},
      {"lacp_rate", {"slow", "fast"}, &Bond::lacp_rate, false, true, {lacp}},
      {"ad_select", {"stable", "bandwidth", "count"}, &Bond::ad_select, false, true, {}},
  };
  return table;
}

const Option* find_option(std::string_view name) {
  const auto found =
      std::ranges::find_if(options(), [name](const Option& option) { return option.name == name; });
  return found == options().end() ? nullptr : &*found;
}

// From a name or a number.
std::optional<std::uint32_t> number_of(const Option& option, std::string_view value) {
  const std::optional<std::uint64_t> number = parse_unsigned(value, 10);
  if (option.names.empty())
    return number && *number <= 0x7FFF'FFFF ? std::optional{static_cast<std::uint32_t>(*number)}
                                            : std::nullopt;
  const auto found = std::ranges::find(option.names, value);
  if (found != option.names.end()) return static_cast<std::uint32_t>(found - option.names.begin());
  if (!number || *number >= option.names.size()) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

bool is_delay(std::string_view option) {
  return option == "updelay" || option == "downdelay";
}

std::string set_slave_option(
    LinuxHost& machine, Bond& bond, std::string_view option, std::string_view value) {
  if (option == "primary") {
    bond.primary = value;
    return "";
  }
  const Interface* slave = machine.find_interface(value);
  if (slave == nullptr) return std::string{kInvalid};
  const bool known = std::ranges::any_of(
      bond.slaves, [&](const auto& each) { return each.index == slave->index && each.link; });
  if (!known) return std::string{kInvalid};
  bond.active = slave->index;
  return "";
}

void set_mode(Bond& bond, BondMode mode) {
  bond.mode = mode;
  const bool polls = mode == BondMode::lacp || has_active_slave(mode);
  if (polls && mode != BondMode::active_backup && bond.miimon == 0) bond.miimon = kUsualMiimon;
}

}  // namespace

std::vector<std::string_view> bond_options() {
  std::vector<std::string_view> names;
  for (const Option& option : options())
    names.push_back(option.name);
  return names;
}

bool is_bond_value(std::string_view option, std::string_view value) {
  const Option* known = find_option(option);
  const bool is_slave = option == "primary" || option == "active_slave";
  return known != nullptr && !is_slave && number_of(*known, value).has_value();
}

std::string set_bond_option(
    LinuxHost& machine, Interface& bond, std::string_view option, std::string_view value) {
  const Option* known = find_option(option);
  if (known == nullptr || !bond.bond) return std::string{kInvalid};
  Bond& state = *bond.bond;
  const bool fits =
      known->modes.empty() || std::ranges::find(known->modes, state.mode) != known->modes.end();
  if (!fits) return "RTNETLINK answers: Permission denied";
  if (known->only_without_slaves && !state.slaves.empty())
    return "RTNETLINK answers: Directory not empty";
  if (known->only_while_down && bond.up) return std::string{kBusy};
  if (option == "primary" || option == "active_slave")
    return set_slave_option(machine, state, option, value);
  const std::optional<std::uint32_t> number = number_of(*known, value);
  if (!number) return std::string{kInvalid};
  if (option == "mode") {
    set_mode(state, static_cast<BondMode>(*number));
  } else if (is_delay(option)) {
    if (state.miimon == 0 && *number != 0) return "RTNETLINK answers: Operation not permitted";
    state.*known->number = state.miimon == 0 ? 0 : *number / state.miimon;
  } else {
    state.*known->number = *number;
  }
  machine.note_change();
  return "";
}

std::string bond_option_name(const Interface& bond, std::string_view option) {
  const Option* known = find_option(option);
  if (known == nullptr) return "";
  const std::size_t number =
      option == "mode" ? static_cast<std::size_t>(bond.bond->mode) : (*bond.bond).*known->number;
  return std::string{known->names[number]};
}

std::string bond_option(const LinuxHost& machine, const Interface& bond, std::string_view option) {
  const Option* known = find_option(option);
  if (known == nullptr) return "";
  const Bond& state = *bond.bond;
  if (option == "active_slave") {
    const Interface* active = machine.interface_of_index(state.active);
    return active == nullptr ? "" : active->name;
  }
  if (option == "primary") {
    const Interface* primary = machine.find_interface(state.primary);
    const bool there = primary != nullptr && primary->master == bond.index;
    return there ? primary->name : "";
  }
  if (!known->names.empty()) {
    const std::uint32_t number =
        option == "mode" ? static_cast<std::uint32_t>(state.mode) : state.*known->number;
    return fmt::format("{} {}", known->names[number], number);
  }
  return std::to_string(state.*known->number * (is_delay(option) ? state.miimon : 1));
}

}  // namespace fabric::lab
