// SPDX-License-Identifier: Apache-2.0
#include "engine/model/resource.hpp"

#include <fmt/format.h>

namespace fabric {

Result<ResourceAddress> ResourceAddress::parse(std::string_view text) {
  const std::size_t first = text.find('/');
  const std::size_t second = first == std::string_view::npos ? first : text.find('/', first + 1);
  if (second == std::string_view::npos || second == first + 1 || second + 1 == text.size()) {
    return Error{
        ErrorCode::invalid,
        fmt::format("'{}' is not a resource address: expected NODE/KIND/NAME", text)};
  }
  return ResourceAddress{
      FABRIC_TRY(NodeName::parse(text.substr(0, first))),
      text.substr(first + 1, second - first - 1),
      text.substr(second + 1)};
}

bool only_observed(const Resource& resource) {
  const auto found = resource.binding.find("observe");
  return found != resource.binding.end() && found->second == Value{true};
}

}  // namespace fabric
