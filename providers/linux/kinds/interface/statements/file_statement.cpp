// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/statements/file_statement.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::providers {

namespace {

template <std::size_t kSize>
Meaning by_number(const std::string& value, const std::string_view (&names)[kSize]) {
  const auto name = std::find(std::begin(names), std::end(names), value);
  if (name != std::end(names)) return value;
  const auto number = parse_integer(value);
  if (!number || *number < 0 || *number >= static_cast<std::int64_t>(kSize)) return std::nullopt;
  return std::string{names[static_cast<std::size_t>(*number)]};
}

template <std::size_t kSize>
Meaning if_one_of(const std::string& value, const std::string_view (&words)[kSize]) {
  const std::string lower = to_lower(value);
  const bool is_one = std::find(std::begin(words), std::end(words), lower) != std::end(words);
  return is_one ? Meaning{value} : std::nullopt;
}

}  // namespace

Meaning as_written(const std::string& value) {
  return value;
}

Meaning if_no(const std::string& value) {
  constexpr std::string_view kWords[] = {"no", "false", "0", "off", "n", "f"};
  return if_one_of(value, kWords);
}

Meaning if_yes(const std::string& value) {
  constexpr std::string_view kWords[] = {"yes", "true", "1", "on", "y", "t"};
  return if_one_of(value, kWords);
}

Meaning if_empty(const std::string& value) {
  return value.find_first_not_of("; []\"'") == std::string::npos ? Meaning{value} : std::nullopt;
}

Meaning bond_mode(const std::string& value) {
  constexpr std::string_view kNames[] = {
      "balance-rr",
      "active-backup",
      "balance-xor",
      "broadcast",
      "802.3ad",
      "balance-tlb",
      "balance-alb"};
  return by_number(value, kNames);
}

Meaning lacp_rate(const std::string& value) {
  constexpr std::string_view kNames[] = {"slow", "fast"};
  return by_number(value, kNames);
}

Meaning hash_policy(const std::string& value) {
  constexpr std::string_view kNames[] = {
      "layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4", "vlan+srcmac"};
  return by_number(value, kNames);
}

Meaning ad_select(const std::string& value) {
  constexpr std::string_view kNames[] = {"stable", "bandwidth", "count"};
  return by_number(value, kNames);
}

Meaning fail_over_mac(const std::string& value) {
  constexpr std::string_view kNames[] = {"none", "active", "follow"};
  return by_number(value, kNames);
}

Meaning pkey(const std::string& value) {
  const bool hexadecimal = value.starts_with("0x");
  const auto key =
      parse_unsigned(std::string_view{value}.substr(hexadecimal ? 2 : 0), hexadecimal ? 16 : 10);
  if (!key) return std::nullopt;
  return fmt::format("{}", static_cast<std::int64_t>(*key) & kPkeyIdentity);
}

void understand(FileStatement& statement, std::span<const FileWord> words, std::string_view idle) {
  const std::vector<std::string_view> keys = split_words(idle);
  if (std::find(keys.begin(), keys.end(), statement.key) != keys.end()) {
    statement.attribute = said::kNothing;
    statement.meaning = statement.value;
  }
  for (const FileWord& word : words) {
    if (word.key != statement.key) continue;
    Meaning meaning = word.means(statement.value);
    if (!meaning) continue;
    statement.attribute = word.attribute;
    statement.meaning = *std::move(meaning);
    return;
  }
}

void understand_bond(FileStatement& statement, std::string_view prefix) {
  constexpr FileWord kOptions[] = {
      {"mode", "mode", bond_mode},
      {"miimon", "miimon", as_written},
      {"updelay", "updelay", as_written},
      {"downdelay", "downdelay", as_written},
      {"min_links", "min_links", as_written},
      {"lacp_rate", "lacp_rate", lacp_rate},
      {"xmit_hash_policy", "hash_policy", hash_policy},
      {"ad_select", "ad_select", ad_select},
      {"fail_over_mac", "fail_over_mac", fail_over_mac},
      {"primary", "primary", as_written}};
  if (!statement.key.starts_with(prefix)) return;
  std::string key = statement.key.substr(prefix.size());
  std::swap(statement.key, key);
  understand(statement, kOptions);
  std::swap(statement.key, key);
}

std::string prefix_of(std::string_view netmask) {
  const auto length = parse_integer(netmask);
  constexpr std::int64_t kMost = 128;
  if (length && *length >= 0 && *length <= kMost) return fmt::format("/{}", *length);
  const std::vector<std::string_view> bytes = split(netmask, '.');
  if (bytes.size() != 4) return {};
  std::uint32_t bits = 0;
  for (const std::string_view byte : bytes) {
    const auto number = parse_integer(byte);
    if (!number || *number < 0 || *number > 255) return {};
    bits = bits << 8U | static_cast<std::uint32_t>(*number);
  }
  int ones = 0;
  for (; (bits & 0x80000000U) != 0; bits <<= 1U)
    ++ones;
  return bits == 0 ? fmt::format("/{}", ones) : std::string{};
}

void say_route(FileStatement& statement, std::string_view to, std::string_view via) {
  const bool by_default = to.empty() || to == "default" || to == "0.0.0.0/0" || to == "::/0";
  statement.attribute = by_default ? said::kGateway : said::kRoute;
  statement.meaning = by_default ? std::string{via} : fmt::format("{} {}", to, via);
}

void say_route_of(FileStatement& statement, std::string_view command, std::string_view interface) {
  std::vector<std::string_view> words = split_words(command);
  const auto is = [&words](std::size_t at, std::initializer_list<std::string_view> any) {
    return at < words.size() && std::find(any.begin(), any.end(), words[at]) != any.end();
  };
  if (is(1, {"-4", "-6"})) words.erase(words.begin() + 1);
  const bool known = is(0, {"ip", "/sbin/ip", "/bin/ip", "/usr/sbin/ip"}) &&
                     is(1, {"route", "r", "ro"}) && is(2, {"add", "replace", "append"}) &&
                     words.size() > 5 && words[4] == "via";
  const bool here = words.size() == 6 || (words.size() == 8 && words[6] == "dev" &&
                                          is(7, {interface, "$IFACE", "${IFACE}", "\"$IFACE\""}));
  if (known && here) say_route(statement, words[3], words[5]);
}

void add_unread_lines(
    std::vector<FileStatement>& all,
    const std::string& path,
    std::string_view content,
    std::size_t first,
    std::size_t last) {
  std::set<std::size_t> read;
  for (const FileStatement& each : all)
    if (each.file == path) read.insert(each.line);
  std::size_t number = 0;
  bool goes_on = false;
  for (const std::string_view raw : split_lines(content)) {
    ++number;
    const std::string_view line = trim(raw);
    const bool follows = goes_on;
    goes_on = line.ends_with('\\');
    const bool says = !line.empty() && !line.starts_with('#') && !follows;
    if (says && number >= first && number <= last && !read.contains(number))
      all.push_back({path, number, "line", std::string{line}});
  }
}

std::string_view statement_kind(std::string_view path) {
  if (path.find("/systemd/network/") != std::string_view::npos) return "networkd";
  if (path.find("/system-connections/") != std::string_view::npos) return "keyfile";
  if (path.find("/network-scripts/") != std::string_view::npos) return "ifcfg";
  if (path.find("/netplan/") != std::string_view::npos) return "netplan";
  // Files of other folders may be sourced.
  return path.find("/udev/") != std::string_view::npos ? "" : "interfaces";
}

std::vector<FileStatement> file_statements(
    const LinkTarget& target, const ForeignEntry& entry, const FileTexts& files) {
  const std::string* content = text_at(files, entry.path);
  if (content == nullptr) return {};
  const std::string_view kind = statement_kind(entry.path);
  if (kind == "networkd") return networkd_statements(entry, files);
  if (kind == "keyfile") return keyfile_statements(entry, files);
  if (kind == "ifcfg") return ifcfg_statements(target, entry, files);
  if (kind == "netplan") return netplan_statements(target, entry, *content);
  return kind.empty() ? std::vector<FileStatement>{} : ifupdown_statements(entry, *content);
}

}  // namespace fabric::providers
