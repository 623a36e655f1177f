// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/settings/driver_port_types.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/diagnose.hpp"
#include "providers/cards/observe_cards.hpp"
#include "providers/linux/kinds/module/module_work.hpp"

namespace fabric::providers {

namespace {

constexpr const char* kDriver = "mlx4_core";
constexpr const char* kArray = "port_type_array";
constexpr std::string_view kLinkType = "LINK_TYPE_P";
// Comes after the file of the document's own parameters of the module, so that it counts.
constexpr const char* kPath = "/etc/modprobe.d/fabric-port-types.conf";

std::string parameter_of(std::size_t port) {
  return fmt::format("{}{}", kLinkType, port);
}

// The item of port `number`, from 1; 0, the firmware's default, if it is missing.
std::int64_t item(std::string_view array, std::size_t number) {
  const std::vector<std::string_view> items = split(array, ',');
  if (number == 0 || number > items.size()) return 0;
  return parse_integer(trim(items[number - 1])).value_or(0);
}

std::size_t port_number(std::string_view parameter) {
  return parse_unsigned(parameter.substr(kLinkType.size()), 10).value_or(0);
}

// RHEL sets the types of a card by its address when the driver has taken it: "0000:05:00.0 ib eth".
constexpr std::string_view kRdmaTypes = "/etc/rdma/mlx4.conf";

// "ETH" is how a document may write it in `firmware.params`.
std::int64_t number_of(const Value& type) {
  if (const std::int64_t* number = type.as_integer()) return *number;
  const std::string* name = type.as_string();
  if (name == nullptr) return 0;
  return to_lower(*name) == "ib" ? 1 : to_lower(*name) == "eth" ? 2 : 0;
}

bool no_tool_knows(const Card& card, const CardSettings& settings) {
  return card.driver == kDriver && settings.unknown_to_tool;
}

}  // namespace

bool is_link_type(std::string_view parameter) {
  return parameter.starts_with(kLinkType);
}

std::optional<std::int64_t> link_type_at_next_boot(
    const NodeFacts& facts, const std::vector<Card>& cards, const Card& card, std::uint32_t port) {
  const CardSettings settings = settings_of(facts, card.address);
  const std::string parameter = parameter_of(port);
  const ModuleFiles& files = module_files(facts);
  const LayeredReading reading = no_tool_knows(card, settings)
                                     ? DriverPortTypes{card, cards, files}.observe(parameter, {})
                                     : observe_setting(parameter, {}, settings, card);
  const Value* type = reading.next_boot ? reading.next_boot->value() : nullptr;
  const std::int64_t* number = type == nullptr ? nullptr : type->as_integer();
  return number == nullptr ? std::nullopt : std::optional{*number};
}

bool is_set_by_driver(const Resource& resource, const Card& card, const CardSettings& settings) {
  if (no_tool_knows(card, settings)) return true;
  return std::ranges::any_of(
      resource.features, [](const Feature& feature) { return feature.name == "driver_link_type"; });
}

DriverPortTypes::DriverPortTypes(
    const Card& card, const std::vector<Card>& cards, const ModuleFiles& files)
    : card_{card}, cards_{cards}, files_{files}, options_{files.of(kDriver).options} {
  std::erase_if(options_, [](const ModuleOption& option) { return option.parameter != kArray; });
}

LayeredReading DriverPortTypes::observe(const std::string& parameter, const Value& desired) const {
  const auto reading = [&desired](std::int64_t type) {
    return Reading::of(number_of(desired) == type ? desired : Value{type});
  };
  const auto shown = shown_link_type(parameter, card_);
  const Reading running =
      shown ? reading(*shown)
            : Reading::unknown("no driver shows the setting, and no tool supports this card");
  if (!files_.known)
    return {running, Reading::unknown("/etc/modprobe.d could not be read"), std::nullopt};
  const std::int64_t said =
      options_.empty() ? 0 : item(options_.back().value, port_number(parameter));
  if (said == 0) return {running, running, std::nullopt};
  const bool stale = options_.back().file == kPath && waits_for_image(kDriver, files_) &&
                     std::ranges::find(files_.newer, kPath) != files_.newer.end();
  const Reading next =
      stale ? Reading::of(fmt::format("{}, not yet in the initramfs", said)) : reading(said);
  return {running, next, std::nullopt};
}

void DriverPortTypes::report(const Resource& resource, Diagnostics& diagnostics) const {
  for (const ModuleOption& option : options_) {
    if (option.owned) continue;
    for (const auto& [parameter, desired] : resource.desired) {
      if (!is_link_type(parameter)) continue;
      const std::int64_t said = item(option.value, port_number(parameter));
      if (said == 0 || said == number_of(desired.value)) continue;
      report_finding_at(
          diagnostics,
          resource,
          desired.source,
          "foreign-configuration",
          fmt::format(
              "{}: {}:{} sets {} of {} to {}, but the document asks for {}={}",
              resource.address.node.str(),
              option.file,
              option.line,
              kArray,
              kDriver,
              option.value,
              parameter,
              to_text(desired.value)))
          .with_help("remove that parameter on the node; the modes of the networks set it");
      break;
    }
  }
  report_rdma_types(resource, diagnostics);
}

void DriverPortTypes::report_rdma_types(const Resource& resource, Diagnostics& diagnostics) const {
  const std::string* text = text_at(files_.texts, kRdmaTypes);
  std::size_t number = 0;
  for (const std::string_view line :
       split_lines(text == nullptr ? std::string_view{} : std::string_view{*text})) {
    ++number;
    const std::vector<std::string_view> words = split_words(line);
    if (words.empty() || words[0] != card_.address.str()) continue;
    for (const auto& [parameter, desired] : resource.desired) {
      const std::size_t port = is_link_type(parameter) ? port_number(parameter) : 0;
      if (port == 0 || port >= words.size()) continue;
      const std::int64_t said = number_of(std::string{words[port]});
      if (said == 0 || said == number_of(desired.value)) continue;
      report_finding_at(
          diagnostics,
          resource,
          desired.source,
          "foreign-configuration",
          fmt::format(
              "{}: {}:{} sets port {} of {} to {}, but the document asks for {}={}",
              resource.address.node.str(),
              kRdmaTypes,
              number,
              port,
              card_.address.str(),
              words[port],
              parameter,
              to_text(desired.value)))
          .with_help("remove that line on the node; the modes of the networks set the type");
      return;
    }
  }
}

Result<std::vector<std::int64_t>> DriverPortTypes::wanted_types(const Resource& resource) const {
  std::vector<std::int64_t> types;
  for (std::size_t port = 1; port <= card_.ports.size(); ++port) {
    const std::string parameter = parameter_of(port);
    const auto desired = resource.desired.find(parameter);
    if (desired == resource.desired.end()) {
      const std::int64_t said = options_.empty() ? 0 : item(options_.back().value, port);
      types.push_back(said != 0 ? said : shown_link_type(parameter, card_).value_or(0));
      continue;
    }
    const std::int64_t number = number_of(desired->second.value);
    if (number != 1 && number != 2) {
      return impossible(
          resource,
          fmt::format(
              "the driver {} sets the link types of this card, to 1 (InfiniBand) or 2 "
              "(Ethernet), and not {} to {}",
              kDriver,
              parameter,
              to_text(desired->second.value)));
    }
    types.push_back(number);
  }
  for (const Card& other : cards_) {
    if (other.driver != kDriver || other.address == card_.address) continue;
    for (std::size_t port = 1; port <= std::min(types.size(), other.ports.size()); ++port) {
      const auto shown = shown_link_type(parameter_of(port), other);
      if (types[port - 1] == 0 || shown == types[port - 1]) continue;
      return impossible(
          resource,
          fmt::format(
              "{} of {} applies to all its cards, and would change port {} of {} too",
              kArray,
              kDriver,
              port,
              other.address.str()));
    }
  }
  return types;
}

Result<Work> DriverPortTypes::work(const Change& change) const {
  const Resource& resource = change.resource;
  const Result<std::vector<std::int64_t>> types = wanted_types(resource);
  if (!types) return types.error();
  ActionDraft draft;
  draft.kind = methods::kSettingsSet;
  draft.stage = Stage::prepare;
  draft.disruption = Disruption::none;
  for (const AttributeChange& attribute : change.attributes) {
    if (!attribute.write) continue;
    draft.postconditions.push_back(
        {resource.address, attribute.attribute, Layer::next_boot, attribute.desired});
    const std::optional<Reading>& before = attribute.observed.next_boot;
    if (before && before->value() != nullptr)
      draft.preconditions.push_back(
          {resource.address, attribute.attribute, Layer::next_boot, *before->value()});
  }
  if (draft.postconditions.empty()) return Work{};
  const std::string array = fmt::format("{}", fmt::join(*types, ","));
  draft.title = fmt::format(
      "set {}={} of {} for {} ({})",
      kArray,
      array,
      kDriver,
      resource.address.name,
      card_.address.str());
  replace_file(
      draft,
      {kPath,
       owned_marker(resource.address) + fmt::format("options {} {}={}\n", kDriver, kArray, array)},
      text_at(files_.texts, kPath));
  if (waits_for_image(kDriver, files_)) rebuild_image(draft, files_);
  return Work{{std::move(draft)}};
}

}  // namespace fabric::providers
