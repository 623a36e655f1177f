// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/subnet_manager/partition_statements.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/infiniband/parsers/partitions_conf.hpp"
#include "providers/linux/kinds/subnet_manager/manager_files.hpp"
#include "providers/linux/kinds/subnet_manager/option_statements.hpp"

namespace fabric::providers {

namespace {

using Class = StatementClass;

constexpr std::int64_t kDefault = 0x7fff;

// Lines of one P_Key are one partition.
struct Joined {
  std::string name;
  std::int64_t pkey = 0;
  bool ipoib = false;
  std::int64_t mtu = 0;  // IBTA's code
  std::size_t line = 1;
  std::vector<PartitionMember> members;
  std::vector<std::pair<std::string, std::size_t>> more;  // that no key says, with lines
};

void add_more(Joined& partition, const Partition& line) {
  const auto add = [&](std::string what) {
    partition.more.emplace_back(std::move(what), line.line);
  };
  const auto flag = [&](const char* name, const std::optional<std::int64_t>& value) {
    if (value) add(fmt::format("{}={}", name, *value));
  };
  flag("rate", line.flags.rate);
  flag("sl", line.flags.sl);
  flag("Q_Key", line.flags.q_key);
  flag("TClass", line.flags.tclass);
  flag("FlowLabel", line.flags.flow_label);
  for (const std::int64_t scope : line.flags.scopes)
    add(fmt::format("scope={}", scope));
  if (line.index0) add("indx0");
  for (const PartitionGroup& group : line.groups)
    partition.more.emplace_back("mgid=" + group.mgid, group.line);
}

std::vector<Joined> joined(const PartitionsConf& conf) {
  std::vector<Joined> partitions;
  for (const Partition& line : conf.partitions) {
    const std::int64_t pkey = line.p_key.value_or(0);
    auto known = std::find_if(partitions.begin(), partitions.end(), [&](const Joined& each) {
      return each.pkey == pkey && pkey != 0;
    });
    if (known == partitions.end()) {
      partitions.push_back({line.name, pkey, false, 0, line.line, {}, {}});
      known = partitions.end() - 1;
    }
    known->ipoib = known->ipoib || line.ipoib;
    if (line.flags.mtu) known->mtu = *line.flags.mtu;
    add_more(*known, line);
    known->members.insert(known->members.end(), line.members.begin(), line.members.end());
  }
  return partitions;
}

std::string text_of(const Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? std::string{} : to_text(found->second);
}

std::int64_t bytes_of(std::int64_t code) {
  constexpr std::int64_t kSmallest = 256;
  return code < 1 || code > 5 ? 0 : kSmallest << (code - 1);
}

class Reader {
 public:
  Reader(const Resource& resource, const std::string& path) : resource_{resource}, path_{path} {}

  void read(const Joined& partition) {
    for (const auto& [what, line] : partition.more)
      add(partition, line, what, Class::not_sayable);
    const Map* document = wanted(partition.pkey);
    if (document == nullptr) {
      read_unsaid(partition);
      return;
    }
    const bool implied = is_implied(*document);
    if (partition.ipoib && text_of(*document, "ipoib") != "true")
      add(partition, partition.line, "ipoib", Class::said_otherwise, "ipoib: false");
    const std::string mtu = text_of(*document, "mtu");
    const std::int64_t bytes = bytes_of(partition.mtu);
    if (bytes != 0 && mtu != std::to_string(bytes)) {
      const std::string what = fmt::format("mtu={}", partition.mtu);
      if (mtu.empty()) {
        add(partition, partition.line, what, Class::sayable, fmt::format("mtu: {}", bytes));
      } else {
        add(partition, partition.line, what, Class::said_otherwise, "mtu: " + mtu);
      }
    }
    for (const PartitionMember& member : last_of_each(partition.members))
      read_member(partition, member, *document, implied);
  }

  std::vector<Statement> statements;

 private:
  const Map* wanted(std::int64_t pkey) const {
    const auto desired = resource_.desired.find(kPartitions);
    const List* list =
        desired == resource_.desired.end() ? nullptr : desired->second.value.as_list();
    for (const Value& each : list == nullptr ? kNone : *list) {
      const Map* map = each.as_map();
      if (map != nullptr && text_of(*map, "pkey") == std::to_string(pkey)) return map;
    }
    return nullptr;
  }

  // Every port has it if its document does not name it.
  static bool is_implied(const Map& partition) {
    const auto members = partition.find("members");
    const List* list = members == partition.end() ? nullptr : members->second.as_list();
    if (text_of(partition, "pkey") != std::to_string(kDefault) || list == nullptr ||
        list->size() != 1 || list->front().as_map() == nullptr)
      return false;
    const Map& only = *list->front().as_map();
    return text_of(only, "who") == "ALL" && text_of(only, "full") == "true";
  }

  // As a document calls it; "" if it can't.
  std::string who(const PartitionMember& member) const {
    if (member.keyword == PartitionKeyword::all) return "ALL";
    if (member.keyword == PartitionKeyword::self) return "SELF";
    if (member.keyword) return {};
    return port_of_guid(resource_, member.port->str());
  }

  static std::string written(const PartitionMember& member) {
    return fmt::format(
        "{}={}",
        member.keyword ? std::string{keyword_name(*member.keyword)} : member.port->str(),
        membership_name(member.membership));
  }

  // Of two that are about the same port OpenSM takes the later one.
  static std::vector<PartitionMember> last_of_each(const std::vector<PartitionMember>& members) {
    std::vector<PartitionMember> last;
    for (const PartitionMember& member : members) {
      std::erase_if(last, [&](const PartitionMember& other) {
        return other.keyword == member.keyword && other.port == member.port;
      });
      last.push_back(member);
    }
    return last;
  }

  void read_member(
      const Joined& partition, const PartitionMember& member, const Map& document, bool implied) {
    const std::string name = who(member);
    if (member.membership == PartitionMembership::both || name.empty()) {
      // `ALL` is more than any single port.
      if (implied && member.membership == PartitionMembership::full) return;
      add(partition, member.line, written(member), Class::not_sayable);
      return;
    }
    const std::string how{membership_name(member.membership)};
    const auto members = document.find("members");
    const List* list = members == document.end() ? nullptr : members->second.as_list();
    const Value* same = nullptr;
    for (const Value& each : list == nullptr ? kNone : *list) {
      if (each.as_map() != nullptr && text_of(*each.as_map(), "who") == name) same = &each;
    }
    const bool full = member.membership == PartitionMembership::full;
    if (same != nullptr && text_of(*same->as_map(), "full") == (full ? "true" : "false")) return;
    if (implied && full) return;
    const std::string document_says = same != nullptr && !implied
                                          ? fmt::format("{}: {}", name, full ? "limited" : "full")
                                          : fmt::format(
                                                "partitions: {{{}: {{{}members: {{{}: {}}}}}}}",
                                                key_of(partition),
                                                implied ? "pkey: \"0x7fff\", " : "",
                                                name,
                                                how);
    add(partition,
        member.line,
        written(member),
        same != nullptr && !implied ? Class::said_otherwise : Class::sayable,
        document_says);
  }

  void read_unsaid(const Joined& partition) {
    std::string members;
    bool sayable = partition.pkey != 0;
    for (const PartitionMember& member : last_of_each(partition.members)) {
      const std::string name = who(member);
      if (member.membership == PartitionMembership::both || name.empty()) {
        sayable = false;
        continue;
      }
      members += fmt::format(
          "{}{}: {}", members.empty() ? "" : ", ", name, membership_name(member.membership));
    }
    const std::int64_t bytes = bytes_of(partition.mtu);
    const std::string yaml = fmt::format(
        "partitions: {{{}: {{pkey: \"0x{:04x}\"{}{}, members: {{{}}}}}}}",
        key_of(partition),
        partition.pkey,
        partition.ipoib ? ", ipoib: true" : "",
        bytes == 0 ? "" : fmt::format(", mtu: {}", bytes),
        members);
    std::string value =
        partition.pkey == 0 ? std::string{} : fmt::format("0x{:04x}", partition.pkey);
    for (const PartitionMember& member : partition.members) {
      if (who(member).empty() || member.membership == PartitionMembership::both)
        value += " " + written(member);
    }
    add(partition,
        partition.line,
        std::string{trim(value)},
        sayable ? Class::sayable : Class::not_sayable,
        sayable ? yaml : "");
  }

  static std::string key_of(const Joined& partition) {
    return partition.name.empty() ? fmt::format("p{:04x}", partition.pkey) : partition.name;
  }

  void add(
      const Joined& partition,
      std::size_t line,
      std::string value,
      StatementClass said,
      std::string instead = {}) {
    statements.push_back(
        {"partitions", key_of(partition), std::move(value), path_, line, said, std::move(instead)});
  }

  static inline const List kNone{};
  const Resource& resource_;
  const std::string& path_;
};

}  // namespace

std::vector<Statement> partition_statements(
    const Resource& resource, const std::string& path, const std::string& text) {
  const Result<PartitionsConf> conf = parse_partitions_conf(text);
  if (!conf)
    return {{"partitions", "unreadable", conf.error().message, path, 1, Class::not_sayable, {}}};
  Reader reader{resource, path};
  for (const Joined& partition : joined(*conf))
    reader.read(partition);
  return std::move(reader.statements);
}

}  // namespace fabric::providers
