#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over source files, sixteen at a time as the `tidy` preset compiles them: most of its time goes to headers.
#   tests/lint/tidy.sh                  all of them (a quarter of an hour on 2 cores)
#   tests/lint/tidy.sh --since REV      those that are not as in REV, with those that they are compiled with
#   tests/lint/tidy.sh MINUTES          those that were changed last, until the time is over: for CI
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset tidy >/dev/null
sources=('engine/*.cpp' 'plans/*.cpp' 'providers/*.cpp')  # patterns of git, which cross folders
minutes=1000000 since=
case ${1:-} in
  '') ;;
  --since) since=$2 ;;
  *) minutes=$1 ;;
esac
export until=$(($(date +%s) + minutes * 60))
looked_at=$(mktemp)
export looked_at
trap 'rm -f "$looked_at"' EXIT
candidates() {
  if [ -n "$since" ]; then
    git diff --name-only --diff-filter=d "$since" -- "${sources[@]}"
    return
  fi
  # The last commit first; a file that git does not know a commit of stands at the end.
  git log --name-only --format= -- "${sources[@]}" 2>/dev/null || true
  git ls-files "${sources[@]}"
}
# FILE GROUP, one a line: what the preset compiles a file in, which is the file itself where it stands alone.
groups() {
  local group
  find build/tidy/engine build/tidy/plans build/tidy/providers -path '*/Unity/*.cxx' | while read -r group; do
    sed -n "s|^#include \"$PWD/\(.*\)\"\$|\1 $group|p" "$group"
  done
}
all=$(candidates | awk 'NR == FNR { group[$1] = $2; next } { found = $1 in group ? group[$1] : $1 } !seen[found]++ { print found }' <(groups) -)
while read -r file; do
  [ ! -e "$file" ] || echo "$file"
done <<<"$all" | xargs -r -P "$(nproc)" -I{} sh -c '
  [ "$(date +%s)" -lt "$until" ] || exit 0
  echo "$1" >>"$looked_at"
  clang-tidy --quiet -p build/tidy "$1" 2>/dev/null' _ {}
echo "clang-tidy: clean, $(wc -l <"$looked_at") of $(grep -c . <<<"$all") groups of files"
