# SPDX-License-Identifier: Apache-2.0
# Sets $file, $boot, $now (seconds since the boot), and of the lock that is there $held, $who,
# $left, $age; $left is "unreadable" where there is a lock that is not understood.
#
# A wall clock is set by hand, by NTP after the boot and by a host that wakes up, so that a lease
# by it ends at once or never. /proc/uptime is CLOCK_BOOTTIME: nobody sets it, and it goes on while
# the machine sleeps (E-boottime). What stands in the lock counts for the boot in which it was
# written. After another boot, nobody knows how much of it is over: it lasts for its whole length
# from that boot on. So the node of a run that has it rebooted stays that run's. An uptime that
# went back within a boot, as a container shows it that was started again, is another boot too.
# A lock without a boot was written by fabric before it knew better, and goes by the wall clock.
# shellcheck disable=SC2034 # for the scripts behind it
file=/var/lib/fabric/lock
boot= now=
read -r boot </proc/sys/kernel/random/boot_id
read -r now rest </proc/uptime
now=${now%%.*}
is_number() { case $1 in '' | *[!0-9]* | 0?* | ????????????*) return 1 ;; esac; }
if [ -z "$boot" ] || ! is_number "$now"; then
  echo "/proc tells neither the boot of this node nor its uptime" >&2
  exit 1
fi
held= who= noted= taken= expires= length= left= age=
if [ -e "$file" ]; then
  while read -r key value; do
    case $key in
      run) held=$value ;;
      who) who=$value ;;
      boot) noted=$value ;;
      taken) taken=$value ;;
      expires) expires=$value ;;
      length) length=$value ;;
    esac
  done <"$file"
  left=unreadable
  if [ -n "$held" ] && is_number "$taken" && is_number "$expires"; then
    if [ -z "$noted" ]; then
      wall=$(date +%s)
      left=$((expires - wall)) age=$((wall - taken))
    elif is_number "$length"; then
      if [ "$noted" = "$boot" ] && [ $((expires - length)) -le "$now" ]; then
        left=$((expires - now)) age=$((now - taken))
      else
        left=$((length - now)) age=$now
      fi
    fi
  fi
fi
