// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/platform/owned_file.hpp"
#include "engine/provider/action_methods.hpp"
#include "providers/cards/find_card.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/kinds.hpp"
#include "providers/linux/kinds/qos/port_qos.hpp"
#include "providers/linux/kinds/qos/qos_files.hpp"
#include "providers/linux/kinds/qos/qos_readings.hpp"
#include "providers/linux/kinds/settings/told_settings.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kFilesProbe = "qos-files";

class QosWork {
 public:
  QosWork(
      const Change& change, const WorkContext& context, const Card& card, const AdapterPort& port)
      : change_{change},
        context_{context},
        card_{card},
        port_{port},
        files_{probed_files(context.facts, kFilesProbe)},
        paths_{qos_paths(change.resource.address)},
        running_{port_qos(context.facts, card, port)} {}

  Result<Work> plan() const {
    if (change_.kind == ChangeKind::remove) return Work{{remove_draft()}};
    if (const auto error = impossible()) return *error;
    Work work;
    if (any(&AttributeChange::write)) work.actions.push_back(write_draft());
    if (any(&AttributeChange::activate) && !context_.reboot_planned)
      work.actions.push_back(set_draft());
    return work;
  }

 private:
  bool any(bool AttributeChange::*flag) const {
    return std::any_of(
        change_.attributes.begin(), change_.attributes.end(), [flag](const AttributeChange& each) {
          return each.*flag;
        });
  }

  // The driver of the kernel has no switch of it.
  std::optional<Error> impossible() const {
    if (running_.ecn_by_driver || !running_.is_ethernet) return std::nullopt;
    std::vector<std::string> parameters;
    for (const AttributeChange& each : change_.attributes) {
      if (!each.activate) continue;
      if (each.attribute == qos::kEcn)
        parameters.push_back(fmt::format("ROCE_CC_PRIO_MASK_P{}", port_.number));
      if (each.attribute == qos::kCnpDscp)
        parameters.push_back(fmt::format("CNP_DSCP_P{}", port_.number));
    }
    if (!parameters.empty()) {
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "{}: the driver leaves congestion marks to the firmware; set {} under "
              "`firmware.params` of the adapter",
              change_.resource.address.str(),
              join(parameters, " and "))};
    }
    return std::nullopt;
  }

  Map before() const {
    if (const auto file = files_.find(paths_.script);
        file != files_.end() && is_owned(file->second))
      return owned_before(file->second);
    // A port that becomes Ethernet begins with what a card begins with.
    QosValues before = values_of(running_);
    if (!running_.is_ethernet) {
      before.trust = "pcp";
      before.pfc.emplace();
    }
    return recorded(before);
  }

  ActionDraft write_draft() const {
    ActionDraft draft;
    draft.kind = methods::kQosWrite;
    draft.stage = Stage::prepare;
    draft.title = fmt::format("write {} and its unit", paths_.script);
    const ResourceAddress& address = change_.resource.address;
    const std::string marker = owned_marker(address);
    const std::map<std::string, std::string> contents{
        {paths_.script,
         owned_marker(change_.resource, before()) +
             qos_script(card_, port_, values_of(change_.resource))},
        {paths_.unit, marker + qos_unit(paths_, address.name)},
        {paths_.rule, marker + qos_rule(card_, port_, paths_)}};
    for (const auto& [path, content] : contents) {
      const std::string* former = text_at(files_, path);
      if (former == nullptr || *former != content) replace_file(draft, {path, content}, former);
    }
    draft.steps.run({"systemctl", "daemon-reload"});
    draft.undo.run({"systemctl", "daemon-reload"});
    for (const AttributeChange& each : change_.attributes) {
      if (each.write)
        draft.postconditions.push_back({address, each.attribute, Layer::persistent, each.desired});
    }
    return draft;
  }

  ActionDraft set_draft() const {
    ActionDraft draft;
    draft.kind = methods::kQosSet;
    draft.stage = Stage::activate;
    draft.disruption = Disruption::traffic;
    std::vector<std::string> parts;
    for (const AttributeChange& each : change_.attributes) {
      if (!each.activate) continue;
      parts.push_back(fmt::format("{}={}", each.attribute, to_text(each.desired)));
      draft.postconditions.push_back(
          {change_.resource.address, each.attribute, Layer::running, each.desired});
    }
    draft.title = fmt::format("set {} at {}", fmt::join(parts, " "), port_.netdev);
    draft.steps.run({"systemctl", "restart", paths_.unit_name});
    draft.undo.run(qos_command(card_, port_, values_of(running_)));
    if (!port_.netdev.empty()) draft.disturbs.push_back(port_.netdev);
    return draft;
  }

  ActionDraft remove_draft() const {
    ActionDraft draft;
    draft.kind = methods::kQosWrite;
    draft.stage = Stage::activate;
    draft.disruption = Disruption::traffic;
    draft.title = fmt::format("remove {} and its unit", paths_.script);
    for (const std::string* path : {&paths_.rule, &paths_.unit, &paths_.script}) {
      if (const std::string* former = text_at(files_, *path)) remove_file(draft, *path, former);
    }
    draft.steps.run({"systemctl", "daemon-reload"});
    QosValues former = from_record(before());
    // Without an RDMA device, as at the second port of a RoCE bond, there is none to give back.
    if (!running_.tos) former.tos.reset();
    draft.steps.run(qos_command(card_, port_, former));
    draft.undo.run({"systemctl", "daemon-reload"});
    draft.undo.run({"systemctl", "restart", paths_.unit_name});
    for (const AttributeChange& each : change_.attributes)
      draft.postconditions.push_back(
          {change_.resource.address, each.attribute, Layer::persistent, Value{}});
    if (!port_.netdev.empty()) draft.disturbs.push_back(port_.netdev);
    return draft;
  }

  const Change& change_;
  const WorkContext& context_;
  const Card& card_;
  const AdapterPort& port_;
  const FileTexts& files_;
  QosPaths paths_;
  PortQos running_;
};

}  // namespace

std::vector<Probe> QosProvider::probes() const {
  std::vector<Probe> probes{pci_probe(), qos_probe()};
  // ECN of drivers that leave it to the firmware.
  for (Probe& each : settings_probes())
    probes.push_back(std::move(each));
  probes.push_back({std::string{kFilesProbe}, std::string{sh::probe_qos_files.text}});
  return probes;
}

std::vector<Observation> QosProvider::observe(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& /*diagnostics*/) const {
  const std::vector<Card>& cards = inventory_of(facts);
  const FileTexts& files = probed_files(facts, kFilesProbe);
  std::vector<Observation> observations;
  for (const Resource& resource : wanted) {
    const FoundPort found = find_port(cards, resource.binding);
    Observation observation{resource.address, {}};
    std::optional<QosValues> kept;
    PortQos port;
    if (found.port != nullptr) {
      kept = kept_values(files, resource.address, *found.card, *found.port);
      port = port_qos(facts, *found.card, *found.port);
    }
    for (const auto& [attribute, desired] : resource.desired) {
      observation.attributes.emplace(
          attribute,
          found.port == nullptr
              ? LayeredReading{Reading::unknown(found.why), std::nullopt, Reading::unknown(found.why)}
              : reading_of(resource, attribute, port, kept));
    }
    observations.push_back(std::move(observation));
  }
  return observations;
}

std::vector<Resource> QosProvider::orphans(
    std::span<const Resource> wanted, const NodeFacts& facts) const {
  return left_in_files(probed_files(facts, kFilesProbe), facts.node, kind(), wanted);
}

Result<Work> QosProvider::work(const Change& change, const WorkContext& context) const {
  const std::vector<Card>& cards = inventory_of(context.facts);
  const FoundPort found = find_port(cards, change.resource.binding);
  if (found.port == nullptr) {
    return Error{
        ErrorCode::invalid, fmt::format("{}: {}", change.resource.address.str(), found.why)};
  }
  return QosWork{change, context, *found.card, *found.port}.plan();
}

}  // namespace fabric::providers
