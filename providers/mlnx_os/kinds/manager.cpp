// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/model/names.hpp"
#include "engine/model/resource.hpp"
#include "engine/model/resource_keys.hpp"
#include "engine/platform/facts.hpp"
#include "engine/provider/observation.hpp"
#include "providers/infiniband/member_guid.hpp"
#include "providers/mlnx_os/kinds/lines.hpp"
#include "providers/mlnx_os/kinds/rows.hpp"
#include "providers/mlnx_os/kinds/switch_facts.hpp"
#include "providers/mlnx_os/parsers/onyx_show.hpp"

namespace fabric::providers::onyx {
namespace {

constexpr std::uint16_t kDefault = 0x7fff;
constexpr const char* kPartitions = "partitions";
constexpr std::int64_t kKilo = 1024;
constexpr const char* kOwnMtu = "2K";  // where none is set (E-onyx-partitions)

struct Wanted {
  std::string name;
  std::uint16_t pkey = kDefault;
  bool ipoib = false;
  std::string mtu;                             // "4K"; "" = the switch's own
  std::map<std::string, std::string> members;  // "ALL" or a GUID with colons: "full", "limited"
};

// "0xe41d2d0300156e80" as "e4:1d:2d:03:00:15:6e:80" (E-onyx-partitions)
std::string with_colons(std::string_view guid) {
  std::string digits = to_lower(guid.starts_with("0x") ? guid.substr(2) : guid);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i % 2 == 0) text += ':';
    text += digits[i];
  }
  return text;
}

// The MTU as the switch writes it (E-onyx-partitions); "" = the document has none.
std::string mtu_word(const Value& partition) {
  const Value* value = partition.find("mtu");
  const std::int64_t* bytes = value == nullptr ? nullptr : value->as_integer();
  if (bytes == nullptr) return {};
  return *bytes < kKilo ? std::to_string(*bytes) : fmt::format("{}K", *bytes / kKilo);
}

// The MTU is in the configuration, if `show ib partition` leaves it out.
std::string mtu_of(const Result<Configuration>& running, const std::string& name) {
  if (!running) return {};
  const auto set = running->after(fmt::format("ib partition {} mtu", name));
  return set ? std::string{split_words(*set).empty() ? "" : split_words(*set).front()} : kOwnMtu;
}

std::string text_at(const Value& map, std::string_view key) {
  const Value* value = map.find(key);
  return value == nullptr ? std::string{} : to_text(*value);
}

bool is_true(const Value& map, std::string_view key) {
  const Value* value = map.find(key);
  return value != nullptr && *value == Value{true};
}

Result<Wanted> wanted_of(const Value& value, const Resource& resource) {
  Wanted wanted;
  wanted.name = text_at(value, "name");
  wanted.ipoib = is_true(value, "ipoib");
  if (wanted.ipoib) wanted.mtu = mtu_word(value);
  const Value* pkey = value.find("pkey");
  if (pkey != nullptr && pkey->as_integer() != nullptr)
    wanted.pkey = static_cast<std::uint16_t>(*pkey->as_integer() & kDefault);
  for (const Value& member : value.member("members").items()) {
    std::string who = text_at(member, "who");
    // The port of the switch itself is always in the default partition, and in no other.
    if (who == "SELF" && wanted.pkey == kDefault) continue;
    if (who == "SELF")
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "SELF in partition {}: the manager of a switch is in Default only", wanted.name)};
    if (who != "ALL")
      who = with_colons(FABRIC_TRY(member_guid(resource.bound_map(keys::kPortGuids), who)));
    wanted.members[who] = is_true(member, "full") ? "full" : "limited";
  }
  return wanted;
}

Result<std::vector<Wanted>> all_wanted(const Value& desired, const Resource& resource) {
  std::vector<Wanted> all;
  const bool leaves_out = !resource.binding.contains(keys::kPartlyRead);
  const Value known = leaves_out
                          ? known_members(desired, resource.bound_map(keys::kPortGuids)).partitions
                          : desired;
  for (const Value& each : known.items())
    all.push_back(FABRIC_TRY(wanted_of(each, resource)));
  return all;
}

bool wants_mtu(const std::vector<Wanted>& all) {
  return std::ranges::any_of(all, [](const Wanted& each) { return !each.mtu.empty(); });
}

Result<std::vector<OnyxPartition>> found_in(const NodeFacts& facts) {
  const std::string_view text = FABRIC_TRY(answer(facts, kPartitionsProbe));
  return parse_onyx_partitions(text);
}

// Found by its key, whatever its name: a partition can have another's key as its name.
const OnyxPartition* with_key(const std::vector<OnyxPartition>& all, std::uint16_t pkey) {
  const auto found =
      std::ranges::find_if(all, [pkey](const OnyxPartition& each) { return each.pkey == pkey; });
  return found == all.end() ? nullptr : &*found;
}

bool is_member(const Wanted& wanted, const OnyxPartition::Member& member) {
  const auto found = wanted.members.find(member.who);
  return found != wanted.members.end() && found->second == member.membership;
}

bool is_as_wanted(
    const OnyxPartition& found, const Wanted& wanted, const Result<Configuration>& running) {
  return (!wanted.ipoib || found.ipoib == true) &&
         (wanted.mtu.empty() || mtu_of(running, found.name) == wanted.mtu) &&
         found.members.size() == wanted.members.size() &&
         std::ranges::all_of(found.members, [&wanted](const OnyxPartition::Member& each) {
           return is_member(wanted, each);
         });
}

void type_partition(
    Typed& typed,
    const OnyxPartition* found,
    const Wanted& wanted,
    const Result<Configuration>& running) {
  const std::string name = found == nullptr ? wanted.name : found->name;
  const std::string start = "ib partition " + name;
  if (found == nullptr)
    typed.type(fmt::format("{} pkey 0x{:04x} force", start, wanted.pkey), "no " + start);
  if (wanted.ipoib && (found == nullptr || found->ipoib != true))
    typed.type(start + " ipoib force");
  const std::string mtu = found == nullptr ? std::string{} : mtu_of(running, name);
  if (!wanted.mtu.empty() && mtu != wanted.mtu)
    typed.type(
        fmt::format("{} mtu {} force", start, wanted.mtu),
        mtu.empty() ? "" : fmt::format("{} mtu {} force", start, mtu));
  const auto member_line = [&start](const std::string& who, const std::string& type) {
    return fmt::format("{} member {} type {} force", start, who, type);
  };
  std::map<std::string, std::string> there;
  if (found != nullptr)
    for (const OnyxPartition::Member& member : found->members)
      there[member.who] = member.membership;
  // Members are added first, so that a member that stays is never out.
  for (const auto& [who, type] : wanted.members) {
    const auto before = there.find(who);
    if (before != there.end() && before->second == type) continue;
    typed.type(
        member_line(who, type),
        before == there.end() ? fmt::format("no {} member {}", start, who)
                              : member_line(who, before->second));
  }
  for (const auto& [who, type] : there) {
    if (!wanted.members.contains(who))
      typed.type(fmt::format("no {} member {}", start, who), member_line(who, type));
  }
}

// The existing partitions, with the MTU of each.
Value found_value(const std::vector<OnyxPartition>& found, const Result<Configuration>& running) {
  Value value = to_value(found);
  List list;
  for (std::size_t i = 0; i < found.size(); ++i) {
    Map map = *value.as_list()->at(i).as_map();
    if (running) map.emplace("mtu", mtu_of(running, found[i].name));
    list.emplace_back(std::move(map));
  }
  return list;
}

// The desired value if each of its partitions exists with this MTU and exactly these members;
// otherwise the partitions that exist. Partitions that the document does not name are foreign.
Reading partitions_reading(
    const NodeFacts& facts,
    const Result<Configuration>& running,
    const Resource& resource,
    const Value& desired) {
  const auto found = found_in(facts);
  if (!found) return Reading::unknown(found.error().message);
  const auto wanted = all_wanted(desired, resource);
  if (!wanted) return Reading::unknown(wanted.error().message);
  if (!running && wants_mtu(*wanted)) return Reading::unknown(running.error().message);
  const bool right = std::all_of(wanted->begin(), wanted->end(), [&](const Wanted& each) {
    const OnyxPartition* partition = with_key(*found, each.pkey);
    return partition != nullptr && is_as_wanted(*partition, each, running);
  });
  if (right) return Reading::of(desired);
  return Reading::of(found_value(*found, running));
}

// Types the lines that give the document's partitions exactly their members and MTU.
// Returns an error, beginning with the address, if a member's GUID is not known.
std::optional<Error> type_partitions(
    Typed& typed,
    const NodeFacts& facts,
    const Result<Configuration>& running,
    const Resource& resource) {
  const auto refused = [&resource](const Error& error) {
    return impossible(resource, error.message);
  };
  const auto found = found_in(facts);
  if (!found) return refused(found.error());
  const auto wanted = all_wanted(resource.desired.at(kPartitions).value, resource);
  if (!wanted) return refused(wanted.error());
  if (!running && wants_mtu(*wanted)) return refused(running.error());
  for (const Wanted& each : *wanted) {
    const OnyxPartition* partition = with_key(*found, each.pkey);
    if (partition == nullptr || !is_as_wanted(*partition, each, running))
      type_partition(typed, partition, each, running);
  }
  return std::nullopt;
}

constexpr const char* kManages = "manages";
constexpr const char* kPriority = "priority";
constexpr const char* kVirtualization = "virtualization";
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
      return impossible(
          change.resource,
          "the manager serves virtual functions, and `virtualization` of the document is "
          "off; switch it off at the switch");
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
