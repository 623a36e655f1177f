#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# all.sh SECONDS: builds every fuzzer with clang and runs each for so long; installs what is missing from apt.
set -euo pipefail
cd "$(dirname "$0")/../.."
. cmake/packages.sh
install_packages "${build_packages[@]}" "${test_packages[@]}"
cmake --preset fuzz >/dev/null
cmake --build build/fuzz -j "$(build_jobs)" --target fuzzers
FABRIC_FUZZ_SECONDS=$1 ctest --test-dir build/fuzz --output-on-failure --no-tests=error -L fuzz
