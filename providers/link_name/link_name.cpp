#include "providers/link_name/link_name.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/provider/leftover.hpp"
#include "providers/adapter/find_card.hpp"
#include "providers/interface/backend_choice.hpp"
#include "providers/link_name/name_file.hpp"
#include "providers/owned_file.hpp"
#include "providers/settings/observe_setting.hpp"

namespace fabric::providers {

namespace {

constexpr const char* kName = "name";

// The next boot makes it InfiniBand. Known when a plan is made, where the settings of all cards
// have been read; a read-back of the name alone does not ask the card for them.
bool turns_infiniband(const NodeFacts& facts, const FoundPort& found) {
  constexpr std::int64_t kInfiniband = 1;
  const LayeredReading reading = observe_setting(
      fmt::format("LINK_TYPE_P{}", found.port->number),
      Value{kInfiniband},
      settings_of(facts, found.card->address),
      *found.card);
  return reading.next_boot && reading.next_boot->equals(Value{kInfiniband});
}

// A port that is no Ethernet interface (it is InfiniBand, or has no driver), or will not be one,
// has nothing that could be called something else: no boot would give it the name.
std::optional<Reading> running_name(const NodeFacts& facts, const FoundPort& found) {
  const AdapterPort& port = *found.port;
  if (port.netdev.empty() || !port.netdev_is_ethernet || turns_infiniband(facts, found))
    return std::nullopt;
  return Reading::of(port.netdev);
}

Reading file_name(const FileTexts& files, const FoundPort& found, const ResourceAddress& address) {
  const auto file = files.find(name_path(*found.card, address));
  if (file == files.end()) return Reading::absent();
  if (!is_owned(file->second)) return Reading::unknown(file->first + " is not fabric's");
  std::string name = name_in_file(file->second, *found.card, *found.port);
  return name.empty() ? Reading::absent() : Reading::of(std::move(name));
}

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
      reading.running = running_name(facts, found);
      reading.persistent = file_name(files, found, resource.address);
    }
    observations.push_back({resource.address, {{kName, std::move(reading)}}});
  }
  return observations;
}

std::vector<Resource> LinkNameProvider::left_behind(
    std::span<const Resource> wanted, const NodeFacts& facts) const {
  return left_in_files(network_files(facts), facts.node, kind(), wanted);
}

// A name that is not asked for any more goes with whichever boot comes next.
Disruption LinkNameProvider::disruption(
    const NodeFacts& /*facts*/, const Resource& resource, std::string_view /*attribute*/) const {
  return is_leftover(resource) ? Disruption::none : Disruption::reboot;
}

Result<Work> LinkNameProvider::work(const Change& change, const WorkContext& context) const {
  const std::vector<Card> cards = inventory_of(context.facts);
  const FoundPort found = find_port(cards, change.resource.binding);
  if (found.port == nullptr) {
    return Error{
        ErrorCode::invalid, fmt::format("{}: {}", change.resource.address.str(), found.why)};
  }
  Work work;
  const bool write = std::any_of(
      change.attributes.begin(), change.attributes.end(), [](const AttributeChange& each) {
        return each.write;
      });
  if (!write) return work;
  const std::string path = name_path(*found.card, change.resource.address);
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
        {path,
         name_file(change.resource, *found.card, *found.port, to_text(name)),
         0644,
         "root:root"});
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
