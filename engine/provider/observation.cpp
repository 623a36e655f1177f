// SPDX-License-Identifier: Apache-2.0
#include "engine/provider/observation.hpp"

#include "engine/base/check.hpp"

namespace fabric {

std::string Reading::text() const {
  if (const Value* known = value(); known != nullptr) return to_text(*known);
  if (is_absent()) return "absent";
  return "unknown (" + why() + ")";
}

Reading at_least(const Reading& found, const Value& desired) {
  const std::int64_t* number = found.value() == nullptr ? nullptr : found.value()->as_integer();
  const std::int64_t* wanted = desired.as_integer();
  const bool is_enough = number != nullptr && wanted != nullptr && *number >= *wanted;
  return is_enough ? Reading::of(desired) : found;
}

std::string_view to_string(Layer layer) {
  switch (layer) {
    case Layer::running:
      return "running";
    case Layer::next_boot:
      return "next_boot";
    case Layer::persistent:
      return "persistent";
  }
  report_bug(__FILE__, __LINE__, "a layer that does not exist");
}

const std::optional<Reading>& LayeredReading::layer(Layer which) const {
  switch (which) {
    case Layer::running:
      return running;
    case Layer::next_boot:
      return next_boot;
    case Layer::persistent:
      return persistent;
  }
  report_bug(__FILE__, __LINE__, "a layer that does not exist");
}

}  // namespace fabric
