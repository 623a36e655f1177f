# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2154 # of lock_read.sh
show() {
  echo "uptime $now"
  if [ -e "$file" ]; then
    echo "left $left"
    echo "age $age"
    cat "$file"
  fi
}
