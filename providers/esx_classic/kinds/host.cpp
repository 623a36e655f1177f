// SPDX-License-Identifier: Apache-2.0
#include "providers/esx_classic/kinds/host.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esx/module_options.hpp"
#include "providers/esx_classic/kinds/sh/scripts.hpp"
#include "providers/parsers/rdma_tools.hpp"

namespace fabric::providers::esx_classic {

namespace {

using esxi::answer;

constexpr const char* kVersionProbe = "esx-version";
constexpr const char* kPciProbe = "esx-pci";
constexpr const char* kNicsProbe = "esx-nics";
constexpr const char* kIbstatProbe = "esx-ibstat";
constexpr const char* kModulesProbe = "esx-modules";
constexpr const char* kOptionsProbe = "esx-module-options";
constexpr const char* kRunningProbe = "esx-modules-running";
constexpr const char* kPendingProbe = "esx-pending";
constexpr std::uint32_t kVendor = 0x15b3;
constexpr std::uint32_t kPorts = 2;

// InfiniBand, or a network: bridges of old cards are neither (E-esx-classic-tables).
bool is_card(const PciNumbers& function) {
  constexpr std::uint32_t kInfinibandClass = 0x0c06;
  constexpr std::uint32_t kNetworkClass = 0x02;
  return function.vendor == kVendor && (function.device_class == kInfinibandClass ||
                                        function.device_class >> 8U == kNetworkClass);
}

// GUIDs of the only card, and only once IPoIB runs (E-esx-ibstat).
void add_guids(Card& card, const NodeFacts& facts) {
  const Result<std::string_view> text = answer(facts, kIbstatProbe);
  if (!text) return;
  const Result<Value> said = parse_ibstat(*text);
  const Value* devices = said ? said->find("devices") : nullptr;
  const List& list = or_null(devices).items();
  if (list.size() != 1) return;
  const Result<Guid> node = Guid::parse(list.front().string_or_empty("node_guid"));
  if (node) card.ports.front().node_guid = *node;
  for (const Value& each : list.front().member("ports").items()) {
    const Value* number = each.find("number");
    const Result<Guid> guid = Guid::parse(each.string_or_empty("port_guid"));
    if (number == nullptr || !guid) continue;
    for (AdapterPort& port : card.ports) {
      if (*number == Value{std::int64_t{port.number}}) port.port_guid = *guid;
    }
  }
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Probe version_probe() {
  return {kVersionProbe, "vmware -v\n"};
}

Result<std::string> version_of(const NodeFacts& facts) {
  const std::vector<std::string_view> words = split_words(FABRIC_TRY(answer(facts, kVersionProbe)));
  const bool is_esx = words.size() > 3 && words[0] == "VMware" && words[1] == "ESX";
  if (!is_esx) return Error{ErrorCode::invalid, "`vmware -v` shows no version of ESX"};
  return std::string{words[words[2] == "Server" ? 3 : 2]};
}

std::vector<Probe> card_probes() {
  return {
      {kPciProbe, "lspci -n\n"},
      {kNicsProbe, "esxcfg-nics -l\n"},
      {kIbstatProbe, "command -v ibstat >/dev/null 2>&1 || exit 0\nibstat\nexit 0\n"}};
}

Result<std::vector<Card>> cards_of(const NodeFacts& facts) {
  const std::string_view text = FABRIC_TRY(answer(facts, kPciProbe));
  std::vector<PciNumbers> functions = FABRIC_TRY(parse_lspci_numbers(text));
  std::ranges::sort(functions, [](const auto& a, const auto& b) { return a.address < b.address; });
  std::vector<Card> cards;
  for (const PciNumbers& function : functions) {
    if (!is_card(function)) continue;
    Card card{function.address, function.device, {}, {}, {}, {}, {}, {}};
    for (std::uint32_t port = 1; port <= kPorts; ++port)
      card.ports.push_back({.number = port, .function = function.address});
    cards.push_back(std::move(card));
  }
  if (cards.size() == 1) add_guids(cards.front(), facts);
  return cards;
}

Result<std::vector<EsxcfgNic>> nics_of(const NodeFacts& facts) {
  return parse_esxcfg_nics(FABRIC_TRY(answer(facts, kNicsProbe)));
}

std::vector<std::string> nics_of_drivers(const NodeFacts& facts) {
  std::vector<std::string> names;
  const Result<std::vector<EsxcfgNic>> nics = nics_of(facts);
  if (!nics) return names;
  for (const EsxcfgNic& nic : *nics) {
    if (nic.driver == kCardDriver || nic.driver == kIpoibDriver) names.push_back(nic.name);
  }
  return names;
}

std::vector<EsxcfgNic> nics_of_port(
    const std::vector<EsxcfgNic>& nics, const Card& card, std::uint32_t port) {
  const std::string name = fmt::format("vmnic{}.p{}", card.address.bus(), port);
  std::vector<EsxcfgNic> own;
  for (const EsxcfgNic& nic : nics) {
    if (nic.name == name) own.push_back(nic);
  }
  return own;
}

Resource bound_by_what_is_known(Resource resource, const std::vector<Card>& cards) {
  const bool known = std::ranges::any_of(
      cards, [](const Card& card) { return card.ports.front().node_guid.has_value(); });
  if (!known) {
    const auto guid = resource.binding.find(keys::kNodeGuid);
    if (guid != resource.binding.end()) resource.binding.erase(guid);
  }
  return resource;
}

// The existing modules are one list, their options another: the answer of `-g` for a missing module
// differs between releases.
std::vector<Probe> module_probes() {
  return {
      {kModulesProbe, "esxcfg-module -l\n"},
      {kOptionsProbe, std::string{sh::probe_esx_module_options.text}},
      {kRunningProbe, "vmkload_mod -l\n"},
      {kPendingProbe,
       "cat /proc/sys/kernel/random/boot_id || exit 1\n"
       "cat /var/lib/fabric/options 2>/dev/null\nexit 0\n"}};
}

Result<std::optional<EsxModule>> module_of(const NodeFacts& facts, std::string_view module) {
  const std::string_view list = FABRIC_TRY(answer(facts, kModulesProbe));
  const std::vector<std::string> there = FABRIC_TRY(names_below(list, {"Module", "Name"}));
  if (!has(there, module)) return std::optional<EsxModule>{};
  const std::string_view options = FABRIC_TRY(answer(facts, kOptionsProbe));
  EsxModule found = FABRIC_TRY(esxi::options_of(options, module));
  return std::optional{std::move(found)};
}

Result<bool> runs(const NodeFacts& facts, std::string_view module) {
  const std::string_view list = FABRIC_TRY(answer(facts, kRunningProbe));
  const std::vector<std::string> running = FABRIC_TRY(names_below(list, {"Name"}));
  return has(running, module);
}

Result<bool> is_pending(const NodeFacts& facts, std::string_view what, std::string_view key) {
  const std::vector<std::string_view> lines = split_lines(FABRIC_TRY(answer(facts, kPendingProbe)));
  constexpr std::size_t kUuid = 36;
  if (lines.empty() || trim(lines.front()).size() != kUuid)
    return Error{ErrorCode::invalid, "the console does not show its boot"};
  const std::string wanted = fmt::format("{} {} {}", trim(lines.front()), what, key);
  return std::find(lines.begin(), lines.end(), std::string_view{wanted}) != lines.end();
}

remote::Argv edit_options(std::string_view module, const std::vector<OptionEdit>& edits) {
  remote::Argv argv{"sh", "-c", sh::esx_options_edit, "fabric-options", module};
  for (const OptionEdit& edit : edits) {
    const std::string key =
        edit.triplet.empty() ? edit.key : fmt::format("{}:{}", edit.key, edit.triplet);
    argv.push_back(edit.value ? fmt::format("{}={}", key, *edit.value) : "-" + key);
  }
  return argv;
}

remote::Argv enable_module(std::string_view module, bool enabled) {
  return {"sh", "-c", sh::esx_module_enable, "fabric-module", module, enabled ? "e" : "d"};
}

}  // namespace fabric::providers::esx_classic
