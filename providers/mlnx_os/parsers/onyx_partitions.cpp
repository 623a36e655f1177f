// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/mlnx_os/parsers/onyx_show.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

// "PKey      = 0x7FFF", "PKey : 0x7FFF", "ipoib: yes"
std::optional<KeyValue> setting(std::string_view line) {
  const std::size_t at = line.find_first_of(":=");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view key = trim(line.substr(0, at));
  const std::string_view value = trim(line.substr(at + 1));
  if (key.empty() || value.empty() || key.find(' ') != std::string_view::npos) return std::nullopt;
  return KeyValue{key, value};
}

// Between the quotes behind "GUID=".
std::string_view quoted(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + key.size());
  const std::size_t end = rest.find('\'', 1);
  if (!rest.starts_with('\'') || end == std::string_view::npos) return {};
  return rest.substr(1, end - 1);
}

std::optional<std::uint16_t> key_of(std::string_view text) {
  constexpr std::uint64_t kIdentity = 0x7fff;
  if (!to_lower(text).starts_with("0x")) return std::nullopt;
  const auto number = parse_unsigned(text.substr(2), 16);
  if (!number || *number > 0xffff) return std::nullopt;
  return static_cast<std::uint16_t>(*number & kIdentity);
}

std::string_view without_colon(std::string_view line) {
  return line.ends_with(':') ? trim(line.substr(0, line.size() - 1)) : line;
}

class OnyxPartitionsReader {
 public:
  Result<std::vector<OnyxPartition>> read(std::string_view text) {
    std::size_t number = 0;
    for (const std::string_view each : split_lines(text)) {
      ++number;
      const std::string_view line = trim(each);
      if (line.starts_with('%'))
        return error_at(number, fmt::format("the switch refused: {}", trim(line.substr(1))));
      if (!line.empty()) FABRIC_TRY(read_line(line, number));
    }
    if (partitions_.empty()) return error_at(1, "no partition is printed");
    FABRIC_TRY(ended());
    return std::move(partitions_);
  }

 private:
  Result<std::monostate> read_line(std::string_view line, std::size_t number) {
    if (line.starts_with("GUID=")) return member(line, number);
    if (const auto found = setting(line)) return apply(*found, number);
    const std::string_view name = without_colon(line);
    if (name == "members") return std::monostate{};
    if (name.find_first_of(" \t='") != std::string_view::npos)
      return error_at(
          number, fmt::format("expected a partition or a line of one, found '{}'", line));
    FABRIC_TRY(ended());
    partitions_.push_back({std::string{name}, 0, std::nullopt, {}});
    begun_ = number;
    return std::monostate{};
  }

  // Nothing more comes of the last one.
  Result<std::monostate> ended() const {
    if (!partitions_.empty() && partitions_.back().pkey == 0)
      return error_at(begun_, fmt::format("partition '{}' has no PKey", partitions_.back().name));
    return std::monostate{};
  }

  Result<std::monostate> member(std::string_view line, std::size_t number) {
    const std::string_view who = quoted(line, "GUID=");
    const std::string_view membership = quoted(line, "member=");
    if (partitions_.empty() || who.empty() || membership.empty())
      return error_at(number, fmt::format("no member: '{}'", line));
    partitions_.back().members.push_back(
        {who == "ALL" ? "ALL" : to_lower(who), to_lower(membership)});
    return std::monostate{};
  }

  Result<std::monostate> apply(const KeyValue& found, std::size_t number) {
    if (partitions_.empty())
      return error_at(number, fmt::format("'{}' of no partition", found.key));
    OnyxPartition& partition = partitions_.back();
    if (to_lower(found.key) == "pkey") partition.pkey = key_of(found.value).value_or(0);
    if (to_lower(found.key) == "ipoib") partition.ipoib = to_lower(found.value) == "yes";
    return std::monostate{};
  }

  std::vector<OnyxPartition> partitions_;
  std::size_t begun_ = 1;  // the line of the last one
};

}  // namespace

Result<std::vector<OnyxPartition>> parse_onyx_partitions(std::string_view text) {
  return OnyxPartitionsReader{}.read(text);
}

Value to_value(const std::vector<OnyxPartition>& partitions) {
  List list;
  for (const OnyxPartition& partition : partitions) {
    List members;
    for (const OnyxPartition::Member& member : partition.members)
      members.emplace_back(Map{{"who", member.who}, {"member", member.membership}});
    Map map{
        {"name", partition.name},
        {"pkey", fmt::format("0x{:04x}", partition.pkey)},
        {"members", std::move(members)}};
    if (partition.ipoib) map.emplace("ipoib", *partition.ipoib);
    list.emplace_back(std::move(map));
  }
  return list;
}

}  // namespace fabric::providers
