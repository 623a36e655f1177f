# SPDX-License-Identifier: Apache-2.0
# Those of packages count as far as they come before ours. What /etc/network/interfaces reads from
# elsewhere counts like its own folder.
#
# Lines that may hold a secret are printed with their key alone, of netplan as a comment, or empty,
# so that the others keep their numbers and none is lost without a word. Of netplan's files these are the keys of secrets, wherever on their line, with all that stands below
# them: a name (of a node in our marker, of an interface as we write it) may say "key" too.
# shellcheck disable=SC2295 # $blank is a set of characters
. texts.sh
texts /etc/systemd/network/*.network /etc/systemd/network/*.netdev /etc/systemd/network/*.link \
  /etc/systemd/network/*.d/*.conf /run/systemd/network/*.network /run/systemd/network/*.netdev \
  /run/systemd/network/*.link /usr/local/lib/systemd/network/*.link /usr/lib/systemd/network/0*.network \
  /usr/lib/systemd/network/1*.network /etc/udev/rules.d/70-fabric-*.rules \
  /etc/udev/rules.d/90-fabric-ipoib-*.rules
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
  sed -E 's/:([[:space:]]*(wpa-|wireless-key)[^[:space:]]*).*/:\1 (hidden)/'
for f in /etc/frr/*.conf; do
  [ -f "$f" ] && grep -H '' "$f" |
    sed -E '/:[[:space:]]*(interface|exit|ipv?6? (address|router)|ip ospf area|ipv6 ospf6 area) ?/!s/^([^:]*:).*/\1/'
done
for f in /etc/NetworkManager/system-connections/* /run/NetworkManager/system-connections/* \
  /usr/lib/NetworkManager/system-connections/*; do
  case $f in /run/*/netplan-*) continue ;; esac
  [ -f "$f" ] || continue
  known=
  while IFS= read -r line || [ -n "$line" ]; do
    case "$line" in
      "[connection]"* | "[match]"* | "[ethernet]"* | "[802-3-ethernet]"* | "[infiniband]"* | \
        "[bond]"* | "[bond-port]"* | "[vlan]"* | "[bridge]"* | "[bridge-port]"* | "[ipv4]"* | \
        "[ipv6]"* | "[sriov]"* | "[ethtool]"* | "[dcb]"* | "[link]"* | "[tc]"* | "[user]"* | "[.nmmeta]"*) known=1 ;;
      "["*) known= ;;
    esac
    case "$known:$line" in
      1:* | :"#"* | :"["*) printf "%s:%s\n" "$f" "$line" ;;
      :*=*) printf "%s:%s=(hidden)\n" "$f" "${line%%=*}" ;;
      *) printf "%s:\n" "$f" ;;
    esac
  done <"$f"
done
for f in /etc/sysconfig/network-scripts/ifcfg-* /etc/sysconfig/network-scripts/route*-* \
  /etc/sysconfig/network-scripts/rule-*; do
  [ -f "$f" ] && grep -H '' "$f" |
    sed -E -e '/:PKEY(_ID)?=/!s/^([^:]*:([A-Za-z0-9_-]*:)?[A-Z0-9_]*(KEY|PSK|PASS|SECRET)[A-Z0-9_]*=).*/\1(hidden)/' \
      -e '/:PKEY(_ID)?=|=\(hidden\)$/!s/^([^:]*:([A-Za-z0-9_-]*:)?).*(KEY|PSK|PASS|SECRET)[A-Z0-9_]*=.*/\1/'
done
blank="$(printf " \t")"
secret="(pass|psk|secret|token)[a-z0-9_.-]*[\"']?[[:space:]]*:"
secret="$secret|(^|[^a-z0-9])(keys?|private|shared|pin|cak)[0-9]*([-_.][a-z0-9_.-]*)?[\"']?[[:space:]]*:"
for f in /etc/netplan/*.yaml /run/netplan/*.yaml /lib/netplan/*.yaml; do
  [ -f "$f" ] || continue
  named=
  head -n 1 "$f" | grep -q "^# managed by fabric: " && named="^[0-9]*:    \"[^\"]*\":\$"
  secrets=" $(sed "s/passthrough//g" "$f" | grep -niE "$secret" | grep -v "${named:-^\$}" | sed 's/:.*//' | tr "\n" " ")"
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
      case "$hide:${line%"$end"}" in 1:*:) next_too=1 ;; esac
    fi
    case "$hide:$words" in
      1:"#"*) line= ;;
      1:*) line="$indent# (hidden)" ;;
    esac
    printf "%s:%s\n" "$f" "$line"
  done <"$f"
done
exit 0
