// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/model/names.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/diagnose.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/firmware/card_firmware.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/settings/told_settings.hpp"

namespace fabric::providers {

namespace {

const DesiredAttribute* desired(const Resource& resource, std::string_view attribute) {
  const auto found = resource.desired.find(attribute);
  return found == resource.desired.end() ? nullptr : &found->second;
}

// "" if it is not asked for.
std::string asked_for(const Resource& resource, std::string_view attribute) {
  const DesiredAttribute* found = desired(resource, attribute);
  return found == nullptr ? std::string{} : to_text(found->value);
}

Reading text_reading(const std::string& text, std::string why) {
  return text.empty() ? Reading::unknown(std::move(why)) : Reading::of(text);
}

LayeredReading version_reading(const CardFirmware& firmware) {
  // While the flash is being written its content is unknown.
  Reading flash = firmware.burning ? Reading::unknown("the firmware is being burned now")
                                   : text_reading(firmware.flash, firmware.why);
  return {
      text_reading(firmware.running, "the node does not show the firmware that the card runs"),
      std::move(flash),
      std::nullopt};
}

bool is_oem(std::string_view psid) {
  return !psid.starts_with("MT_");
}

// The reading of another PSID is unknown, so that nothing is planned or done with that card.
Reading psid_reading(
    const Resource& resource,
    const CardFirmware& firmware,
    const Card& card,
    Diagnostics& diagnostics) {
  const DesiredAttribute* expected = desired(resource, "psid");
  if (firmware.psid.empty()) return Reading::unknown("the node does not show the PSID");
  if (expected == nullptr || expected->value == Value{firmware.psid})
    return Reading::of(firmware.psid);
  Diagnostic& found = report_finding_at(
      diagnostics,
      resource,
      expected->source,
      "firmware-psid-mismatch",
      fmt::format(
          "{}: adapter {}: expected PSID {}, card {} has {}",
          resource.address.node.str(),
          resource.address.name,
          to_text(expected->value),
          card.address.str(),
          firmware.psid));
  found.with_help(
      is_oem(firmware.psid)
          ? "a PSID that does not begin with MT_ belongs to a card of another vendor: take that "
            "vendor's image"
          : "take the image that was made for this PSID; fabric never changes the PSID of a card");
  return Reading::unknown(fmt::format("the card has PSID {}", firmware.psid));
}

void report_downgrade(
    const Resource& resource, const CardFirmware& firmware, Diagnostics& diagnostics) {
  const DesiredAttribute* expected = desired(resource, "version");
  if (expected == nullptr || firmware.burning || !image_of(resource)) return;
  const Result<Version> version = Version::parse(to_text(expected->value));
  const Result<Version> flash = Version::parse(firmware.flash);
  if (!version || !flash || *version >= *flash) return;
  diagnostics
      .warning(
          "firmware-downgrade",
          expected->source,
          fmt::format(
              "{}: adapter {}: {} is older than {}, which is in the flash of the card",
              resource.address.node.str(),
              resource.address.name,
              version->str(),
              flash->str()))
      .with_help("it is burned because `firmware.version` asks for exactly this version");
}

Observation observe_card(
    const Resource& resource, const NodeFacts& facts, const Card& card, Diagnostics& diagnostics) {
  const CardFirmware firmware = firmware_of(facts, card);
  Observation observation{resource.address, {}};
  auto& attributes = observation.attributes;
  attributes["version"] = version_reading(firmware);
  attributes["psid"] = {
      psid_reading(resource, firmware, card, diagnostics), std::nullopt, std::nullopt};
  report_downgrade(resource, firmware, diagnostics);
  const bool saved = firmware.backups.contains(backup_path(card, firmware));
  attributes[kBackup] = {
      std::nullopt, std::nullopt, saved ? Reading::of(firmware.flash) : Reading::absent()};
  if (const auto image = image_of(resource)) {
    const auto there = firmware.uploads.find(upload_path(card.address, image->sha256));
    attributes[kUpload] = {
        std::nullopt,
        std::nullopt,
        there == firmware.uploads.end() ? Reading::absent() : Reading::of(there->second)};
  }
  return observation;
}

std::vector<Probe> probes_of_firmware() {
  std::vector<Probe> probes = firmware_probes();
  probes.push_back(pci_probe());
  // For the name of the tool that saves the settings.
  for (Probe& probe : settings_probes())
    probes.push_back(std::move(probe));
  return probes;
}

bool firmware_supports(const Resource& /*resource*/, std::string_view feature) {
  return feature == "version" || feature == "psid" || feature == "image";
}

std::vector<Observation> observe_firmware(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const std::vector<Card>& cards = inventory_of(facts);
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    const FoundCard found = find_card(cards, resource.binding);
    if (found.card != nullptr) {
      observation = observe_card(resource, facts, *found.card, diagnostics);
      return;
    }
    const Reading unknown = Reading::unknown(found.why);
    observation.attributes["version"] = {unknown, unknown, std::nullopt};
    observation.attributes["psid"] = {unknown, std::nullopt, std::nullopt};
  });
}

Disruption firmware_disruption(
    const NodeFacts& /*facts*/, const Resource& /*resource*/, std::string_view attribute) {
  return attribute == "version" ? Disruption::reboot : Disruption::none;
}

Result<Work> work_on_firmware(const Change& change, const WorkContext& context) {
  const Resource& resource = change.resource;
  const std::vector<Card>& cards = inventory_of(context.facts);
  const FoundCard found = find_card(cards, resource.binding);
  if (found.card == nullptr) return impossible(resource, found.why);
  const CardFirmware firmware = firmware_of(context.facts, *found.card);
  const std::string version = asked_for(resource, "version");
  // The flash has it already, and a boot is all that is missing.
  if (version.empty() || version == firmware.flash) return Work{};
  if (!resource.binding.contains(keys::kImage)) {
    return impossible(
        resource,
        fmt::format(
            "the flash has {}, but the document asks for exactly {} and names no `image` to burn",
            firmware.flash,
            version));
  }
  const std::optional<Image> image = image_of(resource);
  // The image could not be read on this machine, which is reported at its line.
  if (!image) return Work{};
  const std::string settings_tool = settings_of(context.facts, found.card->address).tool;
  if (settings_tool.empty())
    return impossible(
        resource, "the node has no mlxconfig or mstconfig to save the card's settings");
  return burn_work(
      {resource,
       *found.card,
       firmware,
       *image,
       version,
       asked_for(resource, "psid"),
       settings_tool});
}

}  // namespace

// "firmware": the firmware in the flash of a card, burned from an image of the document.
// Attributes: version (running: of the running firmware; next boot: of the flash) and psid
// (running; only checked). Beside them, for the actions' own conditions: upload and backup
// (persistent; see card_firmware.hpp). Nothing is burned unless binding.image names an image with
// the desired version and PSID; the node checks that before it burns. Diagnostics:
// firmware-psid-mismatch, firmware-downgrade.
Provider firmware_provider() {
  return {
      .kind = kinds::kFirmware,
      .probes = probes_of_firmware,
      .supports = firmware_supports,
      .observe = observe_firmware,
      .disruption = firmware_disruption,
      .work = work_on_firmware,
      .folders = {"/var/lib/fabric/firmware/"},
  };
}

}  // namespace fabric::providers
