# SPDX-License-Identifier: Apache-2.0
# Asks each card that mst knows: $tool is what asks, and `query` asks the card $d, behind $limit. Without mst there is no
# device to ask, and that is an answer.
# shellcheck disable=SC2154,SC2034 # the script sets $tool, and uses $limit
command -v mst >/dev/null 2>&1 || exit 0
echo "== tool $tool"
limit=
if timeout 1 true 2>/dev/null; then limit='timeout 30'; fi
mst status | while read -r d rest; do
  case $d in mt*_pci*.*) continue ;; mt*_pci*) ;; *) continue ;; esac
  echo "== card $d"
  query 2>&1
  printf '\n== status %s\n' "$?"
done
exit 0
