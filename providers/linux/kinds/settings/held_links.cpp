// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/settings/held_links.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kChaining = "HOST_CHAINING_MODE";
constexpr std::string_view kHolding[] = {"KEEP_LINK_UP_ON_BOOT_P", "KEEP_LINK_UP_ON_STANDBY_P"};

bool holds(std::string_view parameter) {
  return parameter.starts_with(kHolding[0]) || parameter.starts_with(kHolding[1]);
}

}  // namespace

void warn_of_held_links(
    const Resource& resource, const CardSettings& settings, Diagnostics& diagnostics) {
  const auto chaining = resource.desired.find(kChaining);
  if (chaining == resource.desired.end() || chaining->second.value == Value{0} ||
      settings.table == nullptr)
    return;
  std::vector<std::string> held;
  for (const SettingRow& row : settings.table->rows) {
    const bool is_on = row.next_boot && setting_number(*row.next_boot).value_or(0) != 0;
    // What the document sets is set.
    if (is_on && holds(row.name) && !resource.desired.contains(row.name)) held.push_back(row.name);
  }
  if (held.empty()) return;
  diagnostics
      .warning(
          "chain-link-held",
          chaining->second.source,
          fmt::format(
              "{}: {} keeps links while its host is not running ({}): the neighbours see a carrier "
              "and send into a card that forwards nothing",
              resource.address.node.str(),
              resource.address.name,
              join(held, ", ")))
      .with_help(fmt::format("set `firmware: {{params: {{{}: 0}}}}`", join(held, ": 0, ")));
}

}  // namespace fabric::providers
