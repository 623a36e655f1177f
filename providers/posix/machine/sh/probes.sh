# SPDX-License-Identifier: Apache-2.0
# The head of the script of all probes of a node. $1 where programs are looked for besides, $2 the word that its marks have.
# shellcheck disable=SC2034 # for the marks of the probes
folders=$1 nonce=$2
LC_ALL=C
PATH=$PATH:$folders
export LC_ALL PATH
mark() {
  printf '%s\n' "$1"
  printf '%s\n' "$1" >&2
}
finish() {
  printf '\n%s\n' "$1"
  printf '\n%s\n' "$1" >&2
}
# Which systems it may be (`system` of PlatformTraits), for a document that names another one. On a Linux host `nv` may be
# anything.
system=
if [ -e /proc/sys/kernel/osrelease ]; then
  system=linux
  if command -v esxcfg-vswitch >/dev/null 2>&1; then
    system=esx-classic
  elif command -v nv >/dev/null 2>&1; then
    system="linux nvue"
    if [ -d /etc/nvue.d ]; then system=nvue; fi
  fi
elif command -v esxcli >/dev/null 2>&1; then
  system=esxi
fi
printf '%s\n' "fabric-probe $nonce system $system"
