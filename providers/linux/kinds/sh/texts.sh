# SPDX-License-Identifier: Apache-2.0
# texts FILE...: all lines of those that are files, as grep -H tells them.
texts() {
  for f; do
    shift
    [ -f "$f" ] && set -- "$@" "$f"
  done
  [ $# -eq 0 ] || grep -H '' "$@"
}
