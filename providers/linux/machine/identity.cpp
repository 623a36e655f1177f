// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/identity.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "providers/linux/machine/sh/scripts.hpp"

namespace fabric::platform {

namespace {

constexpr std::string_view kIdentityProbe = "identity";

// ID=debian, ID="ol", VERSION_ID='12'
std::string unquoted(std::string_view text) {
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
      text.back() == text.front()) {
    text = text.substr(1, text.size() - 2);
  }
  return std::string{text};
}

void read_os_release(Identity& identity, std::string_view line) {
  if (line.starts_with("ID=")) identity.os_id = unquoted(line.substr(3));
  if (line.starts_with("VERSION_ID=")) identity.os_version = unquoted(line.substr(11));
}

void read_line(Identity& identity, std::string_view path, std::string_view content) {
  if (path == "/etc/os-release") return read_os_release(identity, content);
  std::string text{trim(content)};
  if (path == "/proc/sys/kernel/random/boot_id") {
    if (is_boot_id(text)) identity.boot_id = std::move(text);
  } else if (path == "/proc/sys/kernel/hostname") {
    identity.hostname = std::move(text);
  } else if (path == "/proc/sys/kernel/osrelease") {
    identity.kernel = std::move(text);
  } else if (path == "/etc/machine-id" || identity.machine_id.empty()) {
    // The D-Bus one serves systems without systemd.
    identity.machine_id = std::move(text);
  }
}

}  // namespace

Probe identity_probe() {
  return {std::string{kIdentityProbe}, std::string{sh::probe_identity.text}};
}

Identity identity_of(const NodeFacts& facts) {
  Identity identity;
  const std::string* text = facts.output(kIdentityProbe);
  if (text == nullptr) return identity;
  for (const std::string_view line : split_lines(*text)) {
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos)
      read_line(identity, line.substr(0, colon), line.substr(colon + 1));
  }
  return identity;
}

bool is_boot_id(std::string_view text) {
  constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return std::equal(text.begin(), text.end(), kShape.begin(), kShape.end(), [](char c, char shape) {
    if (shape == '-') return c == '-';
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

}  // namespace fabric::platform
