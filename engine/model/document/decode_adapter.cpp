// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/document/decode_parts.hpp"
#include "engine/model/document/read.hpp"
#include "engine/schema/mapping_keys.hpp"

namespace fabric {

namespace {

// Finds a model by a usual name, which is no typo: "cx5" and "MCX556A" mean a slug.
const HardwareModel* find_by_alias(std::string_view written) {
  const std::string wanted = to_lower(written);
  for (const HardwareModel& model : hardware_table()) {
    const bool known = std::ranges::any_of(
        model.aliases, [&](const std::string& alias) { return to_lower(alias) == wanted; });
    if (known || to_lower(model.name) == wanted) return &model;
  }
  return nullptr;
}

std::string model_help(std::string_view written, Findings& findings) {
  const HardwareModel* meant = find_by_alias(written);
  if (meant != nullptr) return fmt::format("write '{}' for {}", meant->slug, meant->name);
  // "ConnectX-6 HDR", "ConnectX-7 400G": words that no slug has come last.
  std::string slug = to_lower(written);
  for (std::size_t end = slug.rfind(' '); end != std::string::npos; end = slug.rfind(' ')) {
    slug.erase(end);
    if (const HardwareModel* family = find_hardware(slug))
      return fmt::format("write '{}' for {}", family->slug, family->name);
  }
  std::vector<std::string> slugs;
  for (const HardwareModel& model : hardware_table()) {
    slugs.push_back(model.slug);
    // The family alone stands for one of its models.
    if (find_hardware(model.family) != nullptr) slugs.push_back(model.family);
  }
  std::sort(slugs.begin(), slugs.end());
  slugs.erase(std::unique(slugs.begin(), slugs.end()), slugs.end());
  std::string help = findings.did_you_mean(written, slugs);
  if (!help.empty()) return help;
  std::vector<std::string> aliases;
  for (const HardwareModel& model : hardware_table())
    aliases.insert(aliases.end(), model.aliases.begin(), model.aliases.end());
  const std::string misprint = misprinted_model(written, aliases);
  return misprint.empty() ? "the models are " + join(slugs, ", ") : schema::did_you_mean(misprint);
}

void judge_model(AdapterSpec& adapter, Findings& findings) {
  if (adapter.model.value.empty()) {
    findings
        .error(
            "missing-key",
            adapter.range,
            fmt::format("the adapter '{}' has no 'model'", adapter.name))
        .with_key("model")
        .with_help("give it here, in a profile or in 'defaults', as 'model: connectx-5-vpi'");
    return;
  }
  adapter.hardware = find_hardware(adapter.model.value);
  if (adapter.hardware != nullptr) return;
  findings
      .error(
          "model-unknown",
          adapter.model.range,
          fmt::format("there is no adapter model '{}'", adapter.model.value))
      .with_help(model_help(adapter.model.value, findings));
}

void decode_ports(const Layers& layers, AdapterSpec& adapter, Findings& findings) {
  const std::uint32_t most = adapter.hardware == nullptr ? 0 : adapter.hardware->ports;
  adapter.ports = read_number(layers, "ports", most);
  if (adapter.hardware != nullptr && adapter.ports.value > most) {
    findings
        .error(
            "out-of-range",
            adapter.ports.range,
            fmt::format(
                "{} ports, but a {} has at most {}",
                adapter.ports.value,
                adapter.hardware->name,
                most))
        .with_note(adapter.model.range, "the model is given here");
  }
}

FirmwareSpec decode_firmware(const Layers& adapter) {
  const Layers firmware = adapter.section("firmware");
  FirmwareSpec spec;
  if (firmware.empty()) return spec;
  spec.range = firmware.all().back().node->range;
  spec.minimum = read_text(firmware, "minimum");
  spec.version = read_text(firmware, "version");
  spec.image = read_text(firmware, "image");
  spec.psid = read_text(firmware, "psid");
  spec.recovery_mode = read_flag(firmware, "recovery_mode");
  for (const auto& [name, value] : read_text_map(firmware.section("params"))) {
    std::optional<std::string> wanted;
    if (value.value != "default") wanted = value.value;
    spec.params.emplace(name, Sourced<std::optional<std::string>>{std::move(wanted), value.range});
  }
  return spec;
}

std::optional<SriovSpec> decode_sriov(const Layers& adapter, Findings& findings) {
  const Layers sriov = adapter.section("sriov");
  if (sriov.empty()) return std::nullopt;
  check_exclusive(sriov, {"vfs", "passthrough"}, findings, true);
  return SriovSpec{
      read_number(sriov, "vfs").value,
      read_flag(sriov, "passthrough").value,
      sriov.all().back().node->range};
}

// A malformed value stays as written, for `adapter-selector-invalid` to name.
AdapterSelector decode_selector(const Layers& adapter, Findings& findings) {
  AdapterSelector selector;
  selector.pci = read_zipped(adapter, "pci", findings);
  selector.node_guid = read_zipped(adapter, "node_guid", findings);
  selector.mac = read_zipped(adapter, "mac", findings);
  selector.serial = read_zipped(adapter, "serial", findings);
  const auto normalise = [](Sourced<std::string>& text, const auto& parse) {
    if (text.value.empty()) return;
    if (const auto parsed = parse(text.value)) text.value = parsed->str();
  };
  normalise(selector.pci, PciAddress::parse);
  normalise(selector.node_guid, Guid::parse);
  normalise(selector.mac, MacAddress::parse);
  return selector;
}

std::map<std::uint32_t, Sourced<std::string>> decode_names(const Layers& adapter) {
  std::map<std::uint32_t, Sourced<std::string>> names;
  for (const auto& [port, name] : read_text_map(adapter.section("names"))) {
    const auto number = parse_unsigned(port, 10);
    if (number) names.emplace(static_cast<std::uint32_t>(*number), name);
  }
  return names;
}

// A malformed GUID stays as written, for `adapter-selector-invalid` to name.
std::map<std::uint32_t, Sourced<std::string>> decode_port_guids(
    const Layers& adapter, Findings& findings) {
  std::map<std::uint32_t, Sourced<std::string>> guids;
  const Layers section = adapter.section("port_guid");
  for (const std::uint32_t port : {1U, 2U, 3U, 4U}) {
    Sourced<std::string> text = read_zipped(section, std::to_string(port), findings);
    if (text.value.empty()) continue;
    if (const auto guid = Guid::parse(text.value)) text.value = guid->str();
    guids.emplace(port, std::move(text));
  }
  return guids;
}

}  // namespace

std::string misprinted_model(std::string_view written, std::span<const std::string> models) {
  const std::string word = to_lower(written.substr(0, written.find('-')));
  constexpr std::size_t kShortest = 5;  // "q3" is near to everything
  std::string meant = word.size() < kShortest ? "" : nearest(word, models);
  if (meant.size() < kShortest || edit_distance(word, to_lower(meant)) > 1) return "";
  std::transform(meant.begin(), meant.end(), meant.begin(), [](unsigned char c) {
    return static_cast<char>(std::toupper(c));
  });
  return meant;
}

std::vector<AdapterSpec> decode_adapters(const Layers& node, Findings& findings) {
  std::vector<AdapterSpec> adapters;
  const AdapterLayers layers = adapter_layers(node, findings);
  for (const auto& [name, found] : layers.adapters) {
    if (!may_be_named("adapter", name, found.range, findings)) continue;
    AdapterSpec adapter;
    adapter.name = name;
    adapter.range = found.range;
    adapter.model = read_text(found.layers, "model");
    judge_model(adapter, findings);
    decode_ports(found.layers, adapter, findings);
    check_exclusive(found.layers, {"pci", "node_guid", "mac", "serial"}, findings);
    adapter.selector = decode_selector(found.layers, findings);
    adapter.firmware = decode_firmware(found.layers);
    adapter.sriov = decode_sriov(found.layers, findings);
    adapter.names = decode_names(found.layers);
    adapter.port_guids = decode_port_guids(found.layers, findings);
    adapters.push_back(std::move(adapter));
  }
  return adapters;
}

void decode_adapter_selectors(
    const Layers& node, std::vector<AdapterSpec>& adapters, Findings& findings) {
  AdapterLayers layers = adapter_layers(node, findings);
  for (AdapterSpec& adapter : adapters) {
    const auto found = layers.adapters.find(adapter.name);
    if (found == layers.adapters.end()) continue;
    adapter.selector = decode_selector(found->second.layers, findings);
    adapter.port_guids = decode_port_guids(found->second.layers, findings);
  }
}

}  // namespace fabric
