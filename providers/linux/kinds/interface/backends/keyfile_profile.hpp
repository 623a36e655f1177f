// SPDX-License-Identifier: Apache-2.0
// A profile of NetworkManager, and which interfaces it means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/platform/owned_file.hpp"
#include "providers/linux/kinds/interface/backends/spellings.hpp"
#include "providers/linux/parsers/ini_file.hpp"

namespace fabric::providers {

// What a profile is bound to.
struct KeyfileProfile {
  std::string id, uuid, interface, mac, not_mac, parent, vlan, type;
  std::vector<IniEntry> matches;  // of [match]
  std::int64_t priority = 0;
  std::size_t line = 1;
  bool automatic = true;
};

KeyfileProfile keyfile_profile(std::string_view content);

// A file that NetworkManager reads: one in its own folder hides those of its name in the folders of
// packages and of this boot.
bool is_profile_of_manager(const std::string& path, const FileTexts& files);

// Of a profile that names no interface: by [match], by the address, or by nothing, which is every
// port of its type. One of a lower priority than ours leaves the port to ours.
Spelling means_port(const KeyfileProfile& profile, const LinkTarget& target);

}  // namespace fabric::providers
