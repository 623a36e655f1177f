#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What cmake/packages.sh asks of each package manager, with managers that only write down what they are asked.
set -euo pipefail
. "$(dirname "$0")/../../cmake/packages.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
check() { # MANAGER WANTED-WORD...
  local manager=$1 bin=$work/$1 tool word
  shift
  mkdir -p "$bin"
  for tool in bash sh env id sort grep cat sudo; do ln -sf "$(command -v "$tool" || echo /bin/true)" "$bin/$tool"; done
  printf '#!/bin/sh\necho "$@" >>%s\n' "$bin/asked" >"$bin/$manager"
  # Nothing is installed but cmake.
  printf '#!/bin/sh\ncase "$*" in *cmake) echo "install ok installed" ;; *) exit 1 ;; esac\n' >"$bin/rpm"
  cp "$bin/rpm" "$bin/dpkg-query"
  chmod +x "$bin/$manager" "$bin/rpm" "$bin/dpkg-query"
  (PATH=$bin; install_packages "${build_packages[@]}" "${test_packages[@]}") >"$bin/said"
  for word in "$@"; do
    grep -qw -e "$word" "$bin/asked" || { echo "$manager was not asked for $word: $(cat "$bin/asked")"; failed=1; }
  done
  grep -qw -e "cmake" "$bin/asked" && { echo "$manager was asked for what is there"; failed=1; }
  grep -q -e "-dev " "$bin/asked" && [ "$manager" != apt-get ] && { echo "$manager was asked for names of Debian"; failed=1; }
  return 0
}
check apt-get libssh-dev g++ install
check dnf libssh-devel gcc-c++ json-devel install
check zypper libssh-devel gcc-c++ ninja install
exit $failed
