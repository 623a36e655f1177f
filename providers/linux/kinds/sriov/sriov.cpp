// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/diagnose.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/kinds.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/linux/kinds/sriov/function_owners.hpp"
#include "providers/linux/kinds/sriov/function_rules.hpp"
#include "providers/linux/kinds/sriov/virtual_functions.hpp"

namespace fabric::providers {

namespace {

constexpr const char* kVfs = "vfs";
constexpr std::string_view kFilesProbe = "sriov-files";
// The kernel refuses another number while there are virtual functions (EBUSY).
constexpr const char* kSetNumber =
    R"sh([ "$(cat "$1")" = "$2" ] || { echo 0 >"$1" && echo "$2" >"$1"; })sh";

std::string rules_path(const ResourceAddress& address) {
  return fmt::format("/etc/udev/rules.d/71-fabric-sriov-{}.rules", address.name);
}

std::string number_path(const AdapterPort& port) {
  return fmt::format("/sys/bus/pci/devices/{}/sriov_numvfs", port.function.str());
}

// With the network interface or, on a port that has none, with the RDMA device comes the driver
// that can make them.
std::string rules(const Card& card, std::string_view number) {
  std::string text;
  for (const AdapterPort& port : card.ports) {
    for (const std::string_view subsystem : {"net", "infiniband"}) {
      text += fmt::format(
          "ACTION==\"add\", SUBSYSTEM==\"{}\", KERNELS==\"{}\", "
          "ATTR{{device/sriov_numvfs}}=\"{}\"\n",
          subsystem,
          port.function.str(),
          number);
    }
  }
  return text;
}

std::string without_comments(std::string_view content) {
  std::string kept;
  for (const std::string_view line : split_lines(content)) {
    if (!line.starts_with('#')) kept += std::string{line} + "\n";
  }
  return kept;
}

Reading running_number(const Card& card) {
  std::optional<std::int64_t> number;
  for (const AdapterPort& port : card.ports) {
    if (!port.sriov_vfs) return Reading::absent();
    if (number && *number != *port.sriov_vfs)
      return Reading::of(fmt::format("{} and {}", *number, *port.sriov_vfs));
    number = port.sriov_vfs;
  }
  return number ? Reading::of(*number) : Reading::absent();
}

Reading file_number(const FileTexts& files, const Card& card, const Resource& resource) {
  const auto file = files.find(rules_path(resource.address));
  if (file == files.end()) return Reading::absent();
  if (!is_owned(file->second)) return Reading::unknown(file->first + " is not fabric's");
  const std::string content = without_comments(file->second);
  const std::size_t end = content.rfind('"');
  const std::size_t begin =
      end == std::string::npos || end == 0 ? end : content.rfind('"', end - 1);
  if (begin == std::string::npos) return Reading::absent();
  const std::string number = content.substr(begin + 1, end - begin - 1);
  const auto value = parse_integer(number);
  return value && content == rules(card, number) ? Reading::of(*value) : Reading::absent();
}

std::optional<std::int64_t> most(const Card& card) {
  std::optional<std::int64_t> most;
  for (const AdapterPort& port : card.ports) {
    const std::int64_t here = port.sriov_total.value_or(0);
    most = std::min(most.value_or(here), here);
  }
  return most;
}

// Another number removes functions that are in use: those that no file of fabric has made are
// foreign.
void report_used(
    const Resource& resource,
    const Card& card,
    const LayeredReading& reading,
    const NodeFacts& facts,
    Diagnostics& diagnostics) {
  const auto wanted = resource.desired.find(kVfs);
  if (wanted == resource.desired.end() || resource.binding.contains(keys::kAdopt)) return;
  if (reading.running == Reading::of(wanted->second.value)) return;
  for (const AdapterPort& port : card.ports) {
    if (makes_functions(facts, port.function)) continue;
    const std::vector<std::string> uses = used_functions(port, facts);
    if (uses.empty()) continue;
    report_finding(
        diagnostics,
        resource,
        "foreign-configuration",
        fmt::format(
            "{}: another number of virtual functions of {} would remove functions that are in use "
            "and that fabric did not make: {}",
            facts.node.str(),
            port.function.str(),
            join(uses, "; ")))
        .with_help(
            "ask for the present number, free the functions by hand, or let fabric remove them: "
            "adopt: true");
  }
}

bool is_taken_over(const Resource& resource, std::uint32_t port) {
  const auto taken = resource.binding.find(keys::kAdoptedPorts);
  const List* ports = taken == resource.binding.end() ? nullptr : taken->second.as_list();
  return ports != nullptr && std::find(ports->begin(), ports->end(), Value{port}) != ports->end();
}

// Another owner that sets their number at a boot undoes fabric's, or is undone by it.
void report_owners(
    const Resource& resource, const Card& card, const NodeFacts& facts, Diagnostics& diagnostics) {
  const auto wanted = resource.desired.find(kVfs);
  if (wanted == resource.desired.end() || wanted->second.value.is_null()) return;
  for (const FunctionOwner& owner : function_owners(card, facts)) {
    // What is taken over with the interface is compared there.
    if (owner.of_interface && is_taken_over(resource, owner.port)) continue;
    report_finding(
        diagnostics,
        resource,
        "foreign-configuration",
        fmt::format(
            "{}: {}:{} sets up virtual functions of {} already, and fabric did not write it: {}",
            facts.node.str(),
            owner.path,
            owner.line,
            owner.function,
            owner.text))
        .with_help("remove the line by hand on the node, or leave `sriov` out of the document");
  }
}

class SriovWork {
 public:
  SriovWork(const Change& change, const WorkContext& context, const Card& card)
      : change_{change},
        context_{context},
        card_{card},
        attribute_{change.attributes.front()},
        number_{attribute_.desired.is_null() ? "0" : to_text(attribute_.desired)} {}

  Result<Work> plan() const {
    Work work;
    if (attribute_.write) work.actions.push_back(write_draft());
    if (!attribute_.activate || context_.reboot_planned) return work;
    const std::int64_t wanted = parse_integer(number_).value_or(0);
    if (wanted > most(card_).value_or(0)) {
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "{}: the card {} offers {} virtual functions a port until it boots with other "
              "settings",
              change_.resource.address.str(),
              card_.address.str(),
              most(card_).value_or(0))};
    }
    work.actions.push_back(set_draft());
    return work;
  }

 private:
  bool removes() const { return attribute_.desired.is_null(); }

  ActionDraft write_draft() const {
    const std::string path = rules_path(change_.resource.address);
    ActionDraft draft;
    draft.kind = methods::kSriovWrite;
    draft.title = fmt::format("{} {}", removes() ? "remove" : "write", path);
    const std::string* former = text_at(function_rules(context_.facts), path);
    if (removes()) {
      remove_file(draft, path, former);
    } else {
      replace_file(draft, {path, owned_marker(change_.resource) + rules(card_, number_)}, former);
      draft.postconditions.push_back(condition(Layer::persistent));
    }
    return draft;
  }

  ActionDraft set_draft() const {
    ActionDraft draft;
    draft.kind = methods::kSriovSet;
    draft.title = fmt::format("make {} virtual functions a port of {}", number_, card_.text());
    draft.stage = Stage::activate;
    draft.disruption = attribute_.disruption;
    for (const AdapterPort& port : card_.ports) {
      draft.steps.run({"sh", "-c", kSetNumber, "fabric", number_path(port), number_});
      if (!port.sriov_vfs) continue;
      draft.undo.run(
          {"sh", "-c", kSetNumber, "fabric", number_path(port), std::to_string(*port.sriov_vfs)});
    }
    if (!removes()) draft.postconditions.push_back(condition(Layer::running));
    return draft;
  }

  Condition condition(Layer layer) const {
    return {change_.resource.address, kVfs, layer, attribute_.desired};
  }

  const Change& change_;
  const WorkContext& context_;
  const Card& card_;
  const AttributeChange& attribute_;
  std::string number_;
};

}  // namespace

const FileTexts& function_rules(const NodeFacts& facts) {
  return probed_files(facts, kFilesProbe);
}

bool makes_functions(const NodeFacts& facts, const PciAddress& function) {
  const FileTexts& files = function_rules(facts);
  return std::any_of(files.begin(), files.end(), [&function](const auto& file) {
    return is_owned(file.second) && file.second.find(function.str()) != std::string::npos;
  });
}

std::vector<Probe> SriovProvider::probes() const {
  return {
      pci_probe(),
      {std::string{kFilesProbe}, std::string{sh::probe_sriov_files.text}},
      function_owners_probe()};
}

bool SriovProvider::supports(const Resource& resource, std::string_view feature) const {
  const auto driver = resource.binding.find(keys::kDriver);
  const std::string* name = driver == resource.binding.end() ? nullptr : driver->second.as_string();
  return feature == kVfs && name != nullptr && *name == "mlx5_core";
}

std::vector<Observation> SriovProvider::observe(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) const {
  const std::vector<Card>& cards = inventory_of(facts);
  const FileTexts& files = function_rules(facts);
  std::vector<Observation> observations;
  for (const Resource& resource : wanted) {
    const FoundCard found = find_card(cards, resource.binding);
    LayeredReading reading{Reading::unknown(found.why), std::nullopt, Reading::unknown(found.why)};
    if (found.card != nullptr) {
      reading.running = running_number(*found.card);
      reading.persistent = file_number(files, *found.card, resource);
      report_used(resource, *found.card, reading, facts, diagnostics);
      report_owners(resource, *found.card, facts, diagnostics);
    }
    Observation observation{resource.address, {}};
    for (const auto& [attribute, desired] : resource.desired)
      observation.attributes.emplace(attribute, reading);
    observations.push_back(std::move(observation));
  }
  return observations;
}

std::vector<Resource> SriovProvider::orphans(
    std::span<const Resource> wanted, const NodeFacts& facts) const {
  return left_in_files(function_rules(facts), facts.node, kind(), wanted);
}

Disruption SriovProvider::disruption(
    const NodeFacts& facts, const Resource& resource, std::string_view /*attribute*/) const {
  const std::vector<Card>& cards = inventory_of(facts);
  const FoundCard found = find_card(cards, resource.binding);
  if (found.card == nullptr) return Disruption::reboot;
  // Firmware that offers none, or too few, needs the boot that the settings ask for.
  const auto wanted = resource.desired.find(kVfs);
  const std::int64_t* number =
      wanted == resource.desired.end() ? nullptr : wanted->second.value.as_integer();
  if (number != nullptr && *number > most(*found.card).value_or(0)) return Disruption::reboot;
  const bool in_use =
      std::any_of(found.card->ports.begin(), found.card->ports.end(), [](const AdapterPort& port) {
        return port.sriov_vfs.value_or(0) > 0;
      });
  return in_use ? Disruption::link : Disruption::runtime;
}

Result<Work> SriovProvider::work(const Change& change, const WorkContext& context) const {
  const std::vector<Card>& cards = inventory_of(context.facts);
  const FoundCard found = find_card(cards, change.resource.binding);
  if (found.card == nullptr) {
    return Error{
        ErrorCode::invalid, fmt::format("{}: {}", change.resource.address.str(), found.why)};
  }
  if (change.attributes.empty()) return Work{};
  return SriovWork{change, context, *found.card}.plan();
}

}  // namespace fabric::providers
