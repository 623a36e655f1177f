// SPDX-License-Identifier: Apache-2.0
#include "engine/model/ndr.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric {

namespace {

constexpr std::uint32_t kNdrGbps = 400;

// OpenSM 3.3 and later, and behind them those of NVIDIA's manager alone (opensm.8).
constexpr std::string_view kEngines[] = {
    "minhop",
    "updn",
    "dnup",
    "file",
    "ftree",
    "lash",
    "dor",
    "torus-2QoS",
    "nue",
    "sssp",
    "dfsssp"};
constexpr std::string_view kVendorEngines[] = {
    "pqft", "chain", "ar_updn", "ar_ftree", "ar_torus", "ar_dor", "df_plus"};

// The speed of the port at full width; 0 = unknown.
std::uint32_t infiniband_gbps(const FabricSpec& spec, const PortRef& port) {
  const NodeSpec* node = spec.find_node(port.node.str());
  if (node == nullptr) return 0;
  if (const AdapterSpec* card = node->find_adapter(port.adapter))
    return card->hardware == nullptr ? 0 : card->hardware->infiniband_gbps;
  const SwitchModel* known = find_switch_model(node->model.value);
  return known == nullptr ? 0 : known->infiniband_gbps;
}

// "NDR", "400G", "800", or what both ends can do; nullopt where the document leaves it open.
std::optional<bool> is_ndr(const FabricSpec& spec, const CableSpec& cable) {
  const std::string lower = to_lower(cable.speed);
  if (lower == "ndr" || lower == "xdr") return true;
  if (!lower.empty()) {
    const auto number = parse_integer(lower.substr(0, lower.find_first_not_of("0123456789")));
    return number && *number >= kNdrGbps;
  }
  const std::uint32_t a = infiniband_gbps(spec, cable.a.value);
  const std::uint32_t b = infiniband_gbps(spec, cable.b.value);
  const auto is_slower = [](std::uint32_t gbps) {
    return gbps != 0 && gbps < kNdrGbps;
  };
  if (is_slower(a) || is_slower(b)) return false;
  return a != 0 && b != 0 ? std::optional{true} : std::nullopt;
}

}  // namespace

std::optional<NdrNeed> ndr_need(const FabricSpec& spec, const NetworkSpec& network) {
  bool declared = false;
  bool all_slower = !network.cables.empty();
  for (const CableSpec& cable : network.cables) {
    const std::optional<bool> ndr = is_ndr(spec, cable);
    declared = declared || ndr.value_or(false);
    all_slower = all_slower && ndr == false;
  }
  if (all_slower) return std::nullopt;
  for (const PortRef& port : network.member_ports()) {
    const NodeSpec* node = spec.find_node(port.node.str());
    const AdapterSpec* card = node == nullptr ? nullptr : node->find_adapter(port.adapter);
    if (card == nullptr || card->hardware == nullptr || card->hardware->infiniband_gbps < kNdrGbps)
      continue;
    return NdrNeed{
        fmt::format("{}/{} ({})", port.node.str(), card->name, card->hardware->name), declared};
  }
  return std::nullopt;
}

bool has_distribution_opensm(const NodeSpec& node) {
  if (node.software->stack.value != "inbox") return false;
  return is_known(node.software->stack.range) ||
         std::ranges::any_of(
             node.packages, [](const auto& package) { return package.value == "opensm"; });
}

std::vector<std::string> vendor_engines(std::string_view routing_engine) {
  std::vector<std::string> lacking;
  for (const std::string_view part : split(routing_engine, ',')) {
    const std::string_view engine = trim(part);
    if (std::find(std::begin(kVendorEngines), std::end(kVendorEngines), engine) !=
        std::end(kVendorEngines))
      lacking.emplace_back(engine);
  }
  return lacking;
}

std::vector<std::string> routing_engines() {
  std::vector<std::string> all{std::begin(kEngines), std::end(kEngines)};
  all.insert(all.end(), std::begin(kVendorEngines), std::end(kVendorEngines));
  return all;
}

}  // namespace fabric
