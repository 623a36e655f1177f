// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/copy/simulated_esxi.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/remote/shell.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/esx/answer.hpp"
#include "providers/esx/module_options.hpp"
#include "providers/esx/parsers/esxcli_keyvalue.hpp"
#include "providers/esxi/kinds/cards.hpp"
#include "providers/esxi/machine/esxi_platform.hpp"
#include "providers/esxi/parsers/esxcli_network.hpp"

namespace fabric::rehearse {

namespace {

using providers::esxi::EsxCard;

constexpr const char* kConfiguration = "/etc/vmware/esx.conf";
constexpr const char* kDrivers[] = {"nmlx5_core", "nmlx5_rdma"};

std::string line(const std::string& key, const std::string& value) {
  return value.empty() ? "" : fmt::format("{} = \"{}\"\n", key, value);
}

std::string note_of_maintenance(const NodeFacts& facts) {
  std::string text;
  const std::string* notes = facts.output("esxi-notes");
  if (notes == nullptr) return text;
  const auto rows = providers::read_esxcli_keyvalue(*notes, {"path", "stringvalue"});
  if (!rows) return text;
  for (const providers::EsxcliRow& row : *rows) {
    if (row.cell("path").ends_with("/FabricMaintenance"))
      text += line("/adv/UserVars/FabricMaintenance", std::string{row.cell("stringvalue")});
  }
  return text;
}

// The lab's switches are found by their port groups, which a distributed one does not list.
std::string group_of(std::string_view distributed) {
  return fmt::format("group of {}", distributed);
}

// Virtual switches with their uplinks, and the kernel's own interfaces on them.
std::string network_of(const NodeFacts& facts) {
  std::string text;
  std::size_t index = 0;
  const auto add = [&](const char* probe, auto parse, bool is_distributed) {
    const std::string* listed = facts.output(probe);
    if (listed == nullptr) return;
    const Result<std::vector<providers::EsxVswitch>> switches = parse(*listed);
    if (!switches) return;
    for (const providers::EsxVswitch& each : *switches) {
      const std::string child = fmt::format("/net/vswitch/child[{:04}]/", index++);
      text += line(child + "name", each.name) + line(child + "mtu", std::to_string(each.mtu)) +
              line(child + "uplinks", join(each.uplinks, ", ")) +
              line(
                  child + "portgroups",
                  is_distributed ? group_of(each.name) : join(each.port_groups, ", ")) +
              line(child + "distributed", is_distributed ? "true" : "");
    }
  };
  add("esxi-vswitches", providers::parse_esxcli_vswitch_list, false);
  add("esxi-distributed-switches", providers::parse_esxcli_dvs_list, true);
  const std::string* interfaces = facts.output("esxi-vmkernel");
  const std::string* addresses = facts.output("esxi-vmkernel-ipv4");
  if (interfaces == nullptr) return text;
  const auto rows = providers::read_esxcli_keyvalue(*interfaces, {"name", "mtu", "portset"});
  const auto of =
      addresses == nullptr
          ? Result<std::vector<providers::EsxcliRow>>{std::vector<providers::EsxcliRow>{}}
          : providers::read_esxcli_keyvalue(*addresses, {"name", "ipv4address"});
  for (std::size_t i = 0; rows && i < rows->size(); ++i) {
    const providers::EsxcliRow& row = (*rows)[i];
    const std::string child = fmt::format("/net/vmkernelnic/child[{:04}]/", i);
    const bool is_distributed = row.cell("portset").starts_with("Dvs");
    text +=
        line(child + "name", std::string{row.cell("name")}) +
        line(child + "mtu", std::string{row.cell("mtu")}) +
        line(
            child + "portgroup",
            is_distributed ? group_of(row.cell("vdsname")) : std::string{row.cell("portgroup")});
    for (std::size_t each = 0; of && each < of->size(); ++each) {
      const std::string_view address = (*of)[each].cell("ipv4address");
      if ((*of)[each].cell("name") == row.cell("name") && address != "0.0.0.0")
        text += line(child + "ipv4address", std::string{address});
    }
  }
  return text;
}

// The configuration that a boot of the host would read.
std::string configuration_of(const NodeFacts& facts, const std::vector<EsxCard>& cards) {
  std::string text = line("/system/uuid", platform::esxi_platform().identity(facts).machine_id);
  for (const char* driver : kDrivers) {
    const auto module = providers::esxi::module_options(facts, driver);
    if (module)
      text += line(fmt::format("/vmkernel/module/{}.so/options", driver), module->options_text);
  }
  const Result<bool> maintenance = providers::esxi::maintenance_mode(facts);
  if (maintenance && *maintenance) text += line("/system/maintenance", "true");
  text += note_of_maintenance(facts) + network_of(facts);
  // Without the tool nothing is shown, and the lab has the tool.
  const bool shows_any = facts.output("esxi-mst") != nullptr && !facts.output("esxi-mst")->empty();
  for (const EsxCard& card : cards) {
    for (const providers::AdapterPort& port : card.card.ports) {
      if (card.mst.empty() && !card.passed_through && shows_any)
        text += line(fmt::format("/device/{}/unseen", port.function.str()), "true");
      if (card.passed_through)
        text += line(fmt::format("/device/{}/owner", port.function.str()), "passthru");
    }
  }
  return text;
}

class SimulatedEsxi final : public SimulatedPlatform {
 public:
  lab::LabHost copy(
      const NodeSpec& node,
      const NodeFacts& facts,
      const std::vector<Resource>& resources) const override {
    lab::LabHost host;
    host.tool = "mlxconfig";
    const Result<std::vector<EsxCard>> found = providers::esxi::cards_of(facts);
    const std::vector<EsxCard> cards = found ? *found : std::vector<EsxCard>{};
    const std::vector<providers::Card> all = providers::esxi::plain(cards);
    for (const Resource& resource : resources) {
      if (resource.address.node != node.name || resource.address.kind != kinds::kAdapter) continue;
      const providers::FoundCard card = providers::find_card(all, resource.binding);
      lab::LabAdapter& adapter = host.adapters[resource.address.name];
      if (card.card == nullptr) {
        adapter.missing = true;
        continue;
      }
      const EsxCard& esx = cards[static_cast<std::size_t>(card.card - all.data())];
      adapter = copy_card(*card.card, providers::esxi::settings_of(facts, esx));
    }
    host.files[kConfiguration] = configuration_of(facts, cards);
    if (const std::string* vibs = facts.output("esxi-vibs")) copy_tool(*vibs, host);
    return host;
  }

  std::vector<std::string> catching_up(
      const NodeFacts& facts, const NodeFacts& /*copied*/) const override {
    std::vector<std::string> commands;
    if (const std::string* pending = facts.output("esxi-module-pending")) {
      for (const std::string_view each : split_lines(*pending)) {
        if (!trim(each).empty())
          commands.push_back(
              fmt::format("echo {} >>/var/run/fabric-pending", remote::quote(std::string{each})));
      }
    }
    for (const char* driver : kDrivers) {
      const Result<std::optional<bool>> loaded = providers::esxi::is_loaded(facts, driver);
      if (loaded && !loaded->value_or(false))
        commands.push_back(fmt::format("vmkload_mod -u {}", driver));
    }
    return commands;
  }

  void write(
      lab::Lab& lab,
      const NodeName& node,
      const std::string& path,
      const std::string& content) const override {
    lab.exec(node, "root", "cat >" + remote::quote(path), content);
  }
  bool may_touch(
      const std::string& path,
      const std::vector<std::string>& /*touched*/,
      const std::optional<std::string>& /*content*/) const override {
    return path.starts_with("/var/run/fabric-");
  }

 private:
  // "...,mft,...,4.28.0.92-0,": the lab's tools have two numbers.
  static void copy_tool(const std::string& vibs, lab::LabHost& host) {
    const auto rows = providers::read_esxcli_rows(vibs, {"name", "version"});
    if (!rows) return;
    for (const providers::EsxcliRow& row : *rows) {
      if (row.cell("name") != "mft") continue;
      const std::string version{row.cell("version")};
      const std::size_t point = version.find('.');
      if (point != std::string::npos)
        host.tool_version = version.substr(0, version.find_first_of(".-", point + 1));
    }
  }
};

}  // namespace

const SimulatedPlatform& simulated_esxi() {
  static const SimulatedEsxi platform;
  return platform;
}

}  // namespace fabric::rehearse
