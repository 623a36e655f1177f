# SPDX-License-Identifier: Apache-2.0
say() {
  for state in armed firing rolled-back rollback-failed; do
    if [ -e "$1/$state" ]; then echo "$state"; return; fi
  done
  echo disarmed
}
