// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/link/running_routes.hpp"

#include <map>
#include <optional>
#include <utility>

#include "engine/base/text.hpp"
#include "engine/model/address.hpp"
#include "engine/value/json.hpp"
#include "providers/linux/kinds/interface/link/link_config.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kRouteProbe = "ip-route";
constexpr std::string_view kTransitProbe = "ip-transit";

// ip writes numbers of tables as texts.
std::optional<std::int64_t> number_of(const Value& object, std::string_view key) {
  const Value* found = object.find(key);
  if (found == nullptr) return std::nullopt;
  if (found->as_integer() != nullptr) return *found->as_integer();
  return found->as_string() == nullptr ? std::nullopt : parse_integer(*found->as_string());
}

// Of a route over a gateway: not what a router or DHCP put there. The kernel makes none itself, but
// ifupdown2 says that its gateways are the kernel's (seen on Debian 12), as old kernels said of
// what a router told them, and only that runs out.
bool is_written(const Value& route) {
  const std::string protocol = route.string_or_empty("protocol");
  if (protocol == "kernel") return route.find("expires") == nullptr;
  return protocol != "ra" && protocol != "dhcp" && protocol != "redirect";
}

// A route over several ports is that of the last one: the one whose file has it.
void read_shared(List& routes, const Value& route, const Value& hops, const std::string& device) {
  const List* list = hops.as_list();
  if (list == nullptr || list->empty() || list->back().string_or_empty("dev") != device) return;
  const Result<Subnet> to = Subnet::of_destination(route.string_or_empty("dst"));
  if (!to || !is_written(route)) return;
  Route found{to->str(), ""};
  found.metric = number_of(route, "metric").value_or(0);
  found.source = route.string_or_empty("prefsrc");
  for (const Value& hop : *list)
    found.hops.push_back(hop.string_or_empty("gateway"));
  routes.push_back(route_value(found));
}

void read_route(
    RunningAttributes& attributes,
    List& routes,
    const Value& route,
    const std::string& device,
    std::int64_t table = 0) {
  if (const Value* hops = route.find("nexthops"); hops != nullptr && table == 0)
    return read_shared(routes, route, *hops, device);
  const std::string gateway = route.string_or_empty("gateway");
  if (route.string_or_empty("dev") != device || gateway.empty() || !is_written(route)) return;
  std::string to = route.string_or_empty("dst");
  if (to == "default") {
    attributes.insert_or_assign(is_ipv6(gateway) ? "gateway6" : "gateway", Reading::of(gateway));
    return;
  }
  if (const Result<Subnet> subnet = Subnet::of_destination(to)) to = subnet->str();
  routes.push_back(route_value(
      {std::move(to),
       gateway,
       number_of(route, "metric").value_or(0),
       table,
       route.string_or_empty("prefsrc")}));
}

// The lists that a probe printed, one a line. Fails with why they are not known.
Result<List> read_lists(std::string_view output) {
  if (!trim(output).starts_with('['))
    return Error{ErrorCode::invalid, "`ip` did not print the routes"};
  List items;
  for (const std::string_view line : split_lines(output)) {
    const Result<Value> list = parse_json(line);
    if (!list || list->as_list() == nullptr)
      return Error{ErrorCode::invalid, "ip printed no list of routes"};
    items.insert(items.end(), list->as_list()->begin(), list->as_list()->end());
  }
  return items;
}

const Result<List>& printed_lists(const NodeFacts& facts, std::string_view probe) {
  static const Result<List> unasked{read_lists({})};
  const Result<List>* lists = facts.parsed(probe, read_lists);
  return lists == nullptr ? unasked : *lists;
}

// IPv4 and IPv6, of the main table.
const Result<List>& all_routes(const NodeFacts& facts) {
  return printed_lists(facts, kRouteProbe);
}

// Of the tables by which the document lets hosts forward; those of others are theirs.
bool is_transit_table(const std::optional<std::int64_t>& table) {
  return table && *table > 4000 && *table <= 4999;
}

// To the port's own subnet, with the address that the rule of the table is for.
bool leads_from(
    const Value& route,
    const std::string& device,
    const std::map<std::int64_t, std::string>& sources,
    std::int64_t table) {
  const auto source = sources.find(table);
  return source != sources.end() && route.string_or_empty("dev") == device &&
         route.string_or_empty("gateway").empty() &&
         route.string_or_empty("prefsrc") == source->second;
}

// The table of what comes in by `device`, and the routes over it in such tables.
void read_transit(
    RunningAttributes& attributes,
    List& routes,
    const NodeFacts& facts,
    const std::string& device) {
  const Result<List>& all = printed_lists(facts, kTransitProbe);
  if (!all) {
    for (const char* key : {"incoming_table", "source_table"})
      attributes.insert_or_assign(key, Reading::unknown(all.error().message));
    return;
  }
  std::map<std::int64_t, std::string> sources;
  for (const Value& each : *all) {
    const std::optional<std::int64_t> table = number_of(each, "table");
    const bool is_rule = is_transit_table(table) && each.find("routes") == nullptr;
    if (is_rule && each.find("iif") == nullptr) sources[*table] = each.string_or_empty("src");
  }
  for (const Value& each : *all) {
    const std::optional<std::int64_t> table = number_of(each, "table");
    if (!is_transit_table(table)) continue;
    if (each.string_or_empty("iif") == device)
      attributes.insert_or_assign("incoming_table", Reading::of(*table));
    const Value* in_table = each.find("routes");
    const List* list = in_table == nullptr ? nullptr : in_table->as_list();
    for (const Value& route : list == nullptr ? List{} : *list) {
      read_route(attributes, routes, route, device, *table);
      if (leads_from(route, device, sources, *table))
        attributes.insert_or_assign("source_table", Reading::of(*table));
    }
  }
}

}  // namespace

std::vector<Probe> route_probes() {
  return {
      {std::string{kRouteProbe},
       "ip -j -4 route show table main 2>/dev/null && ip -j -6 route show table main 2>/dev/null\n"
       "exit 0\n"},
      {std::string{kTransitProbe}, std::string{sh::probe_source_routes.text}}};
}

std::vector<DefaultRoute> default_routes(const NodeFacts& facts) {
  std::vector<DefaultRoute> found;
  const Result<List>& all = all_routes(facts);
  if (!all) return found;
  for (const Value& route : *all) {
    if (route.string_or_empty("dst") == "default" && !route.string_or_empty("gateway").empty())
      found.push_back({route.string_or_empty("dev"), route.string_or_empty("gateway")});
  }
  return found;
}

WrittenRoutes written_routes(const NodeFacts& facts, const std::string& device) {
  RunningAttributes attributes;
  read_routes(attributes, facts, device);
  const auto text_at = [&attributes](std::string_view key) {
    const auto found = attributes.find(key);
    const Value* value = found == attributes.end() ? nullptr : found->second.value();
    return value == nullptr ? std::string{} : to_text(*value);
  };
  WrittenRoutes written{text_at("gateway"), text_at("gateway6"), {}};
  const Value* others = attributes.at("routes").value();
  if (others == nullptr || others->as_list() == nullptr) return written;
  // Those of `transit` have a table, or several gateways: the document derives them.
  for (const Value& each : *others->as_list()) {
    if (each.find("table") == nullptr && !each.string_or_empty("via").empty())
      written.others.push_back({each.string_or_empty("to"), each.string_or_empty("via")});
  }
  return written;
}

void read_routes(RunningAttributes& attributes, const NodeFacts& facts, const std::string& device) {
  const Result<List>& all = all_routes(facts);
  if (!all) {
    for (const char* key : {"gateway", "gateway6", "routes", "incoming_table", "source_table"})
      attributes.insert_or_assign(key, Reading::unknown(all.error().message));
    return;
  }
  List routes;
  for (const Value& route : *all)
    read_route(attributes, routes, route, device);
  read_transit(attributes, routes, facts, device);
  attributes.insert_or_assign("routes", Reading::of(std::move(routes)));
}

}  // namespace fabric::providers
