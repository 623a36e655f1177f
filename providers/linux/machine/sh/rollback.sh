# SPDX-License-Identifier: Apache-2.0
# The head of the script that rolls back, in the folder of its timer: calls of put_back, take_away and run follow, and
# `finish`. What still runs of the action is ended first: it has the gate in its environment (remote/perform). A file is put
# back beside and renamed, by a name that no reader of drop-in folders takes for a file of its own. A node that goes down
# while this runs finds `firing` at its next boot and does it again.
# shellcheck disable=SC2034 # a number of attempts
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
cd "${0%/*}" || exit 1
mv armed firing 2>/dev/null || [ -e firing ] || exit 0
running() { grep -ls "FABRIC_GATE=$PWD/armed" /proc/[0-9]*/environ 2>/dev/null; }
stop() {
  for found in $(running); do
    found=${found%/environ}
    kill "$1" "${found#/proc/}" 2>/dev/null
  done
}
for second in 1 2 3 4 5; do
  [ -n "$(running)" ] || break
  stop -TERM
  sleep 1
done
stop -KILL
. flush.sh
. flush_system.sh
failed=
put_back() {
  new=${2%/*}/.fabric-rollback.$$
  cp -p "$1" "$new" && flush_file "$new" && mv -f "$new" "$2" && flush_folder "${2%/*}" ||
    { rm -f "$new"; failed=yes; }
}
take_away() {
  rm -f "$1" || failed=yes
  [ ! -d "${1%/*}/" ] || flush_folder "${1%/*}"
}
run() { "$@" || failed=yes; }
finish() {
  flush_system
  if [ -z "$failed" ]; then mv firing rolled-back; else mv firing rollback-failed; fi
  flush_folder "$PWD"
}
