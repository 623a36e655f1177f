// SPDX-License-Identifier: Apache-2.0
#include "providers/mlnx_os/kinds/channels.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/switch_port.hpp"

namespace fabric::providers::onyx {

namespace {

constexpr std::int64_t kMostOfPairs = 1000;  // E-onyx-mlag

bool has(const std::vector<std::string>& ports, const std::string& port) {
  return std::find(ports.begin(), ports.end(), port) != ports.end();
}

// Numbers of parts of a split port come after all others.
std::optional<std::int64_t> number_of(const std::string& written) {
  constexpr std::int64_t kParts = 1000;
  constexpr std::int64_t kMostParts = 8;
  const auto port = SwitchPort::parse(written);
  if (!port || port->numbers.empty()) return std::nullopt;
  const std::vector<std::int64_t>& numbers = port->numbers;
  return numbers.size() < 3 ? numbers.back() : kParts + numbers[1] * kMostParts + numbers[2];
}

// "channel-group", "mlag-channel-group"
std::string group_of(const std::string& channel) {
  return channel.starts_with("mlag-") ? "mlag-channel-group" : "channel-group";
}

std::string line_mode(const std::string& mode) {
  return mode == "static" ? "on" : "active";
}

}  // namespace

std::string channel_with(const Configuration& tree, const std::vector<std::string>& ports) {
  for (const std::string& port : ports) {
    if (std::string channel = tree.channel_of(port); !channel.empty()) return channel;
  }
  return {};
}

Value members_in(
    const Configuration& tree, const std::string& channel, const std::vector<std::string>& wanted) {
  const std::vector<std::string> found = tree.members_of(channel);
  List list;
  for (const std::string& port : wanted)
    if (has(found, port)) list.emplace_back(port);
  for (const std::string& port : found)
    if (!has(wanted, port)) list.emplace_back(port);
  return list;
}

std::vector<MarkedChannel> channels_of(const Configuration& tree) {
  std::vector<MarkedChannel> channels;
  for (const std::string& line : tree.lines()) {
    const std::vector<std::string_view> words = split_words(line);
    constexpr std::size_t kName = 3;
    if (words.size() != kName || words[0] != "interface" || !words[1].ends_with("port-channel"))
      continue;
    MarkedChannel& channel = channels.emplace_back();
    channel.name = fmt::format("{} {}", words[1], words[2]);
    channel.description =
        tree.after(fmt::format("interface {} description", channel.name)).value_or("");
    channel.ports = tree.members_of(channel.name);
    std::sort(channel.ports.begin(), channel.ports.end(), is_lower_port);
  }
  return channels;
}

Result<std::string> channel_for(
    const Configuration& tree,
    const std::vector<std::string>& ports,
    std::optional<std::int64_t> mlag_id) {
  // Further ports of the channel that belong to no bond of the document.
  const auto others = [&](const std::string& channel) {
    std::vector<std::string> found = tree.members_of(channel);
    std::erase_if(found, [&](const std::string& port) { return has(ports, port); });
    return found;
  };
  if (mlag_id) {
    if (*mlag_id > kMostOfPairs)
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "{} is no number of a channel over a pair (1 to {})", *mlag_id, kMostOfPairs)};
    const std::string channel = fmt::format("mlag-port-channel {}", *mlag_id);
    if (const auto taken = others(channel); !taken.empty() && channel_with(tree, ports) != channel)
      return Error{
          ErrorCode::invalid,
          fmt::format(
              "{} of the switch has other ports ({}); give it another number there",
              channel,
              fmt::join(taken, ", "))};
    return channel;
  }
  if (std::string known = channel_with(tree, ports); known.starts_with("port-channel"))
    return known;
  for (const std::string& port : ports) {
    const auto number = number_of(port);
    if (!number) continue;
    std::string channel = fmt::format("port-channel {}", *number);
    if (tree.members_of(channel).empty()) return channel;
  }
  return Error{
      ErrorCode::invalid,
      fmt::format(
          "the port channels with the numbers of {} have other ports; give them other numbers "
          "there",
          fmt::join(ports, ", "))};
}

void type_leaving(Typed& typed, const Configuration& running, const std::string& port) {
  const std::string channel = running.channel_of(port);
  const std::string start = fmt::format("interface ethernet {} {}", port, group_of(channel));
  typed.type(
      "no " + start,
      fmt::format(
          "{} {} mode {}",
          start,
          channel.substr(channel.find(' ') + 1),
          line_mode(running.mode_of(port))));
}

void type_channel(
    Typed& typed,
    const Configuration& running,
    const std::string& channel,
    const std::vector<std::string>& ports,
    const std::string& mode) {
  if (mode == "lacp" && !running.has("lacp")) typed.type("lacp");  // of the whole switch: it stays
  const std::string start = "interface " + channel;
  if (!running.has(start)) typed.type(start, "no " + start);
  for (const std::string& port : running.members_of(channel))
    if (!has(ports, port)) type_leaving(typed, running, port);
  for (const std::string& port : ports) {
    const std::string before = running.channel_of(port);
    if (before == channel && running.mode_of(port) == mode) continue;
    if (!before.empty()) type_leaving(typed, running, port);
    const std::string group = fmt::format("interface ethernet {} {}", port, group_of(channel));
    typed.type(
        fmt::format("{} {} mode {}", group, channel.substr(channel.find(' ') + 1), line_mode(mode)),
        "no " + group);
  }
}

namespace {

// "9000" of "9000 force"; "1500" where none is set.
std::string mtu_word(const Configuration& tree, const std::string& start) {
  const std::string set = tree.after(start + " mtu").value_or("");
  const std::vector<std::string_view> words = split_words(set);
  return words.empty() ? "1500" : std::string{words.front()};
}

}  // namespace

Reading mtu_at(const Configuration& tree, const std::string& start, const Value& desired) {
  const std::string word = mtu_word(tree, start);
  const auto mtu = parse_integer(word);
  return mtu ? at_least(Reading::of(*mtu), desired)
             : Reading::unknown(fmt::format("mtu '{}' is no number", word));
}

// With `force` the switch shuts the port down for the change (E-onyx-writing).
void type_mtu(
    Typed& typed, const Configuration& running, const std::string& start, const Value& mtu) {
  typed.type(
      fmt::format("{} mtu {} force", start, to_text(mtu)),
      running.has(start) ? fmt::format("{} mtu {} force", start, mtu_word(running, start)) : "");
}

void type_access_vlan(
    Typed& typed, const Configuration& running, const std::string& interface, const Value& id) {
  const std::string start = fmt::format("interface {} switchport access vlan ", interface);
  const std::string before = running.untagged_vlan(interface);
  typed.type(start + to_text(id), before.empty() ? "" : start + before);
}

void type_removal(Typed& typed, const Configuration& running, const std::string& channel) {
  for (const std::string& port : running.members_of(channel))
    type_leaving(typed, running, port);
  // The undo first makes the former channel, and then its members.
  const std::string start = "interface " + channel;
  typed.done.push_back("no " + start);
  std::vector<std::string> back;
  for (const std::string& line : running.lines()) {
    if (line == start || line.starts_with(start + " ")) back.push_back(line);
  }
  typed.undone.insert(typed.undone.begin(), back.begin(), back.end());
}

}  // namespace fabric::providers::onyx
