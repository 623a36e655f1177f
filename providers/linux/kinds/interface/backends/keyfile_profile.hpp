// SPDX-License-Identifier: Apache-2.0
// A profile of NetworkManager, and the interfaces that it means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/platform/owned_file.hpp"
#include "providers/linux/kinds/interface/backends/spellings.hpp"
#include "providers/linux/parsers/ini_file.hpp"

namespace fabric::providers {

// The selectors of a profile.
struct KeyfileProfile {
  std::string id, uuid, interface, mac, not_mac, parent, vlan, type;
  std::vector<IniEntry> matches;  // of [match]
  std::int64_t priority = 0;
  std::size_t line = 1;
  bool automatic = true;
  bool generated = false;  // by NetworkManager itself, for a device without a profile
};

KeyfileProfile keyfile_profile(std::string_view content);

// True for a file that NetworkManager reads: a file in its own folder hides files of that name in
// the folders of packages and of this boot.
bool is_profile_of_manager(const std::string& path, const FileTexts& files);

// For a profile that names no interface: whether it means the port by [match], by the address, or
// without selectors (every port of its type). A profile of a lower priority than fabric's does not.
Spelling means_port(const KeyfileProfile& profile, const LinkTarget& target);

}  // namespace fabric::providers
