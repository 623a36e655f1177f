// SPDX-License-Identifier: Apache-2.0
// Values in the binding of a resource, by key.
#pragma once

#include <string>
#include <string_view>

#include "engine/model/resource.hpp"

namespace fabric::providers {

// "" if there is no such text.
inline std::string bound_text(const Resource& resource, std::string_view key) {
  const auto found = resource.binding.find(key);
  const std::string* text = found == resource.binding.end() ? nullptr : found->second.as_string();
  return text == nullptr ? std::string{} : *text;
}

inline bool is_bound(const Resource& resource, std::string_view key) {
  return or_null(resource.bound(key)) == Value{true};
}

// Key of an orphan: another resource configures the interface now, so it must not be released.
inline constexpr const char* kSuperseded = "superseded";

}  // namespace fabric::providers
