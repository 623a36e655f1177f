// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearse/platform/simulated_platform.hpp"

#include <fmt/format.h>

namespace fabric::rehearse {

std::string_view to_string(FileEdit::How how) {
  switch (how) {
    case FileEdit::How::edited:
      return "edits";
    case FileEdit::How::removed:
      return "removes";
    case FileEdit::How::linked:
      return "puts a link in the place of";
    case FileEdit::How::truncated:
      return "truncates";
  }
  return "";
}

namespace {

using providers::SettingRow;

// Numbers are the same for all versions of the tools.
std::string setting_text(const std::string& printed) {
  const std::optional<std::int64_t> number = providers::setting_number(printed);
  return number ? fmt::format("{}", *number) : printed;
}

void copy_settings(const providers::SettingsTable& table, lab::LabAdapter& adapter) {
  for (const SettingRow& row : table.rows) {
    if (!row.next_boot) continue;
    const std::string& running = row.current ? *row.current : *row.next_boot;
    const bool is_default =
        row.default_value && *row.default_value == running && *row.default_value == *row.next_boot;
    if (is_default) continue;
    adapter.settings[row.name] = setting_text(running);
    if (running != *row.next_boot) adapter.next_boot[row.name] = setting_text(*row.next_boot);
  }
}

}  // namespace

lab::LabAdapter copy_card(const providers::Card& card, const providers::CardSettings& settings) {
  lab::LabAdapter adapter;
  adapter.pci = card.address.str();
  if (!card.firmware.empty()) adapter.firmware = card.firmware;
  if (!card.serial.empty()) adapter.serial = card.serial;
  if (!card.psid.empty()) adapter.psid = card.psid;
  for (const providers::AdapterPort& port : card.ports) {
    if (port.node_guid && port.number == 1) adapter.node_guid = port.node_guid->str();
  }
  if (settings.table) copy_settings(*settings.table, adapter);
  return adapter;
}

}  // namespace fabric::rehearse
