#!/usr/bin/env bash
# Builds with ASan and UBSan and runs the tests; installs what is missing from apt.
#
#   tests/run.sh                 the default gate: unit, golden, lint, integration, 200 seeds
#   tests/run.sh --tidy          clang-tidy over every file as well
#   tests/run.sh --fuzz SECONDS  every fuzzer for that long as well
#   tests/run.sh --seeds N       N simulation seeds instead of 200
#   tests/run.sh -R NAME ...     anything else goes to ctest
set -euo pipefail
cd "$(dirname "$0")/.."
. cmake/packages.sh

tidy=no fuzz=0 ctest_arguments=()
while [ $# -gt 0 ]; do
  case $1 in
    --tidy) tidy=yes ;;
    --fuzz) fuzz=$2; shift ;;
    --seeds) export FABRIC_SIMULATION_SEEDS=$2; shift ;;
    -h | --help) sed -n '2,/^set/p' "$0" | sed -n 's/^# \{0,1\}//p'; exit 0 ;;
    *) ctest_arguments+=("$1") ;;
  esac
  shift
done

install_packages "${build_packages[@]}" "${test_packages[@]}"
jobs=$(build_jobs)
cmake --preset dev >/dev/null
cmake --build build/dev -j "$jobs"
# One more than there are cores: the lab's stories mostly wait, and the simulation stands back for them.
ctest --test-dir build/dev --output-on-failure --no-tests=error -j "$(($(nproc) + 1))" "${ctest_arguments[@]}"

if [ "$tidy" = yes ]; then
  install_packages "${tidy_packages[@]}"
  tests/lint/tidy.sh
fi
if [ "$fuzz" != 0 ]; then
  install_packages "${fuzz_packages[@]}"
  cmake --preset fuzz >/dev/null
  cmake --build build/fuzz -j "$jobs" --target fuzzers
  FABRIC_FUZZ_SECONDS=$fuzz ctest --test-dir build/fuzz --output-on-failure --no-tests=error -L fuzz
fi
