# SPDX-License-Identifier: Apache-2.0
# $1 run, $2 seconds that the step may take, $3 what makes a lease last, then the command.
. lock_read.sh
refuse() { echo "lease lost: $1" >&2; exit 76; }
[ -e "$file" ] || refuse "run $1 does not hold the lock of this node any more"
[ "$held" = "$1" ] ||
  refuse "this node is locked by ${who:-somebody} (run ${held:-unknown}) now, and not by run $1"
[ "$left" != unreadable ] || refuse "the lock of this node can't be read"
[ "$left" -gt 0 ] || refuse "the lock of run $1 ran out $((0 - left)) s ago"
if [ "$left" -lt "$2" ]; then
  flock -w 10 /var/lib/fabric/lock.mutex sh -c "$3" fabric-lock "$1" "$2" </dev/null >&2 ||
    refuse "the lock of run $1 ends in $left s and can't be made to last"
fi
shift 3
exec "$@"
