// SPDX-License-Identifier: Apache-2.0
#include "providers/parsers/qos_tools.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/value/lists.hpp"
#include "providers/parsers/lines.hpp"

namespace fabric::providers {

namespace {

constexpr std::int64_t kPriorities = 8;
constexpr std::int64_t kDscps = 64;

std::optional<std::int64_t> below(std::string_view text, std::int64_t end) {
  const auto number = parse_unsigned(text, 10);
  if (!number || *number >= static_cast<std::uint64_t>(end)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

// "26", "AF31", "CS6", "EF", "default".
std::optional<std::int64_t> dscp_of(std::string_view word) {
  constexpr std::int64_t kExpedited = 46;
  if (word == "EF") return kExpedited;
  if (word == "default" || word == "BE") return 0;
  const auto digit = [word](std::size_t at, std::int64_t end) {
    return at < word.size() ? below(word.substr(at, 1), end) : std::nullopt;
  };
  if (word.starts_with("CS") && word.size() == 3) {
    const auto selector = digit(2, kPriorities);
    return selector ? std::optional{*selector * 8} : std::nullopt;
  }
  if (word.starts_with("AF") && word.size() == 4) {
    const auto group = digit(2, 5);
    const auto drop = digit(3, 4);
    if (!group || !drop) return std::nullopt;
    return *group * 8 + *drop * 2;
  }
  return below(word, kDscps);
}

Value mapping(const std::map<std::int64_t, std::int64_t>& priorities) {
  Map map;
  for (const auto& [dscp, priority] : priorities)
    map.emplace(std::to_string(dscp), priority);
  return map;
}

class MlnxQosReader {
 public:
  Result<MlnxQos> read(std::string_view text) {
    std::size_t number = 0;
    for (const std::string_view raw : split_lines(text)) {
      ++number;
      const std::string_view line = trim(raw);
      if (const auto error = take(line, number)) return *error;
    }
    if (qos_.trust.empty()) return error_at(number, "'Priority trust state:' is missing");
    if (!enabled_)
      return error_at(number, "the line 'enabled' of the PFC configuration is missing");
    return std::move(qos_);
  }

 private:
  std::optional<Error> take(std::string_view line, std::size_t number) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.empty()) return std::nullopt;
    if (line.starts_with("prio:")) return take_map(words, number);
    if (words.front() == "enabled") return take_enabled(words, number);
    const auto entry = key_value(line);
    if (!entry) return std::nullopt;
    if (entry->key == "DCBX mode") qos_.dcbx = entry->value.starts_with("OS") ? "os" : "firmware";
    if (entry->key != "Priority trust state") return std::nullopt;
    if (entry->value != "pcp" && entry->value != "dscp" && entry->value != "none")
      return error_at(number, fmt::format("'{}' is no trust state", entry->value));
    qos_.trust = entry->value;
    return std::nullopt;
  }

  // "prio:6 dscp:30,55,54,": eight at most, the rest in a further line of the same priority.
  std::optional<Error> take_map(const std::vector<std::string_view>& words, std::size_t number) {
    const auto priority = below(words[0].substr(words[0].find(':') + 1), kPriorities);
    if (!priority || words.size() != 2 || !words[1].starts_with("dscp:"))
      return error_at(number, "expected 'prio:P dscp:D,D,...'");
    for (const std::string_view each : split(words[1].substr(5), ',')) {
      if (each.empty()) continue;
      const auto dscp = below(each, kDscps);
      if (!dscp) return error_at(number, fmt::format("'{}' is no DSCP", each));
      if (!qos_.dscp_priorities.emplace(*dscp, *priority).second)
        return error_at(number, fmt::format("DSCP {} has two priorities", *dscp));
    }
    return std::nullopt;
  }

  std::optional<Error> take_enabled(
      const std::vector<std::string_view>& words, std::size_t number) {
    if (words.size() != kPriorities + 1 || enabled_)
      return error_at(number, "expected one line 'enabled' with eight flags");
    enabled_ = true;
    for (std::int64_t priority = 0; priority < kPriorities; ++priority) {
      const std::string_view flag = words[static_cast<std::size_t>(priority) + 1];
      if (flag != "0" && flag != "1")
        return error_at(number, fmt::format("'{}' is neither 0 nor 1", flag));
      if (flag == "1") qos_.pfc.push_back(priority);
    }
    return std::nullopt;
  }

  MlnxQos qos_;
  bool enabled_ = false;
};

// The words behind `key`, "0:off 1:on", as pairs; nullopt: no such line.
struct Pair {
  std::string_view first, second;
};
Result<std::optional<std::vector<Pair>>> pairs_of(std::string_view text, std::string_view key) {
  std::optional<std::vector<Pair>> found;
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    const std::vector<std::string_view> words = split_words(line);
    if (words.empty() || words.front() != key) continue;
    if (found) return error_at(number, fmt::format("'{}' stands there twice", key));
    found.emplace();
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::size_t colon = words[i].find(':');
      if (colon == std::string_view::npos)
        return error_at(number, fmt::format("expected 'A:B', found '{}'", words[i]));
      found->push_back({words[i].substr(0, colon), words[i].substr(colon + 1)});
    }
  }
  return found;
}

}  // namespace

Result<MlnxQos> parse_mlnx_qos(std::string_view text) {
  return MlnxQosReader{}.read(text);
}

Value to_value(const MlnxQos& qos) {
  Map map{{"trust", qos.trust}, {"pfc", to_list(qos.pfc)}};
  if (!qos.dcbx.empty()) map.emplace("dcbx", qos.dcbx);
  if (!qos.dscp_priorities.empty()) map.emplace("dscp_priorities", mapping(qos.dscp_priorities));
  return map;
}

Result<DcbPfc> parse_dcb_pfc(std::string_view text) {
  const auto pairs = FABRIC_TRY(pairs_of(text, "prio-pfc"));
  if (!pairs) return error_at(1, "'prio-pfc' is missing");
  DcbPfc found;
  for (const Pair& each : *pairs) {
    const auto priority = below(each.first, kPriorities);
    if (!priority || (each.second != "on" && each.second != "off"))
      return error_at(1, fmt::format("'{}:{}' is no priority on or off", each.first, each.second));
    if (each.second == "on") found.pfc.push_back(*priority);
  }
  std::sort(found.pfc.begin(), found.pfc.end());
  return found;
}

Value to_value(const DcbPfc& pfc) {
  return Map{{"pfc", to_list(pfc.pfc)}};
}

Result<DcbApp> parse_dcb_app(std::string_view text) {
  const auto pairs = FABRIC_TRY(pairs_of(text, "dscp-prio"));
  DcbApp found;
  if (!pairs) {
    // The text may have only other tables of the command; an error message is no table.
    for (const std::string_view line : split_lines(text)) {
      if (!trim(line).empty() && line.find("prio") == std::string_view::npos)
        return error_at(1, fmt::format("no table; the tool says: {}", trim(line)));
    }
    return found;
  }
  for (const Pair& each : *pairs) {
    const auto dscp = dscp_of(each.first);
    const auto priority = below(each.second, kPriorities);
    if (!dscp || !priority)
      return error_at(1, fmt::format("'{}:{}' is no DSCP and priority", each.first, each.second));
    found.dscp_priorities[*dscp] = *priority;
  }
  return found;
}

Value to_value(const DcbApp& app) {
  return Map{{"dscp_priorities", mapping(app.dscp_priorities)}};
}

}  // namespace fabric::providers
