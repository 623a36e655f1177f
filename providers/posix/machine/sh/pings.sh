# SPDX-License-Identifier: Apache-2.0
# The head of the pings of a host: calls of `ask NUMBER small|full COMMAND...` follow. $1 where programs are looked for
# besides. $status is that of the ping before.
LC_ALL=C
export LC_ALL
PATH=$PATH:$1
ask() {
  echo "fabric-ping $1 $2"
  shift 2
  "$@" 2>&1
  status=$?
  echo "fabric-exit $status"
}
