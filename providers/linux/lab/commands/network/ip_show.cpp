// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/lab/commands/network/ip_show.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/lab/machine/network.hpp"
#include "providers/linux/lab/host/linux_host.hpp"
#include "providers/linux/lab/kernel/bonding.hpp"
#include "providers/linux/lab/kernel/lacp.hpp"
#include "providers/linux/lab/kernel/ports.hpp"

namespace fabric::lab::commands {

namespace {

// "linkinfo" of `ip -j -d`: the details of a bond, its slaves, a VLAN and IPoIB.

std::string aggregator(const LacpView& view) {
  if (!view.first) return "";
  const LacpPort& first = view.ports[*view.first];
  return fmt::format(
      R"(,"ad_info":{{"aggregator":{},"num_ports":{},"actor_key":{},"partner_key":{},"partner_mac":"{}"}})",
      view.aggregator,
      view.member_ports,
      first.key,
      first.partner ? first.partner->key : 1,
      first.partner ? first.partner->system : "00:00:00:00:00:00");
}

std::string bond_data(const Network& network, const LinuxHost& machine, const Interface& bond) {
  const Bond& state = *bond.bond;
  std::string text = fmt::format(R"("mode":"{}")", bond_option_name(bond, "mode"));
  for (const char* name : {"active_slave", "primary"}) {
    const std::string slave = bond_option(machine, bond, name);
    if (!slave.empty()) text += fmt::format(R"(,"{}":"{}")", name, slave);
  }
  text += fmt::format(
      R"(,"miimon":{},"updelay":{},"downdelay":{},"peer_notify_delay":0,"use_carrier":1,"xmit_hash_policy":"{}","fail_over_mac":"{}","min_links":{},"ad_lacp_rate":"{}","ad_select":"{}")",
      state.miimon,
      state.updelay * state.miimon,
      state.downdelay * state.miimon,
      bond_option_name(bond, "xmit_hash_policy"),
      bond_option_name(bond, "fail_over_mac"),
      state.min_links,
      bond_option_name(bond, "lacp_rate"),
      bond_option_name(bond, "ad_select"));
  if (state.mode == BondMode::lacp) text += aggregator(lacp_view(network, machine, bond));
  return text;
}

std::string slave_data(const Network& network, const LinuxHost& machine, const Interface& slave) {
  const Interface* bond = machine.interface_of_index(slave.master);
  if (bond != nullptr && bond->bridge)
    return R"("info_slave_kind":"bridge","info_slave_data":{"state":"forwarding"})";
  const BondSlave* entry =
      bond == nullptr || !bond->bond ? nullptr : find_slave(*bond, slave.index);
  if (entry == nullptr) return "";
  return fmt::format(
      R"("info_slave_kind":"bond","info_slave_data":{{"state":"{}","mii_status":"{}","link_failure_count":{},"perm_hwaddr":"{}","queue_id":0}})",
      receives(network, machine, *bond, slave.index) ? "ACTIVE" : "BACKUP",
      entry->link ? "UP" : "DOWN",
      entry->failures,
      slave.permanent_mac);
}

// Begins with a comma; "" for an interface without linkinfo.
std::string linkinfo(const Network& network, const LinuxHost& machine, const Interface& interface) {
  std::string text;
  if (interface.bond) {
    text = fmt::format(
        R"("info_kind":"bond","info_data":{{{}}})", bond_data(network, machine, interface));
  }
  if (interface.bridge) text = R"("info_kind":"bridge","info_data":{"stp_state":0})";
  if (interface.vlan) {
    text = fmt::format(
        R"("info_kind":"vlan","info_data":{{"protocol":"802.1Q","id":{},"flags":["REORDER_HDR"]}})",
        interface.vlan->id);
  }
  if (interface.ipoib) {
    text = fmt::format(
        R"("info_kind":"ipoib","info_data":{{"key":"0x{:04x}","mode":"{}","umcast":"0000"}})",
        interface.ipoib->key,
        interface.ipoib->connected ? "connected" : "datagram");
  }
  const std::string slave = slave_data(network, machine, interface);
  if (!text.empty() && !slave.empty()) text += ",";
  text += slave;
  return text.empty() ? "" : fmt::format(R"(,"linkinfo":{{{}}})", text);
}

using Words = std::vector<std::string>;

class InterfaceText {
 public:
  InterfaceText(const Session& session, const IpFormat& format, bool addresses)
      : session_{session}, format_{format}, addresses_{addresses} {}

  std::string json(const Interface& interface) const {
    Words flags = flags_of(interface);
    for (std::string& flag : flags)
      flag = "\"" + flag + "\"";
    std::string item = fmt::format(
        R"({{"ifindex":{},{}"ifname":"{}","flags":[{}],"mtu":{},"qdisc":"{}",{}"operstate":"{}","linkmode":"DEFAULT","group":"default","txqlen":1000,"link_type":"{}","address":"{}","broadcast":"{}")",
        interface.index,
        below_of(interface).empty() ? "" : fmt::format(R"("link":"{}",)", below_of(interface)),
        interface.name,
        join(flags, ","),
        interface.mtu,
        queueing(interface),
        master_of(interface).empty() ? "" : fmt::format(R"("master":"{}",)", master_of(interface)),
        state_of(interface),
        type_of(interface),
        interface.mac,
        broadcast_of(interface));
    if (interface.mac != interface.permanent_mac && !interface.permanent_mac.empty())
      item += fmt::format(R"(,"permaddr":"{}")", interface.permanent_mac);
    if (format_.details) item += details(interface);
    if (addresses_) {
      Words entries;
      for (const IpPrefix& address : interface.addresses) {
        if (!format_.only_ipv4 || !address.ipv6())
          entries.push_back(json_address(interface, address));
      }
      item += fmt::format(R"(,"addr_info":[{}])", join(entries, ","));
    }
    return item + "}";
  }

  std::string text(const Interface& interface) const {
    if (format_.brief) {
      std::string line = fmt::format("{:<16} {:<14} ", interface.name, state_of(interface));
      if (!addresses_)
        return line + fmt::format("{} <{}> \n", interface.mac, join(flags_of(interface), ","));
      for (const IpPrefix& address : interface.addresses)
        line += address.str() + " ";
      return line + "\n";
    }
    std::string text = fmt::format(
        "{}: {}{}: <{}> mtu {} qdisc {} {}state {} {}group default qlen 1000\n    link/{} {} brd "
        "{}\n",
        interface.index,
        interface.name,
        below_of(interface).empty() ? "" : "@" + below_of(interface),
        join(flags_of(interface), ","),
        interface.mtu,
        queueing(interface),
        master_of(interface).empty() ? "" : fmt::format("master {} ", master_of(interface)),
        state_of(interface),
        addresses_ ? "" : "mode DEFAULT ",
        type_of(interface),
        interface.mac,
        broadcast_of(interface));
    if (!addresses_) return format_.one_line ? in_one_line(std::move(text)) : text;
    if (format_.one_line) text.clear();
    for (const IpPrefix& address : interface.addresses) {
      const std::string lines = text_of(interface, address);
      text += format_.one_line
                  ? fmt::format("{}: {}{}", interface.index, interface.name, in_one_line(lines))
                  : lines;
    }
    return text;
  }

 private:
  // The form of -o: a backslash for each line end but the last.
  static std::string in_one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', '\\');
    if (!text.empty()) text.back() = '\n';
    return text;
  }

  static std::string text_of(const Interface& interface, const IpPrefix& address) {
    const std::string broadcast = address.broadcast().empty() ? "" : " brd " + address.broadcast();
    return fmt::format(
        "    {} {}{} scope {} {}\n       valid_lft forever preferred_lft forever\n",
        address.ipv6() ? "inet6" : "inet",
        address.str(),
        interface.loopback ? "" : broadcast,
        interface.loopback ? "host" : "global",
        interface.name);
  }

  Words flags_of(const Interface& interface) const {
    const bool carrier = has_carrier(session_.network, session_.machine, interface);
    Words flags = interface.loopback ? Words{"LOOPBACK"} : Words{"BROADCAST", "MULTICAST"};
    if (interface.bond) flags.emplace_back("MASTER");
    const Interface* master = session_.machine.interface_of_index(interface.master);
    if (master != nullptr && master->bond) flags.emplace_back("SLAVE");
    if (interface.up && !carrier) flags.insert(flags.begin(), "NO-CARRIER");
    if (interface.up) flags.emplace_back("UP");
    if (interface.up && carrier) flags.emplace_back("LOWER_UP");
    return flags;
  }

  std::string state_of(const Interface& interface) const {
    if (interface.loopback) return "UNKNOWN";
    return interface.up && has_carrier(session_.network, session_.machine, interface) ? "UP"
                                                                                      : "DOWN";
  }

  static std::string_view queueing(const Interface& interface) {
    return interface.loopback || interface.is_virtual() ? "noqueue" : "mq";
  }

  std::string below_of(const Interface& interface) const {
    const Interface* below = session_.machine.interface_of_index(interface.below());
    return below == nullptr ? "" : below->name;
  }

  std::string master_of(const Interface& interface) const {
    const Interface* master = session_.machine.interface_of_index(interface.master);
    return master == nullptr ? "" : master->name;
  }

  static std::string type_of(const Interface& interface) {
    return interface.loopback ? "loopback" : interface.infiniband ? "infiniband" : "ether";
  }

  static std::string broadcast_of(const Interface& interface) {
    if (interface.loopback) return "00:00:00:00:00:00";
    if (!interface.infiniband) return "ff:ff:ff:ff:ff:ff";
    const std::uint32_t key = interface.ipoib ? interface.ipoib->key : 0xffff;
    return fmt::format(
        "00:ff:ff:ff:ff:12:40:1b:{:02x}:{:02x}:00:00:00:00:00:00:ff:ff:ff:ff",
        key >> 8,
        key & 0xff);
  }

  std::string details(const Interface& interface) const {
    std::string text = fmt::format(
        R"(,"promiscuity":0,"min_mtu":{},"max_mtu":{},"num_tx_queues":16,"num_rx_queues":16,"gso_max_size":65536)",
        interface.loopback ? 0 : 68,
        interface.mtu_most);
    text += linkinfo(session_.network, session_.machine, interface);
    if (!interface.card || interface.is_virtual()) return text;
    const Card& card = session_.machine.state.cards[*interface.card];
    if (!card.mlx4() && !interface.infiniband)
      text += fmt::format(R"(,"phys_port_name":"p{}")", interface.port - 1);
    return text +
           fmt::format(R"(,"parentbus":"pci","parentdev":"{}")", card.function_of(interface.port));
  }

  static std::string json_address(const Interface& interface, const IpPrefix& address) {
    const std::string broadcast = address.broadcast().empty() || interface.loopback
                                      ? ""
                                      : fmt::format(R"("broadcast":"{}",)", address.broadcast());
    return fmt::format(
        R"({{"family":"{}","local":"{}","prefixlen":{},{}"scope":"{}","label":"{}","valid_life_time":4294967295,"preferred_life_time":4294967295}})",
        address.ipv6() ? "inet6" : "inet",
        address.address(),
        address.length(),
        broadcast,
        interface.loopback ? "host" : "global",
        interface.name);
  }

  const Session& session_;
  const IpFormat& format_;
  bool addresses_;
};

std::string destination_of(const Route& route) {
  if (route.destination.length() == 0) return "default";
  const bool is_single = !route.destination.ipv6() && route.destination.length() == 32;
  return is_single ? route.destination.address() : route.destination.str();
}

std::string text_shared(const Route& route) {
  std::string text = fmt::format(
      "{} {}{}\n",
      destination_of(route),
      route.source.empty() ? "" : fmt::format("src {} ", route.source),
      route.metric == 0 ? "" : fmt::format("metric {} ", route.metric));
  for (const RouteHop& hop : route.hops)
    text += fmt::format("\tnexthop via {} dev {} weight 1 \n", hop.via, hop.device);
  return text;
}

std::string json_shared(const Route& route) {
  Words hops;
  for (const RouteHop& hop : route.hops) {
    hops.push_back(
        fmt::format(R"({{"gateway":"{}","dev":"{}","weight":1,"flags":[]}})", hop.via, hop.device));
  }
  return fmt::format(
      R"({{"dst":"{}",{}{}"flags":[],"nexthops":[{}]}})",
      destination_of(route),
      route.source.empty() ? "" : fmt::format(R"("prefsrc":"{}",)", route.source),
      route.metric == 0 ? "" : fmt::format(R"("metric":{},)", route.metric),
      join(hops, ","));
}

std::string text_route(const Route& route) {
  if (!route.hops.empty()) return text_shared(route);
  if (!route.via.empty()) {
    return fmt::format(
        "{} via {} dev {} {}{}{}\n",
        destination_of(route),
        route.via,
        route.device,
        route.by_ifupdown2 ? "proto kernel onlink " : "",
        route.source.empty() ? "" : fmt::format("src {} ", route.source),
        route.metric == 0 ? "" : fmt::format("metric {} ", route.metric));
  }
  return fmt::format(
      "{} dev {} {}scope link src {} {}\n",
      route.destination.str(),
      route.device,
      route.table == 0 ? "proto kernel " : "",
      route.source,
      route.metric == 0 ? "" : fmt::format("metric {} ", route.metric));
}

std::string json_route(const Route& route) {
  if (!route.hops.empty()) return json_shared(route);
  if (!route.via.empty()) {
    return fmt::format(
        R"({{"dst":"{}","gateway":"{}","dev":"{}",{}{}{}}})",
        destination_of(route),
        route.via,
        route.device,
        route.source.empty() ? "" : fmt::format(R"("prefsrc":"{}",)", route.source),
        route.metric == 0 ? "" : fmt::format(R"("metric":{},)", route.metric),
        route.by_ifupdown2 ? R"("protocol":"kernel","flags":["onlink"])" : R"("flags":[])");
  }
  return fmt::format(
      R"({{"dst":"{}","dev":"{}",{}"scope":"link","prefsrc":"{}",{}"flags":[]}})",
      route.destination.str(),
      route.device,
      route.table == 0 ? R"("protocol":"kernel",)" : "",
      route.source,
      route.metric == 0 ? "" : fmt::format(R"("metric":{},)", route.metric));
}

std::string json_rule(const RoutingRule& rule) {
  const std::string which = rule.from.empty()
                                ? fmt::format(R"("src":"all","iif":"{}")", rule.incoming)
                                : fmt::format(R"("src":"{}")", rule.from);
  return fmt::format(R"({{"priority":{},{},"table":"{}"}})", rule.priority, which, rule.table);
}

std::string text_rule(const RoutingRule& rule) {
  const std::string which = rule.from.empty() ? "all iif " + rule.incoming : rule.from;
  return fmt::format("{}:\tfrom {} lookup {}\n", rule.priority, which, rule.table);
}

}  // namespace

std::string show_interface(
    const Session& session, const IpFormat& format, const Interface& interface, bool addresses) {
  const InterfaceText shown{session, format, addresses};
  return format.json ? shown.json(interface) : shown.text(interface);
}

std::string show_route(const IpFormat& format, const Route& route) {
  return format.json ? json_route(route) : text_route(route);
}

std::string show_rules(const IpFormat& format, const std::vector<RoutingRule>& rules) {
  std::vector<std::string> items{
      format.json ? R"({"priority":0,"src":"all","table":"local"})"
                  : "0:\tfrom all lookup local\n"};
  for (const RoutingRule& rule : rules) {
    items.push_back(format.json ? json_rule(rule) : text_rule(rule));
  }
  for (const auto& [priority, table] : {std::pair{32766, "main"}, std::pair{32767, "default"}}) {
    items.push_back(
        format.json ? fmt::format(R"({{"priority":{},"src":"all","table":"{}"}})", priority, table)
                    : fmt::format("{}:\tfrom all lookup {}\n", priority, table));
  }
  return show_list(format, items);
}

std::string show_list(const IpFormat& format, const std::vector<std::string>& items) {
  return format.json ? "[" + join(items, ",") + "]\n" : join(items, "");
}

}  // namespace fabric::lab::commands
