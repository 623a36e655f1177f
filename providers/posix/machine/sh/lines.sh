# SPDX-License-Identifier: Apache-2.0
# lines FILE...: of those that can be read each line that is not empty, as grep -H tells it. For
# short files.
lines() {
  for f in "$@"; do
    [ -f "$f" ] && [ -r "$f" ] || continue
    while IFS= read -r line || [ -n "$line" ]; do
      [ -z "$line" ] || printf '%s:%s\n' "$f" "$line"
    done <"$f"
  done
}
