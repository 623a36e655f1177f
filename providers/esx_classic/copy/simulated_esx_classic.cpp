// SPDX-License-Identifier: Apache-2.0
#include "providers/esx_classic/copy/simulated_esx_classic.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/remote/shell.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/esx_classic/kinds/bundles.hpp"
#include "providers/esx_classic/kinds/host.hpp"
#include "providers/esx_classic/machine/esx_classic_platform.hpp"
#include "providers/linux/copy/simulated_linux.hpp"

namespace fabric::rehearse {

namespace {

namespace esx = providers::esx_classic;

constexpr const char* kDrivers[] = {"mlx4_en", "ib_basic", "ib_ipoib", "ib_srp"};
constexpr const char* kHome = "/root";

struct Contents {
  const char* driver;
  const char* modules;
  const char* needs;
};
constexpr Contents kContents[] = {
    {"mlx4_en", "mlx4_en", ""},
    {"ib_basic", "ib_basic", "mlx4_en"},
    {"ib_ulp", "ib_ipoib ib_srp", "ib_basic"}};

// The content of a bundle file in the lab's format; "" for modules that drive no card.
std::string bulletin_text(const std::string& id) {
  for (const Contents& each : kContents) {
    if (id.find(each.driver) != std::string::npos)
      return fmt::format(
          "id {}\nsummary {}: driver of the vendor\nmodules {}\nneeds {}\n",
          id,
          each.driver,
          each.modules,
          each.needs);
  }
  return "";
}

std::string told_mode(const NodeFacts& facts, std::string_view word) {
  const std::string* text = facts.output(platform::esx_classic_maintenance_probe().id);
  if (text == nullptr) return "";
  for (const std::string_view line : split_lines(*text)) {
    if (line.starts_with(word)) return std::string{trim(line.substr(word.size()))};
  }
  return "";
}

std::string configuration_of(const NodeFacts& facts) {
  std::string text;
  const auto put = [&text](const std::string& key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{} = \"{}\"\n", key, value);
  };
  put("/system/uuid", platform::esx_classic_platform().identity(facts).machine_id);
  if (told_mode(facts, "mode ") == "true") put("/system/maintenance", "true");
  for (const char* driver : kDrivers) {
    const auto module = esx::module_of(facts, driver);
    if (!module || !*module) continue;
    put(fmt::format("/vmkernel/module/{}.o/enabled", driver), (*module)->enabled ? "true" : "");
    put(fmt::format("/vmkernel/module/{}.o/options", driver), (*module)->options_text);
  }
  return text;
}

// The lines behind the first, which is the boot.
std::string notes_of(const NodeFacts& facts) {
  const std::string* text = facts.output("esx-pending");
  const std::size_t end = text == nullptr ? std::string::npos : text->find('\n');
  return end == std::string::npos ? std::string{} : text->substr(end + 1);
}

class SimulatedEsxClassic final : public SimulatedPlatform {
 public:
  lab::LabHost copy(
      const NodeSpec& node,
      const NodeFacts& facts,
      const std::vector<Resource>& resources) const override {
    lab::LabHost host;
    const auto found = esx::cards_of(facts);
    const std::vector<providers::Card> cards = found ? *found : std::vector<providers::Card>{};
    for (const Resource& resource : resources) {
      if (resource.address.node != node.name || resource.address.kind != kinds::kAdapter) continue;
      const providers::FoundCard card =
          providers::find_card(cards, esx::bound_by_what_is_known(resource, cards).binding);
      lab::LabAdapter& adapter = host.adapters[resource.address.name];
      if (card.card == nullptr) {
        adapter.missing = true;
      } else {
        adapter = copy_card(*card.card, {});
      }
    }
    const platform::Identity identity = platform::esx_classic_platform().identity(facts);
    if (!identity.boot_id.empty()) host.boot_id = identity.boot_id;
    host.files["/etc/vmware/esx.conf"] = configuration_of(facts);
    if (const std::string* version = facts.output("esx-version"))
      host.files["/etc/vmware-release"] = *version;
    for (const std::string& id : esx::installed_ids(facts)) {
      if (const std::string text = bulletin_text(id); !text.empty())
        host.files["/etc/vmware/esxupdate/" + id] = text;
    }
    for (const auto& [file, ids] : esx::bundle_files(facts)) {
      if (!ids.empty()) host.files[fmt::format("{}/{}", kHome, file)] = bulletin_text(ids.front());
    }
    const std::string notes = platform::kEsxNotes;
    host.files[notes + "/options"] = notes_of(facts);
    const std::string note = told_mode(facts, "note ");
    if (!note.empty() && note != "none") host.files[notes + "/maintenance"] = note + "\n";
    return host;
  }

  // Modules that exist and were not loaded by the boot are loaded by the copy's boot.
  std::vector<std::string> catching_up(
      const NodeFacts& facts, const NodeFacts& copied) const override {
    std::vector<std::string> commands;
    for (const char* driver : kDrivers) {
      const Result<bool> there = esx::runs(facts, driver);
      const Result<bool> copy = esx::runs(copied, driver);
      if (there && copy && !*there && *copy)
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
  // Notes of fabric, and files of esxcfg-module and esxupdate.
  bool may_touch(
      const std::string& path,
      const std::vector<std::string>& /*touched*/,
      const std::optional<std::string>& /*content*/) const override {
    return path.starts_with(platform::kEsxNotes) || path.starts_with("/etc/vmware/");
  }
  // The service console is a Linux system.
  bool may_be_lost(const std::string& path) const override {
    return simulated_linux().may_be_lost(path);
  }
};

}  // namespace

const SimulatedPlatform& simulated_esx_classic() {
  static const SimulatedEsxClassic platform;
  return platform;
}

}  // namespace fabric::rehearse
