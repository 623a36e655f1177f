#include "engine/platform/linux/session_path.hpp"

#include <optional>

#include "engine/base/text.hpp"

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

}  // namespace

Probe session_probe() {
  return {
      std::string{kProbe},
      R"sh(connection=$SSH_CONNECTION process=$PPID steps=0
while [ -z "$connection" ] && [ "${process:-0}" -gt 1 ] && [ "$steps" -lt 8 ]; do
  connection=$(tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | sed -n 's/^SSH_CONNECTION=//p')
  process=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$process/status" 2>/dev/null)
  steps=$((steps + 1))
done
set -- $connection
[ -n "$1" ] || exit 0
echo "client $1"
route=$(ip -o route get "$1" from "$3" 2>/dev/null || ip -o route get "$1" 2>/dev/null)
level=$(printf '%s\n' "$route" | sed -n 's/.* dev \([^ ]*\).*/\1/p' | sed -n 1p)
case $1 in *:*) family=-6 ;; *) family=-4 ;; esac
[ -z "$level" ] ||
  ip -o "$family" route show dev "$level" 2>/dev/null | while read -r destination _; do
    echo "route $destination"
  done
while [ -n "$level" ]; do
  below=
  for device in $level; do
    echo "device $device"
    for lower in "/sys/class/net/$device"/lower_*; do
      [ -e "$lower" ] && below="$below ${lower##*/lower_}"
    done
  done
  level=$below
done
exit 0
)sh"};
}

SessionPath session_path_of(const NodeFacts& facts) {
  SessionPath path;
  const std::string* text = facts.output(kProbe);
  if (text == nullptr) return path;
  for (const std::string_view line : split_lines(*text)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() != 2) continue;
    if (words[0] == "client") path.client = words[1];
    if (words[0] == "route") {
      if (const auto subnet = destination(words[1], path.client)) path.routes.push_back(*subnet);
    }
    if (words[0] != "device") continue;
    if (path.device.empty()) path.device = words[1];
    path.devices.emplace(words[1]);
  }
  return path;
}

}  // namespace fabric::platform
