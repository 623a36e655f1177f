// SPDX-License-Identifier: Apache-2.0
#include "providers/cards/seen_card.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace fabric::providers {

bool is_set(const SettingsTable* settings, const char* parameter) {
  const SettingRow* row = settings != nullptr ? settings->find(parameter) : nullptr;
  if (row == nullptr) return false;
  const std::optional<std::string>& value = row->current ? row->current : row->next_boot;
  return value && setting_number(*value).value_or(0) != 0;
}

const HardwareModel* model_of_device(std::uint32_t device_id, bool vpi) {
  const std::vector<const HardwareModel*> models = hardware_by_device(device_id);
  const auto found = std::find_if(
      models.begin(), models.end(), [vpi](const auto* model) { return model->infiniband == vpi; });
  if (found != models.end()) return *found;
  return models.empty() ? nullptr : models.front();
}

std::string short_name(const std::string& family) {
  constexpr std::string_view kLong = "connectx-";
  if (!family.starts_with(kLong)) return family;
  std::string name = "cx";
  for (const char c : family.substr(kLong.size()))
    if (c != '-') name += c;
  return name;
}

}  // namespace fabric::providers
