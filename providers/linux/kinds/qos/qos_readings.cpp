// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/qos/qos_readings.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kDcbx = "dcbx";
constexpr std::string_view kTrust = "trust";
constexpr std::string_view kPfc = "pfc";
constexpr std::string_view kRocePriority = "roce_priority";
constexpr std::string_view kCnpPriority = "cnp_priority";
using qos::kCnpDscp;
using qos::kEcn;
constexpr std::string_view kTos = "tos";

// Null: not wanted, or not any more.
const Value* wanted(const Resource& resource, std::string_view attribute) {
  const auto found = resource.desired.find(attribute);
  if (found == resource.desired.end() || found->second.value.is_null()) return nullptr;
  return &found->second.value;
}

std::optional<std::int64_t> number(const Value* value) {
  const std::int64_t* integer = value == nullptr ? nullptr : value->as_integer();
  return integer == nullptr ? std::nullopt : std::optional{*integer};
}

std::string word(const Value* value) {
  const std::string* text = value == nullptr ? nullptr : value->as_string();
  return text == nullptr ? "" : *text;
}

std::optional<std::int64_t> bound(const Resource& resource, std::string_view key) {
  const auto found = resource.binding.find(key);
  return found == resource.binding.end() ? std::nullopt : number(&found->second);
}

std::vector<std::int64_t> integers(const Value* value) {
  std::vector<std::int64_t> found;
  const List* list = value == nullptr ? nullptr : value->as_list();
  for (const Value& each : list == nullptr ? List{} : *list) {
    if (const auto integer = number(&each)) found.push_back(*integer);
  }
  return found;
}

Value list_of(const std::vector<std::int64_t>& values) {
  List list;
  for (const std::int64_t each : values)
    list.emplace_back(each);
  return list;
}

// The DSCPs of the two and the attributes that have their priorities.
constexpr std::pair<std::string_view, std::string_view> kMarks[] = {
    {keys::kRoceDscp, kRocePriority}, {keys::kCnpDscp, kCnpPriority}};

}  // namespace

QosValues values_of(const Resource& resource) {
  QosValues values;
  values.dcbx = word(wanted(resource, kDcbx));
  values.trust = word(wanted(resource, kTrust));
  values.pfc = integers(wanted(resource, kPfc));
  for (const auto& [dscp, priority] : kMarks) {
    const auto mark = bound(resource, dscp);
    const auto level = number(wanted(resource, priority));
    if (mark && level) values.dscp_priorities[*mark] = *level;
  }
  const Value* ecn = wanted(resource, kEcn);
  const bool on = ecn != nullptr && ecn->as_bool() != nullptr && *ecn->as_bool();
  for (const std::int64_t priority : *values.pfc)
    values.ecn[priority] = on;
  values.cnp_dscp = number(wanted(resource, kCnpDscp));
  values.tos = number(wanted(resource, kTos));
  return values;
}

QosValues values_of(const PortQos& port) {
  QosValues values;
  values.dcbx = port.dcbx;
  values.trust = port.trust == "none" ? "" : port.trust;
  values.pfc = port.pfc;
  values.dscp_priorities = port.dscp_priorities;
  for (const auto& [priority, ends] : port.ecn) {
    if (port.ecn_by_driver &&
        std::adjacent_find(ends.begin(), ends.end(), std::not_equal_to<>{}) == ends.end())
      values.ecn[priority] = ends.front();
  }
  if (port.ecn_by_driver) values.cnp_dscp = port.cnp_dscp;
  values.tos = port.tos;
  return values;
}

namespace {

Reading maybe(const std::optional<std::int64_t>& value) {
  return value ? Reading::of(*value) : Reading::absent();
}

Reading maybe(const std::string& value) {
  return value.empty() ? Reading::absent() : Reading::of(value);
}

std::optional<std::int64_t> priority_in(
    const Resource& resource,
    std::string_view dscp,
    const std::map<std::int64_t, std::int64_t>& priorities) {
  const auto mark = bound(resource, dscp);
  const auto found = mark ? priorities.find(*mark) : priorities.end();
  return found == priorities.end() ? std::nullopt : std::optional{found->second};
}

Reading persistent_reading(
    const Resource& resource, std::string_view attribute, const QosValues& values) {
  if (attribute == kDcbx) return maybe(values.dcbx);
  if (attribute == kTrust) return maybe(values.trust);
  if (attribute == kPfc) return values.pfc ? Reading::of(list_of(*values.pfc)) : Reading::absent();
  if (attribute == kCnpDscp) return maybe(values.cnp_dscp);
  if (attribute == kTos) return maybe(values.tos);
  if (attribute == kEcn) {
    if (values.ecn.empty()) return Reading::absent();
    return Reading::of(std::all_of(
        values.ecn.begin(), values.ecn.end(), [](const auto& each) { return each.second; }));
  }
  for (const auto& [dscp, priority] : kMarks) {
    if (attribute == priority) return maybe(priority_in(resource, dscp, values.dscp_priorities));
  }
  return Reading::absent();
}

// True and false where all that heed it agree.
Reading ecn_reading(const Resource& resource, const PortQos& port) {
  if (port.ecn.empty()) {
    return Reading::unknown(
        "the driver has no switch for it, and no firmware tool shows ROCE_CC_PRIO_MASK");
  }
  std::vector<std::string> on, off;
  for (const std::int64_t priority : integers(wanted(resource, kPfc))) {
    const auto found = port.ecn.find(priority);
    for (const bool each : found == port.ecn.end() ? std::vector<bool>{false} : found->second)
      (each ? on : off).push_back(std::to_string(priority));
  }
  if (on.empty() || off.empty()) return Reading::of(off.empty());
  return Reading::of(fmt::format("off in part, at priority {}", off.front()));
}

Reading running_reading(const Resource& resource, std::string_view attribute, const PortQos& port) {
  const bool by_firmware =
      (attribute == kEcn && !port.ecn.empty()) || (attribute == kCnpDscp && port.cnp_dscp);
  if (!port.is_ethernet && !by_firmware) return Reading::absent();
  if (attribute == kEcn) return ecn_reading(resource, port);
  if (attribute == kCnpDscp) {
    return port.cnp_dscp ? Reading::of(*port.cnp_dscp)
                         : Reading::unknown("neither the driver nor a firmware tool shows it");
  }
  if (attribute == kTos) return maybe(port.forced_class ? port.forced_class : port.tos);
  if (!port.why.empty()) return Reading::unknown(port.why);
  if (attribute == kDcbx) return maybe(port.dcbx);
  if (attribute == kTrust) return maybe(port.trust);
  if (attribute == kPfc) return port.pfc ? Reading::of(list_of(*port.pfc)) : Reading::absent();
  for (const auto& [dscp, priority] : kMarks) {
    if (attribute == priority) return maybe(priority_in(resource, dscp, port.dscp_priorities));
  }
  return Reading::absent();
}

// Null where it is as it must be for `content` to be in force at the next boot.
const std::string* different(
    const FileTexts& files, const std::string& path, const std::string& content) {
  static const std::string nothing;
  const auto found = files.find(path);
  if (found == files.end()) return &nothing;
  return without_marker(found->second) == content ? nullptr : &found->second;
}

}  // namespace

std::optional<QosValues> kept_values(
    const FileTexts& files,
    const ResourceAddress& address,
    const Card& card,
    const AdapterPort& port) {
  const QosPaths paths = qos_paths(address);
  const auto script = files.find(paths.script);
  if (script == files.end() || !is_owned(script->second)) return std::nullopt;
  if (different(files, paths.unit, qos_unit(paths, address.name)) != nullptr) return std::nullopt;
  if (different(files, paths.rule, qos_rule(card, port, paths)) != nullptr) return std::nullopt;
  return values_in_script(card, port, script->second);
}

LayeredReading reading_of(
    const Resource& resource,
    std::string_view attribute,
    const PortQos& port,
    const std::optional<QosValues>& kept) {
  return {
      running_reading(resource, attribute, port),
      std::nullopt,
      kept ? persistent_reading(resource, attribute, *kept) : Reading::absent()};
}

Map recorded(const QosValues& values) {
  Map before;
  if (!values.dcbx.empty()) before.emplace(kDcbx, values.dcbx);
  if (!values.trust.empty()) before.emplace(kTrust, values.trust);
  if (values.pfc) before.emplace(kPfc, list_of(*values.pfc));
  if (values.cnp_dscp) before.emplace(kCnpDscp, *values.cnp_dscp);
  Map ecn;
  for (const auto& [priority, on] : values.ecn)
    ecn.emplace(std::to_string(priority), on);
  if (!ecn.empty()) before.emplace(kEcn, std::move(ecn));
  before.emplace(kTos, values.tos.value_or(0));
  return before;
}

QosValues from_record(const Map& before) {
  const auto find = [&before](std::string_view key) {
    const auto found = before.find(key);
    return found == before.end() ? nullptr : &found->second;
  };
  QosValues values;
  values.dcbx = word(find(kDcbx));
  values.trust = word(find(kTrust));
  if (find(kPfc) != nullptr) values.pfc = integers(find(kPfc));
  values.cnp_dscp = number(find(kCnpDscp));
  values.tos = number(find(kTos));
  const Value* ecn = find(kEcn);
  const Map* map = ecn == nullptr ? nullptr : ecn->as_map();
  for (const auto& [priority, on] : map == nullptr ? Map{} : *map) {
    const auto level = parse_integer(priority);
    if (level && on.as_bool() != nullptr) values.ecn[*level] = *on.as_bool();
  }
  return values;
}

}  // namespace fabric::providers
