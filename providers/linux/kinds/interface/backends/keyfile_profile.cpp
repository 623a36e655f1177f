// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/kinds/interface/backends/keyfile_profile.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "engine/base/text.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kKeyfileProfileFolder = "/etc/NetworkManager/system-connections/";
constexpr std::string_view kOtherFolders[] = {
    "/run/NetworkManager/system-connections/", "/usr/lib/NetworkManager/system-connections/"};

// "12;66;161;140;81;168;" of older releases, too.
std::string address_text(std::string_view value) {
  if (value.find(';') == std::string_view::npos) return std::string{value};
  std::string text;
  for (const std::string_view part : split(value, ';')) {
    const auto byte = parse_integer(trim(part));
    if (byte) text += fmt::format("{}{:02x}", text.empty() ? "" : ":", *byte & 0xff);
  }
  return text;
}

}  // namespace

KeyfileProfile keyfile_profile(std::string_view content) {
  KeyfileProfile profile;
  for (const IniEntry& entry : ini_entries(content, IniDialect::keyfile)) {
    if (entry.key == "mac-address") profile.mac = address_text(entry.value);
    if (entry.key == "mac-address-blacklist" || entry.key == "mac-address-denylist")
      profile.not_mac = entry.value;
    if (entry.key == "parent") profile.parent = entry.value;
    if (entry.section == ".nmmeta" && entry.key == "nm-generated")
      profile.generated = entry.value == "true";
    if (entry.section == "match") profile.matches.push_back(entry);
    if (entry.section == "vlan" && entry.key == "id") profile.vlan = entry.value;
    if (entry.section != "connection") continue;
    if (entry.key == "id") profile.id = entry.value;
    if (entry.key == "uuid") profile.uuid = entry.value;
    if (entry.key == "autoconnect")
      profile.automatic = entry.value != "false" && entry.value != "0" && entry.value != "no";
    if (entry.key == "autoconnect-priority")
      profile.priority = parse_integer(entry.value).value_or(0);
    if (entry.key == "type") profile.type = entry.value;
    if (entry.key == "interface-name") {
      profile.interface = entry.value;
      profile.line = entry.line;
    }
  }
  return profile;
}

Spelling means_port(const KeyfileProfile& profile, const LinkTarget& target) {
  if (target.kind != LinkKind::port || !profile.interface.empty() || profile.priority < 0)
    return {};
  const bool ethernet = profile.type == "ethernet" || profile.type == "802-3-ethernet";
  const bool same_type = target.infiniband ? profile.type == "infiniband" : ethernet;
  if (!same_type && !profile.type.empty()) return {};
  Spelling all{true, false};
  for (const std::string_view excluded : split(profile.not_mac, ';')) {
    if (!trim(excluded).empty() && is_address_of(trim(excluded), target)) return {};
  }
  if (!profile.mac.empty()) {
    const bool same = is_address_of(profile.mac, target);
    all = {same, same};
  }
  for (const IniEntry& entry : profile.matches) {
    Spelling each{true, false};
    if (entry.key == "interface-name") {
      each = manager_pattern(entry.value, target.name);
    } else if (entry.key == "path") {
      each = manager_pattern(entry.value, path_of(target));
    } else if (entry.key == "driver") {
      each = manager_pattern(entry.value, driver_of(target));
      each.alone = false;
    }
    all = {all.fits && each.fits, all.alone || each.alone};
  }
  return all;
}

bool is_profile_of_manager(const std::string& path, const FileTexts& files) {
  if (path.starts_with(kKeyfileProfileFolder)) return true;
  const std::string name = path.substr(path.rfind('/') + 1);
  return !files.contains(std::string{kKeyfileProfileFolder} + name) &&
         std::any_of(std::begin(kOtherFolders), std::end(kOtherFolders), [&path](auto folder) {
           return path.starts_with(folder);
         });
}

}  // namespace fabric::providers
