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
set --
[ ! -e /run/systemd/system ] || set -- $(systemctl is-active $units 2>/dev/null)
for u in $units; do
  echo "unit $u $1"
  [ $# -eq 0 ] || shift
done
for t in ifup ifreload networkctl nmcli netplan; do
  command -v "$t" >/dev/null 2>&1 && echo "tool $t"
done
told=$(nmcli -t -f DEVICE,STATE device 2>/dev/null)
[ -z "$told" ] || printf '%s\n' "$told" | sed 's/^/nmcli /'
told=
[ ! -e /run/systemd/system ] || told=$(networkctl --no-pager --no-legend list 2>/dev/null)
[ -z "$told" ] || printf '%s\n' "$told" | sed 's/^/networkctl /'
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
left=/etc/network/interfaces
seen=" $left "
while [ -n "$left" ]; do
  found=
  for reader in $left; do
    [ -f "$reader" ] || continue
    while read -r word rest; do
      case $word in
        source) below= ;;
        source-directory) below='/*' ;;
        *) continue ;;
      esac
      for w in $rest; do
        case $w in /*) ;; *) w=${reader%/*}/$w ;; esac
        for f in $w$below; do
          case "$seen" in *" $f "*) continue ;; esac
          seen="$seen$f "
          found="$found $f"
          case " $* " in *" $f "*) continue ;; esac
          [ -f "$f" ] && set -- "$@" "$f"
        done
      done
    done <"$reader"
  done
  left=$found
done
[ $# -eq 0 ] || grep -H '' "$@" |
  sed -e 's/:[[:space:]]*wpa-.*/:/' -e 's/:[[:space:]]*wireless-key.*/:/'
for f in /etc/NetworkManager/system-connections/* /run/NetworkManager/system-connections/* \
  /usr/lib/NetworkManager/system-connections/*; do
  case $f in /run/*/netplan-*) continue ;; esac
  [ -f "$f" ] || continue
  known=
  while IFS= read -r line || [ -n "$line" ]; do
    case "$line" in
      "[connection]"* | "[match]"* | "[ethernet]"* | "[802-3-ethernet]"* | "[infiniband]"* | \
        "[bond]"* | "[bond-port]"* | "[vlan]"* | "[bridge]"* | "[bridge-port]"* | "[ipv4]"* | \
        "[ipv6]"*) known=1 ;;
      "["*) known= ;;
    esac
    case "$known:$line" in
      1:* | :"#"*) printf "%s:%s\n" "$f" "$line" ;;
      *) printf "%s:\n" "$f" ;;
    esac
  done <"$f"
done
for f in /etc/sysconfig/network-scripts/ifcfg-* /etc/sysconfig/network-scripts/route*-* \
  /etc/sysconfig/network-scripts/rule-*; do
  [ -f "$f" ] && grep -H '' "$f" |
    sed -E '/:PKEY(_ID)?=/!s/^([^:]*:).*(KEY|PSK|PASS|SECRET)[A-Z0-9_]*=.*/\1/'
done
blank="$(printf " \t")"
secret="(pass|psk|secret|token)[a-z0-9_.-]*[\"']?[[:space:]]*:"
secret="$secret|(^|[^a-z0-9])(keys?|private|shared|pin|cak)[0-9]*([-_.][a-z0-9_.-]*)?[\"']?[[:space:]]*:"
for f in /etc/netplan/*.yaml /run/netplan/*.yaml /lib/netplan/*.yaml; do
  [ -f "$f" ] || continue
  named=
  head -n 1 "$f" | grep -q "^# managed by fabric: " && named="^[0-9]*:    \"[^\"]*\":\$"
  secrets=" $(grep -niE "$secret" "$f" | grep -v "${named:-^\$}" | cut -d: -f1 | tr "\n" " ")"
  n=0
  below=0
  next_too=
  while IFS= read -r line || [ -n "$line" ]; do
    n=$((n + 1))
    hide=
    indent=${line%%[!$blank-]*}
    words=${line#"$indent"}
    at=$((${#indent} + 1))
    if [ -n "$words" ]; then
      if [ -n "$next_too" ] || { [ "$below" -gt 0 ] && [ "$at" -gt "$below" ]; }; then
        hide=1
      else
        case "$secrets" in *" $n "*) hide=1 ;; esac
        case "$indent" in *-*) is_comment= ;; *) is_comment=${words%%[!#]*} ;; esac
        [ -n "$is_comment" ] || below=$((${hide:-0} * at))
      fi
      next_too=
      end=${line##*[!$blank]}
      case "$hide${line%"$end"}" in 1*:) next_too=1 ;; esac
    fi
    [ -z "$hide" ] || line=
    printf "%s:%s\n" "$f" "$line"
  done <"$f"
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
