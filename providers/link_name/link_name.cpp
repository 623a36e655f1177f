#include "providers/link_name/link_name.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "providers/adapter/find_card.hpp"
#include "providers/interface/backend_choice.hpp"
#include "providers/interface/ini_file.hpp"
#include "providers/owned_file.hpp"
#include "providers/systemd_match.hpp"

namespace fabric::providers {

namespace {

constexpr const char* kName = "name";

std::string path_of(const ResourceAddress& address) {
  return fmt::format("/etc/systemd/network/10-fabric-{}.link", address.name);
}

// A .link file replaces the distribution's whole default, of which only the name is wanted changed.
std::string render(
    const ResourceAddress& address, const std::string& match, const std::string& name) {
  return owned_marker(address) + "[Match]\n" + match + "\n[Link]\nName=" + name + "\n";
}

Reading running_name(const AdapterPort& port) {
  if (port.netdev.empty() || !port.netdev_is_ethernet) return Reading::absent();
  return Reading::of(port.netdev);
}

Reading file_name(
    const FileTexts& files, const ResourceAddress& address, const std::string& wanted_match) {
  const auto file = files.find(path_of(address));
  if (file == files.end()) return Reading::absent();
  if (!is_owned(file->second)) return Reading::unknown(file->first + " is not fabric's");
  std::string match;
  Reading name = Reading::absent();
  for (const IniEntry& entry : ini_entries(file->second)) {
    if (entry.section == "Match") match += fmt::format("{}={}\n", entry.key, entry.value);
    if (entry.section == "Link" && entry.key == "Name") name = Reading::of(entry.value);
  }
  return match == wanted_match ? name : Reading::absent();
}

constexpr const char* kNoMatch =
    "both ports sit behind one PCI function and the MAC address of this one is not known";

}  // namespace

std::vector<Probe> LinkNameProvider::probes() const {
  std::vector<Probe> probes = backend_probes();
  probes.push_back(pci_probe());
  return probes;
}

std::vector<Observation> LinkNameProvider::observe(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) const {
  const std::vector<Card> cards = inventory_of(facts);
  const FileTexts files = network_files(facts);
  std::vector<Observation> observations;
  for (const Resource& resource : wanted) {
    const FoundPort found = find_port(cards, resource.binding);
    LayeredReading reading{Reading::unknown(found.why), std::nullopt, Reading::unknown(found.why)};
    if (found.port != nullptr) {
      const std::string match = systemd_match(*found.card, *found.port);
      reading.running = running_name(*found.port);
      reading.persistent =
          match.empty() ? Reading::unknown(kNoMatch) : file_name(files, resource.address, match);
    }
    observations.push_back({resource.address, {{kName, std::move(reading)}}});
  }
  return observations;
}

Disruption LinkNameProvider::disruption(
    const Resource& /*resource*/, std::string_view /*attribute*/) const {
  return Disruption::reboot;
}

Result<Work> LinkNameProvider::work(const Change& change, const WorkContext& context) const {
  const std::vector<Card> cards = inventory_of(context.facts);
  const FoundPort found = find_port(cards, change.resource.binding);
  const std::string match = found.port == nullptr ? "" : systemd_match(*found.card, *found.port);
  if (match.empty()) {
    const std::string why = found.port == nullptr ? found.why : kNoMatch;
    return Error{ErrorCode::invalid, fmt::format("{}: {}", change.resource.address.str(), why)};
  }
  Work work;
  const bool write = std::any_of(
      change.attributes.begin(), change.attributes.end(), [](const AttributeChange& each) {
        return each.write;
      });
  if (!write) return work;
  const std::string path = path_of(change.resource.address);
  ActionDraft draft;
  draft.kind = "link_name.write";
  draft.stage = Stage::prepare;
  if (change.kind == ChangeKind::remove) {
    draft.title = "remove " + path;
    draft.removes.push_back(path);
  } else {
    const Value& name = change.resource.desired.at(kName).value;
    draft.title = "write " + path;
    draft.writes.push_back(
        {path, render(change.resource.address, match, to_text(name)), 0644, "root:root"});
    draft.postconditions.push_back({change.resource.address, kName, Layer::persistent, name});
  }
  const FileTexts files = network_files(context.facts);
  if (const auto former = files.find(path); former != files.end()) {
    draft.undo_writes.push_back({path, former->second, 0644, "root:root"});
  } else {
    draft.undo_removes.push_back(path);
  }
  work.actions.push_back(std::move(draft));
  return work;
}

}  // namespace fabric::providers
