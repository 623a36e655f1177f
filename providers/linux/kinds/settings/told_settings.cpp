// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/settings/told_settings.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "providers/linux/kinds/card_query/card_queries.hpp"
#include "providers/linux/kinds/sh/scripts.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kRecordProbe = "settings-records";
constexpr std::string_view kToldSettingsFolder = "/var/lib/fabric/settings/";
constexpr std::string_view kRecordSuffix = ".record";
constexpr std::string_view kBootIdSuffix = ".boot_id";
constexpr std::string_view kBeforeSuffix = ".before";
constexpr std::string_view kGivenBackSuffix = ".given_back";
constexpr const char* kBootIdFile = "/proc/sys/kernel/random/boot_id";
constexpr std::size_t kUuidLength = 36;

// A file that was torn by a power loss must not look like another boot.
std::string whole_uuid(std::string_view text) {
  return text.size() == kUuidLength ? std::string{text} : std::string{};
}

CardSettings queried_settings(const SettingsQueries& queries, const std::string& card) {
  CardSettings settings;
  settings.tool = queries.tool;
  if (settings.tool.empty()) {
    settings.why = "the node has neither mlxconfig nor mstconfig";
    settings.lacks_tool = true;
    return settings;
  }
  const auto found = queries.cards.find(card);
  if (found != queries.cards.end()) return found->second;
  settings.why = fmt::format("{} did not query {}", settings.tool, card);
  return settings;
}

void append_line(std::optional<std::string>& file, std::string_view line) {
  if (!file) file.emplace();
  *file += std::string{line} + "\n";
}

void read_record(CardSettings& settings, std::string_view output, const PciAddress& card) {
  const std::string record = record_path(card) + ":";
  const std::string boot_id = boot_id_path(card) + ":";
  const std::string before = before_path(card) + ":";
  const std::string given_back = given_back_path(card) + ":";
  const std::string running = fmt::format("{}:", kBootIdFile);
  for (const std::string_view line : split_lines(output)) {
    if (line.starts_with(running)) settings.boot_id = whole_uuid(trim(line.substr(running.size())));
    if (line.starts_with(boot_id)) {
      append_line(settings.record.boot_id_file, line.substr(boot_id.size()));
      settings.record.boot_id = whole_uuid(trim(line.substr(boot_id.size())));
    }
    if (line.starts_with(before)) append_line(settings.before_file, line.substr(before.size()));
    if (line.starts_with(given_back)) {
      append_line(settings.given_back_file, line.substr(given_back.size()));
      settings.given_back_in = whole_uuid(trim(line.substr(given_back.size())));
    }
    if (!line.starts_with(record)) continue;
    const std::string_view content = line.substr(record.size());
    append_line(settings.record.record_file, content);
    const std::size_t equals = content.find('=');
    if (content.starts_with('#') || equals == std::string_view::npos) continue;
    settings.record.values[std::string{trim(content.substr(0, equals))}] =
        std::string{trim(content.substr(equals + 1))};
  }
}

}  // namespace

std::vector<Probe> settings_probes() {
  return {
      {std::string{kSettingsProbe}, std::string{sh::probe_mlxconfig.text}},
      {std::string{kRecordProbe}, std::string{sh::probe_settings_record.text}}};
}

CardSettings settings_of(const NodeFacts& facts, const PciAddress& card) {
  CardSettings settings;
  if (const SettingsQueries* queries = settings_queries(facts)) {
    settings = queried_settings(*queries, card.str());
  } else {
    settings.why = "the settings of the cards could not be read";
  }
  if (const std::string* output = facts.output(kRecordProbe)) read_record(settings, *output, card);
  return settings;
}

std::string record_path(const PciAddress& card) {
  return fmt::format("{}{}{}", kToldSettingsFolder, card.str(), kRecordSuffix);
}

std::string boot_id_path(const PciAddress& card) {
  return fmt::format("{}{}{}", kToldSettingsFolder, card.str(), kBootIdSuffix);
}

std::string before_path(const PciAddress& card) {
  return fmt::format("{}{}{}", kToldSettingsFolder, card.str(), kBeforeSuffix);
}

std::string given_back_path(const PciAddress& card) {
  return fmt::format("{}{}{}", kToldSettingsFolder, card.str(), kGivenBackSuffix);
}

}  // namespace fabric::providers
