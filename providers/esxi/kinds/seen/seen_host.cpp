// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "providers/cards/card_settings.hpp"
#include "providers/cards/seen_card.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esx/module_options.hpp"
#include "providers/esxi/kinds/cards.hpp"
#include "providers/esxi/kinds/rows.hpp"
#include "providers/esxi/kinds/sriov/virtual_functions.hpp"
#include "providers/esxi/parsers/esxcli_network.hpp"

namespace fabric::providers::esxi {

namespace {

// LINK_TYPE of a port that speaks InfiniBand.
constexpr std::int64_t kInfiniband = 1;

class SeenHostReader {
 public:
  explicit SeenHostReader(const NodeFacts& facts) : facts_{facts} {
    if (const auto text = answer(facts, "esxi-nics")) {
      if (auto nics = parse_esxcli_nic_list(*text)) nics_ = *std::move(nics);
    }
    if (const auto text = answer(facts, "esxi-vswitches")) {
      if (auto found = parse_esxcli_vswitch_list(*text)) vswitches_ = *std::move(found);
    }
    if (auto said = virtual_functions_said(facts)) functions_ = *std::move(said);
  }

  SeenNode read() {
    seen_.name = facts_.node.str();
    seen_.node.platform = to_string(facts_.platform);
    seen_.node.all_cards = true;
    const Result<std::vector<EsxCard>> cards = cards_of(facts_);
    if (!cards) {
      seen_.node.notes.push_back("CHANGE: its cards are not read: " + cards.error().message);
      return std::move(seen_);
    }
    for (const EsxCard& card : *cards)
      read_card(card, *cards);
    read_options();
    return std::move(seen_);
  }

 private:
  std::optional<SettingsTable> settings_of(const EsxCard& card) const {
    const Result<std::string_view> output = answer(facts_, "esxi-mlxconfig");
    if (!output || card.mst.empty()) return std::nullopt;
    Result<SettingsQuery> parsed = parse_mlxconfig_query(card_query(*output, card.mst).text);
    if (!parsed || parsed->tables.empty()) return std::nullopt;
    return std::move(parsed->tables.front());
  }

  static bool speaks_infiniband(const SettingsTable* settings, std::uint32_t port) {
    const SettingRow* row =
        settings == nullptr ? nullptr : settings->find(fmt::format("LINK_TYPE_P{}", port));
    if (row == nullptr) return false;
    const std::optional<std::string>& value = row->current ? row->current : row->next_boot;
    return value && setting_number(*value) == kInfiniband;
  }

  void read_card(const EsxCard& card, const std::vector<EsxCard>& all) {
    const std::optional<SettingsTable> told = settings_of(card);
    const SettingsTable* settings = told ? &*told : nullptr;
    const bool vpi = settings != nullptr && settings->find("LINK_TYPE_P1") != nullptr;
    const HardwareModel* model = model_of_device(card.card.device_id, vpi);
    if (model == nullptr) {
      seen_.node.notes.push_back(fmt::format("left out: the card {}", card.card.text()));
      return;
    }
    const std::string plain = short_name(model->family);
    const std::size_t before = used_[plain]++;
    const std::string name = before == 0 ? plain : fmt::format("{}-{}", plain, before + 1);
    description::Adapter& adapter = seen_.node.adapters[name];
    adapter.model = model->slug;
    adapter.serial = card.card.serial;
    if (card.card.ports.size() == 1 && model->ports > 1) adapter.ports = 1;
    const auto alike = std::ranges::count_if(
        all, [&card](const EsxCard& each) { return each.card.device_id == card.card.device_id; });
    if (alike > 1) adapter.pci = card.card.address.str();
    if (card.passed_through)
      seen_.node.notes.push_back(fmt::format(
          "{} is passed through to a guest: its ports and settings are not read", name));
    for (const AdapterPort& port : card.card.ports)
      read_port(port, name, adapter, speaks_infiniband(settings, port.number));
  }

  void read_port(
      const AdapterPort& port, const std::string& name, description::Adapter& adapter, bool ib) {
    description::PortEvidence& evidence = adapter.evidence[port.number];
    if (port.mac) evidence.macs.insert(port.mac->str());
    if (!port.netdev.empty()) evidence.devices.insert(port.netdev);
    adapter.vfs = std::max(adapter.vfs, functions_of(port.netdev));
    SeenPort found;
    found.end = {seen_.name, name, std::to_string(port.number)};
    found.device = port.netdev;
    if (port.mac) found.macs.push_back(port.mac->str());
    const auto nic = std::ranges::find_if(
        nics_, [&port](const EsxNic& each) { return each.name == port.netdev; });
    if (nic != nics_.end() && nic->link_status == "Up")
      seen_.node.linked.emplace(name + "/" + found.end.port, 0);
    const auto vswitch = std::ranges::find_if(vswitches_, [&port](const EsxVswitch& each) {
      return std::find(each.uplinks.begin(), each.uplinks.end(), port.netdev) != each.uplinks.end();
    });
    if (ib && nic != nics_.end() && nic->link_status == "Up") {
      found.mode = "infiniband";
      seen_.ports.push_back(std::move(found));
    } else if (!ib && !port.netdev.empty() && vswitch != vswitches_.end()) {
      found.mode = "ethernet";
      found.vswitch = vswitch->name;
      found.mtu = vswitch->mtu;
      seen_.ports.push_back(std::move(found));
    }
  }

  std::uint32_t functions_of(const std::string& nic) const {
    const auto said = functions_.find(nic);
    if (nic.empty() || said == functions_.end()) return 0;
    const auto functions = parse_esxcli_vf_list(said->second);
    return functions ? static_cast<std::uint32_t>(functions->size()) : 0;
  }

  // Options for virtual functions, and those that `qos` of a network sets, are left out.
  void read_options() {
    const Result<EsxModule> module = module_options(facts_, kCardDriver);
    if (!module) return;
    for (const EsxModuleOption& option : module->options) {
      if (option.key == kMaxVfs || !option.value) continue;
      seen_.node.modules[std::string{kCardDriver}][option.key] = *option.value;
    }
  }

  const NodeFacts& facts_;
  std::vector<EsxNic> nics_;
  std::vector<EsxVswitch> vswitches_;
  std::map<std::string, std::string> functions_;
  std::map<std::string, std::size_t> used_;
  SeenNode seen_;
};

}  // namespace

SeenNode see_host(const NodeFacts& facts) {
  return SeenHostReader{facts}.read();
}

}  // namespace fabric::providers::esxi
