// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/model/resource_keys.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/diagnose.hpp"
#include "engine/provider/orphan.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/interface/backends/backend_choice.hpp"
#include "providers/linux/kinds/interface/backends/backend_signs.hpp"
#include "providers/linux/kinds/interface/bound.hpp"
#include "providers/linux/kinds/interface/foreign_entries.hpp"
#include "providers/linux/kinds/interface/link/running_state.hpp"
#include "providers/linux/kinds/link_name/name_rollback.hpp"
#include "providers/linux/kinds/port/name_file.hpp"
#include "providers/linux/kinds/rows.hpp"
#include "providers/linux/kinds/settings/driver_port_types.hpp"

namespace fabric::providers {

namespace {

constexpr const char* kName = "name";

// The one that the document means, as the type that it is to be; null with the reason.
struct Found {
  std::string why;
  NamedPort named;
};

Found find_named(const std::vector<Card>& cards, const Map& binding) {
  const FoundPort found = find_port(cards, binding);
  Found result{found.why, {found.card, found.port, std::nullopt}};
  if (const auto type = binding.find(keys::kLinkType); type != binding.end())
    result.named.infiniband = type->second == Value{"infiniband"};
  return result;
}

// The next boot makes it the other type. Known when a plan is made, where the settings of all cards
// have been read; a read-back of the name alone does not ask the card for them.
bool turns_away(const NodeFacts& facts, const std::vector<Card>& cards, const NamedPort& named) {
  constexpr std::int64_t kInfiniband = 1;
  constexpr std::int64_t kEthernet = 2;
  if (!named.infiniband) return false;
  const auto type = link_type_at_next_boot(facts, cards, *named.card, named.port->number);
  return type == (*named.infiniband ? kEthernet : kInfiniband);
}

// A port without an interface of the type that the document wants, now or at the next boot, has
// nothing that could be called something else: no boot would give it the name.
std::optional<Reading> running_name(
    const NodeFacts& facts, const std::vector<Card>& cards, const NamedPort& named) {
  if (!named.has_interface() || turns_away(facts, cards, named)) return std::nullopt;
  return Reading::of(named.port->netdev);
}

Reading file_name(const FileTexts& files, const NamedPort& named, const ResourceAddress& address) {
  const auto file = files.find(name_path(named, address));
  if (file == files.end()) return Reading::absent();
  if (!is_owned(file->second)) return Reading::unknown(file->first + " is not fabric's");
  std::string name = name_in_file(file->second, named);
  return name.empty() ? Reading::absent() : Reading::of(std::move(name));
}

// A file to remove may have been written when the document still had the type of the port.
Reading file_left(const FileTexts& files, const NamedPort& named, const ResourceAddress& address) {
  for (const auto& type : {named.infiniband, std::optional{false}, std::optional{true}}) {
    Reading reading = file_name(files, {named.card, named.port, type}, address);
    if (!reading.is_absent()) return reading;
  }
  return Reading::absent();
}

// The interface that the next boot will call something else.
std::vector<std::string> renamed(const Change& change, const NamedPort& named) {
  const std::string& device = named.port->netdev;
  if (!named.has_interface() || device.empty()) return {};
  if (change.kind != ChangeKind::remove && change.resource.desired.at(kName).value == Value{device})
    return {};
  return {device};
}

// Configuration by the former name leaves the interface without an address after that boot.
void guard_boot(
    ActionDraft& draft, const NodeFacts& facts, const NamedPort& named, const Resource& resource) {
  if (draft.disturbs.empty()) return;
  draft.may_cut_off = true;
  draft.undo.run_each(name_back(facts, named, resource));
}

// Two interfaces can't have one name, and a file that gives the name away takes the other one's
// configuration. Names that fabric's ports exchange become free at the boot.
void report_taken(
    const Resource& resource,
    std::span<const Resource> wanted,
    const NodeFacts& facts,
    Diagnostics& diagnostics) {
  const auto desired = resource.desired.find(kName);
  if (is_orphan(resource) || desired == resource.desired.end()) return;
  const std::string name = to_text(desired->second.value);
  const std::vector<Card>& cards = inventory_of(facts);
  const auto has_it = [&](const Resource& each) {
    const FoundPort port = find_port(cards, each.binding);
    return port.port != nullptr && port.port->netdev == name;
  };
  if (!running_links(facts).exists(name) || std::any_of(wanted.begin(), wanted.end(), has_it))
    return;
  report_finding_at(
      diagnostics,
      resource,
      desired->second.source,
      "interface-name-taken",
      fmt::format(
          "{}: port {} is to be named {}, and another interface of the node has that name",
          facts.node.str(),
          std::string{resource.address.name},
          name))
      .with_help("choose a name that no interface of the node has");
}

LinkTarget target_of(const Resource& resource, const NamedPort& named) {
  LinkTarget port{.address = resource.address};
  port.name = named.port->netdev;
  port.infiniband = !named.port->netdev_is_ethernet;
  port.card = named.card;
  port.port = named.port;
  port.bond = bound_text(resource, keys::kBond);
  return port;
}

// "enp1s0f1np1" of 0000:01:00.1: the name by its place, which udev gives if no file names the port.
bool is_of_its_place(std::string_view name, const PciAddress& at) {
  const std::string start = fmt::format("np{}s{}", at.bus(), at.device());
  const std::size_t found = name.find(start);
  const std::size_t end = found + start.size();
  constexpr std::string_view kDigits = "0123456789";
  return found == 1 && (end == name.size() || kDigits.find(name[end]) == std::string_view::npos);
}

// Whoever else names the port by its former name, as the slave of a bond or below a VLAN, would
// find no such interface after the boot. Nobody takes such a line over. A name that `names` no
// longer gives is that of fabric's file.
void report_former_name(
    const Resource& resource,
    std::span<const Resource> wanted,
    const NamedPort& named,
    const NodeFacts& facts,
    Diagnostics& diagnostics) {
  const auto name_of = [](const Resource& each) {
    const auto desired = each.desired.find(kName);
    return is_orphan(each) || desired == each.desired.end() ? "" : to_text(desired->second.value);
  };
  const bool goes = is_orphan(resource);
  const std::string name = name_of(resource);
  std::string former = named.port->netdev;
  if (goes) {
    const Reading left = file_left(network_files(facts), named, resource.address);
    former = left.value() == nullptr ? "" : to_text(*left.value());
    const bool stays =
        is_of_its_place(former, named.port->function) ||
        std::ranges::any_of(wanted, [&](const Resource& each) { return name_of(each) == former; });
    if (stays) return;
  }
  if (former.empty() || former == name) return;
  LinkTarget port = target_of(resource, named);
  port.name = former;
  const NetworkBackend* judge = nullptr;
  if (resource.binding.contains(keys::kNetwork))
    judge = choose_backend(facts, bound_text(resource, keys::kBackend), former).backend;
  for (const ForeignLine& each : lines_with_former_name(port, name, judge, facts))
    report_finding(
        diagnostics,
        resource,
        "foreign-configuration",
        fmt::format(
            "{}: {}:{} `{}` is about {}, {}",
            facts.node.str(),
            each.path,
            each.line,
            each.text,
            former,
            goes ? "a name that the port loses with `names`"
                 : fmt::format("which the next boot calls {}", name)))
        .with_help(
            goes
                ? fmt::format(
                      "take the line away on the node, or keep `names: {{{}: {}}}` at the adapter",
                      named.port->number,
                      former)
                : fmt::format("write {} there on the node, or take the port out of `names`", name));
}

// Where no network has the port, nothing of it is taken over.
void report_other_links(
    const Resource& resource,
    const NamedPort& named,
    const NodeFacts& facts,
    Diagnostics& diagnostics) {
  if (is_orphan(resource) || resource.binding.contains(keys::kNetwork) || is_named_by_rule(named))
    return;
  const LinkTarget port = target_of(resource, named);
  const FileTexts& files = network_files(facts);
  const Reading now = file_name(files, named, resource.address);
  const bool is_written = now == Reading::of(resource.desired.at(kName).value);
  for (const ForeignEntry& each :
       other_link_files(port, name_path(named, resource.address), is_written, files)) {
    if (each.stays) continue;
    report_finding(
        diagnostics,
        resource,
        "foreign-configuration",
        fmt::format(
            "{}: {}:{} is about the port {}, too, and udev takes one .link file for a port",
            facts.node.str(),
            each.path,
            each.line,
            std::string{resource.address.name}))
        .with_help("remove the file on the node, or the port from `names`");
  }
}

// Adds a file that goes to a draft, with its undo, if it is there and ours.
void remove_owned(ActionDraft& draft, const FileTexts& files, const std::string& path) {
  const auto former = files.find(path);
  if (former == files.end() || !is_owned(former->second)) return;
  remove_file(draft, path, &former->second);
}

std::vector<Probe> probes_of_link_name() {
  std::vector<Probe> probes = backend_probes();
  probes.push_back(pci_probe());
  for (Probe& probe : running_probes())
    probes.push_back(std::move(probe));
  return probes;
}

std::vector<Observation> observe_link_name(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const std::vector<Card>& cards = inventory_of(facts);
  const FileTexts& files = network_files(facts);
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    const Found found = find_named(cards, resource.binding);
    LayeredReading reading{Reading::unknown(found.why), std::nullopt, Reading::unknown(found.why)};
    if (found.named.port != nullptr) {
      reading.running = running_name(facts, cards, found.named);
      report_taken(resource, wanted, facts, diagnostics);
      report_other_links(resource, found.named, facts, diagnostics);
      if (reading.running) report_former_name(resource, wanted, found.named, facts, diagnostics);
      // Where the document does not say (any more) what the port is, a file of either form does.
      const bool any_form = is_orphan(resource) || !found.named.infiniband;
      reading.persistent = any_form ? file_left(files, found.named, resource.address)
                                    : file_name(files, found.named, resource.address);
    }
    observation.attributes[kName] = std::move(reading);
  });
}

std::vector<Resource> link_name_orphans(std::span<const Resource> wanted, const NodeFacts& facts) {
  return left_in_files(network_files(facts), facts.node, kinds::kLinkName, wanted);
}

// A name that is no longer wanted disappears at whichever boot comes next.
Disruption link_name_disruption(
    const NodeFacts& /*facts*/, const Resource& resource, std::string_view /*attribute*/) {
  return is_orphan(resource) ? Disruption::none : Disruption::reboot;
}

Result<Work> work_on_link_name(const Change& change, const WorkContext& context) {
  const std::vector<Card>& cards = inventory_of(context.facts);
  const Found found = find_named(cards, change.resource.binding);
  if (found.named.port == nullptr) {
    return Error{
        ErrorCode::invalid, fmt::format("{}: {}", change.resource.address.str(), found.why)};
  }
  Work work;
  const bool write = std::any_of(
      change.attributes.begin(), change.attributes.end(), [](const AttributeChange& each) {
        return each.write;
      });
  if (!write && context.reboot_planned) {
    // The file was written before: the boot alone does it.
    ActionDraft draft;
    draft.kind = methods::kLinkNameRename;
    draft.stage = Stage::activate;
    draft.disturbs = renamed(change, found.named);
    if (draft.disturbs.empty()) return work;
    // The former text is unknown; the present name works.
    draft.undo.write(
        {name_path(found.named, change.resource.address),
         name_file(change.resource, found.named, found.named.port->netdev),
         0644,
         "root:root"});
    guard_boot(draft, context.facts, found.named, change.resource);
    work.actions.push_back(std::move(draft));
  }
  if (!write) return work;
  const FileTexts& files = network_files(context.facts);
  const std::string path = name_path(found.named, change.resource.address);
  ActionDraft draft;
  draft.kind = methods::kLinkNameWrite;
  draft.stage = Stage::prepare;
  draft.disturbs = renamed(change, found.named);
  if (change.kind == ChangeKind::remove) {
    draft.title = "remove " + path;
    remove_owned(draft, files, path);
  } else {
    const Value& name = change.resource.desired.at(kName).value;
    draft.title = "write " + path;
    replace_file(
        draft,
        {path, name_file(change.resource, found.named, to_text(name))},
        text_at(files, path));
    draft.postconditions.push_back({change.resource.address, kName, Layer::persistent, name});
  }
  // The file that named the port while it was of the other type.
  const std::string other = other_name_path(found.named, change.resource.address);
  if (other != path) remove_owned(draft, files, other);
  if (context.reboot_planned) guard_boot(draft, context.facts, found.named, change.resource);
  work.actions.push_back(std::move(draft));
  return work;
}

}  // namespace

// "link_name": the persistent name of one port's Ethernet interface, by a .link file
// or a udev rule. In force after a boot: udev renames interfaces only as they appear.
Provider link_name_provider() {
  return {
      .kind = kinds::kLinkName,
      .probes = probes_of_link_name,
      .observe = observe_link_name,
      .orphans = link_name_orphans,
      .disruption = link_name_disruption,
      .work = work_on_link_name,
      .folders = {"/etc/systemd/network/", "/etc/udev/rules.d/"},
  };
}

}  // namespace fabric::providers
