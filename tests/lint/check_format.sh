#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every C++ file is as clang-format 14 writes it.
set -euo pipefail
cd "$2"
git ls-files '*.cpp' '*.hpp' | xargs "$1" --dry-run -Werror
