// SPDX-License-Identifier: Apache-2.0
// Some of the resources of a document as one span, as a provider takes them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/model/resource.hpp"

namespace fabric {

// Copies nothing if they are adjacent already: expansion makes those of one node and kind together.
class ResourceGroup {
 public:
  // REQUIRES: the resources of `members` outlive this.
  explicit ResourceGroup(std::span<const Resource* const> members) {
    bool together = true;
    for (std::size_t i = 1; i < members.size(); ++i)
      together = together && members[i] == members[i - 1] + 1;
    if (together && !members.empty()) {
      group_ = {members.front(), members.size()};
      return;
    }
    copies_.reserve(members.size());
    for (const Resource* member : members)
      copies_.push_back(*member);
    group_ = copies_;
  }
  ResourceGroup(const ResourceGroup&) = delete;
  ResourceGroup& operator=(const ResourceGroup&) = delete;
  ResourceGroup(ResourceGroup&&) = delete;
  ResourceGroup& operator=(ResourceGroup&&) = delete;
  ~ResourceGroup() = default;

  std::span<const Resource> get() const { return group_; }

 private:
  std::vector<Resource> copies_;
  std::span<const Resource> group_;
};

}  // namespace fabric
