// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/host/seen_manager.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/opensm_options.hpp"
#include "engine/platform/owned_file.hpp"
#include "providers/infiniband/parsers/partitions_conf.hpp"
#include "providers/linux/kinds/host/owned_records.hpp"

namespace fabric::providers {

namespace {

// IBTA's code of an MTU.
std::uint32_t mtu_of(std::int64_t code) {
  constexpr std::uint32_t kSmallest = 256;
  return code < 1 || code > 5 ? 0 : kSmallest << static_cast<unsigned>(code - 1);
}

std::string file_of(const NodeFacts& facts, const ResourceAddress& manager, std::string_view end) {
  for (const auto& [path, text] : probed_files(facts, "opensm-files")) {
    const bool is_own = path.starts_with("/etc/") && path.ends_with(end);
    if (is_own && owned_address(facts.node, text) == manager) return text;
  }
  return {};
}

void read_option(SeenManager& found, std::string_view line) {
  const std::vector<std::string_view> words = split_words(line);
  if (words.size() < 2 || words[0].starts_with('#')) return;
  const std::string value{trim(line.substr(line.find(words[0]) + words[0].size()))};
  if (words[0] == "sm_priority") found.manager.priority = parse_integer(value).value_or(0);
  if (words[0] == "routing_engine") found.routing_engine = value;
  if (words[0] == "subnet_prefix") found.subnet_prefix = value;
  if (words[0] == "virt_enabled") found.virtualization = value == "2";
  if (opensm_option_rule(words[0]).is == OpensmOptionClass::settable)
    found.options.emplace(words[0], opensm_value(value));
  if (words[0] == "io_guid_file")
    found.notes.emplace_back("left out: the I/O nodes of its routing engine");
}

// Lines of one P_Key are one partition.
void read_partitions(SeenManager& found, const std::string& text) {
  const Result<PartitionsConf> conf = parse_partitions_conf(text);
  if (!conf) return;
  for (const Partition& line : conf->partitions) {
    const std::uint32_t pkey = line.p_key.value_or(0);
    auto known = std::find_if(
        found.partitions.begin(), found.partitions.end(), [pkey](const SeenPartition& each) {
          return each.pkey == pkey;
        });
    if (known == found.partitions.end()) {
      const std::uint32_t mtu = mtu_of(line.flags.mtu.value_or(0));
      found.partitions.push_back({line.name, pkey, line.ipoib, mtu, {}});
      known = found.partitions.end() - 1;
    }
    for (const PartitionMember& member : line.members) {
      known->members.emplace_back(
          member.keyword ? std::string{keyword_name(*member.keyword)} : member.port->str(),
          membership_name(member.membership));
    }
  }
  if (found.partitions.empty()) return;
  found.mtu = found.partitions.front().mtu;
  // What a document has that says nothing of partitions.
  const SeenPartition& first = found.partitions.front();
  const bool is_plain = found.partitions.size() == 1 && first.name == "Default" &&
                        first.members.size() == 1 && first.members.front().first == "ALL";
  if (is_plain) found.partitions.clear();
}

}  // namespace

std::optional<SeenManager> see_manager(
    const NodeFacts& facts, const Resource& record, const std::string& text) {
  if (text.find("sm_priority") == std::string::npos) return std::nullopt;
  SeenManager found;
  found.network = OwnedRecords::text_of(record, "network");
  const Value* port = OwnedRecords::at(record, "port");
  found.manager.at = {
      facts.node.str(),
      OwnedRecords::text_of(record, "adapter"),
      port != nullptr && port->as_integer() != nullptr ? std::to_string(*port->as_integer()) : "1"};
  for (const std::string_view line : split_lines(text))
    read_option(found, line);
  read_partitions(found, file_of(facts, record.address, ".partitions"));
  const std::string roots = file_of(facts, record.address, ".roots");
  for (const std::string_view line : split_lines(roots))
    if (line.starts_with("0x")) found.root_guids.emplace_back(line);
  return found;
}

}  // namespace fabric::providers
