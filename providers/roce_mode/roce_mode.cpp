// SPDX-License-Identifier: Apache-2.0
#include "providers/roce_mode/roce_mode.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/model/resource_keys.hpp"

namespace fabric::providers {

Reading roce_reading(const RoceMode& mode, std::string_view attribute, const Value& desired) {
  if (mode.mode.empty()) return Reading::absent();
  if (attribute == "mode") return Reading::of(mode.mode);
  if (attribute == "pfc") return Reading::of(mode.pfc);
  if (attribute == "ecn") return Reading::of(mode.ecn);
  if (attribute != "trust") return Reading::unknown("it is not read");
  const std::string wanted = to_text(desired);
  const bool has = std::find(mode.trust.begin(), mode.trust.end(), wanted) != mode.trust.end();
  return Reading::of(has ? wanted : join(mode.trust, ","));
}

Resource left_roce(const NodeName& node, std::string_view mode) {
  Resource roce{{node, std::string{kinds::kQos}, std::string{keys::kSwitchQos}}, {}, {}, {}, {}};
  roce.desired.emplace("mode", DesiredAttribute{std::string{mode}, {}, {}});
  return roce;
}

std::vector<std::string> split_to_words(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view each : split(text, ',')) {
    if (!trim(each).empty()) words.emplace_back(trim(each));
  }
  return words;
}

}  // namespace fabric::providers
