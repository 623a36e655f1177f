// SPDX-License-Identifier: Apache-2.0
#include "engine/platform/linux/lock_script.hpp"

namespace fabric::platform {

const char* const kReadLock = R"sh(
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
)sh";

const char* const kPutLock = R"sh(
line() { printf '%s %s\n' "$1" "$2"; }
put() {
  umask 022
  cat >"$file.new" && flush_file "$file.new" && mv -f "$file.new" "$file" &&
    flush_folder "${file%/*}"
}
)sh";

}  // namespace fabric::platform
