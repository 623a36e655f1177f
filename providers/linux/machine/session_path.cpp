// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/machine/session_path.hpp"

#include <optional>

#include "engine/base/text.hpp"
#include "providers/linux/machine/sh/scripts.hpp"

namespace fabric::platform {

namespace {

constexpr std::string_view kProbe = "session";

// "10.30.0.0/24"; "10.30.0.7" for one host; "default". Nothing for "unreachable", "blackhole".
std::optional<Subnet> destination(std::string_view text, std::string_view client) {
  const bool ipv6 = client.find(':') != std::string_view::npos;
  const std::string_view everywhere = ipv6 ? "::/0" : "0.0.0.0/0";
  const Result<Subnet> subnet = Subnet::of_destination(text == "default" ? everywhere : text);
  return subnet ? std::optional{*subnet} : std::nullopt;
}

constexpr const char* kNoClient = "nothing on the node shows its origin";

// Of a line "unknown WHY [DEVICE]" of the probe.
std::string reason(const std::vector<std::string_view>& words, const std::string& client) {
  const std::string_view why = words[1];
  const std::string device{words.size() > 2 ? words[2] : "an interface"};
  if (why == "client") return kNoClient;
  if (why == "route") return "no route leads back to " + client;
  if (why == "loopback") return "it comes in over loopback, so something on the node forwards it";
  if (why == "tunnel")
    return "it may come in by the tunnel " + device + ", and the way to its other end is not known";
  if (why == "openvswitch") return "the ports of Open vSwitch beneath " + device + " can't be read";
  return "no port is found beneath " + device;
}

}  // namespace

Probe session_probe() {
  return {std::string{kProbe}, std::string{sh::probe_session.text}};
}

SessionPath session_path_of(const NodeFacts& facts) {
  SessionPath path;
  const std::string* text = facts.output(kProbe);
  path.unknown = text == nullptr ? "it was not read" : "";
  if (text == nullptr) return path;
  for (const std::string_view line : split_lines(*text)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() > 1 && words[0] == "unknown" && path.unknown.empty())
      path.unknown = reason(words, path.client);
    if (words.size() != 2) continue;
    if (words[0] == "client") path.client = words[1];
    if (words[0] == "route") {
      if (const auto subnet = destination(words[1], path.client)) path.routes.push_back(*subnet);
    }
    if (words[0] != "device") continue;
    if (path.device.empty()) path.device = words[1];
    path.devices.emplace(words[1]);
  }
  if (path.unknown.empty() && path.client.empty()) path.unknown = kNoClient;
  if (path.unknown.empty() && path.devices.empty())
    path.unknown = "no interface is known to have the route back to " + path.client;
  return path;
}

}  // namespace fabric::platform
