// SPDX-License-Identifier: Apache-2.0
#include "providers/cards/observe_adapters.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/diagnose.hpp"
#include "engine/provider/provider.hpp"
#include "providers/cards/find_card.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kFirmwareMinimum = "firmware_minimum";

LayeredReading running(Reading reading) {
  return {std::move(reading), std::nullopt, std::nullopt};
}

Reading text_reading(const std::string& text, std::string_view what) {
  if (text.empty()) return Reading::unknown(fmt::format("the node does not show the {}", what));
  return Reading::of(text);
}

std::string list_text(const std::vector<const Card*>& cards) {
  std::vector<std::string> texts;
  texts.reserve(cards.size());
  for (const Card* card : cards)
    texts.push_back(card->text());
  return join(texts, ", ");
}

void report_missing(
    const Resource& resource,
    const FoundCard& found,
    const std::vector<Card>& cards,
    Diagnostics& diagnostics) {
  const std::string who = resource.address.node.str() + ": adapter " + resource.address.name;
  if (!found.other_port.empty()) {
    report_finding(
        diagnostics,
        resource,
        "adapter-second-port",
        fmt::format("{}: {}; port 1 of the adapter would be another one", who, found.other_port))
        .with_help(fmt::format(
            "select the card by its first port (pci {}), and cable its port {}",
            found.candidates.front()->address.str(),
            found.candidates.front()->ports.back().number));
    return;
  }
  if (!found.candidates.empty()) {
    report_finding(
        diagnostics,
        resource,
        "adapter-ambiguous",
        fmt::format("{}: {}: {}", who, found.why, list_text(found.candidates)))
        .with_help("give the adapter one of pci, node_guid, mac or serial");
    return;
  }
  std::vector<const Card*> all;
  all.reserve(cards.size());
  for (const Card& card : cards)
    all.push_back(&card);
  report_finding(
      diagnostics,
      resource,
      "adapter-missing",
      fmt::format(
          "{}: {}; the node has {}", who, found.why, all.empty() ? "no card" : list_text(all)))
      .with_help(
          "correct the model or the selector, or find out with `lspci -d 15b3:` why the card is "
          "not there");
}

void report_ports(const Resource& resource, const Card& card, Diagnostics& diagnostics) {
  const auto wanted = resource.binding.find(keys::kPorts);
  if (wanted == resource.binding.end() || wanted->second.as_integer() == nullptr) return;
  if (static_cast<std::int64_t>(card.ports.size()) >= *wanted->second.as_integer()) return;
  report_finding(
      diagnostics,
      resource,
      "adapter-missing",
      fmt::format(
          "{}: adapter {}: expected {} ports, card {} has {}",
          resource.address.node.str(),
          resource.address.name,
          *wanted->second.as_integer(),
          card.text(),
          card.ports.size()))
      .with_help("correct `ports`, or select another card");
}

// Two adapters that mean one card would undo each other's settings.
void report_shared(
    const Resource& resource, const Resource& other, const Card& card, Diagnostics& diagnostics) {
  report_finding(
      diagnostics,
      resource,
      "adapter-selector-reused",
      fmt::format(
          "{}: adapter {} and adapter {} are both card {}",
          resource.address.node.str(),
          other.address.name,
          resource.address.name,
          card.text()))
      .with_help(
          "one card is one adapter, with its ports: correct a selector, or remove an adapter");
}

void report_undecided(const Resource& resource, const Card& card, Diagnostics& diagnostics) {
  const auto wanted = resource.binding.find(keys::kPorts);
  const std::int64_t* count =
      wanted == resource.binding.end() ? nullptr : wanted->second.as_integer();
  for (const AdapterPort& port : card.ports) {
    if (port.undecided.empty() || (count != nullptr && port.number > *count)) continue;
    report_finding(
        diagnostics,
        resource,
        "interface-ambiguous",
        fmt::format(
            "{}: adapter {}: port {} of card {} has the interfaces {}, and nothing shows which of "
            "them is the port",
            resource.address.node.str(),
            resource.address.name,
            port.number,
            card.text(),
            join(port.undecided, ", ")))
        .with_help(
            "find the one that is the port (phys_port_name in /sys/class/net/NAME), and remove the "
            "others");
  }
}

// Satisfied reads as the desired value itself: a newer firmware is no difference.
Reading minimum_reading(
    const Resource& resource,
    const DesiredAttribute& desired,
    const Card& card,
    Diagnostics& diagnostics) {
  const std::string* minimum = desired.value.as_string();
  const Result<Version> wanted = Version::parse(minimum == nullptr ? "" : *minimum);
  const Result<Version> found = Version::parse(card.firmware);
  if (!wanted || !found) return text_reading("", "firmware version");
  if (*found >= *wanted) return Reading::of(desired.value);
  report_finding_at(
      diagnostics,
      resource,
      desired.source,
      "firmware-too-old",
      fmt::format(
          "{}: adapter {}: card {} has firmware {}, but the document asks for {} or newer",
          resource.address.node.str(),
          resource.address.name,
          card.address.str(),
          card.firmware,
          wanted->str()))
      .with_help("update the firmware, or lower `firmware.minimum`");
  // No plan can change it: the finding says what to do.
  return Reading::unknown(fmt::format("firmware {} is too old", card.firmware));
}

Observation observe_card(const Resource& resource, const Card& card, Diagnostics& diagnostics) {
  Observation observation{resource.address, {}};
  auto& attributes = observation.attributes;
  attributes["pci"] = running(Reading::of(card.address.str()));
  attributes["device_id"] = running(Reading::of(fmt::format("{:04x}", card.device_id)));
  attributes["ports"] = running(Reading::of(static_cast<std::int64_t>(card.ports.size())));
  attributes["firmware"] = running(text_reading(card.firmware, "firmware version"));
  attributes["psid"] = running(text_reading(card.psid, "PSID"));
  attributes["serial"] = running(text_reading(card.serial, "serial number"));
  attributes["part_number"] = running(text_reading(card.part_number, "part number"));
  // For a board with all slots in this host it is the GUID of the first port.
  const Result<Guid> image = Guid::parse(card.system_image);
  const bool is_shared =
      image && std::none_of(card.ports.begin(), card.ports.end(), [&](const AdapterPort& port) {
        return port.node_guid == *image;
      });
  if (is_shared) attributes["system_image"] = running(Reading::of(image->str()));
  if (!card.pcie_speed.empty()) attributes["pcie_speed"] = running(Reading::of(card.pcie_speed));
  if (card.pcie_width) attributes["pcie_width"] = running(Reading::of(*card.pcie_width));
  if (const auto minimum = resource.desired.find(kFirmwareMinimum);
      minimum != resource.desired.end()) {
    attributes[minimum->first] =
        running(minimum_reading(resource, minimum->second, card, diagnostics));
  }
  return observation;
}

}  // namespace

std::vector<Observation> observe_adapters(
    std::span<const Resource> wanted,
    const std::vector<Card>& cards,
    bool probed,
    Diagnostics& diagnostics) {
  std::map<const Card*, const Resource*> taken;
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    const FoundCard found = find_card(cards, resource.binding);
    if (found.card != nullptr) {
      const auto [other, is_first] = taken.emplace(found.card, &resource);
      if (!is_first) report_shared(resource, *other->second, *found.card, diagnostics);
      observation = observe_card(resource, *found.card, diagnostics);
      report_ports(resource, *found.card, diagnostics);
      report_undecided(resource, *found.card, diagnostics);
      return;
    }
    const Reading unknown =
        Reading::unknown(probed ? found.why : "the PCI devices could not be read");
    observation.attributes["pci"] = running(unknown);
    for (const auto& [name, desired] : resource.desired)
      observation.attributes[name] = running(unknown);
    if (probed) report_missing(resource, found, cards, diagnostics);
  });
}

}  // namespace fabric::providers
