#include "providers/interface/link_provider.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "providers/interface/backend_choice.hpp"
#include "providers/interface/bound.hpp"
#include "providers/interface/find_link.hpp"
#include "providers/interface/link_observer.hpp"

namespace fabric::providers {

namespace {

// Options that `ip link set ... type bond` changes while the bond carries traffic, by the name that
// ip has for them. All others want a bond without slaves or one that is down: a new one.
constexpr std::pair<std::string_view, const char*> kLiveOptions[] = {
    {"miimon", "miimon"},
    {"updelay", "updelay"},
    {"downdelay", "downdelay"},
    {"hash_policy", "xmit_hash_policy"},
    {"min_links", "min_links"},
    {"primary", "primary"},
};
// Options of every kind that only a new device takes.
constexpr std::string_view kFixedOptions[] = {
    "mode", "lacp_rate", "ad_select", "roce", "id", "pkey"};

const char* live_option(std::string_view attribute) {
  for (const auto& [name, option] : kLiveOptions) {
    if (name == attribute) return option;
  }
  return nullptr;
}

bool is_fixed(std::string_view attribute) {
  return std::find(std::begin(kFixedOptions), std::end(kFixedOptions), attribute) !=
         std::end(kFixedOptions);
}

// The work on one change.
class LinkWork {
 public:
  LinkWork(
      const Change& change,
      const WorkContext& context,
      const FoundLink& link,
      const RunningLinks& links,
      const NetworkBackend& backend)
      : change_{change},
        context_{context},
        link_{link},
        links_{links},
        backend_{backend},
        files_{network_files(context.facts)},
        config_{config_of(change.resource, link.target)} {}

  Result<Work> plan() const {
    if (change_.kind == ChangeKind::remove) return removal();
    ActionDraft draft;
    if (any(&AttributeChange::write)) write(draft);
    if (!any(&AttributeChange::activate) || context_.reboot_planned) return only(std::move(draft));
    if (const std::string why = why_not_now(); !why.empty()) return impossible(why);
    // The bond takes its ports itself, both at once.
    if (!waits_for_bond()) activate(draft);
    return only(std::move(draft));
  }

 private:
  Error impossible(std::string_view why) const {
    return {ErrorCode::invalid, fmt::format("{}: {}", change_.resource.address.str(), why)};
  }

  Work only(ActionDraft draft) const {
    if (draft.kind.empty()) return {};
    draft.disturbs = disturbed();
    return {{std::move(draft)}};
  }

  // A bond takes its slaves, and networkd configures the interface below a VLAN anew.
  std::vector<std::string> disturbed() const {
    std::vector<std::string> devices;
    if (!link_.device.empty()) devices.push_back(link_.device);
    for (const Slave& slave : link_.target.slaves) {
      if (!slave.port->netdev.empty()) devices.push_back(slave.port->netdev);
    }
    if (links_.exists(link_.target.parent)) devices.push_back(link_.target.parent);
    if (devices.empty() && !link_.port->netdev.empty()) devices.push_back(link_.port->netdev);
    return devices;
  }

  bool any(bool AttributeChange::*flag) const {
    return std::any_of(
        change_.attributes.begin(),
        change_.attributes.end(),
        [flag](const AttributeChange& attribute) { return attribute.*flag; });
  }

  bool activates(bool (*is_one)(std::string_view)) const {
    return std::any_of(
        change_.attributes.begin(), change_.attributes.end(), [is_one](const auto& attribute) {
          return attribute.activate && is_one(attribute.attribute);
        });
  }

  bool recreates() const { return !link_.device.empty() && activates(is_fixed); }

  bool waits_for_bond() const {
    return !config_.master.empty() && links_.master(link_.device) != config_.master;
  }

  std::string why_not_now() const {
    const LinkTarget& target = link_.target;
    if (target.port != nullptr && link_.device.empty()) {
      return fmt::format(
          "port {} of card {} is no {} interface and no reboot is planned that would make it one",
          target.port->number,
          target.card->address.str(),
          target.infiniband ? "IPoIB" : "Ethernet");
    }
    const std::string above = links_.master(link_.device);
    if (recreates() && !above.empty()) {
      return fmt::format(
          "{} must be made anew for this, and it is a port of {}: take it out of there first",
          link_.device,
          above);
    }
    return {};
  }

  void want_persistent(ActionDraft& draft, bool removed) const {
    for (const auto& [attribute, desired] : change_.resource.desired) {
      const auto observed = context_.observation.attributes.find(attribute);
      const bool layered = observed != context_.observation.attributes.end() &&
                           observed->second.persistent.has_value();
      if (!layered) continue;
      draft.postconditions.push_back(
          {change_.resource.address,
           attribute,
           Layer::persistent,
           removed ? Value{} : desired.value});
    }
  }

  void want_running(ActionDraft& draft) const {
    for (const auto& [attribute, desired] : change_.resource.desired) {
      draft.postconditions.push_back(
          {change_.resource.address, attribute, Layer::running, desired.value});
    }
  }

  // Puts the file back as it was.
  void undo(ActionDraft& draft, const std::string& path) const {
    const auto former = files_.find(path);
    if (former != files_.end()) {
      draft.undo_writes.push_back({path, former->second, backend_.file_mode(), "root:root"});
    } else {
      draft.undo_removes.push_back(path);
    }
  }

  // Ours on the node, and not among those to be written.
  std::vector<std::string> stale(const std::set<std::string>& written) const {
    std::vector<std::string> paths;
    for (const std::string& path : backend_.paths(link_.target)) {
      const auto file = files_.find(path);
      if (file != files_.end() && backend_.owns(file->second) && !written.contains(path))
        paths.push_back(path);
    }
    return paths;
  }

  void write(ActionDraft& draft) const {
    draft.kind = "network.write";
    draft.stage = Stage::prepare;
    std::set<std::string> written;
    for (const ConfigFile& file : backend_.render(link_.target, config_)) {
      written.insert(file.path);
      const auto former = files_.find(file.path);
      if (former != files_.end() && former->second == file.content) continue;
      draft.title += (draft.title.empty() ? "write " : " ") + file.path;
      draft.writes.push_back({file.path, file.content, backend_.file_mode(), "root:root"});
      undo(draft, file.path);
    }
    remove_stale(draft, written);
    want_persistent(draft, false);
    if (!context_.reboot_planned) return;
    // The boot makes it run.
    draft.may_cut_off = true;
    draft.undo_commands = backend_.restore_all();
  }

  void remove_stale(ActionDraft& draft, const std::set<std::string>& written) const {
    for (const std::string& path : stale(written)) {
      draft.title += (draft.title.empty() ? "remove " : ", remove ") + path;
      draft.removes.push_back(path);
      undo(draft, path);
    }
  }

  // A bond that is taken back gives its slaves back to what they were: their files were written
  // before it, and it activated them.
  void undo_slaves(ActionDraft& draft) const {
    for (const Slave& slave : link_.target.slaves) {
      LinkTarget port{.address = change_.resource.address};
      port.address.kind = "interface";
      port.address.name = slave.label;
      port.name = slave.name;
      port.card = slave.card;
      port.port = slave.port;
      for (const std::string& path : backend_.paths(port))
        undo(draft, path);
    }
  }

  // In the same action in which the files are written: only so can the node take both back
  // together.
  void activate(ActionDraft& draft) const {
    const std::string& name = link_.device.empty() ? link_.target.name : link_.device;
    draft.kind = "network.activate";
    draft.stage = Stage::activate;
    draft.disruption = change_.disruption();
    draft.may_cut_off = true;
    std::string title;
    if (!config_.master.empty()) {
      // Its bond holds it already; reconfiguring it would take it out and put it back.
      title = fmt::format("set the MTU of slave {}", name);
      const std::string mtu = fmt::format("{}", config_.mtu.value_or(1500));
      draft.commands.push_back({"ip", "link", "set", "dev", name, "mtu", mtu});
    } else if (only_live_options()) {
      title = fmt::format("set options of {}", name);
      draft.commands.push_back(live_command());
    } else {
      title = fmt::format("reconfigure {} by {}", name, backend_.name());
      if (leaves_bond()) draft.commands.push_back({"ip", "link", "set", "dev", name, "nomaster"});
      draft.commands = joined(std::move(draft.commands), backend_.activate(activation()));
      undo_slaves(draft);
    }
    draft.title = draft.title.empty() ? title : draft.title + " and " + title;
    draft.undo_commands = backend_.restore(activation());
    want_running(draft);
  }

  static std::vector<remote::Argv> joined(
      std::vector<remote::Argv> first, const std::vector<remote::Argv>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }

  bool only_live_options() const {
    return !link_.device.empty() && activates([](std::string_view attribute) {
      return live_option(attribute) != nullptr;
    }) && !activates([](std::string_view attribute) { return live_option(attribute) == nullptr; });
  }

  remote::Argv live_command() const {
    remote::Argv argv{"ip", "link", "set", "dev", link_.device, "type", "bond"};
    for (const auto& [attribute, option] : kLiveOptions) {
      const auto change = std::find_if(
          change_.attributes.begin(),
          change_.attributes.end(),
          [name = attribute](const AttributeChange& each) {
            return each.activate && each.attribute == name;
          });
      if (change == change_.attributes.end()) continue;
      argv.emplace_back(option);
      argv.push_back(attribute == "primary" ? primary_device() : to_text(change->desired));
    }
    return argv;
  }

  // What it is called now.
  std::string primary_device() const {
    for (const Slave& slave : link_.target.slaves) {
      if (config_.bond && slave.name == config_.bond->primary) return slave.port->netdev;
    }
    return config_.bond ? config_.bond->primary : std::string{};
  }

  // A plain port that a bond still holds. Out of a bridge it is not taken: that is no bond of ours.
  bool leaves_bond() const {
    const std::string master = links_.master(link_.device);
    return link_.target.kind == LinkKind::port && !master.empty() &&
           !links_.file(master, "bonding/mode").empty();
  }

  Activation activation() const {
    Activation activation{link_.target, link_.device, recreates(), {}, {}};
    for (const Slave& slave : link_.target.slaves) {
      if (!slave.port->netdev.empty()) activation.slaves.push_back(slave.port->netdev);
    }
    if (link_.target.kind == LinkKind::bond && !link_.device.empty())
      activation.above = links_.vlans_on(link_.device);
    return activation;
  }

  Work removal() const {
    ActionDraft draft;
    draft.kind = "network.write";
    draft.stage = Stage::prepare;
    draft.may_cut_off = true;
    remove_stale(draft, {});
    want_persistent(draft, true);
    draft.undo_commands = backend_.restore_all();
    if (context_.reboot_planned) return only(std::move(draft));
    const std::string& name = link_.device.empty() ? link_.target.name : link_.device;
    draft.kind = "network.activate";
    draft.stage = Stage::activate;
    draft.disruption = Disruption::link;
    draft.title += fmt::format("{}release {}", draft.title.empty() ? "" : " and ", name);
    draft.commands = backend_.release(link_.target, link_.device);
    draft.undo_commands = backend_.restore(activation());
    return only(std::move(draft));
  }

  const Change& change_;
  const WorkContext& context_;
  const FoundLink& link_;
  const RunningLinks& links_;
  const NetworkBackend& backend_;
  FileTexts files_;
  LinkConfig config_;
};

}  // namespace

std::vector<Probe> LinkProvider::probes() const {
  std::vector<Probe> probes = backend_probes();
  probes.push_back(pci_probe());
  for (Probe& probe : running_probes())
    probes.push_back(std::move(probe));
  return probes;
}

std::vector<Observation> LinkProvider::observe(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) const {
  LinkObserver observer{facts, diagnostics};
  std::vector<Observation> observations;
  for (const Resource& resource : wanted)
    observations.push_back(observer.observe(resource));
  return observations;
}

Disruption LinkProvider::disruption(
    const Resource& /*resource*/, std::string_view attribute) const {
  return live_option(attribute) != nullptr ? Disruption::runtime : Disruption::link;
}

Result<Work> LinkProvider::work(const Change& change, const WorkContext& context) const {
  const auto impossible = [&change](std::string_view why) {
    return Error{ErrorCode::invalid, fmt::format("{}: {}", change.resource.address.str(), why)};
  };
  const std::vector<Card> cards = inventory_of(context.facts);
  const RunningLinks links{context.facts};
  const FoundLink link = find_link(change.resource, cards, links);
  if (!link.why.empty()) return impossible(link.why);
  const BackendChoice choice =
      choose_backend(context.facts, bound_text(change.resource, "backend"), link.port->netdev);
  if (choice.backend == nullptr)
    return impossible("no supported network configuration on the node");
  const std::string obstacle =
      choice.backend->obstacle(link.target, config_of(change.resource, link.target));
  if (!obstacle.empty()) return impossible(obstacle);
  return LinkWork{change, context, link, links, *choice.backend}.plan();
}

}  // namespace fabric::providers
