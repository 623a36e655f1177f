// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/interface/live_claims.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/provider/owned_file.hpp"

namespace fabric::providers {

namespace {

bool has_file_of_ours(const Resource& resource, const FileTexts& files) {
  const std::string address = resource.address.str();
  return std::any_of(files.begin(), files.end(), [&](const auto& file) {
    const std::string_view first = std::string_view{file.second}.substr(0, file.second.find('\n'));
    return is_owned(file.second) && first.ends_with(" " + address);
  });
}

}  // namespace

std::string live_claim(
    const Resource& resource,
    const FoundLink& link,
    const RunningLinks& links,
    const FileTexts& files) {
  const LinkTarget& target = link.target;
  if (target.kind != LinkKind::port || link.device.empty() || has_file_of_ours(resource, files))
    return {};
  const std::string master = links.master(link.device);
  if (master.empty() || master == target.bond) return {};
  return fmt::format("{} is a port of the running {}", link.device, master);
}

}  // namespace fabric::providers
