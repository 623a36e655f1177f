#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds with ASan and UBSan and runs the tests; installs what is missing from apt.
#
#   tests/run.sh                 the default gate: unit, golden, lint, integration, OpenSM on ibsim, the lab, 200 seeds
#   tests/run.sh --tidy          clang-tidy over every file as well
#   tests/run.sh --long SECONDS  the stories that are not played by default as well, about so long, others on each day
#   tests/run.sh --fuzz SECONDS  every fuzzer for that long as well
#   tests/run.sh --seeds N       N simulation seeds instead of 200
#   tests/run.sh -R NAME ...     anything else goes to ctest
set -euo pipefail
cd "$(dirname "$0")/.."
. cmake/packages.sh

tidy=no fuzz=0 long=0 ctest_arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    --tidy) tidy=yes ;;
    --fuzz) fuzz=$2; shift ;;
    --long) long=$2; shift ;;
    --seeds) export FABRIC_SIMULATION_SEEDS=$2; shift ;;
    -h | --help) sed -n '3,/^set/p' "$0" | sed -n 's/^# \{0,1\}//p'; exit 0 ;;
    *) ctest_arguments+=("$1") ;;
  esac
  shift
done

install_packages "${build_packages[@]}" "${test_packages[@]}"
install_packages "${ib_packages[@]}" || echo "without OpenSM and ibsim, the ib tests skip themselves"
jobs=$(build_jobs)
cmake --preset dev >/dev/null
results=build/dev/results
rm -rf "$results"
mkdir -p "$results"

# Tests that wait for the lab's boots more than they work need nothing but the program: they run while the rest is built,
# and the build stands back for them.
waiting=()
run_waiting() {
  setsid ctest --test-dir "build/dev/tests/$1" --output-on-failure --no-tests=error -R "^$2\$" \
    --output-junit "$PWD/$results/$2.xml" >"$results/$2.log" 2>&1 &
  waiting+=("$!:$2")
}
leave() {
  local each
  # Each is a session of its own: ctest, and the script that it started.
  for each in "${waiting[@]}"; do kill -- "-${each%%:*}" 2>/dev/null || true; done
}
trap leave EXIT

failed=no
if [ ${#ctest_arguments[@]} -eq 0 ]; then
  cmake --build build/dev -j "$jobs" --target fabric
  run_waiting lab lab.scenarios
  run_waiting golden golden.lab
  nice cmake --build build/dev -j "$jobs"
  ctest_arguments=(-E '^(lab\.scenarios|golden\.lab)$')
else
  cmake --build build/dev -j "$jobs"
fi
# One more than there are cores: the simulation stands back for the others.
ctest --test-dir build/dev --output-on-failure --no-tests=error -j "$(($(nproc) + 1))" \
  --output-junit "$PWD/$results/tests.xml" "${ctest_arguments[@]}" || failed=yes
for each in "${waiting[@]}"; do
  wait "${each%%:*}" || failed=yes
  cat "$results/${each#*:}.log"
done
waiting=()
tests/skipped.py "$results"/*.xml
[ "$failed" = no ] || { echo "tests/run.sh: some tests failed, see above" >&2; exit 1; }

if [ "$tidy" = yes ]; then
  install_packages "${tidy_packages[@]}"
  tests/lint/tidy.sh
fi
if [ "$long" != 0 ]; then
  tests/lab/scenarios.py build/dev/engine/cli/fabric "$PWD" --long "$long"
fi
if [ "$fuzz" != 0 ]; then tests/fuzz/all.sh "$fuzz"; fi
