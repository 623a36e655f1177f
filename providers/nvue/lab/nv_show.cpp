// SPDX-License-Identifier: Apache-2.0
// `nv show ...`: the running state of the switch. Only JSON output is simulated, no tables.
#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/value/json.hpp"
#include "providers/nvue/lab/nvue_machine.hpp"
#include "providers/nvue/lab/nvue_programs.hpp"

namespace fabric::lab::nvue {
namespace {

Value state_value(bool up) {
  return Map{{up ? "up" : "down", Map{}}};
}

std::int64_t damaged(const Process& process, const PortRef& place) {
  return static_cast<std::int64_t>(process.session.network.damaged_frames(place));
}

Value ethernet_port(Process& process, const NvueMachine& machine, const std::string& port) {
  const PortRef place = machine.document_port(port);
  const bool enabled = word_at(machine.applied(), {"interface", port, "link", "state"}) != "down";
  const bool up = process.session.network.has_link(place);
  Map link{
      {"admin-status", enabled ? "up" : "down"},
      {"auto-negotiate", "on"},
      {"mac-address", machine.mac_of(port)},
      {"mtu", machine.mtu_of(port)},
      {"oper-status", up ? "up" : "down"},
      {"state", state_value(up)},
      {"stats",
       Map{{"carrier-transitions", 1}, {"in-errors", damaged(process, place)}, {"out-errors", 0}}}};
  if (up) {  // E-nvue-json: none without a link
    const std::string fec = process.session.network.fec_at(place);
    link.emplace("speed", "100G");
    link.emplace("fec", fec.empty() ? "rs" : to_lower(fec));
  }
  Map map{{"link", std::move(link)}, {"type", "swp"}};
  if (const std::string bond = machine.bond_of(port); !bond.empty()) map.emplace("parent", bond);
  return map;
}

// E-nvos-ports, E-nvos-diagnostics
Value infiniband_port(Process& process, const NvueMachine& machine, const std::string& port) {
  const PortRef place = machine.document_port(port);
  const bool enabled = word_at(machine.applied(), {"interface", port, "link", "state"}) != "down";
  const bool up = process.session.network.has_link(place);
  Map diagnostics;
  if (!enabled) {
    diagnostics.emplace("1", Map{{"status", "The port is closed by command"}});
  } else if (!up) {
    diagnostics.emplace("1024", Map{{"status", "Cable is unplugged"}});
  } else {
    diagnostics.emplace("0", Map{{"status", "No issue was observed"}});
  }
  Map link{
      {"counters",
       Map{{"in-bytes", 0}, {"in-errors", 0}, {"in-symbol-errors", damaged(process, place)}}},
      {"diagnostics", std::move(diagnostics)},
      {"ib-speed", up ? "hdr" : "auto"},
      {"lanes", up ? "4X" : "1X,2X,4X"},
      {"logical-state", up ? "Active" : "Down"},
      {"mtu", machine.mtu_of(port)},
      {"physical-state",
       !enabled ? "Disabled"
       : up     ? "LinkUp"
                : "Polling"},
      {"state", state_value(up)}};
  return Map{{"link", std::move(link)}, {"type", "ib"}};
}

Value interfaces(Process& process, const NvueMachine& machine) {
  Map map{
      {"eth0",
       Map{{"link", Map{{"mtu", 1500}, {"oper-status", "up"}, {"state", state_value(true)}}},
           {"type", "eth"}}},
      {"lo",
       Map{{"link", Map{{"mtu", 65536}, {"oper-status", "unknown"}, {"state", state_value(true)}}},
           {"type", "loopback"}}}};
  for (const std::string& port : machine.front_ports()) {
    map.emplace(
        port,
        machine.platform == Platform::nvos ? infiniband_port(process, machine, port)
                                           : ethernet_port(process, machine, port));
  }
  const Value* configured = machine.applied().find("interface");
  if (configured == nullptr || configured->as_map() == nullptr) return map;
  for (const auto& [name, each] : *configured->as_map()) {
    const Value* members = find(each, {"bond", "member"});
    if (members == nullptr || members->as_map() == nullptr) continue;
    const bool up =
        std::any_of(members->as_map()->begin(), members->as_map()->end(), [&](const auto& member) {
          return process.session.network.has_link(machine.document_port(member.first));
        });
    map.emplace(
        name,
        Map{{"bond", each.find("bond") == nullptr ? Value{Map{}} : *each.find("bond")},
            {"link",
             Map{{"admin-status", "up"},
                 {"mac-address", machine.mac_of(name)},
                 {"mtu", machine.mtu_of(name)},
                 {"oper-status", up ? "up" : "down"},
                 {"state", state_value(up)}}},
            {"type", "bond"}});
  }
  return map;
}

Value neighbours(Process& process, const NvueMachine& machine) {
  Map map;
  if (machine.platform == Platform::nvos) return map;
  for (const std::string& port : machine.front_ports()) {
    const auto far = process.session.network.lldp_at(machine.document_port(port));
    if (!far) continue;
    map.emplace(
        port,
        Map{
            {"lldp",
             Map{
                 {"neighbor",
                  Map{
                      {far->system_name,
                       Map{{"chassis",
                            Map{{"chassis-id", far->chassis_mac},
                                {"system-description", far->system_description},
                                {"system-name", far->system_name}}},
                           {"port",
                            Map{{"description", far->port_description},
                                {"name", far->port_name.empty() ? far->port_mac : far->port_name},
                                {"type", far->port_name.empty() ? "mac" : "ifname"}}}}}}}}}});
  }
  return map;
}

Value mlag(const NvueMachine& machine) {
  const std::string mac = word_at(machine.applied(), {"mlag", "mac-address"});
  if (mac.empty()) return Map{};
  return Map{
      {"debug", "off"},
      {"enable", "on"},
      {"init-delay", 180},
      {"mac-address", mac},
      {"peer-interface", "peerlink.4094"},
      {"priority", 32768}};
}

Value roce(const NvueMachine& machine) {
  const Value* set = find(machine.applied(), {"qos", "roce"});
  if (set == nullptr) return Map{};
  const std::string mode = word_at(machine.applied(), {"qos", "roce", "mode"});
  return Map{
      {"congestion-control", Map{{"congestion-mode", "ECN"}, {"enabled-tc", "0,3"}}},
      {"enable", "on"},
      {"mode", mode.empty() ? "lossless" : mode},
      {"pfc",
       Map{{"pfc-priority", mode == "lossy" ? "-" : "3"},
           {"rx-enabled", "enabled"},
           {"tx-enabled", "enabled"}}},
      {"trust", Map{{"trust-mode", "pcp,dscp"}}}};
}

Value version(const NvueMachine& machine) {
  if (machine.platform == Platform::nvos)
    return Map{
        {"build-date", "Mon Jan 06 22:45:11 UTC 2025"},
        {"image", "nvos-25.02.4002"},
        {"kernel", "5.10.0-8-2-amd64"}};
  return Map{
      {"base-os", "Debian GNU/Linux 12.5"},
      {"image", Map{{"build-date", "Thu May 02 20:27:27 UTC 2024"}, {"build-id", "5.9.1.0037"}}},
      {"kernel", "6.1.0-cl-1-amd64"},
      {"onie", "N/A"},
      {"product-release", "5.9.1"}};
}

}  // namespace

int show(Process& process, NvueMachine& machine) {
  Words path;
  std::string output;
  for (std::size_t i = 2; i < process.arguments.size(); ++i) {
    const std::string& word = process.arguments[i];
    if ((word == "-o" || word == "--output") && i + 1 < process.arguments.size()) {
      output = process.arguments[++i];
    } else if (!word.starts_with("-")) {
      path.push_back(word);
    }
  }
  const std::string asked = join(path, " ");
  std::optional<Value> said;
  if (asked == "interface") said = interfaces(process, machine);
  if (asked == "interface lldp") said = neighbours(process, machine);
  if (asked == "system version") said = version(machine);
  if (asked == "system")
    said = Map{{"health", Map{{"status", "Not OK"}}}, {"hostname", machine.state.hostname}};
  if (machine.platform == Platform::cumulus) {
    if (asked == "mlag") said = mlag(machine);
    if (asked == "qos roce") said = roce(machine);
  } else if (asked == "ib device") {
    said = Map{{"ASIC1", Map{{"lid", 0}, {"type", "QTM"}}}};
  }
  if (path.size() == 3 && path[0] == "interface" && path[2] == "link") {
    const Value all = interfaces(process, machine);
    const Value* link = find(all, {path[1], "link"});
    if (link == nullptr) {
      process.err("Error: The requested item does not exist.\n");
      return 1;
    }
    said = *link;
  }
  if (!said) {
    // So it is for `ib sm` of every release that has none (E-nvos-sm).
    process.err("Error: Invalid Command: show " + asked + "\n");
    return 1;
  }
  if (output != "json") {
    process.err("Error: only -o json is played here\n");
    return 1;
  }
  process.out(to_json_pretty(*said));
  return 0;
}

// The JSON of lldpd, for front ports (E-lldp).
int lldpcli(Process& process) {
  const auto& machine = static_cast<NvueMachine&>(process.machine());
  if (!process.root() || !machine.runs_service("lldpd")) {
    process.err("[lldpctl] unable to connect to lldpd\n");
    return 1;
  }
  List items;
  const auto value = [](const std::string& text) {
    return List{Map{{"value", text}}};
  };
  for (const std::string& port : machine.front_ports()) {
    const auto far = machine.platform == Platform::nvos
                         ? std::nullopt
                         : process.session.network.lldp_at(machine.document_port(port));
    if (!far) continue;
    const bool named = !far->port_name.empty();
    items.emplace_back(
        Map{{"name", port},
            {"via", "LLDP"},
            {"chassis",
             List{
                 Map{{"id", List{Map{{"type", "mac"}, {"value", far->chassis_mac}}}},
                     {"name", value(far->system_name)},
                     {"descr", value(far->system_description)}}}},
            {"port",
             List{
                 Map{{"id",
                      List{
                          Map{{"type", named ? "ifname" : "mac"},
                              {"value", named ? far->port_name : far->port_mac}}}},
                     {"descr", value(far->port_description)}}}}});
  }
  const std::vector<std::string>& words = process.arguments;
  if (std::find(words.begin(), words.end(), "json0") == words.end()) return 0;
  process.out(to_json(Map{{"lldp", List{Map{{"interface", std::move(items)}}}}}) + "\n");
  return 0;
}

}  // namespace fabric::lab::nvue
