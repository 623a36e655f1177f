// SPDX-License-Identifier: Apache-2.0
#include "providers/esxi/machine/session_path.hpp"

#include "engine/base/text.hpp"
#include "providers/esxi/machine/sh/scripts.hpp"

namespace fabric::platform {

namespace {

constexpr std::string_view kSessionPathProbe = "session";

}  // namespace

// The address that the session came in by is that of an interface of the kernel, that is on a port
// group, that on a virtual switch, and that has uplinks. Fields come in ASCII order
// (E-esxcli-keyvalue). A distributed switch is not among the standard ones.
Probe esxi_session_probe() {
  return {std::string{kSessionPathProbe}, std::string{sh::probe_esxi_session.text}};
}

SessionPath esxi_session_path(const NodeFacts& facts) {
  SessionPath path;
  path.unknown = "it was not asked";
  const std::string* text = facts.output(kSessionPathProbe);
  if (text == nullptr) return path;
  path.unknown = "nothing on the node shows the session's origin";
  for (const std::string_view line : split_lines(*text)) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) continue;
    const std::string_view word = line.substr(0, blank);
    const std::string rest{trim(line.substr(blank))};
    if (word == "client") path.client = rest;
    if (word == "unknown") path.unknown = rest;
    if (word == "device") path.device = rest;
    if (word == "device" || word == "uplink") path.devices.insert(rest);
    if (word == "uplink") path.unknown.clear();
  }
  return path;
}

}  // namespace fabric::platform
