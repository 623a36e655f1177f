// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/infiniband/member_guid.hpp"
#include "providers/mlnx_os/kinds/lines.hpp"
#include "providers/mlnx_os/kinds/partitions.hpp"
#include "providers/mlnx_os/kinds/rows.hpp"
#include "providers/mlnx_os/kinds/switch_facts.hpp"

namespace fabric::providers::onyx {

namespace {

constexpr const char* kManages = "manages";
constexpr const char* kPriority = "priority";
constexpr const char* kVirtualization = "virtualization";
constexpr const char* kPartitions = "partitions";
// The switch shows a started manager as running up to half a minute later (E-onyx-sm).
constexpr Duration kSettles{60'000};

// The word that `show ib sm` and the like print, in lower case.
Result<std::string> word_of(const NodeFacts& facts, const char* probe) {
  const std::string_view text = FABRIC_TRY(answer(facts, probe));
  const OnyxShow show = FABRIC_TRY(parse_onyx_show(text));
  if (show.form != OnyxForm::answer)
    return Error{ErrorCode::invalid, fmt::format("{} printed no word", probe)};
  return show.answer;
}

// True if the manager runs, not if it was only configured. Only newer releases know the state of
// the node itself; on all of them the routing has no answer while no manager runs (E-onyx-sm).
Reading runs(const NodeFacts& facts) {
  if (const Result<std::string> running = word_of(facts, kManagerRunningProbe))
    return Reading::of(*running == "active" || *running == "yes");
  const Result<std::string_view> text = answer(facts, kManagerRunsProbe);
  if (!text) return Reading::unknown(text.error().message);
  const std::string_view routing = trim(*text);
  if (routing.empty()) return Reading::unknown("nothing shows whether the manager runs");
  return Reading::of(routing.find("unavailable") == std::string_view::npos);
}

Reading manages(const NodeFacts& facts) {
  const Result<std::string> wish = word_of(facts, kManagerProbe);
  if (!wish) return Reading::unknown(wish.error().message);
  return wish->starts_with("enable") ? runs(facts) : Reading::of(false);
}

Reading priority(const NodeFacts& facts) {
  const Result<std::string_view> text = answer(facts, kManagerPriorityProbe);
  if (!text) return Reading::unknown(text.error().message);
  const auto number = parse_integer(trim(*text));
  return number ? Reading::of(*number) : Reading::unknown("the priority is no number");
}

// The value that was asked for: the options of the running manager are not shown.
Reading virtualization(const NodeFacts& facts) {
  const Result<std::string_view> text = answer(facts, kManagerVirtProbe);
  if (!text) return Reading::unknown(text.error().message);
  return Reading::of(to_lower(trim(*text)).starts_with("enable"));
}

// "ib sm X", or "ib smnode NAME X" of the switch itself: releases print the one or the other.
std::optional<std::string> setting(const Configuration& tree, std::string_view word) {
  if (auto plain = tree.after(fmt::format("ib sm {}", word))) return plain;
  if (tree.host_name().empty()) return std::nullopt;
  return tree.after(fmt::format("ib smnode {} {}", tree.host_name(), word));
}

std::vector<std::string> manager_lines(const Configuration& tree) {
  std::vector<std::string> lines;
  for (const std::string& line : tree.lines())
    if (line.starts_with("ib ") || line.starts_with("no ib ")) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

// The value for the next boot. Where no known line says it, it is the running one if both
// configurations have the same lines about the manager, in whatever words.
Reading saved_reading(
    const SwitchFacts& found, const std::string& attribute, const Reading& running) {
  if (!found.saved) return Reading::unknown(found.saved.error().message);
  const Configuration& saved = *found.saved;
  if (attribute == kManages && (saved.has("ib sm") || setting(saved, "enable")))
    return Reading::of(true);
  if (attribute == kPriority) {
    if (const auto set = setting(saved, "sm-priority"))
      return Reading::of(parse_integer(*set).value_or(0));
  }
  if (attribute == kVirtualization && setting(saved, "virt") == "enable") return Reading::of(true);
  const bool is_saved = found.running && manager_lines(*found.running) == manager_lines(saved) &&
                        !manager_lines(saved).empty();
  if (is_saved) return running;
  if (attribute == kPriority) return Reading::of(0);
  return attribute == kPartitions ? Reading::absent() : Reading::of(false);
}

LayeredReading reading_of(
    const NodeFacts& facts,
    const SwitchFacts& found,
    const Resource& resource,
    const std::string& attribute,
    const Value& desired) {
  LayeredReading reading;
  if (attribute == kManages) {
    reading.running = manages(facts);
  } else if (attribute == kPriority) {
    reading.running = priority(facts);
  } else if (attribute == kVirtualization) {
    reading.running = virtualization(facts);
  } else if (attribute == kPartitions) {
    reading.running = partitions_reading(facts, found.running, resource, desired);
  } else {
    reading.running = Reading::unknown("it is not read");
    return reading;
  }
  reading.persistent = saved_reading(found, attribute, *reading.running);
  return reading;
}

std::vector<Probe> probes_of_manager() {
  std::vector<Probe> probes = configuration_probes();
  probes.push_back({kManagerProbe, "show ib sm"});
  probes.push_back(
      {kManagerRunningProbe, fmt::format("show ib smnode {} sm-running", platform::kOnyxOwnName)});
  probes.push_back({kManagerRunsProbe, "show ib sm routing-info"});
  probes.push_back({kManagerPriorityProbe, "show ib sm sm-priority"});
  probes.push_back({kManagerVirtProbe, "show ib sm virt"});
  probes.push_back({kPartitionsProbe, "show ib partition"});
  return probes;
}

Disruption manager_disruption(
    const NodeFacts& facts, const Resource& /*resource*/, std::string_view attribute) {
  const Result<std::string> wish = word_of(facts, kManagerProbe);
  const bool restarts = attribute == kVirtualization && wish && wish->starts_with("enable");
  return restarts ? Disruption::link : Disruption::runtime;
}

bool manager_supports(const Resource& /*resource*/, std::string_view feature) {
  return feature == kPartitions || feature == kVirtualization;
}

std::vector<Observation> observe_manager(
    std::span<const Resource> wanted, const NodeFacts& facts, Diagnostics& diagnostics) {
  const SwitchFacts found{facts};
  return observe_each(wanted, [&](const Resource& resource, Observation& observation) {
    report_unknown_members(resource, diagnostics);
    for (const auto& [name, desired] : resource.desired)
      observation.attributes[name] = reading_of(facts, found, resource, name, desired.value);
  });
}

Map manager_inventory(const NodeFacts& facts) {
  if (is_unrecognized(facts, kManagerProbe)) return {};  // a switch of Ethernet
  Map map;
  for (const auto& [name, probe] :
       {std::pair{"enabled", kManagerProbe},
        std::pair{"running", kManagerRunningProbe},
        std::pair{"routing", kManagerRunsProbe},
        std::pair{"priority", kManagerPriorityProbe},
        std::pair{"virtual_functions", kManagerVirtProbe}}) {
    const Result<std::string_view> text = answer(facts, probe);
    map.emplace(
        name,
        text ? Value{std::string{trim(*text)}} : Value{Map{{"unknown", text.error().message}}});
  }
  const Result<std::string_view> text = answer(facts, kPartitionsProbe);
  const auto partitions =
      text ? parse_onyx_partitions(*text) : Result<std::vector<OnyxPartition>>{text.error()};
  map.emplace(
      "partitions",
      partitions ? to_value(*partitions) : Value{Map{{"unknown", partitions.error().message}}});
  return {{"subnet_manager", std::move(map)}};
}

Result<Work> work_on_manager(const Change& change, const WorkContext& context) {
  Typed typed;
  const NodeFacts& facts = context.facts;
  const Result<std::string> wish = word_of(facts, kManagerProbe);
  const bool enabled = wish && wish->starts_with("enable");
  const bool starts = change.activates(kManages);
  // Typing a line again that is configured already changes nothing. The shown wish lags behind the
  // typed lines, the configuration does not (E-onyx-sm).
  const SwitchFacts found{facts};
  const bool asked =
      found.running && (found.running->has("ib sm") || setting(*found.running, "enable"));
  if (starts && enabled && asked) return not_in_force(change);
  if (change.activates(kPriority)) {
    const Reading before = priority(facts);
    typed.type(
        fmt::format("ib sm sm-priority {}", to_text(change.resource.desired.at(kPriority).value)),
        before.is_known() ? fmt::format("ib sm sm-priority {}", to_text(*before.value())) : "");
  }
  // How it is switched off no source shows; without a manager it is without effect.
  if (change.activates(kVirtualization)) {
    if (change.resource.desired.at(kVirtualization).value != Value{true})
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "{}: the manager serves virtual functions, and `virtualization` of the document is "
              "off; switch it off at the switch",
              change.resource.address.str())};
    typed.type("ib sm virt enable");
    // The manager supports virtual functions from its next start on (E-onyx-sm).
    if (enabled) {
      typed.type("no ib sm", "ib sm");
      typed.type("ib sm");
    }
  }
  if (change.activates(kPartitions)) {
    if (auto failed = type_partitions(typed, facts, found.running, change.resource)) return *failed;
  }
  if (starts) typed.type("ib sm", "no ib sm");
  Work work = work_of("let the switch manage its subnet", typed, change, false);
  work.actions.front().settles = kSettles;
  if (change.activates(kVirtualization) && !typed.done.empty())
    work.actions.front().irreversible = "no source shows how to switch `ib sm virt` off again";
  return work;
}

}  // namespace

// The subnet manager of the switch.
Provider manager_provider() {
  return {
      .kind = "subnet_manager",
      .probes = probes_of_manager,
      .supports = manager_supports,
      .observe = observe_manager,
      .inventory = manager_inventory,
      // A manager that runs is restarted for its virtual functions; hosts may lose multicast and
      // IPoIB meanwhile (E-onyx-sm).
      .disruption = manager_disruption,
      .work = work_on_manager,
  };
}

}  // namespace fabric::providers::onyx
