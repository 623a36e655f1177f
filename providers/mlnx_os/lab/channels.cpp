// SPDX-License-Identifier: Apache-2.0
// The output of a switch with Onyx about its port channels: E-onyx-channel-members.
#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/mlnx_os/lab/prompt.hpp"

namespace fabric::lab::mlnxos {

namespace {

constexpr std::string_view kInterface = "interface ";

// "port-channel 4"
std::vector<std::string> channels_of(const MlnxosMachine& machine, bool of_pair) {
  const std::string kind = of_pair ? "mlag-port-channel" : "port-channel";
  std::vector<std::string> channels;
  for (const std::string& line : machine.running) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() == 3 && line.starts_with(kInterface) && words[1] == kind)
      channels.push_back(line.substr(kInterface.size()));
  }
  return channels;
}

using Aggregate = std::pair<std::string, std::uint32_t>;  // system and key

// The partner that most members hear, of equals the first: a member that hears another one is left
// out (E-onyx-channel-members).
std::optional<Aggregate> partner_of(const Network& network, const std::vector<PortRef>& members) {
  std::vector<std::pair<Aggregate, int>> heard;
  for (const PortRef& port : members) {
    const auto partner = network.lacp_at(port);
    if (!partner) continue;
    const Aggregate told{partner->system, partner->key};
    const auto known = std::find_if(
        heard.begin(), heard.end(), [&told](const auto& each) { return each.first == told; });
    if (known == heard.end()) {
      heard.emplace_back(told, 1);
    } else {
      ++known->second;
    }
  }
  const auto most = std::max_element(
      heard.begin(), heard.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == heard.end() ? std::nullopt : std::optional{most->first};
}

// "Eth1/7(P)" each.
std::string members_text(
    const MlnxosMachine& machine, const Network& network, const std::string& channel, bool& up) {
  std::vector<PortRef> ports;
  for (const std::string& port : machine.front_ports()) {
    if (machine.channel_interface_of(port) == channel) ports.push_back({machine.name(), "", port});
  }
  const auto aggregate = partner_of(network, ports);
  std::vector<std::string> members;
  for (const PortRef& port : ports) {
    const auto own = machine.switch_port(port.port);
    char state = 'P';
    if (!own || !own->enabled || !network.has_link(port)) {
      state = 'D';
    } else if (own->lacp) {
      const auto partner = network.lacp_at(port);
      if (!partner) {
        state = 'I';
      } else if (Aggregate{partner->system, partner->key} != *aggregate) {
        state = 'S';
      }
    }
    up = up || state == 'P';
    members.push_back(fmt::format("Eth{}({})", port.port, state));
  }
  return join(members, " ");
}

bool speaks_lacp(const MlnxosMachine& machine, const std::string& channel) {
  for (const std::string& port : machine.front_ports()) {
    if (machine.channel_interface_of(port) != channel) continue;
    const auto own = machine.switch_port(port);
    return own && own->lacp.has_value();
  }
  return false;
}

}  // namespace

// E-onyx-channel-members. What the other switch of a pair has in its column is not known here.
std::string show_channels(const MlnxosMachine& machine, const Network& network, bool of_pair) {
  const std::string rule(71, '-');
  std::string text = of_pair
                         ? "\nMLAG Port-Channel Flags: D-Down, U-Up\n"
                           "                         P-Partial UP, S - suspended by MLAG\n\nPort "
                         : "\n";
  text +=
      "Flags: D - Down, U - Up, P - Up in port-channel (members)\n"
      "       S - Suspend in port-channel (members), I - Individual\n" +
      rule + "\nGroup Port-      Type       Member Ports\nChannel\n" + rule + "\n";
  std::size_t row = 0;
  for (const std::string& channel : channels_of(machine, of_pair)) {
    bool up = false;
    const std::string members = members_text(machine, network, channel, up);
    text += fmt::format(
        "{} {:<14} {:<10} {}{}\n",
        ++row,
        fmt::format(
            "{}{}({})",
            of_pair ? "Mpo" : "Po",
            channel.substr(channel.find(' ') + 1),
            up ? 'U' : 'D'),
        speaks_lacp(machine, channel) ? "LACP" : "Static",
        members.empty() && of_pair ? "N/A" : members,
        of_pair ? "    N/A" : "");
  }
  return text;
}

}  // namespace fabric::lab::mlnxos
