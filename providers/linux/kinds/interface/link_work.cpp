// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/link_work.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/change.hpp"
#include "engine/provider/statements.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/interface/adoption.hpp"
#include "providers/linux/kinds/interface/backends/backend_choice.hpp"
#include "providers/linux/kinds/interface/backends/ipoib_mode.hpp"
#include "providers/linux/kinds/interface/bound.hpp"
#include "providers/linux/kinds/interface/foreign_entries.hpp"
#include "providers/linux/kinds/interface/given_name.hpp"
#include "providers/linux/kinds/interface/link_rollback.hpp"
#include "providers/linux/kinds/interface/link_statements.hpp"
#include "providers/linux/kinds/interface/live_claims.hpp"
#include "providers/linux/kinds/interface/live_options.hpp"

namespace fabric::providers {
namespace {

// The paths of all files whose marker names this resource.
std::vector<std::string> files_about(const ResourceAddress& address, const FileTexts& files) {
  std::vector<std::string> paths;
  for (const auto& [path, content] : files) {
    if (owned_address(address.node, content) == address) paths.push_back(path);
  }
  return paths;
}

struct FormerLink {
  std::vector<Card> cards;  // the cards to which `link` points
  FoundLink link;
};

// The VLAN or P_Key child that a file of fabric made for this resource under another name, if it
// still exists.
std::optional<FormerLink> former_link(
    const Resource& resource,
    const LinkTarget& target,
    const NodeFacts& facts,
    const FileTexts& files,
    const RunningLinks& links) {
  if (target.kind != LinkKind::vlan && target.kind != LinkKind::ipoib_child) return std::nullopt;
  for (const std::string& path : files_about(resource.address, files)) {
    std::optional<Resource> before = owned_resource(facts.node, files.at(path));
    if (!before) continue;
    std::vector<Card> cards = inventory_of(facts);
    FoundLink link = find_link(*before, cards, links);
    const bool is_other = !link.device.empty() && link.device != target.name;
    if (link.why.empty() && is_other) return FormerLink{std::move(cards), std::move(link)};
  }
  return std::nullopt;
}

// Removes the former interface before the new one is made, because both would have the same
// address. Empty without `former`.
std::vector<remote::Argv> release_former(
    const std::optional<FormerLink>& former, const NetworkBackend& backend) {
  if (!former) return {};
  const std::string& name = former->link.device;
  std::vector<remote::Argv> commands = backend.release(former->link.target, name);
  commands.push_back({"sh", "-c", kDeleteIfThere, "fabric", name});
  return commands;
}

std::vector<remote::Argv> restore_former(
    const std::optional<FormerLink>& former, const NetworkBackend& backend) {
  if (!former) return {};
  return backend.restore({former->link.target, former->link.device, false, {}, {}, {}});
}

// The changes of an interface's files, and their rollback.

class LinkFiles {
 public:
  // REQUIRES: all arguments outlive it; `there` are the node's network files.
  LinkFiles(const Change& change, const LinkOnNode& on_node, const FileTexts& there)
      : change_{change},
        link_{on_node.link},
        links_{on_node.links},
        backend_{on_node.backend},
        there_{there} {}

  // Adds to the draft the files for this configuration that are missing or differ. Returns the
  // paths of all files for it.
  std::set<std::string> write(ActionDraft& draft, const LinkConfig& config) const;

  // Adds the removal of fabric's files on the node that are not in `written`: of a former name,
  // port, id or back end, and of the time when the port was InfiniBand.
  void remove_stale(ActionDraft& draft, const std::set<std::string>& written) const;

  // The rollback of a bond restores its slaves: their files were written before it, and it
  // activated them.
  void undo_slaves(ActionDraft& draft) const;

 private:
  std::vector<std::string> stale(const std::set<std::string>& written) const;

  const Change& change_;
  const FoundLink& link_;
  const RunningLinks& links_;
  const NetworkBackend& backend_;
  const FileTexts& there_;
};

std::set<std::string> LinkFiles::write(ActionDraft& draft, const LinkConfig& config) const {
  std::set<std::string> written;
  const auto put = [&](const std::string& path, const std::string& content, std::uint32_t mode) {
    written.insert(path);
    const auto former = there_.find(path);
    if (former != there_.end() && former->second == content) return;
    draft.title += (draft.title.empty() ? "write " : " ") + path;
    replace_file(draft, {path, content, mode, "root:root"}, text_at(there_, path));
  };
  for (const ConfigFile& file : backend_.render(link_.target, config))
    put(file.path, file.content, backend_.file_mode());
  if (const auto& file = link_.target.name_file) put(file->path, file->content, kNameFileMode);
  return written;
}

void LinkFiles::remove_stale(ActionDraft& draft, const std::set<std::string>& written) const {
  const auto remove = [&](const std::string& path, const NetworkBackend& of) {
    draft.title += (draft.title.empty() ? "remove " : ", remove ") + path;
    remove_file(draft, path, text_at(there_, path), of.file_mode());
  };
  for (const std::string& path : stale(written))
    remove(path, backend_);
  for (const FormerFile& former : former_files(backend_, link_.target, there_))
    remove(former.path, *former.backend);
}

void LinkFiles::undo_slaves(ActionDraft& draft) const {
  for (const Slave& slave : link_.target.slaves) {
    LinkTarget port{.address = change_.resource.address};
    port.address.kind = kinds::kInterface;
    port.address.name = slave.label;
    port.name = slave.name;
    port.card = slave.card;
    port.port = slave.port;
    const auto former = backend_.read(port, there_);
    const bool waits = former && former->master == link_.target.name &&
                       links_.master(slave.port->netdev) != link_.target.name;
    for (const std::string& path : backend_.paths(port)) {
      if (!waits) {
        put_back(draft, path, text_at(there_, path), backend_.file_mode());
      } else if (there_.contains(path)) {
        draft.undo.remove(path);
      }
    }
  }
}

std::vector<std::string> LinkFiles::stale(const std::set<std::string>& written) const {
  std::vector<std::string> all = backend_.paths(link_.target);
  if (const std::string rule = ipoib_mode_path(link_.target);
      std::find(all.begin(), all.end(), rule) == all.end())
    all.push_back(rule);
  for (std::string& path : files_about(change_.resource.address, there_))
    all.push_back(std::move(path));
  std::set<std::string> seen = written;
  for (const FormerFile& former : former_files(backend_, link_.target, there_))
    seen.insert(former.path);
  std::vector<std::string> paths;
  for (const std::string& path : all) {
    const auto file = there_.find(path);
    if (file != there_.end() && backend_.owns(file->second) && seen.insert(path).second)
      paths.push_back(path);
  }
  return paths;
}

// The conditions for the read-back of an action on an interface.

// In files: the desired values; for a removal no value.
void want_persistent(ActionDraft& draft, const Change& change, const Observation& observation) {
  const bool removed = change.kind == ChangeKind::remove;
  for (const auto& [attribute, desired] : change.resource.desired) {
    const auto observed = observation.attributes.find(attribute);
    const bool layered =
        observed != observation.attributes.end() && observed->second.persistent.has_value();
    if (!layered) continue;
    draft.postconditions.push_back(
        {change.resource.address, attribute, Layer::persistent, removed ? Value{} : desired.value});
  }
}

// Running: desired values; for values that are no longer desired, those that they are reset to.
void want_running(ActionDraft& draft, const Change& change, const LinkTarget& target) {
  for (const auto& [attribute, desired] : change.resource.desired) {
    std::optional<Value> value = desired.value;
    if (desired.value.is_null()) value = reset_to(change, target, attribute);
    if (value)
      draft.postconditions.push_back(
          {change.resource.address, attribute, Layer::running, *std::move(value)});
  }
}

// Before an adoption: the running state is the one that the plan has named, without additions.
void expect_running(ActionDraft& draft, const Change& change, const Observation& observation) {
  for (const std::string_view attribute : kHeldAttributes) {
    const auto observed = observation.attributes.find(attribute);
    if (observed == observation.attributes.end() || !observed->second.running) continue;
    const Reading& running = *observed->second.running;
    if (running.is_unknown()) continue;
    draft.preconditions.push_back(
        {change.resource.address,
         InternedText{attribute},
         Layer::running,
         running.value() == nullptr ? Value{} : *running.value()});
  }
}

// Conditions that hold at once for a released resource: a made interface is gone, a port has no
// address. There are none where foreign configuration among `files` makes them again.
void want_gone(
    ActionDraft& draft,
    const Change& change,
    const Observation& observation,
    const LinkOnNode& on_node,
    const FileTexts& files) {
  const LinkTarget& target = on_node.link.target;
  if (on_node.link.device.empty() || !foreign_entries(on_node.link, on_node.backend, files).empty())
    return;
  const bool is_port = target.kind == LinkKind::port;
  if (is_port && !on_node.backend.empties_ports(target, files)) return;
  for (const auto& [attribute, nothing] : change.resource.desired) {
    const auto observed = observation.attributes.find(attribute);
    const bool runs = observed != observation.attributes.end() && observed->second.running &&
                      observed->second.running->is_known();
    if (!runs || (is_port && attribute != "addresses")) continue;
    draft.postconditions.push_back(
        {change.resource.address, attribute, Layer::running, is_port ? Value{List{}} : Value{}});
  }
}

std::vector<remote::Argv> joined(
    std::vector<remote::Argv> first, const std::vector<remote::Argv>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// The work on one change.
class LinkWork {
 public:
  LinkWork(const Change& change, const WorkContext& context, const LinkOnNode& on_node)
      : change_{change},
        context_{context},
        link_{on_node.link},
        links_{on_node.links},
        backend_{on_node.backend},
        files_{network_files(context.facts)},
        digests_{file_digests(context.facts)},
        own_{change, on_node, files_},
        config_{config_of(change.resource, link_.target)},
        unconfirmed_{take_back_unconfirmed(change, context.observation, on_node, files_)},
        former_{former_link(change.resource, link_.target, context.facts, files_, links_)} {
    if (adopts(change.resource)) adopted_ = foreign_entries(link_, backend_, files_);
  }

  Result<Work> plan() const {
    if (change_.kind == ChangeKind::remove) return removal();
    if (const std::string why = adoption_obstacle(adopted_, digests_); !why.empty())
      return impossible(why);
    ActionDraft draft;
    if (any(&AttributeChange::write)) write(draft);
    if (context_.reboot_planned && draft.kind.empty() && !unconfirmed_.empty()) by_boot(draft);
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
    if (!by_source()) draft.disturbs = disturbed();
    Work work;
    if (!adopted_.empty() && change_.kind != ChangeKind::remove)
      work.actions.push_back(copies_draft());
    work.actions.push_back(std::move(draft));
    const bool runs = change_.kind != ChangeKind::remove && !link_.device.empty();
    if (runs && adopts(change_.resource))
      expect_running(work.actions.front(), change_, context_.observation);
    return work;
  }

  ActionDraft copies_draft() const {
    ActionDraft draft;
    draft.kind = methods::kNetworkAdopt;
    draft.title =
        fmt::format("keep its former configuration in {}:", adoption_folder(link_.target));
    std::vector<Statement> all =
        link_statements(change_.resource, link_, backend_, adopted_, context_.facts);
    for (std::size_t at = 0; at < adopted_.size(); ++at) {
      const ForeignEntry& entry = adopted_[at];
      draft.title += fmt::format("{} {}:{}", at == 0 ? "" : ";", entry.path, entry.line);
      if (entry.last_line > entry.line) draft.title += fmt::format("-{}", entry.last_line);
      draft.title += entry.stays            ? " (the file stays, for others)"
                     : entry.last_line == 0 ? " (the file goes)"
                                            : " (made comments)";
      draft.title += statements_summary(taken_from(all, entry));
    }
    if (const std::string rest = statements_summary(all); !rest.empty())
      draft.title += fmt::format("; beside that{}", rest);
    draft.steps.run_each(keep_copies(link_.target, adopted_, digests_));
    return draft;
  }

  // Takes the statements of this entry out of `all`.
  static std::vector<Statement> taken_from(std::vector<Statement>& all, const ForeignEntry& entry) {
    const auto rest = std::stable_partition(all.begin(), all.end(), [&entry](const auto& each) {
      const bool within =
          entry.last_line == 0 || (each.line >= entry.line && each.line <= entry.last_line);
      return each.file != entry.path || !within;
    });
    std::vector<Statement> taken{std::make_move_iterator(rest), std::make_move_iterator(all.end())};
    all.erase(rest, all.end());
    return taken;
  }

  // Moves foreign configuration out of the way; its copy was made before.
  void adopt(ActionDraft& draft, const std::set<std::string>& written) const {
    if (adopted_.empty()) return;
    for (const std::string& path : adopted_files(adopted_)) {
      if (!written.contains(path)) draft.steps.remove(path);
      // The copy is restored, not the text that a probe printed.
      draft.undo.erase_writes(path);
    }
    draft.steps.run_each(comment_out(link_.target, adopted_, files_, digests_));
    draft.file_preconditions = adopted_as_read(adopted_, digests_);
    hold_own(draft);
    draft.title += ", taking over the former configuration";
  }

  // While an entry is to be adopted, no reading tells the content of fabric's files (LinkObserver).
  void hold_own(ActionDraft& draft) const {
    std::vector<FileCondition>& held = draft.file_preconditions;
    for (const remote::step::WriteFile& write : draft.steps.writes()) {
      const bool known =
          std::ranges::any_of(held, [&write](const auto& each) { return each.path == write.path; });
      const auto digest = digests_.find(write.path);
      const bool is_there = digest != digests_.end();
      if (!known && is_there == files_.contains(write.path))
        held.push_back({write.path, is_there ? digest->second : std::string{}});
    }
  }

  // The commands of an undo, after adopted files are put back and before they are read again.
  std::vector<remote::Argv> undone(std::vector<remote::Argv> commands) const {
    const bool kept = !unconfirmed_.removes.empty() && has_adopted(link_.target, files_);
    if (kept || !adopted_.empty()) commands.insert(commands.begin(), put_back(link_.target));
    return commands;
  }

  // A bond takes its slaves, and networkd configures the interface below a VLAN again.
  std::vector<std::string> disturbed() const {
    std::vector<std::string> devices;
    if (!link_.device.empty()) devices.push_back(link_.device);
    for (const Slave& slave : link_.target.slaves) {
      if (!slave.port->netdev.empty()) devices.push_back(slave.port->netdev);
    }
    if (links_.exists(link_.target.parent)) devices.push_back(link_.target.parent);
    if (former_) devices.push_back(former_->link.device);
    // An adopted file may be about another interface, whose name this one gets.
    if (!adopted_.empty() && links_.exists(link_.target.name)) devices.push_back(link_.target.name);
    if (devices.empty() && !link_.port->netdev.empty()) devices.push_back(link_.port->netdev);
    return devices;
  }

  bool any(bool AttributeChange::*flag) const {
    return std::ranges::any_of(
        change_.attributes, [flag](const AttributeChange& attribute) { return attribute.*flag; });
  }

  bool recreates() const {
    const auto& all = change_.attributes;
    return !link_.device.empty() && std::ranges::any_of(all, [](const auto& attribute) {
      return attribute.activate && is_fixed(attribute.attribute);
    });
  }

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
    return why_not_anew();
  }

  // A bond or bridge that has it, or a VLAN on it, as a port would lose that port, and nothing
  // would give it back.
  std::string why_not_anew() const {
    const bool by_back_end = backend_.remakes_virtual() && !link_.device.empty() &&
                             link_.target.kind != LinkKind::port && !only_live_options(change_);
    if (!recreates() && !by_back_end) return {};
    std::vector<std::string> lost = links_.above(link_.device);
    lost.insert(lost.begin(), link_.device);
    for (const std::string& device : lost) {
      const std::string master = links_.master(device);
      if (master.empty()) continue;
      return fmt::format(
          "{} must be made anew for this, and {} a port of {}: take it out first",
          link_.device,
          device == link_.device ? "it is" : device + ", which stands on it, is",
          master);
    }
    return {};
  }

  // Changes that no back end makes to an existing interface: it leaves options that its files do
  // not name as they are, and networkd never changes the options of a bond.
  std::vector<remote::Argv> by_ip(const std::string& name) const {
    if (link_.device.empty() || recreates()) return {};
    std::vector<remote::Argv> commands;
    if (link_.target.kind == LinkKind::bond)
      commands = live_commands(change_, link_.target, link_.device, primary_device());
    if (const auto mtu = reset_to(change_, link_.target, "mtu"))
      commands.push_back({"ip", "link", "set", "dev", name, "mtu", to_text(*mtu)});
    return commands;
  }

  void write(ActionDraft& draft) const {
    draft.kind = methods::kNetworkWrite;
    draft.stage = Stage::prepare;
    const std::set<std::string> written = own_.write(draft, config_);
    own_.remove_stale(draft, written);
    adopt(draft, written);
    want_persistent(draft, change_, context_.observation);
    if (!context_.reboot_planned) return;
    undo_at_boot(draft);
  }

  // The boot makes it run.
  void undo_at_boot(ActionDraft& draft) const {
    draft.may_cut_off = true;
    undo_unconfirmed(draft);
    draft.undo.run_each(undone(joined({empty_after_boot(link_.target)}, backend_.restore_all())));
  }

  // Only the boot is left to do, which can still cut off the node.
  void by_boot(ActionDraft& draft) const {
    draft.kind = methods::kNetworkActivate;
    draft.stage = Stage::activate;
    undo_at_boot(draft);
  }

  void undo_unconfirmed(ActionDraft& draft) const {
    for (const ConfigFile& file : unconfirmed_.writes)
      draft.undo.write({file.path, file.content, backend_.file_mode(), "root:root"});
    for (const std::string& path : unconfirmed_.removes)
      draft.undo.remove(path);
  }

  // In the same action in which the files are written: only so can the node take both back
  // together.
  void activate(ActionDraft& draft) const {
    const std::string& name = link_.device.empty() ? link_.target.name : link_.device;
    draft.kind = methods::kNetworkActivate;
    draft.stage = Stage::activate;
    draft.disruption = change_.disruption();
    draft.may_cut_off = true;
    std::string title;
    draft.steps.run_each(release_former(former_, backend_));
    if (!config_.master.empty()) {
      // The bond has the port already; reconfiguring would remove and add it again.
      const std::string mode = activation().ipoib_mode;
      title = fmt::format("set the {} of slave {}", mode.empty() ? "MTU" : "mode", name);
      if (!mode.empty()) draft.steps.run({"sh", "-c", kSetIpoibMode, "fabric", name, mode});
      const std::string mtu = fmt::format("{}", config_.mtu.value_or(1500));
      draft.steps.run({"ip", "link", "set", "dev", name, "mtu", mtu});
    } else if (!link_.device.empty() && only_live_options(change_)) {
      title = fmt::format("set options of {}", name);
      draft.steps.run_each(live_commands(change_, link_.target, link_.device, primary_device()));
    } else if (by_source()) {
      return route_by_source(draft);
    } else {
      title = fmt::format("reconfigure {} by {}", name, backend_.name());
      if (leaves_bond()) draft.steps.run({"ip", "link", "set", "dev", name, "nomaster"});
      draft.steps.run_each(without_rules(change_));
      // Not every back end does: of a slave that is not in its bond yet.
      const Activation activated = activation();
      if (const std::string mode = bound_text(change_.resource, keys::kIpoibMode); !mode.empty()) {
        for (const std::string& slave : activated.slaves)
          draft.steps.run({"sh", "-c", kSetIpoibMode, "fabric", slave, mode});
      }
      draft.steps.run_each(backend_.activate(activated));
      draft.steps.run_each(by_ip(name));
      own_.undo_slaves(draft);
    }
    const LiveEnd end = ending(change_, name);
    draft.steps.run_each(end.steps);
    undo_unconfirmed(draft);
    draft.title = draft.title.empty() ? title : draft.title + " and " + title;
    draft.undo.run_each(undone(joined(without_rules(change_), backend_.restore(activation()))));
    draft.undo.run_each(set_back(change_, link_));
    draft.undo.run_each(end.undo);
    draft.undo.run_each(restore_former(former_, backend_));
    want_running(draft, change_, link_.target);
  }

  bool by_source() const { return !link_.device.empty() && only_source_table(change_); }

  // Added to the running configuration: no interface is configured again, and no connection is cut;
  // packets take other routes.
  void route_by_source(ActionDraft& draft) const {
    draft.disruption = Disruption::traffic;
    draft.may_cut_off = false;
    draft.steps.run_each(without_rules(change_));
    draft.steps.run_each(source_commands(config_, link_.device));
    const std::string title = fmt::format("route by source at {}", link_.device);
    draft.title = draft.title.empty() ? title : draft.title + " and " + title;
    draft.undo.run_each(without_rules(change_));
    want_running(draft, change_, link_.target);
  }

  // The present name of the primary slave.
  std::string primary_device() const {
    for (const Slave& slave : link_.target.slaves) {
      if (config_.bond && called(slave) == config_.bond->primary) return slave.port->netdev;
    }
    return config_.bond ? config_.bond->primary : std::string{};
  }

  // A plain port that a bond still has. A foreign bridge keeps its ports.
  bool leaves_bond() const {
    const std::string master = links_.master(link_.device);
    return link_.target.kind == LinkKind::port && !master.empty() &&
           !links_.file(master, "bonding/mode").empty();
  }

  Activation activation() const {
    Activation activation{link_.target, link_.device, recreates(), {}, {}, {}};
    for (const Slave& slave : link_.target.slaves) {
      if (!slave.port->netdev.empty()) activation.slaves.push_back(slave.port->netdev);
    }
    if (!link_.device.empty()) activation.above = links_.above(link_.device);
    for (const AttributeChange& each : change_.attributes) {
      if (each.attribute == "ipoib_mode" && each.activate)
        activation.ipoib_mode = config_.ipoib_mode;
    }
    return activation;
  }

  // Back ends leave the MTU of a port as it is when they let go of it; the next boot would not.
  void reset_mtu(ActionDraft& draft) const {
    const bool plain = link_.target.kind == LinkKind::port && !link_.target.infiniband;
    if (!plain || link_.device.empty() || !change_.resource.desired.contains("mtu")) return;
    draft.steps.run({"ip", "link", "set", "dev", link_.device, "mtu", "1500"});
  }

  Work removal() const {
    ActionDraft draft;
    if (is_bound(change_.resource, kSuperseded)) {
      // Another resource has the interface: the files alone are too many.
      draft.kind = methods::kNetworkWrite;
      draft.stage = Stage::prepare;
      own_.remove_stale(draft, {});
      want_persistent(draft, change_, context_.observation);
      return only(std::move(draft));
    }
    draft.kind = methods::kNetworkWrite;
    draft.stage = Stage::prepare;
    draft.may_cut_off = true;
    own_.remove_stale(draft, {});
    want_persistent(draft, change_, context_.observation);
    const bool adopted_before = has_adopted(link_.target, files_);
    std::vector<remote::Argv> again;
    if (adopted_before) again.push_back(take_again(link_.target));
    if (adopted_before) draft.file_preconditions = marked_as_read(link_.target, files_, digests_);
    const remote::Argv given_back = put_back(link_.target, draft.file_preconditions);
    if (context_.reboot_planned && adopted_before) draft.steps.run(given_back);
    if (context_.reboot_planned) {
      draft.undo.run_each(joined(std::move(again), backend_.restore_all()));
      return only(std::move(draft));
    }
    const std::string& name = link_.device.empty() ? link_.target.name : link_.device;
    draft.kind = methods::kNetworkActivate;
    draft.stage = Stage::activate;
    draft.disruption = Disruption::link;
    draft.title += fmt::format("{}release {}", draft.title.empty() ? "" : " and ", name);
    draft.steps.run_each(release_former(former_, backend_));
    draft.steps.run_each(without_rules(change_));
    draft.steps.run_each(backend_.release(link_.target, link_.device));
    reset_mtu(draft);
    if (adopted_before) {
      // The former files come back, and are activated.
      draft.steps.run(given_back);
      draft.steps.run_each(backend_.restore(activation()));
    } else {
      want_gone(draft, change_, context_.observation, {link_, links_, backend_}, files_);
    }
    draft.undo.run_each(joined(std::move(again), backend_.restore(activation())));
    return only(std::move(draft));
  }

  const Change& change_;
  const WorkContext& context_;
  const FoundLink& link_;
  const RunningLinks& links_;
  const NetworkBackend& backend_;
  const FileTexts& files_;
  FileDigests digests_;
  LinkFiles own_;
  LinkConfig config_;
  TakenBack unconfirmed_;
  std::optional<FormerLink> former_;   // the interface under its former name
  std::vector<ForeignEntry> adopted_;  // taken over by this work
};

}  // namespace

Result<Work> link_work(
    const Change& change, const WorkContext& context, const LinkOnNode& on_node) {
  return LinkWork{change, context, on_node}.plan();
}

}  // namespace fabric::providers
