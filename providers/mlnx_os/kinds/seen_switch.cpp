// SPDX-License-Identifier: Apache-2.0
// The facts of a switch with MLNX-OS or Onyx that can be written into a document.

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/mlnx_os/kinds/rows.hpp"
#include "providers/mlnx_os/kinds/switch_facts.hpp"
#include "providers/mlnx_os/parsers/onyx_show.hpp"

namespace fabric::providers::onyx {

namespace {

// "0xe41d2d0300156e80" of "e4:1d:2d:03:00:15:6e:80".
std::string member_of(const std::string& who) {
  if (who.find(':') == std::string::npos) return who;
  std::string digits = "0x";
  for (const char c : who)
    if (c != ':') digits += c;
  return digits;
}

class SeenSwitchReader {
 public:
  explicit SeenSwitchReader(const NodeFacts& facts) : facts_{facts}, found_{facts} {}

  SeenNode read() {
    seen_.name = facts_.node.str();
    seen_.node.is_switch = true;
    seen_.node.platform = to_string(facts_.platform);
    if (!found_.running) {
      seen_.node.notes.push_back(
          "CHANGE: the configuration of this switch could not be read: " +
          found_.running.error().message);
      return std::move(seen_);
    }
    if (found_.ethernet) read_ports(*found_.ethernet, false);
    if (found_.infiniband) read_ports(*found_.infiniband, true);
    read_pair();
    read_manager();
    if (const auto roce = answer(facts_, kRoceProbe)) {
      const auto parsed = parse_onyx_roce(*roce);
      if (parsed && !parsed->mode.empty() && parsed->mode != "N/A")
        seen_.node.notes.push_back(fmt::format(
            "the switch runs RoCE in mode {}: write `qos` in its networks to keep that",
            parsed->mode));
    }
    return std::move(seen_);
  }

 private:
  void read_ports(const OnyxShow& show, bool infiniband) {
    for (const OnyxSection& section : show.sections) {
      if (section.headings.size() != 1) continue;
      std::string port = section.headings.front();
      // "Eth1/7", "IB1/7 state"
      port = port.substr(0, port.find(' '));
      const std::size_t digit = port.find_first_of("0123456789");
      if (digit == std::string::npos) continue;
      port = port.substr(digit);
      SeenSwitchPort& added = seen_.switch_ports.emplace_back();
      added.port = port;
      added.infiniband = infiniband;
      for (const OnyxEntry& entry : section.entries) {
        const std::string value = to_lower(entry.value.value_or(""));
        if (entry.key == "Operational state") added.has_link = value == "up";
        if (entry.key == "Physical port state") added.has_link = value == "linkup";
      }
      if (infiniband) continue;
      const std::string channel = found_.running->channel_of(port);
      added.channel = found_.running->mode_of(port);
      const std::string interface = channel.empty() ? "ethernet " + port : channel;
      const auto vlan =
          found_.running->after(fmt::format("interface {} switchport access vlan", interface));
      const auto id = vlan ? parse_integer(trim(*vlan)) : std::nullopt;
      if (id && *id > 1) added.access_vlan = static_cast<std::uint32_t>(*id);
    }
  }

  // "interface port-channel 1 ipl 1", "interface vlan 4000 ipl 1 peer-address 10.0.0.2",
  // "mlag-vip rack7 ip 192.0.2.9 /24 force", "mlag system-mac 00:00:5E:00:01:5D"
  void read_pair() {
    description::Mlag mlag;
    std::string link;
    for (const std::string& line : found_.running->lines()) {
      const std::vector<std::string_view> words = split_words(line);
      if (words.size() > 3 && words[0] == "interface" && words[3] == "ipl") {
        if (words[1] == "port-channel") link = fmt::format("port-channel {}", words[2]);
        if (words[1] == "vlan")
          mlag.vlan = static_cast<std::uint32_t>(parse_unsigned(words[2], 10).value_or(0));
      }
      if (words.size() > 3 && words[0] == "mlag-vip" && words[2] == "ip") {
        mlag.domain = words[1];
        mlag.vip = words[3];
        if (words.size() > 4 && words[4].starts_with('/')) mlag.vip += words[4];
      }
      if (words.size() == 3 && words[0] == "mlag" && words[1] == "system-mac")
        mlag.system_mac = to_lower(words[2]);
    }
    if (link.empty()) return;
    mlag.ipl = found_.running->members_of(link);
    seen_.node.mlag.push_back(std::move(mlag));
  }

  std::string word(const char* probe) const {
    const auto text = answer(facts_, probe);
    return text ? to_lower(trim(*text)) : "";
  }

  void read_manager() {
    if (!word(kManagerProbe).starts_with("enable")) return;
    SeenManager manager;
    manager.of_switch = true;
    manager.manager.at = {seen_.name, "", ""};
    manager.manager.priority = parse_integer(word(kManagerPriorityProbe)).value_or(0);
    manager.virtualization = word(kManagerVirtProbe).starts_with("enable");
    if (const auto text = answer(facts_, kPartitionsProbe)) {
      if (const auto partitions = parse_onyx_partitions(*text))
        read_partitions(manager, *partitions);
    }
    seen_.managers.push_back(std::move(manager));
  }

  static void read_partitions(SeenManager& manager, const std::vector<OnyxPartition>& partitions) {
    const bool is_plain = partitions.size() == 1 && partitions.front().members.size() == 1 &&
                          partitions.front().members.front().who == "ALL";
    if (is_plain) return;
    for (const OnyxPartition& each : partitions) {
      SeenPartition& added = manager.partitions.emplace_back();
      added.name = each.name;
      added.pkey = each.pkey;
      added.ipoib = each.ipoib.value_or(false);
      for (const OnyxPartition::Member& member : each.members)
        added.members.emplace_back(member_of(member.who), member.membership);
    }
  }

  const NodeFacts& facts_;
  SwitchFacts found_;
  SeenNode seen_;
};

}  // namespace

SeenNode see_switch(const NodeFacts& facts) {
  return SeenSwitchReader{facts}.read();
}

}  // namespace fabric::providers::onyx
