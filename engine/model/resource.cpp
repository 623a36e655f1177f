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
  const Value* observe = resource.bound("observe");
  return observe != nullptr && *observe == Value{true};
}

Error impossible(const Resource& resource, std::string_view why) {
  return {ErrorCode::invalid, resource.address.str() + ": " + std::string{why}};
}

const Value* Resource::wanted(std::string_view attribute) const {
  const auto found = desired.find(attribute);
  const bool is_wanted = found != desired.end() && !found->second.value.is_null();
  return is_wanted ? &found->second.value : nullptr;
}

const Value* Resource::bound(std::string_view key) const {
  const auto found = binding.find(key);
  return found == binding.end() ? nullptr : &found->second;
}

std::string Resource::bound_text(std::string_view key) const {
  const Value* found = bound(key);
  return found == nullptr ? std::string{} : to_text(*found);
}

const List& Resource::bound_list(std::string_view key) const {
  return or_null(bound(key)).items();
}

const Map& Resource::bound_map(std::string_view key) const {
  return or_null(bound(key)).members();
}

}  // namespace fabric
