// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/live_options.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "engine/base/text.hpp"
#include "providers/linux/kinds/interface/live_claims.hpp"

namespace fabric::providers {

namespace {

// All other options require a bond without slaves or one that is down: a new one.
constexpr std::pair<std::string_view, const char*> kLiveOptions[] = {
    {"miimon", "miimon"},
    {"updelay", "updelay"},
    {"downdelay", "downdelay"},
    {"hash_policy", "xmit_hash_policy"},
    {"min_links", "min_links"},
    {"primary", "primary"},
};
constexpr std::string_view kFixedOptions[] = {
    "mode", "lacp_rate", "ad_select", "fail_over_mac", "roce", "id", "pkey"};

// `$1` is its number.
constexpr const char* kDeleteRule = "ip rule del priority \"$1\" 2>/dev/null; exit 0";
// The configuration may have been removed with an interface made anew before; the read-back tells.
constexpr const char* kQuietly = R"sh("$@" 2>/dev/null; exit 0)sh";
constexpr std::int64_t kUsualMtu = 1500;
// ip looks for an interface of that name and finds none (iproute2 6.1); the driver's own file takes
// an empty line (bond_option_primary_set).
constexpr const char* kClearPrimary = "echo >\"/sys/class/net/$1/bonding/primary\"";

// The driver keeps delays as multiples of miimon, so that those that stay change with it; without
// monitoring it has none and refuses to be given one.
void fit_delays(std::map<std::string, std::string>& values, const Resource& bond) {
  for (const char* delay : {"updelay", "downdelay"}) {
    const auto wanted = bond.desired.find(delay);
    if (values.at("miimon") == "0") {
      values.erase(delay);
    } else if (wanted != bond.desired.end() && !wanted->second.value.is_null()) {
      values.emplace(delay, to_text(wanted->second.value));
    }
  }
}

}  // namespace

std::optional<Value> kernels_own(std::string_view attribute, const LinkTarget& target) {
  const bool ethernet = target.kind == LinkKind::port && !target.infiniband;
  if (attribute == "mtu" && (ethernet || target.kind == LinkKind::bond)) return Value{kUsualMtu};
  if (target.kind != LinkKind::bond) return std::nullopt;
  if (attribute == "updelay" || attribute == "downdelay" || attribute == "min_links")
    return Value{0};
  if (attribute == "hash_policy") return Value{"layer2"};
  if (attribute == "lacp_rate") return Value{"slow"};
  if (attribute == "ad_select") return Value{"stable"};
  if (attribute == "primary") return Value{};
  return std::nullopt;
}

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

bool only_live_options(const Change& change) {
  bool any = false;
  for (const AttributeChange& attribute : change.attributes) {
    if (!attribute.activate) continue;
    if (live_option(attribute.attribute) == nullptr && !is_live_attribute(attribute.attribute))
      return false;
    any = true;
  }
  return any;
}

std::vector<remote::Argv> without_rules(const Change& change) {
  std::set<std::string> tables;
  for (const AttributeChange& each : change.attributes) {
    if (each.attribute != "incoming_table" && each.attribute != "source_table") continue;
    const Value* running = each.observed.running ? each.observed.running->value() : nullptr;
    if (running != nullptr) tables.insert(to_text(*running));
    if (!each.desired.is_null()) tables.insert(to_text(each.desired));
  }
  std::vector<remote::Argv> commands;
  for (const std::string& table : tables)
    commands.push_back({"sh", "-c", kDeleteRule, "fabric", table});
  return commands;
}

LiveEnd ending(const Change& change, const std::string& device) {
  LiveEnd end;
  const auto quietly = [](std::vector<remote::Argv>& to, remote::Argv words) {
    words.insert(words.begin(), {"sh", "-c", kQuietly, "fabric"});
    to.push_back(std::move(words));
  };
  // "ip [-6] rule del WORDS"
  const auto by_ip = [&](std::vector<remote::Argv>& to,
                         const char* object,
                         const char* verb,
                         std::string_view text,
                         remote::Argv more) {
    remote::Argv words{"ip"};
    if (text.starts_with("-6 ")) words.emplace_back("-6");
    words.insert(words.end(), {object, verb});
    for (const std::string_view word : split_words(text))
      if (word != "-6") words.emplace_back(word);
    words.insert(words.end(), more.begin(), more.end());
    quietly(to, std::move(words));
  };
  for (const AttributeChange& each : change.attributes) {
    const std::string_view name = each.attribute;
    if (!is_live_attribute(name) || !each.activate || !each.observed.running) continue;
    for (const Value& one : or_null(each.observed.running->value()).items()) {
      const std::string text = to_text(one);
      if (name == "rules") {
        by_ip(end.steps, "rule", "del", text, {});
        by_ip(end.undo, "rule", "add", text, {});
      } else if (name == "table_routes") {
        by_ip(end.steps, "route", "del", text, {"dev", device});
        by_ip(end.undo, "route", "add", text, {"dev", device});
      } else if (name == "queueing") {
        quietly(end.steps, {"tc", "qdisc", "del", "dev", device, "root"});
      } else if (name == "filters") {
        quietly(end.steps, {"tc", "qdisc", "del", "dev", device, text});
      } else {
        quietly(end.steps, {"ip", "link", "set", "dev", device, "xdp", "off"});
      }
    }
  }
  return end;
}

bool only_source_table(const Change& change) {
  bool any = false;
  for (const AttributeChange& attribute : change.attributes) {
    if (!attribute.activate) continue;
    if (attribute.attribute != "source_table") return false;
    any = true;
  }
  return any;
}

std::vector<remote::Argv> source_commands(const LinkConfig& config, const std::string& device) {
  const std::optional<SourceWay> way = source_way(config);
  if (!way) return {};
  const std::string table = std::to_string(way->table);
  return {
      {"ip", "route", "replace", way->subnet, "dev", device, "table", table, "src", way->from},
      {"ip", "rule", "add", "from", way->from, "lookup", table, "priority", table}};
}

std::optional<Value> reset_to(
    const Change& change, const LinkTarget& target, std::string_view attribute) {
  for (const AttributeChange& each : change.attributes) {
    if (each.attribute != attribute || !each.desired.is_null() || !each.activate) continue;
    // A route that differs from fabric's file is foreign.
    const bool is_gateway = attribute == "gateway" || attribute == "gateway6";
    if (is_gateway && each.observed.running == each.observed.persistent) return Value{};
    if (attribute == "incoming_table" || attribute == "source_table" ||
        is_live_attribute(attribute))
      return Value{};
    return kernels_own(attribute, target);
  }
  return std::nullopt;
}

std::vector<remote::Argv> live_commands(
    const Change& change,
    const LinkTarget& target,
    const std::string& device,
    const std::string& primary) {
  std::map<std::string, std::string> values;
  bool clears_primary = false;
  for (const AttributeChange& attribute : change.attributes) {
    const std::string& name = attribute.attribute;
    if (live_option(name) == nullptr || !attribute.activate) continue;
    if (name == "primary") {
      clears_primary = attribute.desired.is_null();
      if (!clears_primary) values.emplace(name, primary);
    } else if (!attribute.desired.is_null()) {
      values.emplace(name, to_text(attribute.desired));
    } else if (const auto own = kernels_own(name, target)) {
      values.emplace(name, to_text(*own));
    }
  }
  if (values.contains("miimon")) fit_delays(values, change.resource);
  std::vector<remote::Argv> commands;
  if (!values.empty()) {
    remote::Argv argv{"ip", "link", "set", "dev", device, "type", "bond"};
    for (const auto& [name, value] : values) {
      argv.emplace_back(live_option(name));
      argv.push_back(value);
    }
    commands.push_back(std::move(argv));
  }
  if (clears_primary) commands.push_back({"sh", "-c", kClearPrimary, "fabric", device});
  return commands;
}

}  // namespace fabric::providers
