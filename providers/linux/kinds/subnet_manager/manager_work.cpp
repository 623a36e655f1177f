// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/provider/action_methods.hpp"
#include "engine/provider/file_digests.hpp"
#include "engine/provider/statements.hpp"
#include "providers/infiniband/parsers/partitions_conf.hpp"
#include "providers/linux/kinds/adapter/inventory.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/linux/kinds/subnet_manager/manager_on_port.hpp"
#include "providers/linux/kinds/subnet_manager/manager_statements.hpp"

namespace fabric::providers {

namespace {

// A first sweep takes seconds; a manager that finds another master becomes its standby after a few
// more.
constexpr Duration kTakes{180'000};

// For each P_Key: the settings of the partition's group; null if it has none. Nullopt if the file
// does not tell the P_Keys.
std::optional<std::map<std::uint16_t, Value>> groups_of(const std::string& text) {
  const Result<PartitionsConf> conf = parse_partitions_conf(text);
  if (!conf || !conf->warnings.empty()) return std::nullopt;
  std::map<std::uint16_t, Value> groups;
  for (Partition each : conf->partitions) {
    if (!each.p_key || each.index0) return std::nullopt;
    Value& group = groups[*each.p_key];
    if (!each.ipoib && each.groups.empty()) continue;
    each.name.clear();
    each.members.clear();
    each.line = 0;
    group = to_value({{each}, {}});
  }
  return groups;
}

class ManagerWork {
 public:
  ManagerWork(const Change& change, const WorkContext& context, const ManagerOnPort& manager)
      : change_{change}, context_{context}, manager_{manager}, state_{manager.state()} {}

  Result<Work> plan() const {
    Work work;
    if (change_.kind == ChangeKind::remove) {
      work.actions.push_back(stop_draft());
      work.actions.push_back(remove_draft());
      return work;
    }
    if (!manager_.files()) return manager_.files().error();
    if (any(&AttributeChange::write)) work.actions.push_back(write_draft());
    if (!context_.reboot_planned && any(&AttributeChange::activate))
      work.actions.push_back(is_reread() ? reload_draft() : start_draft());
    return work;
  }

 private:
  bool any(bool AttributeChange::*flag) const {
    return std::ranges::any_of(
        change_.attributes, [flag](const AttributeChange& each) { return each.*flag; });
  }

  const std::string& name() const { return change_.resource.address.name; }
  const ManagerPaths& paths() const { return manager_.paths(); }

  ActionDraft write_draft() const {
    ActionDraft draft;
    draft.kind = methods::kManagerWrite;
    draft.title = fmt::format("write the options, partitions and unit of OpenSM {}", name());
    draft.stage = Stage::prepare;
    for (const auto& [path, text] : *manager_.files()) {
      const std::string* former = text_at(state_.files, path);
      const bool may_go = is_service_guard(path) && another_leaves();
      if (may_go || former == nullptr || *former != text) replace_file(draft, {path, text}, former);
    }
    for (const std::string* list : {&paths().roots, &paths().io}) {
      const std::string* former = text_at(state_.files, *list);
      if (former != nullptr && !manager_.files()->contains(*list))
        remove_file(draft, *list, former);
    }
    draft.steps.run({"systemctl", "daemon-reload"});
    draft.undo.run({"systemctl", "daemon-reload"});
    take_over(draft);
    for (const AttributeChange& each : change_.attributes) {
      if (each.write)
        draft.postconditions.push_back(
            {change_.resource.address, each.attribute, Layer::persistent, each.desired});
    }
    return draft;
  }

  // Conditions that another OpenSM is as the plan showed it, with what of it stays and what ends.
  void take_over(ActionDraft& draft) const {
    const bool ours_is_there = text_at(state_.files, paths().options) != nullptr;
    if (!adopts(change_.resource) || ours_is_there) return;
    const std::string summary =
        statements_summary(manager_statements(change_.resource, manager_), true);
    if (summary.empty()) return;
    draft.title += "; keeps the node's own OpenSM from starting, and leaves its files" + summary;
    for (const auto& [path, digest] : file_digests(context_.facts)) {
      if (state_.files.contains(path)) draft.file_preconditions.push_back({path, digest});
    }
  }

  // A SIGHUP lets OpenSM read its partitions again; but a group that it has made stays as it is
  // (E-opensm-reload).
  bool is_reread() const {
    const bool others = std::ranges::any_of(change_.attributes, [](const AttributeChange& each) {
      return each.activate && each.attribute != kPartitions;
    });
    if (others || !state_.is_running(paths().unit_name)) return false;
    const auto now = groups_of(manager_.started_with().partitions);
    const auto then = groups_of(manager_.expected().partitions);
    return now && then && std::all_of(now->begin(), now->end(), [&](const auto& group) {
             const auto found = then->find(group.first);
             return group.second.is_null() || found == then->end() || found->second == group.second;
           });
  }

  ActionDraft reload_draft() const {
    ActionDraft draft;
    draft.kind = methods::kManagerReload;
    draft.title = fmt::format("OpenSM {} reads its partitions again", name());
    draft.stage = Stage::activate;
    draft.disruption = Disruption::runtime;
    draft.steps.run({"systemctl", "reload", paths().unit_name});
    draft.undo.run({"systemctl", "reload", paths().unit_name});
    expect_running(draft);
    return draft;
  }

  void expect_running(ActionDraft& draft) const {
    for (const AttributeChange& each : change_.attributes) {
      if (each.activate)
        draft.postconditions.push_back(
            {change_.resource.address, each.attribute, Layer::running, each.desired});
    }
  }

  ActionDraft start_draft() const {
    ActionDraft draft;
    draft.kind = methods::kManagerStart;
    draft.stage = Stage::activate;
    draft.disruption = Disruption::runtime;
    draft.timeout = kTakes;
    const bool runs = state_.is_running(paths().unit_name);
    draft.title = fmt::format("{} OpenSM {}", runs ? "restart" : "start", name());
    const std::vector<std::string> others = state_.foreign_units();
    if (!others.empty()) {
      remote::Argv stop{"systemctl", "stop"};
      stop.insert(stop.end(), others.begin(), others.end());
      draft.title += " in place of " + join(others, ", ");
      draft.steps.run(std::move(stop));
    } else if (!state_.has_opensm) {
      // This plan installs the package, and the installation starts the distribution's OpenSM
      // before the guard is there. A pattern means the running units, and none is no failure.
      draft.steps.run({"systemctl", "stop", "opensm*.service"});
    }
    draft.steps.run({"systemctl", "restart", paths().unit_name});
    if (const InfinibandPort* port = manager_.port()) {
      draft.steps.run(
          {"sh", "-c", sh::opensm_wait, "fabric", port->device, std::to_string(port->number)});
    }
    if (runs) {
      draft.undo.run({"systemctl", "restart", paths().unit_name});
    } else {
      draft.undo.run({"systemctl", "stop", paths().unit_name});
    }
    expect_running(draft);
    return draft;
  }

  // From this node in the same plan: it may take the guard with it.
  bool another_leaves() const {
    const List& ports = change_.resource.bound_list(keys::kLeaving);
    const std::string here = change_.resource.address.node.str() + "/";
    return std::ranges::any_of(
        ports, [&](const Value& port) { return to_text(port).starts_with(here); });
  }

  // An action of its own, the first: a manager that keeps running without its files can't be seen.
  ActionDraft stop_draft() const {
    ActionDraft draft;
    draft.kind = methods::kManagerStop;
    draft.stage = Stage::activate;
    draft.disruption = Disruption::runtime;
    draft.title = fmt::format("stop OpenSM {}", name());
    draft.steps.run({"sh", "-c", sh::opensm_stop, "fabric", paths().unit_name});
    draft.undo.run({"systemctl", "start", paths().unit_name});
    return draft;
  }

  ActionDraft remove_draft() const {
    ActionDraft draft;
    draft.kind = methods::kManagerRemove;
    draft.stage = Stage::activate;
    draft.disruption = Disruption::runtime;
    draft.title = fmt::format("remove the files of OpenSM {}", name());
    const std::vector<std::string> files{
        paths().options, paths().partitions, paths().roots, paths().io, paths().unit, paths().rule};
    for (const std::string& path : files) {
      if (const std::string* former = text_at(state_.files, path)) remove_file(draft, path, former);
    }
    remote::Argv drops{"sh", "-c", sh::opensm_drop_guards, "fabric"};
    for (const std::string_view guard : kServiceGuards) {
      if (const std::string* former = text_at(state_.files, guard))
        put_back(draft, std::string{guard}, former);
      drops.emplace_back(guard);
    }
    draft.steps.run({"rm", "-rf", paths().running_folder});
    draft.steps.run(std::move(drops));
    draft.steps.run({"systemctl", "daemon-reload"});
    draft.undo.run({"systemctl", "daemon-reload"});
    draft.undo.run({"systemctl", "start", paths().unit_name});
    for (const AttributeChange& each : change_.attributes)
      draft.postconditions.push_back(
          {change_.resource.address, each.attribute, Layer::persistent, Value{}});
    return draft;
  }

  const Change& change_;
  const WorkContext& context_;
  const ManagerOnPort& manager_;
  const ManagerState& state_;
};

}  // namespace

Result<Work> manager_work(const Change& change, const WorkContext& context) {
  const std::vector<Card>& cards = inventory_of(context.facts);
  const ManagerState state = manager_state(context.facts);
  const ManagerOnPort manager{change.resource, cards, state};
  return ManagerWork{change, context, manager}.plan();
}

}  // namespace fabric::providers
