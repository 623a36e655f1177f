// SPDX-License-Identifier: Apache-2.0
#include "providers/infiniband/parsers/partitions_conf.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/lists.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

// Words of partitions.conf: OpenSM takes any beginning of a word for the word, in its own order.
// Part of partitions_conf.hpp.

// "mtu = 5" as name and value, blanks removed; nullopt: no "=".
struct PartitionWord {
  std::string_view name;
  std::optional<std::string_view> value;
};
// Collects warnings, with the present line.
struct PartitionWarnings {
  std::vector<ToolNote>* list;
  std::size_t line;

  void add(std::string text) const { list->push_back({line, std::move(text)}); }
};

constexpr std::uint64_t kLargestFlowLabel = 0xFFFFF;

struct GroupFlag {
  std::string_view name;
  std::optional<std::int64_t> PartitionGroupFlags::*member;  // null: scope, of which many may stand
  std::uint64_t smallest, largest;
};

// In OpenSM's order, which decides what "s" and "m" mean.
constexpr GroupFlag kGroupFlags[] = {
    {"mtu", &PartitionGroupFlags::mtu, 1, 5},
    {"rate", &PartitionGroupFlags::rate, 2, 22},
    {"scope", nullptr, 1, 15},
    {"Q_Key", &PartitionGroupFlags::q_key, 1, UINT32_MAX},
    {"TClass", &PartitionGroupFlags::tclass, 1, UINT8_MAX},
    {"sl", &PartitionGroupFlags::sl, 0, 15},
    {"FlowLabel", &PartitionGroupFlags::flow_label, 0, kLargestFlowLabel},
};

struct NamedMembership {
  std::string_view name;
  PartitionMembership membership;
};

constexpr NamedMembership kMemberships[] = {
    {"full", PartitionMembership::full},
    {"both", PartitionMembership::both},
    {"limited", PartitionMembership::limited},
};

struct Keyword {
  std::string_view name;
  PartitionKeyword keyword;
};

constexpr Keyword kKeywords[] = {
    {"ALL", PartitionKeyword::all},
    {"ALL_CAS", PartitionKeyword::all_cas},
    {"ALL_SWITCHES", PartitionKeyword::all_switches},
    {"ALL_ROUTERS", PartitionKeyword::all_routers},
    {"SELF", PartitionKeyword::self},
};

// The first row whose name begins with `text`; null if none does.
template <class Row, std::size_t count>
const Row* meant(const Row (&table)[count], std::string_view text) {
  const auto* const found =
      std::find_if(std::begin(table), std::end(table), [text](const Row& row) {
        return !text.empty() && row.name.starts_with(text);
      });
  return found == std::end(table) ? nullptr : found;
}

void warn_short(std::string_view text, std::string_view name, const PartitionWarnings& warnings) {
  if (text != name) warnings.add(fmt::format("OpenSM takes '{}' for '{}'", text, name));
}

// A number as C reads it: 0x for hexadecimal. One that C would take for octal is refused (nullopt).
std::optional<std::uint64_t> c_number(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return parse_unsigned(text.substr(2), 16);
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return parse_unsigned(text, 10);
}

Result<Guid> port_guid(std::string_view text, std::size_t line) {
  const auto bits = c_number(text);
  if (!bits || *bits == 0)
    return error_at(line, fmt::format("'{}' is no port GUID (0x and hexadecimal digits)", text));
  return Guid{*bits};
}

PartitionWord partition_word(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {trim(text), std::nullopt};
  return {trim(text.substr(0, equals)), trim(text.substr(equals + 1))};
}

// False: no flag of a group. A value that OpenSM would skip is a warning and is left out.
bool read_group_flag(
    const PartitionWord& word, PartitionGroupFlags& flags, const PartitionWarnings& warnings) {
  const GroupFlag* flag = meant(kGroupFlags, word.name);
  if (flag == nullptr) return false;
  warn_short(word.name, flag->name, warnings);
  const auto value = word.value ? c_number(*word.value) : std::nullopt;
  if (!value || *value < flag->smallest || *value > flag->largest) {
    warnings.add(fmt::format(
        "{} is no code of {} ({} to {}): it has no effect",
        word.value ? fmt::format("'{}'", *word.value) : "nothing",
        flag->name,
        flag->smallest,
        flag->largest));
    return true;
  }
  const auto number = static_cast<std::int64_t>(*value);
  if (flag->member == nullptr) {
    flags.scopes.push_back(number);
  } else {
    flags.*(flag->member) = number;
  }
  return true;
}

// A flag of the definition: ipoib, defmember, indx0 or one of the group.
void read_partition_flag(
    const PartitionWord& word, Partition& partition, const PartitionWarnings& warnings) {
  constexpr std::string_view kIpoib = "ipoib";
  constexpr std::string_view kDefaultMember = "defmember";
  constexpr std::string_view kIndex0 = "indx0";
  if (word.name.empty()) {
    warnings.add("an empty flag: it has no effect");
  } else if (read_group_flag(word, partition.flags, warnings)) {
    // Done.
  } else if (kIpoib.starts_with(word.name)) {
    warn_short(word.name, kIpoib, warnings);
    partition.ipoib = true;
  } else if (kDefaultMember.starts_with(word.name)) {
    warn_short(word.name, kDefaultMember, warnings);
    const NamedMembership* membership = meant(kMemberships, word.value.value_or(""));
    if (membership != nullptr) {
      warn_short(*word.value, membership->name, warnings);
      partition.default_membership = membership->membership;
    } else {
      warnings.add("'defmember' is none of full, limited, both: it has no effect");
    }
  } else if (kIndex0.starts_with(word.name)) {
    warn_short(word.name, kIndex0, warnings);
    partition.index0 = true;
  } else {
    warnings.add(fmt::format("OpenSM knows no flag '{}': it has no effect", word.name));
  }
}

// "ALL=full", "0x12ab". Nullopt: nothing, as between two commas, or NONE.
Result<std::optional<PartitionMember>> read_member(
    const PartitionWord& word,
    PartitionMembership default_membership,
    const PartitionWarnings& warnings) {
  constexpr std::string_view kNone = "NONE";
  if (word.name.empty() && !word.value) return std::optional<PartitionMember>{};
  if (!word.name.empty() && kNone.starts_with(word.name)) return std::optional<PartitionMember>{};
  PartitionMember member;
  member.line = warnings.line;
  member.membership = default_membership;
  if (const Keyword* keyword = meant(kKeywords, word.name)) {
    warn_short(word.name, keyword->name, warnings);
    member.keyword = keyword->keyword;
  } else {
    member.port = FABRIC_TRY(port_guid(word.name, warnings.line));
  }
  if (!word.value) return std::optional{member};
  // OpenSM takes nothing for "full", its documentation for "limited".
  if (word.value->empty())
    return error_at(warnings.line, fmt::format("'{}=' has no membership", word.name));
  const NamedMembership* membership = meant(kMemberships, *word.value);
  if (membership != nullptr) {
    warn_short(*word.value, membership->name, warnings);
    member.membership = membership->membership;
  } else {
    warnings.add(fmt::format("OpenSM takes membership '{}' for limited", *word.value));
    member.membership = PartitionMembership::limited;
  }
  return std::optional{member};
}

constexpr std::uint64_t kMembershipBit = 0x8000;
constexpr std::uint64_t kKeyBits = 0x7FFF;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Nullopt: no multicast GID.
std::optional<std::string> multicast_gid(std::string_view text) {
  std::array<unsigned char, 16> bytes{};
  if (inet_pton(AF_INET6, std::string{text}.c_str(), bytes.data()) != 1 || bytes[0] != 0xff)
    return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> printed{};
  if (inet_ntop(AF_INET6, bytes.data(), printed.data(), printed.size()) == nullptr)
    return std::nullopt;
  return std::string{printed.data()};
}

class PartitionsConfReader {
 public:
  Result<PartitionsConf> read(std::string_view text) {
    for (const std::string_view line : split_lines(text)) {
      ++number_;
      if (line.size() > kPartitionLineLimit)
        return error_at(
            number_,
            fmt::format("longer than the {} characters OpenSM reads", kPartitionLineLimit));
      FABRIC_TRY(read_line(line.substr(0, line.find('#'))));
    }
    // OpenSM continues with the part that it has; fabric can't know what is missing.
    if (open_) return error_at(number_, "the last partition has no ';': the file may be cut");
    return std::move(conf_);
  }

 private:
  PartitionWarnings warnings() { return {&conf_.warnings, number_}; }

  Result<std::monostate> read_line(std::string_view line) {
    while (!trim(line).empty()) {
      const std::size_t end = line.find(';');
      FABRIC_TRY(read_part(trim(line.substr(0, end))));
      if (end == std::string_view::npos) break;
      open_ = false;
      line = line.substr(end + 1);
    }
    return std::monostate{};
  }

  // Reads one line up to ';'.
  Result<std::monostate> read_part(std::string_view text) {
    if (!open_) {
      const std::size_t colon = text.find(':');
      if (colon == std::string_view::npos)
        return error_at(
            number_,
            fmt::format("expected NAME=PKEY,FLAGS: on one line, found '{}' without ':'", text));
      FABRIC_TRY(read_definition(text.substr(0, colon)));
      open_ = true;
      text = text.substr(colon + 1);
    }
    return read_properties(text);
  }

  // "Default=0x7fff, ipoib, mtu=5"
  Result<std::monostate> read_definition(std::string_view text) {
    const std::vector<std::string_view> words = split(text, ',');
    PartitionWord word = partition_word(words.front());
    // A number alone is a P_Key without a name.
    if (!word.value && !word.name.empty() && is_digit(word.name.front()))
      std::swap(word.name, word.value.emplace());
    Partition partition;
    partition.line = number_;
    partition.name = word.name;
    if (word.value) partition.p_key = FABRIC_TRY(p_key(*word.value));
    for (std::size_t index = 1; index < words.size(); ++index)
      read_partition_flag(partition_word(words[index]), partition, warnings());
    conf_.partitions.push_back(std::move(partition));
    return std::monostate{};
  }

  Result<std::uint16_t> p_key(std::string_view text) const {
    const auto value = c_number(text);
    if (!value || *value > (kMembershipBit | kKeyBits) || (*value & kKeyBits) == 0)
      return error_at(
          number_,
          fmt::format("'{}' is no P_Key: expected 0x0001 to 0x7fff, or with bit 15", text));
    return static_cast<std::uint16_t>(*value & kKeyBits);
  }

  // "ALL=full, 0x12ab", or "mgid=ff12::1,sl=1" to the end.
  Result<std::monostate> read_properties(std::string_view text) {
    const std::vector<std::string_view> words = split(text, ',');
    for (std::size_t index = 0; index < words.size(); ++index) {
      const PartitionWord word = partition_word(words[index]);
      if (word.name == "mgid") return read_group(word, std::span{words}.subspan(index + 1));
      Partition& partition = conf_.partitions.back();
      const std::optional<PartitionMember> member =
          FABRIC_TRY(read_member(word, partition.default_membership, warnings()));
      if (member) partition.members.push_back(*member);
    }
    return std::monostate{};
  }

  Result<std::monostate> read_group(
      const PartitionWord& word, std::span<const std::string_view> flags) {
    const std::string_view text = word.value.value_or("");
    const auto mgid = multicast_gid(text);
    if (!mgid) return error_at(number_, fmt::format("'{}' is no multicast GID", text));
    PartitionGroup group;
    group.mgid = *mgid;
    group.line = number_;
    for (const std::string_view each : flags) {
      const PartitionWord flag = partition_word(each);
      if (!read_group_flag(flag, group.flags, warnings()))
        warnings().add(fmt::format("OpenSM knows no flag '{}': it has no effect", flag.name));
    }
    conf_.partitions.back().groups.push_back(std::move(group));
    return std::monostate{};
  }

  std::size_t number_ = 0;
  PartitionsConf conf_;
  bool open_ = false;  // between the ':' of a definition and its ';'
};

Map flags_map(const PartitionGroupFlags& flags) {
  Map map;
  put(map, "mtu", flags.mtu);
  put(map, "rate", flags.rate);
  put(map, "sl", flags.sl);
  put(map, "q_key", flags.q_key);
  put(map, "tclass", flags.tclass);
  put(map, "flow_label", flags.flow_label);
  List scopes = to_list(flags.scopes);
  if (!scopes.empty()) map.emplace("scopes", std::move(scopes));
  return map;
}

Value member_value(const PartitionMember& member) {
  Map map{
      {"membership", membership_name(member.membership)},
      {"line", static_cast<std::int64_t>(member.line)}};
  if (member.keyword) map.emplace("keyword", keyword_name(*member.keyword));
  if (member.port) map.emplace("port_guid", member.port->str());
  return map;
}

Value partition_value(const Partition& partition) {
  Map map{
      {"ipoib", partition.ipoib},
      {"index0", partition.index0},
      {"default_membership", membership_name(partition.default_membership)},
      {"flags", flags_map(partition.flags)},
      {"line", static_cast<std::int64_t>(partition.line)}};
  if (!partition.name.empty()) map.emplace("name", partition.name);
  if (partition.p_key) map.emplace("p_key", fmt::format("0x{:04x}", *partition.p_key));
  map.emplace("members", to_list(partition.members, member_value));
  List groups;
  for (const PartitionGroup& group : partition.groups) {
    Map value = flags_map(group.flags);
    value.emplace("mgid", group.mgid);
    value.emplace("line", static_cast<std::int64_t>(group.line));
    groups.emplace_back(std::move(value));
  }
  map.emplace("groups", std::move(groups));
  return map;
}

}  // namespace

std::string_view membership_name(PartitionMembership membership) {
  const auto* const found = std::find_if(
      std::begin(kMemberships), std::end(kMemberships), [membership](const NamedMembership& each) {
        return each.membership == membership;
      });
  return found->name;
}

std::string_view keyword_name(PartitionKeyword keyword) {
  return kKeywords[static_cast<std::size_t>(keyword)].name;
}

Result<PartitionsConf> parse_partitions_conf(std::string_view text) {
  return PartitionsConfReader{}.read(text);
}

Value to_value(const PartitionsConf& conf) {
  return Map{
      {"partitions", to_list(conf.partitions, partition_value)},
      {"warnings", to_value(conf.warnings)}};
}

}  // namespace fabric::providers
