#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds with ASan and UBSan and runs the tests; installs what is missing.
#
#   tests/run.sh             the gate: lints, unit and golden tests, corpora, some simulation seeds, sshd, OpenSM on
#                            ibsim, some stories of the lab
#   tests/run.sh --all       every test that needs nothing but this machine: all stories, golden.lab, a Slurm cluster, 200 seeds
#   tests/run.sh --seeds N   N simulation seeds
#   tests/run.sh -R NAME ... anything else goes to ctest
# What takes longer, or more than this machine: tests/long.sh --list
set -euo pipefail
cd "$(dirname "$0")/.."
. cmake/packages.sh

configuration=gate seeds=8 ctest_arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    --all) configuration=all seeds=200 ;;
    --seeds) seeds=$2; shift ;;
    -h | --help) sed -n '3,/^set/p' "$0" | sed -n 's/^# \{0,1\}//p'; exit 0 ;;
    *) ctest_arguments+=("$1") ;;
  esac
  shift
done
# A quarter of the time of an instrumented program goes to where each block of memory was allocated, and to blocks that
# were freed and are kept from use for a while: as many as the processor's cache holds. ASAN_OPTIONS= ctest ... keeps more
# of them, and tells more of a test that failed.
export ASAN_OPTIONS=${ASAN_OPTIONS-malloc_context_size=1:quarantine_size_mb=1:thread_local_quarantine_size_kb=64}
export FABRIC_SIMULATION_SEEDS=${FABRIC_SIMULATION_SEEDS:-$seeds}

packages=("${build_packages[@]}" "${test_packages[@]}")
[ "$configuration" != all ] || packages+=("${slurm_packages[@]}")
install_packages "${packages[@]}"
cmake --preset dev >/dev/null
results=build/dev/results
rm -rf "$results"
mkdir -p "$results"
begun=$SECONDS
export FABRIC_STORIES=$PWD/$results/stories.txt  # tests/lab/scenarios.py writes there what it has played
phase() { # NAME: says how long the one before took
  echo "tests/run.sh: $1 after $((SECONDS - begun)) s"
}
tests() { # NAME, arguments of ctest
  ctest --test-dir build/dev -C "$configuration" --output-on-failure --no-tests=error --timeout 1800 \
    --output-junit "$PWD/$results/$1.xml" "${@:2}"
}

if [ ${#ctest_arguments[@]} -gt 0 ]; then
  cmake --build build/dev -j "$(build_jobs)"
  tests chosen -j "$(nproc)" "${ctest_arguments[@]}"
  exit
fi
# What needs no program is seconds, and tells of a mistake before a build of minutes.
tests static -L static -j "$(nproc)"
phase "the lints have passed"
cmake --build build/dev -j "$(build_jobs)"
phase "everything is built"
failed=no
# What waits in real time, for logins, boots and deadlines, runs beside what computes: two tests more than there are cores
# leave none of these idle. No test is judged by how long it takes. Simulated subnets and labs have theirs one after the
# other.
tests run -LE static -j "$(($(nproc) + 2))" || failed=yes
phase "all tests were run"
tests/skipped.py "$results"/*.xml
tests/seeds_ran.py "$configuration" "$results" || failed=yes
[ "$failed" = no ] || { echo "tests/run.sh: some tests failed, see above" >&2; exit 1; }
