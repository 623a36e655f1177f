// SPDX-License-Identifier: Apache-2.0
#include "engine/model/opensm_options.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <optional>
#include <vector>

#include "engine/base/text.hpp"

namespace fabric {

namespace {

using Class = OpensmOptionClass;

struct Known {
  std::string_view name;
  OpensmOptionRule rule;
};

constexpr std::string_view kUnit = "fabric, whose unit runs OpenSM and reads its log";

// Options that must be named here, and others whose words would give a wrong class.
constexpr std::array<Known, 25> kKnown{
    {{"guid", {Class::decided, "`port` under `subnet_managers`"}},
     {"sm_priority", {Class::decided, "`priority` under `subnet_managers`"}},
     {"sm_inactive", {Class::decided, "`subnet_managers`, which place the managers"}},
     {"subnet_prefix", {Class::decided, "`subnet_prefix`"}},
     {"routing_engine", {Class::decided, "`routing_engine`"}},
     {"virt_enabled", {Class::decided, "`virtualization`"}},
     {"root_guid_file", {Class::decided, "`roots`"}},
     {"io_guid_file", {Class::decided, "`io`"}},
     {"partition_config_file", {Class::decided, "`partitions` of the network"}},
     {"daemon", {Class::decided, kUnit}},
     {"force_log_flush", {Class::decided, kUnit}},
     {"console", {Class::opens, {}}},
     {"console_port", {Class::opens, {}}},
     {"accum_log_file", {}},
     {"honor_guid2lid_file", {}},
     {"torus_config", {Class::path, {}}},
     {"node_name_map_name", {Class::path, {}}},
     // Switches of keys, not the keys.
     {"m_key_lookup", {}},
     {"m_key_lease_period", {}},
     {"m_key_protection_level", {}},
     {"m_key_per_port", {}},
     {"cc_key_enable", {}},
     {"vs_key_enable", {}},
     {"n2n_key_enable", {}},
     {"fsync_high_avail_files", {}}}};

bool has_word(std::string_view name, std::initializer_list<std::string_view> words) {
  const std::vector<std::string_view> parts = split(name, '_');
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return std::find(words.begin(), words.end(), part) != words.end();
  });
}

constexpr std::size_t kLongestValue = 512;  // OpenSM reads 1022 characters of a line

// OpenSM reads numbers as C does: "0x12" is 18, and "012" is 10.
std::optional<std::int64_t> number_of(std::string_view text) {
  if (text.size() < 2 || text.front() != '0') return parse_integer(text);
  const bool is_hex = text[1] == 'x' || text[1] == 'X';
  const auto bits = is_hex ? parse_unsigned(text.substr(2), 16) : parse_unsigned(text, 8);
  if (!bits || *bits > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return std::nullopt;
  return static_cast<std::int64_t>(*bits);
}

}  // namespace

OpensmOptionRule opensm_option_rule(std::string_view name) {
  const auto* const known = std::find_if(
      kKnown.begin(), kKnown.end(), [&](const Known& each) { return each.name == name; });
  if (known != kKnown.end()) return known->rule;
  const std::string lower = to_lower(name);
  if (has_word(lower, {"plugin", "plugins", "console", "script", "exec", "command", "cmd"}))
    return {Class::opens, {}};
  if (has_word(lower, {"file", "files", "dir", "path", "folder", "filename", "socket"}))
    return {Class::path, {}};
  if (has_word(lower, {"key", "keys", "mkey", "smkey", "password", "passwd", "secret", "seed"}) ||
      lower.ends_with("password"))
    return {Class::secret, {}};
  return {};
}

std::string why_no_opensm_value(std::string_view value) {
  if (trim(value).empty() || trim(value) != value) return "it is empty, or has blanks around it";
  if (value.size() > kLongestValue) return "it is too long for a line of OpenSM's file";
  if (value == "(null)") return "'(null)' is OpenSM's word for an option that is not set";
  const auto is_bad = [](char c) {
    return c < ' ' || c > '~' || c == '"' || c == '\'' || c == '#';
  };
  if (std::any_of(value.begin(), value.end(), is_bad))
    return "OpenSM takes printable ASCII text without quotation marks and '#'";
  if (value.find('/') != std::string_view::npos) return "it names a path of the node";
  return {};
}

Value opensm_value(std::string_view text) {
  const std::string lower = to_lower(text);
  if (lower == "true" || lower == "false") return lower == "true";
  if (const auto number = number_of(text)) return *number;
  return std::string{text};
}

std::string opensm_text(const Value& value) {
  if (const bool* flag = value.as_bool()) return *flag ? "TRUE" : "FALSE";
  return to_text(value);
}

}  // namespace fabric
