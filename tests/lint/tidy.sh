#!/usr/bin/env bash
# clang-tidy over every source file, with the compile commands of the `tidy` preset.
#   tests/lint/tidy.sh             all of them (about 40 minutes on 2 cores)
#   tests/lint/tidy.sh MINUTES     those that were changed last, until the time is over: for CI
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset tidy >/dev/null
minutes=${1:-}
export until=$(($(date +%s) + ${minutes:-1000000} * 60))
looked_at=$(mktemp)
export looked_at
trap 'rm -f "$looked_at"' EXIT
# The last commit first; a file that git does not know a commit of stands at the end.
{
  git log --name-only --format= -- '*.cpp' 2>/dev/null || true
  git ls-files '*.cpp'
} | awk '!seen[$0]++' | grep -E '^(engine|plans|providers)/' | while read -r file; do
  [ ! -e "$file" ] || echo "$file"
done | xargs -P "$(nproc)" -I{} sh -c '
  [ "$(date +%s)" -lt "$until" ] || exit 0
  echo "$1" >>"$looked_at"
  clang-tidy --quiet -p build/tidy "$1" 2>/dev/null' _ {}
echo "clang-tidy: clean, $(wc -l <"$looked_at") of $(git ls-files 'engine/*.cpp' 'plans/*.cpp' 'providers/*.cpp' | wc -l) files"
