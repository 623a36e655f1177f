// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/link/running_state.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/address.hpp"
#include "engine/value/json.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"
#include "providers/parsers/proc_bonding.hpp"

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

// True for a route over a gateway that no router and no DHCP made. The kernel makes none itself,
// but ifupdown2 marks its gateways as the kernel's (seen on Debian 12), as old kernels marked
// routes of router advertisements, and only those expire.
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

// True for the tables by which the document lets hosts forward; others are foreign.
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

// Reads the table of packets that come in by `device`, and the routes over it in such tables.
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
    for (const Value& route : each.member("routes").items()) {
      read_route(attributes, routes, route, device, *table);
      if (leads_from(route, device, sources, *table))
        attributes.insert_or_assign("source_table", Reading::of(*table));
    }
  }
}

constexpr std::string_view kAddressProbe = "ip-addr";
constexpr std::string_view kLinkProbe = "link-details";
constexpr const char* kClass = "/sys/class/net/";

// Link-local ones come by themselves, and so do those of a router advertisement.
bool is_configured(const IpAddressEntry& entry) {
  return entry.scope != "link" && entry.scope != "host" &&
         !(entry.family == "inet6" && entry.dynamic);
}

// "4: enp1s0f0np0    inet 10.30.0.1/24 brd 10.30.0.255 scope global enp1s0f0np0"
std::vector<std::string> from_lines(std::string_view text, const std::string& device) {
  std::vector<std::string> addresses;
  for (const std::string_view line : split_lines(text)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() < 4 || words[1] != device || !words[2].starts_with("inet")) continue;
    IpAddressEntry entry{std::string{words[2]}, std::string{words[3]}, "global", false};
    for (std::size_t at = 4; at < words.size(); ++at) {
      if (words[at] == "scope" && at + 1 < words.size()) entry.scope = std::string{words[at + 1]};
      if (words[at] == "dynamic") entry.dynamic = true;
    }
    if (is_configured(entry)) addresses.push_back(entry.address);
  }
  return addresses;
}

// The facts of one interface in the output of ip.
struct ToldByIp {
  Reading mtu, addresses;
  // The values of IPoIB; "" for others. A child made by netlink (networkd, ip) has no files in /sys
  // for these, one made by create_child has (ipoib_vlan.c of Linux 6.1).
  std::string mode{}, pkey{};
};

ToldByIp from_link(const IpLink& link) {
  std::vector<std::string> addresses;
  for (const IpAddressEntry& entry : link.addresses) {
    if (is_configured(entry)) addresses.push_back(entry.address);
  }
  // An interface that is down, or that a bond or bridge took, keeps its addresses, but nothing
  // passes.
  const bool taken = link.slave_kind == "bond" || link.slave_kind == "bridge";
  if (!link.admin_up || taken) addresses.clear();
  ToldByIp told{Reading::of(link.mtu), Reading::of(address_list(std::move(addresses)))};
  if (link.kind == "ipoib") {
    const Value info{link.info};
    told.mode = info.string_or_empty("mode");
    told.pkey = info.string_or_empty("key");
  }
  return told;
}

Reading sysfs_mtu(const RunningLinks& links, const std::string& device, const AdapterPort* port) {
  if (const auto mtu = parse_integer(links.file(device, "mtu"))) return Reading::of(*mtu);
  if (port != nullptr && port->mtu > 0) return Reading::of(port->mtu);
  return Reading::unknown("its MTU could not be read");
}

ToldByIp from_ip(const NodeFacts& facts, const std::string& device, Reading mtu) {
  const std::string* output = facts.output(kAddressProbe);
  if (output == nullptr)
    return {std::move(mtu), Reading::unknown("`ip` did not print the addresses")};
  if (!trim(*output).starts_with('['))
    return {std::move(mtu), Reading::of(address_list(from_lines(*output, device)))};
  const Result<std::vector<IpLink>>& links = *facts.parsed(kAddressProbe, parse_ip_json);
  if (!links) return {std::move(mtu), Reading::unknown("ip printed " + links.error().message)};
  const auto link = std::find_if(
      links->begin(), links->end(), [&device](const IpLink& each) { return each.name == device; });
  if (link == links->end()) return {std::move(mtu), Reading::unknown("ip does not list " + device)};
  return from_link(*link);
}

Reading first_word(const std::string& text) {
  const std::vector<std::string_view> words = split_words(text);
  return words.empty() ? Reading::absent() : Reading::of(words.front());
}

Reading number(const std::string& text) {
  const auto value = parse_integer(text);
  return value ? Reading::of(*value) : Reading::absent();
}

std::string label_of(const LinkTarget& target, std::string_view device) {
  const auto slave = std::ranges::find_if(target.slaves, [device](const Slave& each) {
    return each.port != nullptr && each.port->netdev == device;
  });
  return slave == target.slaves.end() ? std::string{device} : slave->label;
}

// Both ports of a card are then one RDMA device, on the first function.
Reading roce_lag(const LinkTarget& target) {
  if (target.slaves.size() != 2) return Reading::of(false);
  const Slave& first = target.slaves.front();
  const Slave& second = target.slaves.back();
  if (first.port == nullptr || second.port == nullptr)
    return Reading::unknown("the slaves were not found");
  if (first.card != second.card) return Reading::of(false);
  if (first.card->shares_function()) return Reading::of(first.port->rdma_ports == 1);
  return Reading::of(first.port->rdma_device.empty() != second.port->rdma_device.empty());
}

void read_bond(
    RunningAttributes& attributes,
    const RunningLinks& links,
    const std::string& device,
    const LinkTarget& target) {
  const auto option = [&](std::string_view name) {
    return links.file(device, fmt::format("bonding/{}", name));
  };
  if (option("mode").empty()) return;
  for (const auto& [attribute, file] :
       {std::pair{"mode", "mode"},
        std::pair{"lacp_rate", "lacp_rate"},
        std::pair{"hash_policy", "xmit_hash_policy"},
        std::pair{"ad_select", "ad_select"}})
    attributes.insert_or_assign(attribute, first_word(option(file)));
  for (const char* name : {"miimon", "updelay", "downdelay", "min_links"})
    attributes.insert_or_assign(name, number(option(name)));
  // "fail_over_mac active" behind the mode; without it "none".
  const Result<ProcBonding> proc = parse_proc_bonding(links.proc_bonding(device));
  if (const auto words = split_words(proc ? std::string_view{proc->note} : "");
      words.size() == 2 && words.front() == "fail_over_mac")
    attributes.insert_or_assign("fail_over_mac", Reading::of(words.back()));
  const std::string primary = option("primary");
  if (!primary.empty())
    attributes.insert_or_assign("primary", Reading::of(label_of(target, primary)));
  List slaves;
  const std::string names = option("slaves");
  for (const std::string_view slave : split_words(names))
    slaves.emplace_back(label_of(target, slave));
  attributes.insert_or_assign("slaves", Reading::of(std::move(slaves)));
  attributes.insert_or_assign("roce", roce_lag(target));
}

void read_pkey(RunningAttributes& attributes, const std::string& text) {
  if (!text.starts_with("0x")) return;
  const auto key = parse_unsigned(std::string_view{text}.substr(2), 16);
  if (key && *key <= 0xffff)
    attributes.insert_or_assign(
        "pkey", Reading::of(static_cast<std::int64_t>(*key) & kPkeyIdentity));
}

RunningAttributes all_unknown(const LinkTarget& target) {
  const Reading unknown = Reading::unknown("the node did not report its interfaces");
  RunningAttributes attributes{{"master", unknown}, {"ipoib_mode", unknown}};
  if (target.kind == LinkKind::port) return attributes;
  for (const char* key :
       {"mode",
        "miimon",
        "updelay",
        "downdelay",
        "min_links",
        "lacp_rate",
        "hash_policy",
        "ad_select",
        "fail_over_mac",
        "primary",
        "slaves",
        "roce",
        "id",
        "pkey",
        "mtu",
        "addresses"})
    attributes.emplace(key, unknown);
  return attributes;
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
  // Routes of `transit` have a table, or several gateways: the document derives them.
  for (const Value& each : *others->as_list()) {
    if (each.find("table") == nullptr && !each.string_or_empty("via").empty())
      written.others.push_back({each.string_or_empty("to"), each.string_or_empty("via")});
  }
  return written;
}

namespace {

// "from 10.30.0.0/24", of a rule that `ip` shows with a length only where it is not all bits.
std::string selector(const Value& rule, std::string_view word, const std::string& key) {
  const std::string address = rule.string_or_empty(key);
  if (address.empty() || address == "all") return {};
  const auto length = number_of(rule, key + "len");
  return fmt::format(" {} {}{}", word, address, length ? fmt::format("/{}", *length) : "");
}

std::string rule_text(const Value& rule, bool ipv6) {
  const std::string from = selector(rule, "from", "src");
  std::string text = (ipv6 ? "-6" : "") + (from.empty() ? std::string{" from all"} : from) +
                     selector(rule, "to", "dst");
  for (const char* key : {"iif", "oif", "fwmark", "ipproto", "sport", "dport", "tos"}) {
    const Value* value = rule.find(key);
    if (value != nullptr) text += fmt::format(" {} {}", key, to_text(*value));
  }
  const Value* table = rule.find("table");
  if (table != nullptr) text += " lookup " + to_text(*table);
  return std::string{trim(text)} +
         fmt::format(" priority {}", number_of(rule, "priority").value_or(0));
}

// True if the rule's source is an address of the interface, or in a subnet of one.
bool is_from(const Value& rule, const std::vector<std::string>& addresses) {
  const std::string source = rule.string_or_empty("src");
  const Result<IpAddress> from = IpAddress::parse(source);
  const auto length = number_of(rule, "srclen");
  return from && std::ranges::any_of(addresses, [&](const std::string& each) {
           const std::string address = each.substr(0, each.find('/'));
           if (!length) return address == source;
           const auto own = Subnet::of_address(fmt::format("{}/{}", address, *length));
           const auto theirs = Subnet::of_address(fmt::format("{}/{}", source, *length));
           return own && theirs && own->str() == theirs->str() && *length > 0;
         });
}

}  // namespace

PolicyRouting policy_routing(
    const NodeFacts& facts, const std::string& device, const std::vector<std::string>& addresses) {
  PolicyRouting found;
  const Result<List>& all = printed_lists(facts, kTransitProbe);
  if (!all || device.empty()) return found;
  std::set<std::int64_t> over;  // tables with a route over the interface
  for (const Value& each : *all) {
    const auto table = number_of(each, "table");
    if (!table || is_transit_table(table)) continue;
    for (const Value& route : each.member("routes").items()) {
      const std::string via = route.string_or_empty("gateway");
      const bool by_itself = via.empty() && route.string_or_empty("protocol") == "kernel";
      if (route.string_or_empty("dev") != device || !is_written(route) || by_itself) continue;
      over.insert(*table);
      const std::string to = route.string_or_empty("dst");
      found.routes.push_back(
          fmt::format("{}{} table {}", to, via.empty() ? "" : " via " + via, *table));
    }
  }
  const auto read = [&](const Value& rule, bool ipv6) {
    const auto table = number_of(rule, "table");
    const bool ours = is_transit_table(table) && number_of(rule, "priority") == table;
    const bool is_about = rule.string_or_empty("iif") == device ||
                          rule.string_or_empty("oif") == device || is_from(rule, addresses) ||
                          (table && over.contains(*table));
    if (is_about && !ours) found.rules.push_back(rule_text(rule, ipv6));
  };
  for (const Value& each : *all) {
    if (each.find("routes") != nullptr) continue;
    const Value* six = each.find("ipv6_rules");
    if (six == nullptr) {
      read(each, false);
    } else if (const List* list = six->as_list()) {
      for (const Value& rule : *list)
        read(rule, true);
    }
  }
  return found;
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

const std::vector<IpLink>* links_by_ip(const NodeFacts& facts) {
  const std::string* output = facts.output(kAddressProbe);
  if (output == nullptr || !trim(*output).starts_with('[')) return nullptr;
  const Result<std::vector<IpLink>>& links = *facts.parsed(kAddressProbe, parse_ip_json);
  return links ? &links.value() : nullptr;
}

std::vector<Probe> running_probes() {
  std::vector<Probe> probes = route_probes();
  const std::vector<Probe> others{
      // iproute2 of CentOS 7 has no -j for addresses.
      {std::string{kAddressProbe}, "ip -j -d addr show 2>/dev/null || ip -o addr show\n"},
      {std::string{kLinkProbe}, std::string{sh::probe_links.text}}};
  probes.insert(probes.begin(), others.begin(), others.end());
  return probes;
}

RunningLinks RunningLinks::read(std::string_view probe_output) {
  RunningLinks links;
  links.known_ = true;
  links.files_ = file_texts(probe_output);
  if (const auto config = links.files_.find("/proc/net/vlan/config"); config != links.files_.end())
    links.read_vlans(config->second);
  return links;
}

const RunningLinks& running_links(const NodeFacts& facts) {
  return facts.parsed_or_none(kLinkProbe, RunningLinks::read);
}

// "bond0.100      | 100  | bond0", below two lines of headings.
void RunningLinks::read_vlans(std::string_view config) {
  for (const std::string_view line : split_lines(config)) {
    const std::vector<std::string_view> parts = split(line, '|');
    if (parts.size() != 3) continue;
    if (const auto id = parse_integer(trim(parts[1])))
      vlans_.emplace(trim(parts[0]), Vlan{*id, std::string{trim(parts[2])}});
  }
}

bool RunningLinks::exists(const std::string& device) const {
  return !device.empty() && files_.contains(fmt::format("{}{}/mtu", kClass, device));
}

std::string RunningLinks::file(const std::string& device, std::string_view path) const {
  const auto found = files_.find(fmt::format("{}{}/{}", kClass, device, path));
  return found == files_.end() ? std::string{} : std::string{trim(found->second)};
}

std::vector<std::string> RunningLinks::above(const std::string& device) const {
  std::set<std::string> names;
  for (const auto& [name, vlan] : vlans_) {
    if (vlan.parent == device) names.insert(name);
  }
  // "/sys/class/net/ib0.8010/mtu": children of IPoIB tell their parent only where create_child made
  // them, but all are called after it.
  const std::string prefix = std::string{kClass} + device + ".";
  for (auto file = files_.lower_bound(prefix); file != files_.end(); ++file) {
    if (!file->first.starts_with(prefix)) break;
    const std::string_view name = std::string_view{file->first}.substr(std::strlen(kClass));
    names.emplace(name.substr(0, name.find('/')));
  }
  return {names.begin(), names.end()};
}

const RunningLinks::Vlan* RunningLinks::vlan(const std::string& device) const {
  const auto found = vlans_.find(device);
  return found == vlans_.end() ? nullptr : &found->second;
}

std::string RunningLinks::proc_bonding(const std::string& device) const {
  const auto found = files_.find("/proc/net/bonding/" + device);
  return found == files_.end() ? std::string{} : found->second;
}

Value address_list(std::vector<std::string> addresses) {
  const auto key = [](const std::string& text) -> std::optional<IpAddress> {
    const Result<IpAddress> address =
        IpAddress::parse(std::string_view{text}.substr(0, text.find('/')));
    return address ? std::optional{*address} : std::nullopt;
  };
  std::ranges::sort(addresses, [&key](const std::string& a, const std::string& b) {
    const auto left = key(a);
    const auto right = key(b);
    return left != right ? left < right : a < b;
  });
  List list;
  for (std::string& address : addresses)
    list.emplace_back(std::move(address));
  return list;
}

RunningAttributes running_attributes(
    const NodeFacts& facts,
    const RunningLinks& links,
    const std::string& device,
    const LinkTarget& target) {
  if (!links.is_known() && target.kind != LinkKind::port) return all_unknown(target);
  if (device.empty()) return {};
  RunningAttributes attributes = links.is_known() ? RunningAttributes{} : all_unknown(target);
  ToldByIp ip = from_ip(facts, device, sysfs_mtu(links, device, target.port));
  attributes.insert_or_assign("mtu", std::move(ip.mtu));
  attributes.insert_or_assign("addresses", std::move(ip.addresses));
  read_routes(attributes, facts, device);
  if (!links.is_known()) return attributes;
  if (const std::string master = links.master(device); !master.empty())
    attributes.insert_or_assign("master", Reading::of(master));
  const std::string mode = links.file(device, "mode");
  if (!mode.empty() || !ip.mode.empty())
    attributes.insert_or_assign("ipoib_mode", Reading::of(mode.empty() ? ip.mode : mode));
  if (target.kind == LinkKind::bond) read_bond(attributes, links, device, target);
  const std::string pkey = links.file(device, "pkey");
  if (target.kind == LinkKind::ipoib_child) read_pkey(attributes, pkey.empty() ? ip.pkey : pkey);
  const RunningLinks::Vlan* vlan = links.vlan(device);
  if (target.kind == LinkKind::vlan && vlan != nullptr && vlan->parent == target.parent)
    attributes.insert_or_assign("id", Reading::of(vlan->id));
  return attributes;
}

}  // namespace fabric::providers
