#include "providers/interface/interface.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/check.hpp"
#include "engine/base/text.hpp"
#include "providers/adapter/find_card.hpp"
#include "providers/diagnose.hpp"
#include "providers/interface/backend_choice.hpp"
#include "providers/interface/running_state.hpp"

namespace fabric::providers {

namespace {

constexpr const char* kMtu = "mtu";
constexpr const char* kAddresses = "addresses";

std::string bound(const Resource& resource, std::string_view key) {
  const auto found = resource.binding.find(key);
  const std::string* text = found == resource.binding.end() ? nullptr : found->second.as_string();
  return text == nullptr ? std::string{} : *text;
}

bool is_bound(const Resource& resource, std::string_view key) {
  const auto found = resource.binding.find(key);
  return found != resource.binding.end() && found->second == Value{true};
}

// A name from the document comes with the next boot; else what it is called now, if that is the
// name of an Ethernet interface (the one of InfiniBand goes away with the link type).
InterfaceTarget target_of(const Resource& resource, const FoundPort& found) {
  FABRIC_CHECK(found.port != nullptr, "a target is a port that was found");
  std::string name = bound(resource, "name");
  if (name.empty() && found.port->netdev_is_ethernet) name = found.port->netdev;
  return {resource.address, *found.card, *found.port, std::move(name)};
}

InterfaceConfig config_of(const Resource& resource) {
  InterfaceConfig config;
  if (const auto mtu = resource.desired.find(kMtu); mtu != resource.desired.end()) {
    if (mtu->second.value.as_integer() != nullptr) config.mtu = *mtu->second.value.as_integer();
  }
  if (const auto addresses = resource.desired.find(kAddresses);
      addresses != resource.desired.end()) {
    const List* list = addresses->second.value.as_list();
    for (const Value& address : list == nullptr ? List{} : *list)
      config.addresses.push_back(to_text(address));
  }
  return config;
}

// What the next boot makes of it.
struct Persistent {
  Reading mtu = Reading::absent();
  Reading addresses = Reading::absent();
};

Persistent all_unknown(const std::string& why) {
  return {Reading::unknown(why), Reading::unknown(why)};
}

// Observes the interfaces of one node.
class Observer {
 public:
  Observer(const NodeFacts& facts, Diagnostics& diagnostics)
      : facts_{facts},
        diagnostics_{diagnostics},
        cards_{inventory_of(facts)},
        files_{network_files(facts)} {}

  Observation observe(const Resource& resource) {
    const FoundPort found = find_port(cards_, resource.binding);
    RunningState running;
    Persistent persistent;
    if (found.port == nullptr) {
      running = {Reading::unknown(found.why), Reading::unknown(found.why)};
      persistent = all_unknown(found.why);
    } else {
      running = running_state(facts_, *found.port);
      persistent = persistent_state(resource, found);
    }
    Observation observation{resource.address, {}};
    observation.attributes[kMtu] = {running.mtu, std::nullopt, persistent.mtu};
    observation.attributes[kAddresses] = {running.addresses, std::nullopt, persistent.addresses};
    std::erase_if(observation.attributes, [&resource](const auto& entry) {
      return !resource.desired.contains(entry.first);
    });
    return observation;
  }

 private:
  Persistent persistent_state(const Resource& resource, const FoundPort& found) {
    const BackendChoice choice =
        choose_backend(facts_, bound(resource, "backend"), found.port->netdev);
    if (choice.backend == nullptr) return without_backend(resource, choice.name);
    const NetworkBackend& backend = *choice.backend;
    const InterfaceTarget target = target_of(resource, found);
    if (const std::string obstacle = backend.obstacle(target); !obstacle.empty()) {
      report(
          diagnostics_,
          resource,
          "interface-name-unknown",
          fmt::format("{}: interface {}: {}", facts_.node.str(), resource.address.name, obstacle))
          .with_help(fmt::format("name it: adapters.{}.names", bound(resource, "adapter")));
      return all_unknown(obstacle);
    }
    report_foreign(resource, backend, target);
    const auto file = files_.find(backend.path(target));
    if (file == files_.end()) return {};
    if (!is_owned(file->second)) return all_unknown(file->first + " is not fabric's");
    const std::optional<InterfaceConfig> config = backend.read(target, file->second);
    if (!config) return {};
    return {
        config->mtu ? Reading::of(*config->mtu) : Reading::absent(),
        Reading::of(address_list(config->addresses))};
  }

  Persistent without_backend(const Resource& resource, const std::string& name) {
    const std::string why = name.empty() ? "no known network configuration was found"
                                         : "network configuration by " + name + " comes later";
    if (!reported_backend_) {
      reported_backend_ = true;
      if (name.empty()) {
        report(
            diagnostics_,
            resource,
            "network-backend-unknown",
            fmt::format("{}: {}", facts_.node.str(), why))
            .with_help("say which one the node uses: network_backend");
      } else {
        report(
            diagnostics_,
            resource,
            "not-supported-yet",
            fmt::format("{}: {}", facts_.node.str(), why))
            .with_help("networkd and ifupdown are supported");
      }
    }
    return all_unknown(why);
  }

  void report_foreign(
      const Resource& resource, const NetworkBackend& backend, const InterfaceTarget& target) {
    for (const ForeignEntry& entry : backend.foreign(target, files_)) {
      Diagnostic& finding = report(
          diagnostics_,
          resource,
          "foreign-configuration",
          fmt::format(
              "{}: {}:{} configures {} already, and fabric did not write it",
              facts_.node.str(),
              entry.path,
              entry.line,
              target.name.empty() ? resource.address.name : target.name));
      finding.with_help(
          is_bound(resource, "adopt") ? "remove it by hand: `adopt` is not supported yet"
                                      : "remove it on the node");
    }
    const std::string unused = backend.not_in_use(files_);
    if (unused.empty() || reported_unused_) return;
    reported_unused_ = true;
    report(
        diagnostics_,
        resource,
        "foreign-configuration",
        fmt::format("{}: {}", facts_.node.str(), unused))
        .with_help("add the line: source /etc/network/interfaces.d/*");
  }

  const NodeFacts& facts_;
  Diagnostics& diagnostics_;
  std::vector<Card> cards_;
  FileTexts files_;
  bool reported_backend_ = false;
  bool reported_unused_ = false;
};

Condition holds(const Change& change, const std::string& attribute, Layer layer) {
  const DesiredAttribute& desired = change.resource.desired.at(attribute);
  return {change.resource.address, attribute, layer, desired.value};
}

// Of the file as it was; nullopt where it was not there.
ActionDraft write_draft(
    const Change& change,
    const NetworkBackend& backend,
    const InterfaceTarget& target,
    const FileTexts& files) {
  ActionDraft draft;
  draft.kind = "network.write";
  draft.stage = Stage::prepare;
  const std::string path = backend.path(target);
  const auto former = files.find(path);
  if (change.kind == ChangeKind::remove) {
    draft.title = "remove " + path;
    draft.removes.push_back(path);
  } else {
    draft.title = "write " + path;
    draft.writes.push_back(
        {path, backend.render(target, config_of(change.resource)), 0644, "root:root"});
    for (const auto& [attribute, desired] : change.resource.desired) {
      draft.postconditions.push_back(holds(change, attribute, Layer::persistent));
    }
  }
  if (former != files.end()) {
    draft.undo_writes.push_back({path, former->second, 0644, "root:root"});
  } else {
    draft.undo_removes.push_back(path);
  }
  return draft;
}

// Makes the file's content run, in the same action in which it is written: only so can the node
// take both back together.
void activate_now(
    const Change& change,
    const NetworkBackend& backend,
    const std::string& device,
    ActionDraft& draft) {
  const std::string activation = fmt::format("reconfigure {} by {}", device, backend.name());
  draft.kind = "network.activate";
  draft.title = draft.title.empty() ? activation : draft.title + " and " + activation;
  draft.stage = Stage::activate;
  draft.disruption = Disruption::link;
  draft.may_cut_off = true;
  draft.commands = backend.activate(device);
  draft.undo_commands = backend.restore(device);
  for (const auto& [attribute, desired] : change.resource.desired) {
    if (change.kind == ChangeKind::remove) break;
    draft.postconditions.push_back(holds(change, attribute, Layer::running));
  }
}

}  // namespace

std::vector<Probe> InterfaceProvider::probes() const {
  std::vector<Probe> probes = backend_probes();
  probes.push_back(pci_probe());
  probes.push_back(ip_addr_probe());
  return probes;
}

std::vector<Observation> InterfaceProvider::observe(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) const {
  Observer observer{facts, diagnostics};
  std::vector<Observation> observations;
  for (const Resource& resource : wanted)
    observations.push_back(observer.observe(resource));
  return observations;
}

Disruption InterfaceProvider::disruption(
    const Resource& /*resource*/, std::string_view /*attribute*/) const {
  return Disruption::link;
}

Result<Work> InterfaceProvider::work(const Change& change, const WorkContext& context) const {
  const auto impossible = [&change](std::string_view why) {
    return Error{ErrorCode::invalid, fmt::format("{}: {}", change.resource.address.str(), why)};
  };
  const std::vector<Card> cards = inventory_of(context.facts);
  const FoundPort found = find_port(cards, change.resource.binding);
  if (found.port == nullptr) return impossible(found.why);
  const BackendChoice choice =
      choose_backend(context.facts, bound(change.resource, "backend"), found.port->netdev);
  if (choice.backend == nullptr)
    return impossible("no supported network configuration on the node");
  const InterfaceTarget target = target_of(change.resource, found);
  if (const std::string obstacle = choice.backend->obstacle(target); !obstacle.empty())
    return impossible(obstacle);

  const auto any = [&change](bool AttributeChange::*flag) {
    return std::any_of(
        change.attributes.begin(),
        change.attributes.end(),
        [flag](const AttributeChange& attribute) { return attribute.*flag; });
  };
  ActionDraft draft;
  if (any(&AttributeChange::write)) {
    draft = write_draft(change, *choice.backend, target, network_files(context.facts));
    draft.may_cut_off = context.reboot_planned;
    if (context.reboot_planned) draft.undo_commands = choice.backend->restore_all();
  }
  draft.disturbs = {found.port->netdev};
  if (!any(&AttributeChange::activate) || context.reboot_planned) {
    return draft.kind.empty() ? Work{} : Work{{std::move(draft)}};
  }
  if (!found.port->netdev_is_ethernet) {
    return impossible(fmt::format(
        "port {} of card {} is no Ethernet interface and no reboot is planned that would make it "
        "one",
        found.port->number,
        found.card->address.str()));
  }
  activate_now(change, *choice.backend, found.port->netdev, draft);
  return Work{{std::move(draft)}};
}

}  // namespace fabric::providers
