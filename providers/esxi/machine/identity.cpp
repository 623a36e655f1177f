// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/machine/identity.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "providers/esxi/machine/sh/scripts.hpp"

namespace fabric::platform {

namespace {

constexpr std::string_view kProbe = "identity";
constexpr std::string_view kUuid = "uuid ";
constexpr std::string_view kHostname = "hostname ";

// "5f8c1d2e-7a30-4b6c-9d41-0c42a18c51a8": the installer made it.
bool is_uuid(std::string_view text) {
  constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return std::equal(text.begin(), text.end(), kShape.begin(), kShape.end(), [](char c, char shape) {
    if (shape == '-') return c == '-';
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

// "VersionGet.Version.string=8.0.3", "VersionGet.Build.string=Releasebuild-24022510"
void read_version(Identity& identity, std::string_view line) {
  constexpr std::string_view kVersion = "VersionGet.Version.string=";
  constexpr std::string_view kBuild = "VersionGet.Build.string=";
  if (line.starts_with(kVersion)) {
    identity.os_id = "esxi";
    identity.os_version = trim(line.substr(kVersion.size()));
  }
  if (line.starts_with(kBuild)) identity.kernel = trim(line.substr(kBuild.size()));
}

}  // namespace

Probe esxi_identity_probe() {
  return {std::string{kProbe}, std::string{sh::probe_esxi_identity.text}};
}

Identity esxi_identity_of(const NodeFacts& facts) {
  Identity identity;
  const std::string* text = facts.output(kProbe);
  if (text == nullptr) return identity;
  for (const std::string_view line : split_lines(*text)) {
    if (line.starts_with(kUuid)) {
      // What esxcli says instead, it says here too (E-esxcli-errors).
      const std::string_view uuid = trim(line.substr(kUuid.size()));
      if (is_uuid(uuid)) identity.machine_id = uuid;
    } else if (line.starts_with(kHostname)) {
      identity.hostname = trim(line.substr(kHostname.size()));
    } else {
      read_version(identity, line);
    }
  }
  return identity;
}

}  // namespace fabric::platform
