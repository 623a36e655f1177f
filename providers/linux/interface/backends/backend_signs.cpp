// SPDX-License-Identifier: Apache-2.0
#include "providers/linux/interface/backends/backend_signs.hpp"

#include "engine/base/text.hpp"
#include "engine/provider/file_digests.hpp"

namespace fabric::providers {

namespace {

constexpr std::string_view kBackendProbe = "network-backends";
constexpr std::string_view kFilesProbe = "network-files";

void read_sign(Signs& signs, const std::vector<std::string_view>& words) {
  const std::string subject{words[1]};
  if (words[0] == "file") signs.files.insert(subject);
  if (words[0] == "tool") signs.tools.insert(subject);
  if (words[0] == "unit" && words.size() == 3 && words[2] == "active")
    signs.active_units.insert(subject);
  if (words[0] == "networkctl" && words.size() >= 6)
    signs.networkd[std::string{words[2]}] = std::string{words[5]};
  if (words[0] == "nmcli") {
    const std::vector<std::string_view> parts = split(words[1], ':');
    if (parts.size() >= 2) signs.networkmanager[std::string{parts[0]}] = std::string{parts[1]};
  }
}

// What says who configures the interfaces of this node.
constexpr std::string_view kSignsScript =
    R"sh(for f in /etc/netplan/*.yaml /run/netplan/*.yaml /run/systemd/network/10-netplan-* \
  /run/NetworkManager/system-connections/netplan-* /etc/network/interfaces \
  /etc/network/if-pre-up.d/ifenslave /etc/sysconfig/network-scripts/ifcfg-*; do
  [ -e "$f" ] && echo "file $f"
done
units="NetworkManager systemd-networkd networking network"
set -- $(systemctl is-active $units 2>/dev/null)
for u in $units; do
  echo "unit $u $1"
  [ $# -eq 0 ] || shift
done
for t in ifup ifreload networkctl nmcli netplan; do
  command -v "$t" >/dev/null 2>&1 && echo "tool $t"
done
nmcli -t -f DEVICE,STATE device 2>/dev/null | sed 's/^/nmcli /'
networkctl --no-pager --no-legend list 2>/dev/null | sed 's/^/networkctl /'
exit 0
)sh";

// Those of packages count as far as they come before ours. What /etc/network/interfaces reads from
// elsewhere counts like its own folder.
//
// Lines that may hold a secret are printed empty, so that the others keep their numbers. Of
// netplan's files these are the keys of secrets, wherever on their line, with all that stands below
// them: a name (of a node in our marker, of an interface as we write it) may say "key" too.
constexpr std::string_view kFilesScript =
    R"sh(set --
for f in /etc/systemd/network/*.network /etc/systemd/network/*.netdev /etc/systemd/network/*.link \
  /etc/systemd/network/*.d/*.conf /run/systemd/network/*.network /run/systemd/network/*.netdev \
  /run/systemd/network/*.link \
  /usr/lib/systemd/network/0*.network /usr/lib/systemd/network/1*.network \
  /etc/udev/rules.d/70-fabric-*.rules /etc/udev/rules.d/90-fabric-ipoib-*.rules; do
  [ -f "$f" ] && set -- "$@" "$f"
done
[ $# -eq 0 ] || grep -H '' "$@"
for d in /var/lib/fabric/adopted/*; do
  [ -d "$d" ] && echo "$d:"
done
set --
for f in /etc/network/interfaces /etc/network/interfaces.d/*; do
  [ -f "$f" ] && set -- "$@" "$f"
done
[ ! -f /etc/network/interfaces ] || while read -r word rest; do
  case $word in
    source) below= ;;
    source-directory) below='/*' ;;
    *) continue ;;
  esac
  for w in $rest; do
    case $w in /*) ;; *) w=/etc/network/$w ;; esac
    for f in $w$below; do
      case " $* " in *" $f "*) continue ;; esac
      [ -f "$f" ] && set -- "$@" "$f"
    done
  done
done </etc/network/interfaces
[ $# -eq 0 ] || grep -H '' "$@" |
  sed -e 's/:[[:space:]]*wpa-.*/:/' -e 's/:[[:space:]]*wireless-key.*/:/'
for f in /etc/NetworkManager/system-connections/* /run/NetworkManager/system-connections/* \
  /usr/lib/NetworkManager/system-connections/*; do
  case $f in /run/*/netplan-*) continue ;; esac
  [ -f "$f" ] && awk -v f="$f" '
    /^\[/ { known = /^\[(connection|match|ethernet|802-3-ethernet|infiniband|bond|bond-port|vlan|bridge|bridge-port|ipv4|ipv6)\]/ }
    { print f ":" (known || /^#/ ? $0 : "") }' "$f"
done
for f in /etc/sysconfig/network-scripts/ifcfg-* /etc/sysconfig/network-scripts/route*-* \
  /etc/sysconfig/network-scripts/rule-*; do
  [ -f "$f" ] && grep -H '' "$f" |
    sed -E '/:PKEY(_ID)?=/!s/^([^:]*:).*(KEY|PSK|PASS|SECRET)[A-Z0-9_]*=.*/\1/'
done
for f in /etc/netplan/*.yaml /run/netplan/*.yaml /lib/netplan/*.yaml; do
  [ -f "$f" ] && awk -v f="$f" '
    function is_secret(line, key) {
      if (ours && line ~ /^    "[^"]*":$/) return 0
      line = tolower(line)
      while (match(line, "[a-z0-9_.-]+[\"\047]?[ \t]*:")) {
        key = substr(line, RSTART, RLENGTH)
        sub("[\"\047 \t:]+$", "", key)
        if (key ~ /pass|psk|secret|token/) return 1
        if (key ~ /(^|[-_.])(key|keys|private|shared|pin|cak)[0-9]*([-_.]|$)/) return 1
        line = substr(line, RSTART + RLENGTH)
      }
      return 0
    }
    NR == 1 { ours = /^# managed by fabric: / }
    {
      at = match($0, /[^ \t-]/)
      hide = at > 0 && (next_too || (below && at > below))
      if (!hide && at > 0) {
        comment = $0 ~ /^[ \t]*#/
        hide = is_secret($0)
        if (!comment) below = hide ? at : 0
      }
      if (at > 0) next_too = hide && $0 ~ /:[ \t]*$/
      print f ":" (hide ? "" : $0)
    }' "$f"
done
exit 0
)sh";

// The files of the former that may be somebody else's and can be taken over.
constexpr std::string_view kTakenOver =
    "/etc/systemd/network/* /etc/network/interfaces /etc/network/interfaces.d/* "
    "/etc/NetworkManager/system-connections/* /etc/sysconfig/network-scripts/ifcfg-* "
    "/etc/sysconfig/network-scripts/route*-* /etc/sysconfig/network-scripts/rule-* "
    "/etc/netplan/*.yaml";

Signs read_signs(std::string_view output) {
  Signs signs;
  for (const std::string_view line : split_lines(output)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() >= 2) read_sign(signs, words);
  }
  return signs;
}

}  // namespace

std::vector<Probe> backend_probes() {
  return {
      {std::string{kBackendProbe}, std::string{kSignsScript}},
      {std::string{kFilesProbe}, std::string{kFilesScript}},
      file_digests_probe(kTakenOver)};
}

const FileTexts& network_files(const NodeFacts& facts) {
  return probed_files(facts, kFilesProbe);
}

bool has_signs(const NodeFacts& facts) {
  return facts.output(kBackendProbe) != nullptr;
}

const Signs& signs_of(const NodeFacts& facts) {
  return facts.parsed_or_none(kBackendProbe, read_signs);
}

}  // namespace fabric::providers
