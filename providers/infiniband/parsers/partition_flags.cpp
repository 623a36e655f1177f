// SPDX-License-Identifier: Apache-2.0
#include "providers/infiniband/parsers/partition_flags.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

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

Result<Guid> port_guid(std::string_view text, std::size_t line) {
  const auto bits = c_number(text);
  if (!bits || *bits == 0)
    return error_at(line, fmt::format("'{}' is no port GUID (0x and hexadecimal digits)", text));
  return Guid{*bits};
}

}  // namespace

PartitionWord partition_word(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {trim(text), std::nullopt};
  return {trim(text.substr(0, equals)), trim(text.substr(equals + 1))};
}

std::optional<std::uint64_t> c_number(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return parse_unsigned(text.substr(2), 16);
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return parse_unsigned(text, 10);
}

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

}  // namespace fabric::providers
