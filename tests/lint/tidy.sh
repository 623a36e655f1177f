#!/usr/bin/env bash
# clang-tidy over source files, with the compile commands of the `tidy` preset.
#   tests/lint/tidy.sh                  all of them (about 40 minutes on 2 cores)
#   tests/lint/tidy.sh --since REV      those that are not as in REV: before something lands
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
candidates | awk '!seen[$0]++' | while read -r file; do
  [ ! -e "$file" ] || echo "$file"
done | xargs -r -P "$(nproc)" -I{} sh -c '
  [ "$(date +%s)" -lt "$until" ] || exit 0
  echo "$1" >>"$looked_at"
  clang-tidy --quiet -p build/tidy "$1" 2>/dev/null' _ {}
echo "clang-tidy: clean, $(wc -l <"$looked_at") of $(git ls-files "${sources[@]}" | wc -l) files"
